"""A gauntlet: one bot against all others, on deals of its own; and its former version on the same deals.

The two meet the same opponents, on the same deals, one after the other. Nothing is kept.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tournament.arrays import Floats
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.entrants.folder import find_submissions, read_submission
from tournament.errors import BadInput, RunFailed
from tournament.keys import master_key, seed_fingerprint
from tournament.leg import legs_per_replica
from tournament.records.results import load
from tournament.runner.contest_run import run_replicas
from tournament.runner.preparing import prepare_contest
from tournament.runner.watcher import Watcher
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.standings.house import HousePlay
from tournament.standings.places import surely_apart
from tournament.standings.standings import Standings
from tournament.standings.student import reach, two_sided_tail
from tournament.standings.tally import Tally, tally_of_points
from tournament.store.ledger import Field
from tournament.store.ledger_reading import read_field
from tournament.store.legs import Fault, LegResult, Legs
from tournament.store.storage import inside, open_storage
from tournament.trial.match import copy_bot, entered, only_against
from tournament.trial.playing import Meter, build
from tournament.trial.sequential import Look, Rule, Verdict, legs_in, play_until, won_by_replica

if TYPE_CHECKING:
    import pandas as pd

_FORMER = "~former"  # no file can have this name


@dataclass(frozen=True)
class Figure:
    """A number with its standard error, and how far its interval of 95% goes to either side; None where these can't be
    told."""

    value: float
    stderr: float | None
    reach: float | None

    @property
    def sign(self) -> int:
        """1 or -1 where it is surely above or below 0, else 0."""
        return 0 if self.reach is None or abs(self.value) <= self.reach else int(math.copysign(1, self.value))


@dataclass(frozen=True)
class Against:
    """What the bot scored against one opponent; with a former version what that did, and by how much it is better."""

    opponent: str
    points: Figure
    former: Figure | None = None
    better: Figure | None = None


@dataclass(frozen=True)
class WouldStand:
    """Where the bot's score would stand among the recorded ones of `bots`, this bot's own left out: first by its value,
    then between which places for sure, None where errors can't be told."""

    bots: int
    by_score: int
    first: int | None
    last: int | None


@dataclass(frozen=True)
class GauntletReport:
    """What a bot scored against all: points a session, or, against house players, the contest's score.

    `former` is the version in whose stead it played on the same deals, and `better` by how much it is better.
    `faults` are its own, `cost` what its decisions took in a leg like that of a check. Where the bot, or its former
    version, was `disqualified` there are no figures, and no costs. `stopped`: the last look, where there were several.
    """

    bot: str
    sessions: int
    games: int
    points: Figure | None = None
    against: tuple[Against, ...] = ()
    would_stand: WouldStand | None = None
    former: str | None = None
    former_points: Figure | None = None
    better: Figure | None = None
    faults: tuple[tuple[LegResult, Fault], ...] = ()
    disqualified: tuple[str, ...] = ()
    former_faults: tuple[tuple[LegResult, Fault], ...] = ()
    cost: Meter | None = None
    former_cost: Meter | None = None
    stopped: Look | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether it is surely better or worse than its former version; of a test of two sizes of the difference,
        whether it is the larger one or the smaller."""
        if self.stopped:
            return self.stopped.verdict
        sign = self.better.sign if self.better else 0
        return "better" if sign > 0 else "worse" if sign < 0 else "open"

    def frame(self) -> pd.DataFrame:
        """A row for each opponent, by its name: points, their error, and those of the former version and the
        difference; NaN for what can't be told."""
        import pandas as pd  # which the command doesn't need

        rows = [
            {
                f"{name}{suffix}": value
                for name, figure in (("points", line.points), ("former", line.former), ("better", line.better))
                for suffix, value in (("", figure and figure.value), ("_stderr", figure and figure.stderr))
            }
            for line in self.against
        ]
        return pd.DataFrame(
            rows, index=pd.Index([line.opponent for line in self.against], name="opponent"), dtype=float
        )


@dataclass(frozen=True)
class _Played:
    """What one version played, its name then, and how it is called beside the other."""

    name: str
    label: str
    field: Field
    legs: Legs
    standings: Standings


def play_gauntlet(
    contest: Contest,
    config: Config,
    bot: Path,
    opponents: Sequence[Path] | Sequence[str],
    former: Path | None,
    watcher: Watcher,
    rule: Rule | None = None,
) -> GauntletReport:
    """Play a bot against opponents: their files, or names of house players; none: all entrants or house players. With
    a `rule` both versions play replica by replica until it stops them.

    Raises BadInput for what can't be played, RunFailed when play stopped short.
    """
    if rule and not former:
        raise BadInput("--until and --sprt compare two versions: say also --instead-of")
    require_other_deals(contest, config)
    name = read_submission(bot).name
    left_out = {name.lower(), *([read_submission(former).name.lower()] if former else [])}
    if contest.house:
        contest = only_against(contest, [str(one) for one in opponents]) if opponents else contest
        others: list[Path] = []
    else:
        chosen = [read_submission(Path(one)) for one in opponents] or find_submissions(config.entrants)[0]
        others = [one.path for one in chosen if one.name.lower() not in left_out]
        if not others:
            raise BadInput(f"{config.entrants}: there is no other bot to play against")
    count = f"{len(others):,} other bot{'s' * (len(others) != 1)}" if others else "house players"
    watcher.say(f"{name} against {count}, {config.contest.sessions:,} sessions each")
    paths = [bot, former] if former else [bot]
    with contextlib.ExitStack() as stack:
        versions = [
            stack.enter_context(_version(contest, config, path, label, others, watcher))
            for path, label in zip(paths, (name, str(former)))
        ]
        played: list[_Played] = []

        def play(replicas: int) -> Floats | None:
            played.clear()
            for path, version in zip(paths, versions):
                if path is former and not rule:
                    watcher.say(f"The same deals with {former}")
                played.append(version(replicas))
            return _differences(contest, played)

        stopped = None
        if rule:
            settings = config.contest
            stopped = play_until(rule, settings.replicas, settings.most_replicas, play, watcher.say)
        else:
            play(config.contest.replicas)
    report = _report(contest, config, played, stopped)
    if report.disqualified:
        return report
    cost, *others_cost = (
        build(contest, config.contest, config.sandbox, path, watcher.say).play()[0].meter for path in paths
    )
    return replace(report, cost=cost, former_cost=others_cost[0] if others_cost else None)


def require_other_deals(contest: Contest, config: Config) -> None:
    """Raise BadInput for the seed of the contest's records: who has seen its deals knows what comes."""
    assert config.contest.seed is not None
    with contextlib.suppress(OSError, RunFailed):
        field = read_field(open_storage(inside(config.results, contest.name)))
        if field and field.settings.get("seed") == seed_fingerprint(master_key(config.contest.seed)):
            raise BadInput("--seed: it is that of the contest's records; its deals would tell bots what they will see")


@contextlib.contextmanager
def _version(
    contest: Contest, config: Config, bot: Path, label: str, others: Sequence[Path], watcher: Watcher
) -> Iterator[Callable[[int], _Played]]:
    """Plays a version up to so many replicas, each time on from where it was."""
    with scratch_folder() as folder:
        bots = folder / "bots"
        bots.mkdir()
        name = entered(bot, bots)
        for other in others:
            copy_bot(other, bots)
        settings = config.contest.model_copy(update={"until_settled": None})
        own = replace(config, contest=settings, entrants=bots, results=str(folder / "results"))
        with prepare_contest(contest, own, watcher, of=name) as prepared:

            def play(replicas: int) -> _Played:
                standings = run_replicas(prepared, replicas, watcher)
                return _Played(name, label, *legs_in(prepared.location), standings)

            yield play


def _differences(contest: Contest, played: Sequence[_Played]) -> Floats | None:
    """By how much the first version is better in each replica; None for one alone, or where one is disqualified."""
    if len(played) < 2 or any(_is_out(one) for one in played):
        return None
    mine, former = (_by_replica(contest, one, _opponents(played)) for one in played)
    return mine - former


def _is_out(played: _Played) -> bool:
    return any(line.name == played.name for line in played.standings.below)


def _opponents(played: Sequence[_Played]) -> list[str]:
    """Those whom all versions met and who weren't disqualified."""
    fit = [{line.name for line in one.standings.ranked} for one in played]
    return list(played[0].standings.house) or sorted(set.intersection(*fit) - {played[0].name})


def _by_replica(contest: Contest, played: _Played, opponents: Sequence[str]) -> Floats:
    """A version's points a session in each replica, or its scores against house players."""
    both = {played.name, *opponents}
    legs = played.legs.among(both, both)
    if not contest.house:
        return won_by_replica(legs, played.name, legs_per_replica(played.field.settings))
    facts = {player.name: player.facts for player in played.field.house}
    replica = legs.number // int(str(played.field.settings["sessions"]))
    several = [legs.chosen(np.flatnonzero(replica == one)) for one in range(int(replica.max(initial=-1)) + 1)]
    scores = [HousePlay(one, contest.house.scoring, facts).scores([played.name])[0] for one in several]
    return np.array(scores, np.float64)


def _report(contest: Contest, config: Config, played: Sequence[_Played], stopped: Look | None) -> GauntletReport:
    """What one version played, or both: the bot, and the former one."""
    (mine, *before), name = played, played[0].name
    faults = [
        tuple((leg, one) for leg, one in by.standings.faults if leg.name_at(one.seat) == by.name) for by in played
    ]
    report = GauntletReport(
        bot=name,
        sessions=int(mine.legs.sessions.sum()),
        games=int(mine.legs.games.sum()),
        former=before[0].label if before else None,
        faults=faults[0],
        former_faults=faults[1] if before else (),
        disqualified=tuple(one.label for one in played if _is_out(one)),
        stopped=stopped,
    )
    legs, rows = mine.legs, [name]
    for other in before:
        apart = replace(
            other.legs,
            names=tuple(_FORMER if one == other.name else one for one in other.legs.names),
            whole=other.legs.whole + (1 + int(legs.match.max(initial=0))) * np.array([1, 0, 0, 0]),
        )
        legs, rows = Legs.joined([legs, apart]), [name, _FORMER]
    opponents = _opponents(played)
    legs = legs.among({*rows, *opponents}, {*rows, *opponents})
    if report.disqualified or not len(legs):
        return report
    whole = _Scores.of(contest, mine.field, legs, rows, opponents)
    against = [
        Against(one, *_Scores.of(contest, mine.field, legs.among({*rows, one}, {*rows, one}), rows, [one]).figures())
        for one in opponents
    ]
    points, former_points, better = whole.figures()
    if better and better.stderr is not None and stopped and stopped.reaches is not None:
        better = replace(better, reach=stopped.reaches * better.stderr if better.stderr else 0.0)
    return replace(
        report,
        points=points,
        against=tuple(sorted(against, key=lambda line: (-line.points.value, line.opponent))),
        would_stand=_would_stand(contest, config, mine, whole, opponents),
        former_points=former_points,
        better=better,
    )


@dataclass(frozen=True)
class _Scores:
    """The scores of the bot and, if there is one, of its former version. `unit` makes a score one of a session."""

    tally: Tally
    unit: float

    @classmethod
    def of(cls, contest: Contest, field: Field, legs: Legs, rows: Sequence[str], opponents: Sequence[str]) -> _Scores:
        if contest.house:
            facts = {player.name: player.facts for player in field.house}
            return cls(HousePlay(legs, contest.house.scoring, facts).tally(rows), 1.0)
        tally = tally_of_points(rows, legs, legs_per_replica(field.settings), opponents)
        return cls(tally, int(tally.divisors[0]) / tally.lengths[0])

    def figures(self) -> tuple[Figure, Figure | None, Figure | None]:
        """The bot's score, that of its former version, and the difference."""
        measured = self.tally.measured

        def figure(value: float, error: float | None, to_either_side: float | None) -> Figure:
            return Figure(value * self.unit, *(one and one * self.unit for one in (error, to_either_side)))

        own, *former = (
            figure(float(score), error, None if error is None else reach(error, measured.freedom))
            for score, error in zip(measured.scores, measured.errors())
        )
        if not former:
            return own, None, None
        return own, former[0], figure(*measured.difference(0, 1), measured.differences.reach(0, 1))


def _would_stand(
    contest: Contest, config: Config, mine: _Played, whole: _Scores, opponents: Sequence[str]
) -> WouldStand | None:
    """Where the bot would stand; None where the records are of other settings, or of others than it has met."""
    try:
        field, ranking = (found := load(inside(config.results, contest.name))).field, found.ranking
    except (BadInput, RunFailed):
        return None
    there = [line.name for line in ranking.ranked if line.matches]
    rows = [row for row, one in enumerate(there) if one != mine.name]
    settings = [{key: value for key, value in one.settings.items() if key != "seed"} for one in (mine.field, field)]
    if not rows or settings[0] != settings[1] or field.engine != mine.field.engine:
        return None
    if not contest.house and not set(opponents).issuperset(there[row] for row in rows):
        return None
    own, others = whole.tally.measured, ranking.measured.of(rows)
    ahead = own.scores[0] - others.scores
    error, errors = own.errors()[0], others.errors()
    by_score = 1 + int((ahead < 0).sum())
    freedom = min(own.freedom, others.freedom)
    # Of one replica no error tells what another would have brought.
    if min(own.replicas, others.replicas) < 2 or error is None or None in errors:
        return WouldStand(len(rows), by_score, None, None)
    spread = np.hypot(error, np.array(errors, np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        sure = surely_apart(two_sided_tail(np.nan_to_num(ahead / spread), freedom))
    first, behind = 1 + int((sure & (ahead < 0)).sum()), int((sure & (ahead > 0)).sum())
    return WouldStand(len(rows), by_score, first, 1 + len(rows) - behind)
