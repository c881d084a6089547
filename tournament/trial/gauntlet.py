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
from tournament.errors import BadInput, RunFailed, counted
from tournament.leg import legs_per_replica
from tournament.records.results import load
from tournament.runner.contest_run import run_replicas
from tournament.runner.preparing import prepare_contest
from tournament.runner.watcher import Watcher
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.standings.errors import Measured
from tournament.standings.house import HousePlay
from tournament.standings.places import surely_apart
from tournament.standings.standings import Standings
from tournament.standings.student import two_sided_tail
from tournament.standings.tally import tally_of_points
from tournament.store.ledger import Field
from tournament.store.legs import Fault, LegResult, Legs
from tournament.store.storage import inside
from tournament.trial.match import copy_bot, entered, only_against
from tournament.trial.playing import Meter, build
from tournament.trial.sequential import Look, Rule, Verdict, legs_in, play_until

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
    count = counted(len(others), "other bot") if others else "house players"
    same_deals = f", and {former} on the same deals" if former else ""
    watcher.say(f"{name} against {count}, {config.contest.sessions:,} sessions each{same_deals}")
    paths = [bot, former] if former else [bot]
    with contextlib.ExitStack() as stack:
        versions = [
            stack.enter_context(_version(contest, config, path, label, others, watcher))
            for path, label in zip(paths, (name, str(former)))
        ]
        played: list[_Played] = []

        def play(replicas: int) -> Floats | None:
            played[:] = [version(replicas) for version in versions]
            return _Together.of(contest, played).differences() if rule and not any(map(_is_out, played)) else None

        settings, stopped = config.contest, None
        if rule:
            stopped = play_until(rule, settings.replicas, settings.most_replicas, play, watcher.say)
        else:
            play(settings.replicas)
    report = _report(contest, config, played, stopped)
    if report.disqualified:
        return report
    cost, *others_cost = (
        build(contest, config.contest, config.sandbox, path, watcher.say).play()[0].meter for path in paths
    )
    return replace(report, cost=cost, former_cost=others_cost[0] if others_cost else None)


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
            prepared = replace(prepared, paired=True)

            def play(replicas: int) -> _Played:
                standings = run_replicas(prepared, replicas, watcher)
                return _Played(name, label, *legs_in(prepared.location), standings)

            yield play


def _is_out(played: _Played) -> bool:
    return any(line.name == played.name for line in played.standings.below)


@dataclass(frozen=True)
class _Together:
    """The legs of one version or two as of bots that are entered together, their `names` then, and the opponents whom
    all met and who weren't disqualified."""

    contest: Contest
    field: Field
    legs: Legs
    names: list[str]
    opponents: list[str]

    @classmethod
    def of(cls, contest: Contest, played: Sequence[_Played]) -> _Together:
        (mine, *before), legs = played, played[0].legs
        for other in before:
            names = tuple(_FORMER if one == other.name else one for one in other.legs.names)
            later = (1 + int(legs.match.max(initial=0))) * np.array([1, 0, 0, 0])
            legs = Legs.joined([legs, replace(other.legs, names=names, whole=other.legs.whole + later)])
        fit = [{line.name for line in one.standings.ranked} for one in played]
        opponents = list(mine.standings.house) or sorted(set.intersection(*fit) - {one.name for one in played})
        return cls(contest, mine.field, legs, [mine.name, _FORMER][: len(played)], opponents)

    def measured(self, opponents: Sequence[str], legs: Legs | None = None) -> tuple[Measured, list[Figure]]:
        """The versions' scores against opponents, and in figures; of two versions by how much the first is better, too.
        In some of the legs, or in all."""
        both = {*self.names, *opponents}
        legs = (self.legs if legs is None else legs).among(both, both)
        if self.contest.house:
            facts = {player.name: player.facts for player in self.field.house}
            tally, unit = HousePlay(legs, self.contest.house.scoring, facts).tally(self.names), 1.0
        else:
            tally = tally_of_points(self.names, legs, legs_per_replica(self.field.settings), opponents)
            unit = int(tally.divisors[0]) / tally.lengths[0]  # makes a score one of a session
        measured = tally.measured
        found: list[tuple[float, float | None, float | None]] = [
            (score, None, None) if math.isnan(error) else (score, error, reach)
            for score, error, reach in zip(measured.scores.tolist(), measured.stderr.tolist(), measured.reach.tolist())
        ]
        if len(found) > 1:
            between = measured.differences
            found.append((float(between.means[0, 1]), between.error(0, 1), between.reach(0, 1)))
        return measured, [Figure(one[0] * unit, *(part and part * unit for part in one[1:])) for one in found]

    def differences(self) -> Floats:
        """By how much the first version is better in each replica."""
        of_house = self.contest.house is not None
        each = int(str(self.field.settings["sessions"])) if of_house else legs_per_replica(self.field.settings)
        replica = self.legs.number // each
        several = [self.legs.chosen(np.flatnonzero(replica == one)) for one in range(1 + int(replica.max(initial=-1)))]
        return np.array([self.measured(self.opponents, one)[1][-1].value for one in several])


def _report(contest: Contest, config: Config, played: Sequence[_Played], stopped: Look | None) -> GauntletReport:
    """What one version played, or both: the bot, and the former one."""
    mine, *before = played
    faults = [
        tuple((leg, one) for leg, one in by.standings.faults if leg.name_at(one.seat) == by.name) for by in played
    ]
    report = GauntletReport(
        bot=mine.name,
        sessions=int(mine.legs.sessions.sum()),
        games=int(mine.legs.games.sum()),
        former=before[0].label if before else None,
        faults=faults[0],
        former_faults=faults[1] if before else (),
        disqualified=tuple(one.label for one in played if _is_out(one)),
        stopped=stopped,
    )
    together = _Together.of(contest, played)
    if report.disqualified or not together.opponents:
        return report
    against = [Against(one, *together.measured([one])[1]) for one in together.opponents]
    measured, (points, *others) = together.measured(together.opponents)
    former_points, better = others or (None, None)
    if better and better.stderr is not None and stopped and stopped.reaches is not None:
        better = replace(better, reach=stopped.reaches * better.stderr if better.stderr else 0.0)
    return replace(
        report,
        points=points,
        against=tuple(sorted(against, key=lambda line: (-line.points.value, line.opponent))),
        would_stand=_would_stand(contest, config, mine, measured, together.opponents),
        former_points=former_points,
        better=better,
    )


def _would_stand(
    contest: Contest, config: Config, mine: _Played, own: Measured, opponents: Sequence[str]
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
    others = ranking.measured.of(rows)
    ahead = own.scores[0] - others.scores
    by_score = 1 + int((ahead < 0).sum())
    spread = np.hypot(own.stderr[0], others.stderr)
    # Of one replica no error tells what another would have brought.
    if min(own.replicas, others.replicas) < 2 or np.isnan(spread).any():
        return WouldStand(len(rows), by_score, None, None)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.minimum(own.freedom[0], others.freedom)
        sure = surely_apart(two_sided_tail(np.nan_to_num(ahead / spread), freedom))
    first, behind = 1 + int((sure & (ahead < 0)).sum()), int((sure & (ahead > 0)).sum())
    return WouldStand(len(rows), by_score, first, 1 + len(rows) - behind)
