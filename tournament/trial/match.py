"""A match: one bot against another, some, or all others. A baseline, another version of it, can play the same deals.

Each version is a run of its own in a scratch folder. Nothing is stored, unless a place for the records is given.
"""

from __future__ import annotations

import contextlib
import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.entrants.folder import find_submissions, read_submission
from tournament.errors import InputError, RunError, pluralize
from tournament.keys import master_key, seed_fingerprint
from tournament.leg import legs_per_replica
from tournament.records.losses import loss_rows, shows_decisions, worst_losses
from tournament.records.results import load
from tournament.runner.contest_run import run_replicas
from tournament.runner.listener import ProgressListener
from tournament.runner.prepare import prepare_contest
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.standings.house import HousePlay
from tournament.standings.matches import Match
from tournament.standings.rank_bounds import significantly_different
from tournament.standings.standard_errors import ScoreErrors
from tournament.standings.standings import Standings
from tournament.standings.student_t import half_width, two_sided_tail
from tournament.standings.tally import tally_points
from tournament.store.field import ContestSetup
from tournament.store.leg_result import Fault, LegResult
from tournament.store.legs import Legs
from tournament.store.reading import read_field
from tournament.store.storage import join_location, open_storage
from tournament.trial.paired_tables import PairedTables, mean_and_error
from tournament.trial.sequential import Difference, InterimResult, Verdict, check_confidence, legs_in, play_until

if TYPE_CHECKING:
    import pandas as pd

_BASELINE = "~baseline"  # no file can have this name


@dataclass(frozen=True)
class Estimate:
    """A number with its error, in the unit of the number.

    Attributes:
        value: The number, usually points per session.
        stderr: Its standard error; None if unknown.
        ci_half_width: Half-width of its 95% interval, or of the wider one of interim analyses; None if unknown.
    """

    value: float
    stderr: float | None
    ci_half_width: float | None

    @property
    def sign(self) -> int:
        """1 or −1 if the value is significantly above or below 0, otherwise 0. It is 0 if the interval is unknown."""
        return (
            0
            if self.ci_half_width is None or abs(self.value) <= self.ci_half_width
            else int(math.copysign(1, self.value))
        )


@dataclass(frozen=True)
class OpponentResult:
    """The bot's score against one opponent. With a baseline there are also its score and the difference.

    Attributes:
        opponent: Name of the opponent.
        points: The bot's points per session, or the contest's score against house players.
        opponent_points: The opponent's points per session; None for a house player, or with companions at tables.
        baseline: The baseline's points; None without a baseline.
        difference: The bot's points minus the baseline's, on the same deals; None without a baseline.
        measures: The contest's own measures by name; None for a value that is unknown. Empty with a baseline at tables.
    """

    opponent: str
    points: Estimate
    opponent_points: Estimate | None = None
    baseline: Estimate | None = None
    difference: Estimate | None = None
    measures: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class ProjectedRank:
    """The rank of the bot's score among the recorded ones of other bots.

    The bounds are unknown if an error is, or if the match or the records have fewer than two replicas.

    Attributes:
        bots: Number of the other bots.
        rank: The rank, from 1 for the best.
        rank_low: Best possible rank; None if unknown.
        rank_high: Worst possible rank; None if unknown.
    """

    bots: int
    rank: int
    rank_low: int | None
    rank_high: int | None


@dataclass(frozen=True)
class MatchReport:
    """The bot's score: points per session, or, against house players, the contest's score.

    There are no figures if the bot, its baseline or its single opponent was disqualified, or if no opponent was left to
    compare with. Then all estimates are None, and there are no opponents.
    """

    bot: str  #: name of the bot
    opponent: str | None  #: name of a single opponent; null for several
    sessions: int  #: number of sessions that the bot played
    games: int  #: number of games that the bot played
    replicas: int = 1  #: replicas of each match; if 1, errors are over the sessions of that match
    #: against all opponents: `value`, `stderr`, and `ci_half_width`, the half-width of the 95% interval; null if
    #: unknown
    points: Estimate | None = None
    #: a list, the best first: `opponent`, the bot's `points`, the `opponent_points` (null for a house player), the
    #: `baseline`'s points, the `difference` from the baseline, and the contest's own `measures`
    opponents: tuple[OpponentResult, ...] = ()
    lead: Estimate | None = None  #: difference of both sides' points per session; null for several opponents
    #: rank among the recorded `bots` of the same settings and opponents: `rank`, and the bounds `rank_low` and
    #: `rank_high`; null if there are no such records
    projected_rank: ProjectedRank | None = None
    baseline: str | None = None  #: the baseline's path; null without a baseline
    baseline_points: Estimate | None = None  #: points of the baseline
    difference: Estimate | None = None  #: points of the bot minus those of the baseline, on the same deals
    tables: int | None = None  #: tables of three or more at which both versions sat; null for two seats
    #: games for a verdict, as a share of those without the same tables for both versions; null if unknown
    games_of_unpaired: float | None = None
    #: faults of the bot, and of a single opponent: `bot`, `seat`, `session`, `game`, `decision`, `message`,
    #: `question_text`, `last_output`, `kind`
    faults: tuple[tuple[LegResult, Fault], ...] = ()
    baseline_faults: tuple[tuple[LegResult, Fault], ...] = ()  #: faults of the baseline
    disqualified: tuple[str, ...] = ()  #: names of the disqualified among the bot, its baseline, and a single opponent
    #: the bot's largest losses that are significant, at most three, against others in the contest's records: fields as
    #: in `tournament losses`; empty if there are no such records
    losses: tuple[Mapping[str, Any], ...] = ()
    #: the last interim analysis of `--until-settled`: `verdict`, `replicas`, `message`, `done`, `critical_value`;
    #: null without the option
    stopping: InterimResult | None = None

    @property
    def verdict(self) -> Verdict | None:
        """The significance of the bot's difference from its baseline or only opponent, or None if it has neither.

        It is "open" if the difference isn't significant or unknown. With `--until-settled` it is that of the last
        interim analysis.
        """
        if self.stopping:
            return self.stopping.verdict
        figure = self.difference or self.lead
        if figure is None:
            return "open" if self.baseline or self.opponent else None
        return "better" if figure.sign > 0 else "worse" if figure.sign < 0 else "open"

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each opponent, with NaN for what is unknown.

        The index has the opponents' names. The rows are in the order of `opponents`, with the bot's best result first.
        The columns are the points of the bot, those of the baseline, and their difference, per session. Each is
        followed by its standard error, such as `points_stderr`. Without a baseline the last two are NaN. There are no
        rows if a version or the only opponent was disqualified.
        """
        import pandas as pd  # the command doesn't need it

        rows = [
            {
                f"{name}{suffix}": value
                for name, figure in (
                    ("points", line.points),
                    ("baseline", line.baseline),
                    ("difference", line.difference),
                )
                for suffix, value in (("", figure and figure.value), ("_stderr", figure and figure.stderr))
            }
            for line in self.opponents
        ]
        return pd.DataFrame(
            rows, index=pd.Index([line.opponent for line in self.opponents], name="opponent"), dtype=float
        )


@dataclass(frozen=True)
class _VersionResult:
    """A version's results.

    Attributes:
        name: The version's name in the results.
        label: Its label in the report: the bot's name, or the baseline's path.
        field: The field of the results.
        legs: All legs of all bots, sorted by match and number.
        standings: The standings of all bots.
    """

    name: str
    label: str
    field: ContestSetup
    legs: Legs
    standings: Standings

    @property
    def faults(self) -> tuple[tuple[LegResult, Fault], ...]:
        """The version's own faults, each with its leg, in the order of the standings' faults."""
        return tuple((leg, one) for leg, one in self.standings.faults if leg.seats[one.seat] == self.name)

    @property
    def is_excluded(self) -> bool:
        """True if the version is disqualified or broken."""
        return any(line.name == self.name for line in self.standings.below)


def play_match(
    contest: Contest,
    config: Config,
    bot: Path,
    opponents: Sequence[Path] | Sequence[str],
    listener: ProgressListener,
    *,
    baseline: Path | None = None,
    until_settled: float | None = None,
    location: str | None = None,
    on_report: Callable[[Config, MatchReport], None] = lambda config, report: None,
) -> MatchReport:
    """Play a bot against others.

    Args:
        contest: The contest.
        config: The settings, with a seed.
        bot: File or folder of the bot.
        opponents: Files of bots, or names of house players. If empty, all entrants or all house players.
        listener: Receives messages and progress.
        baseline: Another version, which plays the same deals. At tables of three and more it sits at the same positions
            with the same companions, drawn from the field for each table. None for no baseline.
        until_settled: Probability with which all play replica by replica until the bot's order to its baseline, or to
            its only opponent, is settled. None to play the configured number of replicas.
        location: Folder or URL of the results, not allowed with a baseline. If None, they are in a folder that is
            removed.
        on_report: Called with the bot's settings and the report while the records exist. By default nothing is called.

    Returns:
        The report. It has no figures if a version or the only opponent was disqualified, or no opponent is left.

    Raises:
        InputError: The seed is that of the contest's records, or `until_settled` isn't between 0.5 and 1. A file is
            missing or isn't a bot's, two bots have one name, or there is no opponent. Results are to be kept of two
            versions, or `until_settled` is given without a baseline or only opponent. The location has other records
            that took long to play, or is an invalid URL. There is no house player of a name. The run finds a problem
            that the user can fix, such as a wrong setting, or that this machine can't confine bots.
        RunError: The run stopped early, the rules failed, or the records can't be read.
        OSError: A bot can't be copied, the scratch folder not made, or a folder of records not read. It is a
            FileNotFoundError if a part of the contest's records was removed while they were read.
        ValueError: Legs of a rewritten batch couldn't be read again.
    """
    seats = contest.seats_of(config.contest.playing())
    has_two_seats = bool(contest.house) or seats == 2
    at_tables = bool(baseline) and not has_two_seats
    if at_tables and seats is not None:
        tables = {"tables": config.contest.tables or 1, "table_mates": "any"}
        config = replace(config, contest=config.contest.model_copy(update=tables))
    if until_settled is not None:
        check_confidence(until_settled)
    if location is not None and baseline:
        raise InputError("--results: can't keep the records of two versions; omit --results or --baseline")
    require_other_deals(contest, config)
    if contest.house:
        contest, paths = with_own_deals(contest, [str(one) for one in opponents]), []
    else:
        paths = _opponents(config, [Path(one) for one in opponents], [bot, baseline] if baseline else [bot])
    single = has_two_seats and (len(opponents) == 1 or (config.contest.house_seats > 0 and len(paths) == 1))
    if until_settled is not None and not baseline and not single:
        raise InputError("--until-settled requires --baseline, or one OTHER")
    name = _existing(bot)
    opponent = None
    if single:
        opponent = _existing(paths[0]) if paths else str(opponents[0])
    against = opponent or (pluralize(len(paths), "other bot") if paths else "house players")
    same_deals = f", and {baseline} on the same deals" if baseline else ""
    each = f"{pluralize(config.contest.sessions, 'session')} each"
    if config.contest.replicas > 1 and until_settled is None:
        each = f"{config.contest.replicas:,} replicas of {pluralize(config.contest.sessions, 'session')} each"
    listener.on_message(f"{name} against {against}, {each}{same_deals}")
    with contextlib.ExitStack() as stack:
        versions = [
            stack.enter_context(
                _version(contest, config, path, label, paths, location, listener, paired=bool(baseline))
            )
            for path, label in (((bot, name), (baseline, str(baseline))) if baseline else ((bot, name),))
        ]
        played: list[_VersionResult] = []

        def play(replicas: int) -> Difference | None:
            """Play all versions up to this many replicas, and keep their results.

            Returns:
                The difference to test. None without `until_settled`, or if a version or the only opponent is
                disqualified.

            Raises:
                InputError: The user can fix the problem.
                RunError: The run stopped early, the rules failed, or the records can't be read.
                OSError: A folder of records can't be read.
                ValueError: Legs of a rewritten batch couldn't be read again.
            """
            played[:] = [version(replicas) for _, version in versions]
            if until_settled is None or any(one.standings.below if single else one.is_excluded for one in played):
                return None
            if at_tables:
                return Difference.of(*mean_and_error(_paired_tables(played).differences))
            return _PooledLegs.of(contest, played).difference() if baseline else _difference(played[0])

        settings, stopped = config.contest, None
        if until_settled is not None:
            stopped = play_until(until_settled, settings.replicas, settings.max_replicas, play, listener.on_message)
        else:
            play(settings.replicas)
        report = _report(contest, config, played, stopped, opponent)
        report = replace(report, losses=_losses(contest, config, versions[0][0], report))
        on_report(versions[0][0], report)
    return report


def require_other_deals(contest: Contest, config: Config) -> None:
    """Check that the seed isn't that of the contest's records, because its deals would be revealed to bots.

    If there are no records, or they can't be read, any seed is accepted.

    Raises:
        InputError: The seed is theirs, or the location of the results is an invalid URL.
    """
    assert config.contest.seed is not None
    with contextlib.suppress(OSError, RunError):
        recorded = read_field(open_storage(join_location(config.results, contest.name)))
        if recorded and recorded.settings.get("seed") == seed_fingerprint(master_key(config.contest.seed)):
            raise InputError("--seed: this is the seed of the contest's records, whose deals would be revealed to bots")


def _existing(bot: Path) -> str:
    """Return the name of the bot at a path.

    Raises:
        InputError: The file is missing, isn't a bot's, is too large, or can't be read.
    """
    if not bot.exists():
        raise InputError(f"{bot}: no such file")
    return read_submission(bot).name


def _opponents(config: Config, named: Sequence[Path], versions: Sequence[Path]) -> list[Path]:
    """Return the paths of the given bots, or of all entrants and house bots, except those with the versions' names.

    Entrants come first, in the given order or by name. House bots follow. If the house has seats and none of its bots
    is given, all of them are added to given entrants.

    Args:
        named: Paths of the given bots. If empty, all others play.
        versions: Paths of the bot and its baseline.

    Raises:
        InputError: A given bot has the name of another or of a version, or there is no other bot. A file is missing or
            isn't a bot's, or a folder of bots can't be read.
    """
    names = {_existing(path).lower() for path in versions}
    own, seats = house_bots(config), config.contest.house_seats
    house = [path for path in named if path.resolve() in own]
    entrants = [path for path in named if path.resolve() not in own]
    if not entrants and not (house and not seats) and seats + 1 != config.played.seats_of(config.contest.playing()):
        submissions = find_submissions(config.entrants)[0]
        entrants = [one.path for one in submissions if one.name.lower() not in names]
    if not house and (seats or not named):
        house = own
    if not (entrants or house):
        raise InputError(f"{config.entrants}: there is no other bot to play against")
    if not named:
        return [*entrants, *house]
    for path in (*entrants, *house):
        name = _existing(path)
        if name.lower() in names:
            raise InputError(f"{path}: both bots are called {name}; copy one of them under another name")
        names.add(name.lower())
    return [*entrants, *house]


def house_bots(config: Config) -> list[Path]:
    """Return the resolved paths of the host's own bots by name, none without a folder for them.

    Files that can't be read as bots are omitted, and so are all bots that share a name.

    Raises:
        InputError: The folder is missing, can't be read, or has more than 20,000 entries.
    """
    return [] if config.house is None else [one.path.resolve() for one in find_submissions(config.house)[0]]


@contextlib.contextmanager
def _version(
    contest: Contest,
    config: Config,
    bot: Path,
    label: str,
    opponents: Sequence[Path],
    location: str | None,
    listener: ProgressListener,
    *,
    paired: bool,
) -> Iterator[tuple[Config, Callable[[int], _VersionResult]]]:
    """Prepare a version in a scratch folder, which is removed after the block.

    Args:
        bot: File or folder of the version.
        label: Its label in the report.
        opponents: Files of the others.
        location: Folder or URL of the results; None to remove them.
        paired: Whether it is one of two versions that meet the same deals.

    Yields:
        The version's settings, and a function that plays it up to a number of replicas, continuing where it was. The
        function can be called within the block only.

    Raises:
        InputError: The version or a house bot can't be played, a setting is wrong, or this machine can't confine bots.
            Or the results have other records that took long to play, or their URL is invalid.
        RunError: The run can't start: the records can't be read or written, or bots can't be built.
        OSError: A bot can't be copied, or the scratch folder not made.
    """
    with scratch_folder() as folder:
        bots, house, of_house = folder / "bots", folder / "house", house_bots(config)
        bots.mkdir()
        house.mkdir()
        name = _existing(bot)
        for path in (bot, *opponents):
            copy = shutil.copytree if path.is_dir() else shutil.copyfile
            copy(path, (house if path is not bot and path.resolve() in of_house else bots) / path.name)
        settings = config.contest.model_copy(update={"until_settled": None})
        results = location or str(folder / "results")
        own = replace(config, contest=settings, entrants=bots, results=results, house=house if of_house else None)
        with prepare_contest(contest, own, listener, only_entrant=name) as prepared:
            if location is not None and (unlike := prepared.incompatible_records()) and unlike.needs_confirmation:
                raise InputError(f"{unlike}; give another folder as --results")

            def play(replicas: int) -> _VersionResult:
                """Play the version up to this many replicas.

                Raises:
                    InputError: The user can fix the problem.
                    RunError: The run stopped early, the rules failed, or the records can't be read or written.
                    OSError: A folder of records can't be read.
                    ValueError: Legs of a rewritten batch couldn't be read again.
                """
                standings = run_replicas(replace(prepared, paired=paired), replicas, listener)
                for failed in standings.failed_legs:
                    raise RunError(f"the rules failed in {failed}")
                return _VersionResult(name, label, *legs_in(prepared.location), standings)

            yield own, play


def with_own_deals(contest: Contest, names: Sequence[str]) -> Contest:
    """Return the contest with house players: those for practice if it has them, otherwise its own.

    Those for practice follow from a seed that no contest has, and are stored nowhere. Making the players fails with an
    InputError if a name is unknown. The returned contest has no examples of house players.

    Args:
        names: Names of the players that play. If empty, all play. Their order doesn't matter.
    """
    house = contest.house
    assert house
    make = house.practice_players or house.players

    def select_players(
        settings: ContestSettings, folder: Path, on_message: Callable[[str], None]
    ) -> Sequence[HousePlayer]:
        """Return the house players, all or those named, in the contest's order.

        Exceptions of the contest's own function pass through.

        Raises:
            InputError: There is no house player of a name.
        """
        players = make(settings, folder, on_message)
        available = [player.name for player in players]
        for name in names:
            if name not in available:
                raise InputError(
                    f"{name}: {contest.title} has no such house player; expected one of: {', '.join(sorted(available))}"
                )
        return [player for player in players if not names or player.name in names]

    return replace(contest, house=replace(house, players=select_players, examples=()))


@dataclass(frozen=True)
class _PooledLegs:
    """The legs of one or two versions as if they were in one field.

    Attributes:
        contest: The contest.
        field: Field of the first version.
        legs: Legs of all versions, those of the first version first.
        names: Names of the versions in these legs, the bot's before the baseline's.
        opponents: Names of all house players in their order, or sorted names of bots that aren't disqualified in any
            version's field. It can be empty.
    """

    contest: Contest
    field: ContestSetup
    legs: Legs
    names: list[str]
    opponents: list[str]

    @classmethod
    def of(cls, contest: Contest, played: Sequence[_VersionResult]) -> _PooledLegs:
        """Join the legs of versions. The matches of a baseline get numbers after those of the bot.

        Args:
            played: Results of the bot, and of its baseline if there is one.
        """
        (mine, *before), legs = played, played[0].legs
        for other in before:
            names = tuple(_BASELINE if one == other.name else one for one in other.legs.names)
            offset = (1 + int(legs.match.max(initial=0))) * np.array([1, 0, 0, 0])
            legs = Legs.joined([legs, replace(other.legs, names=names, counts=other.legs.counts + offset)])
        playing = [{line.name for line in (*one.standings.ranked, *one.standings.house_bots)} for one in played]
        opponents = list(mine.standings.house) or sorted(set.intersection(*playing) - {one.name for one in played})
        return cls(contest, mine.field, legs, [mine.name, _BASELINE][: len(played)], opponents)

    def measured(self, opponents: Sequence[str]) -> tuple[ScoreErrors, list[Estimate]]:
        """Return the versions' scores with errors against these opponents. Unknown errors of an estimate are None.

        Args:
            opponents: Names of bots or house players, at least one.

        Returns:
            The errors, and an estimate of each version in points per session, or in the contest's score against house
            players. The bot's is first. With two versions, that of the first minus the second follows. The errors
            are per game or session, as scores are counted, and aren't converted to sessions.
        """
        both = {*self.names, *opponents}
        legs = self.legs.among(both, both if self.contest.house else None)
        if self.contest.house:
            facts = {player.name: player.facts for player in self.field.house}
            tally, unit = HousePlay(legs, self.contest.house.scoring, facts).tally(self.names), 1.0
        else:
            tally = tally_points(self.names, legs, legs_per_replica(self.field.settings), opponents)
            unit = int(tally.divisors[0]) / tally.lengths[0]  # makes a score one of a session
        measured = tally.measured
        figures: list[tuple[float, float | None, float | None]] = [
            (score, None, None) if math.isnan(error) else (score, error, reach)
            for score, error, reach in zip(
                measured.scores.tolist(), measured.stderr.tolist(), measured.ci_half_width.tolist()
            )
        ]
        if len(figures) > 1:
            between = measured.differences
            figures.append((float(between.means[0, 1]), between.error(0, 1), between.ci_half_width(0, 1)))
        return measured, [Estimate(one[0] * unit, *(part and part * unit for part in one[1:])) for one in figures]

    def difference(self) -> Difference:
        """Return the points per session, or the score, of the first version minus those of the second.

        Call it only for two versions.
        """
        measured, figures = self.measured(self.opponents)
        return Difference.of(figures[-1].value, figures[-1].stderr, float(measured.differences.freedom[0, 1]))


def _report(
    contest: Contest,
    config: Config,
    played: Sequence[_VersionResult],
    stopped: InterimResult | None,
    opponent: str | None,
) -> MatchReport:
    """Return the report of one version, or of the bot and its baseline.

    It has no figures if a version or the single opponent is disqualified, or if no opponent is left.

    Args:
        played: Results of the bot, and of its baseline if there is one.
        stopped: The last interim analysis; None if there was none.
        opponent: Name of the single opponent; None for several.

    Raises:
        FileNotFoundError: A part of the contest's records was removed while they were read.
    """
    mine, *before = played
    excluded = [one.label for one in played if one.is_excluded]
    excluded += [line.name for line in mine.standings.below if line.name != mine.name] if opponent else []
    report = MatchReport(
        bot=mine.name,
        opponent=opponent,
        sessions=int(mine.legs.sessions.sum()),
        games=int(mine.legs.games.sum()),
        replicas=max(1, mine.standings.measured.replicas),
        baseline=before[0].label if before else None,
        faults=tuple(mine.standings.faults) if opponent else mine.faults,
        baseline_faults=before[0].faults if before else (),
        disqualified=tuple(excluded),
        stopping=stopped,
    )
    if before and mine.standings.has_means and not excluded:
        return _paired_report(report, _paired_tables(played), stopped)
    pooled = _PooledLegs.of(contest, played)
    if excluded or not pooled.opponents:
        return report
    if mine.standings.has_means:
        return _at_tables(contest, config, mine, report, pooled.opponents)
    sides = {match.y: match for match in mine.standings.sides if match.x == mine.name}
    against = [_against(contest, sides[one], pooled.measured([one])[1]) for one in pooled.opponents]
    measured, (points, *others) = pooled.measured(pooled.opponents)
    baseline_points, better = others or (None, None)
    if better and better.stderr is not None and stopped:
        better = replace(better, ci_half_width=stopped.critical_value * better.stderr if better.stderr else 0.0)
    return replace(
        report,
        points=against[0].points if opponent else points,
        opponents=tuple(sorted(against, key=lambda line: (-line.points.value, line.opponent))),
        lead=_lead(mine, sides[pooled.opponents[0]]) if opponent else None,
        projected_rank=_projected_rank(contest, config, mine, measured, pooled.opponents),
        baseline_points=baseline_points,
        difference=better,
    )


def _paired_tables(played: Sequence[_VersionResult]) -> PairedTables:
    """Return the tables at which both versions sat, without those of a bot that was disqualified in either run.

    Args:
        played: Results of the bot and its baseline, in this order.
    """
    excluded = {line.name for one in played for line in one.standings.below}
    return PairedTables.of([(one.name, one.legs) for one in played], played[0].field.settings, excluded)


def _paired_report(report: MatchReport, tables: PairedTables, stopped: InterimResult | None) -> MatchReport:
    """Return the report with figures of two versions at the same tables: over all, and over those of each companion.

    The companions are sorted by the bot's points with them, the most first, then by name. Without common tables the
    report is returned as it is.

    Args:
        stopped: The last interim analysis, whose critical value sets the interval of the difference; None for 95%.
    """

    def figures(tables: PairedTables) -> list[Estimate]:
        """Return the points per session of both versions, the bot's first, and their difference."""
        estimates = []
        for values in (*tables.points, tables.differences):
            mean, error, freedom = mean_and_error(values)
            estimates.append(Estimate(mean, error, None if error is None else half_width(error, freedom)))
        return estimates

    if not tables.companions:
        return report
    points, baseline, better = figures(tables)
    if better.stderr is not None and stopped:
        better = replace(better, ci_half_width=stopped.critical_value * better.stderr if better.stderr else 0.0)
    names = sorted({name for names in tables.companions for name in names})
    lines = []
    for name in names:
        own, theirs, apart = figures(tables.with_companion(name))
        lines.append(OpponentResult(name, own, None, theirs, apart))
    return replace(
        report,
        tables=len(tables.companions),
        points=points,
        opponents=tuple(sorted(lines, key=lambda line: (-line.points.value, line.opponent))),
        baseline_points=baseline,
        difference=better,
        games_of_unpaired=tables.games_of_unpaired,
    )


def _at_tables(
    contest: Contest, config: Config, mine: _VersionResult, report: MatchReport, opponents: Sequence[str]
) -> MatchReport:
    """Return the report with figures of one version at tables of several bots: its points, and those against each.

    Opponents are sorted by the bot's points against them, the most first, then by name. Those that it never met are
    left out. Without a known error, the points have None.

    Raises:
        FileNotFoundError: A part of the contest's records was removed while they were read.
    """
    standings = mine.standings
    row = [line.name for line in standings.ranked if line.matches].index(mine.name)
    own = standings.measured.take([row])
    error, reach = (
        None if math.isnan(value) else value for value in (float(own.stderr[0]), float(own.ci_half_width[0]))
    )
    points = Estimate(float(own.scores[0]), error, reach)
    sides = {match.y: match for match in standings.sides if match.x == mine.name}
    against = [_against(contest, sides[one], [points]) for one in opponents if one in sides]
    return replace(
        report,
        points=points,
        opponents=tuple(sorted(against, key=lambda line: (-line.points.value, line.opponent))),
        projected_rank=_projected_rank(contest, config, mine, own, opponents),
    )


def _against(contest: Contest, match: Match, figures: Sequence[Estimate]) -> OpponentResult:
    """Return the result against one opponent.

    Args:
        match: The version's match against the opponent, from the version's side.
        figures: Points of the version, and with a baseline those of the baseline and the difference. Without house
            players those of the version are replaced by the match's points per session.
    """
    points, *others = figures
    theirs = None
    if not contest.house:
        points, theirs = (
            Estimate(side.points_per_session, side.stderr_per_session, side.ci_half_width_per_session)
            for side in (match, match.from_y())
        )
    baseline, better = others or (None, None)
    return OpponentResult(match.y, points, theirs, baseline, better, match.measures)


def _lead(played: _VersionResult, match: Match) -> Estimate:
    """Return the bot's lead over its only opponent in points per session, 0 if rounding alone might explain it.

    Its error and interval are None if unknown.

    Args:
        played: Results of the bot.
        match: Its match against the opponent, from its side.
    """
    standings = played.standings
    lead, error = match.points_per_session - match.from_y().points_per_session, match.lead_stderr_per_session
    lead = 0.0 if abs(lead) <= 2 * standings.rounding else lead
    return Estimate(lead, error, None if error is None else half_width(error, match.freedom))


def _difference(played: _VersionResult) -> Difference:
    """Return the bot's points per session minus those of its only opponent, for a test.

    The difference is 0 if rounding alone might explain it.
    """
    match = next(one for one in played.standings.sides if one.x == played.name)
    lead = _lead(played, match)
    return Difference.of(lead.value, lead.stderr, match.freedom)


def _losses(contest: Contest, config: Config, own: Config, report: MatchReport) -> tuple[Mapping[str, Any], ...]:
    """Return the bot's worst significant losses, at most three, the largest first.

    They are compared with others in the contest's records. There are none if a version was disqualified, or if the
    contest doesn't show decisions. There are also none if the contest's records are missing, unreadable or of other
    games.

    Args:
        config: Settings of the contest, with the place of its records.
        own: Settings with which the bot played, with the place of its results.

    Raises:
        InputError: The match has no results.
        RunError: Its results can't be read.
        FileNotFoundError: A part of its results was removed while they were read.
    """
    if report.disqualified or not shows_decisions(contest):
        return ()
    mine = load(join_location(own.results, contest.name))
    try:
        recorded = load(join_location(config.results, contest.name))
        if _alike(mine.setup) != _alike(recorded.setup):
            return ()
        return tuple(worst_losses(loss_rows(mine, report.bot, field=recorded)))
    except (InputError, RunError, FileNotFoundError):
        return ()  # There are no records, or a run changes them now.


def _alike(setup: ContestSetup) -> tuple[str, dict[str, object]]:
    """Return what two contests have in common if their games are the same, no matter how many are played.

    Returns:
        The version of the engine, and the settings without the seed and the amount of play.
    """
    amount = {"seed", "sessions", "replicas", "max_replicas", "tables", "table_mates"}
    return setup.engine, {key: value for key, value in setup.settings.items() if key not in amount}


def _projected_rank(
    contest: Contest, config: Config, mine: _VersionResult, own: ScoreErrors, opponents: Sequence[str]
) -> ProjectedRank | None:
    """Return the bot's rank among the recorded bots, without a recorded one of its name.

    Args:
        own: The bot's scores and errors, in its first row.
        opponents: Names of the opponents that it met.

    Returns:
        The rank. None if there are no readable records, they have no other bot, or their settings, engine or house
        players differ. None also if a recorded bot is missing among the opponents.

    Raises:
        FileNotFoundError: A part was removed while the records were read.
    """
    try:
        recorded, ranking = (found := load(join_location(config.results, contest.name))).setup, found.ranking
    except (InputError, RunError):
        return None
    recorded_names = [line.name for line in ranking.ranked if line.matches]
    rows = [row for row, one in enumerate(recorded_names) if one != mine.name]
    settings = [{key: value for key, value in one.settings.items() if key != "seed"} for one in (mine.field, recorded)]
    if not rows or settings[0] != settings[1] or recorded.engine != mine.field.engine:
        return None
    if contest.house:
        met, players = ({(one.name, one.sha256) for one in each.house} for each in (mine.field, recorded))
        if met != players:
            return None
    elif not set(opponents).issuperset(recorded_names[row] for row in rows):
        return None
    other_errors = ranking.measured.take(rows)
    ahead = own.scores[0] - other_errors.scores
    rank = 1 + int((ahead < 0).sum())
    spread = np.hypot(own.stderr[0], other_errors.stderr)
    # The error of one replica doesn't show how another one would differ.
    if min(own.replicas, other_errors.replicas) < 2 or np.isnan(spread).any():
        return ProjectedRank(len(rows), rank, None, None)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.minimum(own.freedom[0], other_errors.freedom)
        is_significant = significantly_different(two_sided_tail(np.nan_to_num(ahead / spread), freedom))
    first, behind = 1 + int((is_significant & (ahead < 0)).sum()), int((is_significant & (ahead > 0)).sum())
    return ProjectedRank(len(rows), rank, first, 1 + len(rows) - behind)
