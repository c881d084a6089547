"""Trying a bot before it enters: built, started and played as in the tournament."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from engine.wasm.surroundings import FUEL_PER_SECOND
from engine.watching.scripted_core import ScriptedCore
from tournament.artifacts import compiler_command, libraries
from tournament.artifacts.bot import Entrant, Kind, Submission
from tournament.cache import cache_folder
from tournament.config import Contests
from tournament.contests import known_rules
from tournament.contests.contest import Contest, NewCore
from tournament.contests.questions import extreme_questions
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import build_entrant, language_of, with_lines
from tournament.entrants.folder import read_submission
from tournament.errors import BadInput
from tournament.keys import drawn_seed, trial_key
from tournament.leg import Leg, LegPlan
from tournament.runner.contest_run import Watcher
from tournament.runner.resume import content_sha256
from tournament.runner.schedule import AgainstHouse, Competitor, RoundRobin
from tournament.sandbox.outside import probe
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.store.legs import Fault, LegResult
from tournament.store.part_writer import ROWS_PER_BUFFER
from tournament.worker.leg import limits_of, play_leg
from tournament.worker.observation import ObservedGame, ObservedLeg, Window, cut_short, observe_leg
from tournament.worker.processes.lanes import Use, play_in_lanes
from tournament.worker.processes.spool import Spool

SESSIONS = 500
HOUSE_NAME = "house"
# Legs that a Python bot plays side by side, to see that they don't know of each other.
_NEIGHBOURS = 4
# A bot that takes all its time at each question at the limits must not take it for all of them.
_MOST_FAULTS_AT_LIMITS = 5
# Decisions of both seats that are looked at to learn a bot's pace, and for how long it is looked at again.
_A_FEW, _SOME, _MANY = 4, 20, 1000
_SECOND_LOOK_SECONDS = 5.0
# What is looked at to learn of its habits, if it is not slow.
_MORE_GAMES = Window(0, 19, 0, 199)
_SLOW_SECONDS, _PATIENCE_SECONDS = 30.0, 60.0
# A call that takes more isn't waited for: an endless loop is to be told in seconds, whatever the contest has time for.
_MOST_FUEL = FUEL_PER_SECOND // 2
_OUT_OF_FUEL = "ran out of fuel"
# So many times longer than it has: then no machine makes good for it.
_PLAINLY = 3.0
_SECONDS_PER_FUEL = 1e-9
_MANY_ANSWERS = 30
_MOST_GAMES = 200
_MOST_PRINTED, _LONGEST_PRINTED = 10, 200  # lines, and characters of each


@dataclass(frozen=True)
class Meter:
    """What decisions took: WebAssembly instructions, or of a process seconds of processor time and bytes of memory."""

    decisions: int
    fuel: int = 0
    most_fuel: int = 0
    use: Use | None = None


@dataclass(frozen=True)
class CheckReport:
    """What a check found. Without `leg` the bot could not be built; `problem` says why.

    `seed` is the one that was drawn for it; None where the settings have one.
    Points are the bot's, per session, against the house bot. `repeats`: one
    seed gave the same games twice. `legs_apart`: it played a leg beside others
    as it plays it alone. `warnings` are a C compiler's. `boundary_faults` are those at extreme values.
    `opponent` names the house bot. `printed` is the last that it printed in its first games, `habits` are remarks on
    how it answers there. `slow` says that it played less, for it takes long; `too_slow`: longer than it has.
    """

    name: str
    kind: Kind
    size: int
    problem: str | None
    seed: str | None = None
    leg: LegResult | None = None
    meter: Meter | None = None
    fuel_allowed: int = 0
    points_per_session: float = 0.0
    repeats: bool = True
    legs_apart: bool = True
    confined_by: str = ""
    standard: str = ""
    warnings: str = ""
    faults: tuple[Fault, ...] = ()
    boundary_questions: int = 0
    boundary_faults: tuple[Fault, ...] = ()
    opponent: str = ""
    printed: str = ""
    habits: tuple[str, ...] = ()
    slow: str = ""
    too_slow: bool = False

    @property
    def asked_all(self) -> bool:
        """Whether it was asked all questions at the limits: after some faults, or disqualified, it is asked no more."""
        return self.boundary_questions > 0 and len(self.boundary_faults) < _MOST_FAULTS_AT_LIMITS

    @property
    def fit(self) -> bool:
        """Whether the bot can enter. One whose games can't be repeated may."""
        sound = not self.faults and not self.boundary_faults and self.legs_apart
        return self.problem is None and sound and not self.too_slow


@dataclass
class DigestSink:
    """A sink that throws rows away, and keeps a digest of them."""

    games: Table
    sessions: Table

    def __post_init__(self) -> None:
        self.digest = sha256()

    def clear(self) -> None:
        for table in (self.games, self.sessions):
            for values in table.arrays.values():
                self.digest.update(values[: table.rows].tobytes())
            table.rows = 0


@dataclass(frozen=True)
class _Trial:
    """A leg that the bot played as x: its result, its sink, and what the bot's decisions took."""

    result: LegResult
    sink: DigestSink
    meter: Meter

    @property
    def faults(self) -> tuple[Fault, ...]:
        return tuple(fault for fault in self.result.faults if fault.seat == 0)

    @property
    def digest(self) -> str:
        return self.sink.digest.hexdigest()


def contest_of(path: Path, known: Contests) -> str:
    """The contest whose name is in a bot's path, the last if several are, else the only one of the settings file.

    Raises BadInput when neither says it.
    """
    names = {*known.names, *known_rules()}  # also those of packages, which the settings file may leave out
    for part in reversed(path.absolute().parts):
        if part in names:
            return part
    if len(known.chosen) == 1:
        return known.chosen[0]
    choices = " or ".join(f"--contest {name}" for name in known.chosen)
    raise BadInput(f"{path}: for which contest? Its path doesn't say; add {choices}")


def check_bot(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    path: Path,
    watcher: Watcher,
    doing: Callable[[str], None] = lambda text: None,
) -> CheckReport:
    """Build a bot and try it: games against a house player or bot, twice with one seed, and questions at the limits.

    What it is told must not tell it that it is tried: without a seed one is drawn, and it hears of as many sessions
    as in a tournament. A call that takes longer than a trial waits, and that the contest would let go on, is no fault:
    it is told as slow. `doing` gets what comes next, for whoever waits. Raises BadInput when there is no such file or
    it isn't a bot's, and when nothing here can confine it.
    """
    report = _check(contest, _impatient(settings), sandbox, path, watcher, doing)
    return _not_waited_for(report, settings)


def _impatient(settings: ContestSettings) -> ContestSettings:
    """The settings with no more time for a call than a trial waits."""
    return settings.model_copy(
        update={
            "fuel_per_decision": min(settings.fuel_per_decision, _MOST_FUEL),
            "fuel_to_start": min(settings.fuel_to_start, _MOST_FUEL),
        }
    )


def _not_waited_for(report: CheckReport, settings: ContestSettings) -> CheckReport:
    """The report without the faults that are none by the contest's settings, and what is told in their place."""
    limits = limits_of(settings)

    def words(what: str, allowed: int) -> str:
        return (
            f"{what} took more than {_MOST_FUEL:,} fuel ({_MOST_FUEL / FUEL_PER_SECOND:g} s), for which a check doesn't"
            f" wait: an endless loop? The contest allows {allowed:,} ({allowed / FUEL_PER_SECOND:,g} s)"
        )

    if report.kind in ("python", "program"):
        return report
    report = replace(report, fuel_allowed=limits.fuel)
    if limits.fuel_to_start > _MOST_FUEL and (report.problem or "").startswith(f"can't start: {_OUT_OF_FUEL}"):
        return replace(report, problem=None, slow=words("a start", limits.fuel_to_start))
    if limits.fuel <= _MOST_FUEL:
        return report
    late = [fault for fault in (*report.faults, *report.boundary_faults) if fault.what.startswith(_OUT_OF_FUEL)]
    if not late:
        return report
    where = late[0].what.rpartition(" (line ")
    return replace(
        report,
        faults=tuple(fault for fault in report.faults if fault not in late),
        boundary_faults=tuple(fault for fault in report.boundary_faults if fault not in late),
        boundary_questions=max(0, report.boundary_questions - sum(fault in late for fault in report.boundary_faults)),
        slow=words(late[0].question + "".join(where[1:] if where[1] else ()), limits.fuel),
    )


def _check(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    path: Path,
    watcher: Watcher,
    doing: Callable[[str], None],
) -> CheckReport:
    seed = None if settings.seed else drawn_seed()
    settings = settings.model_copy(update={"seed": seed or settings.seed})
    doing(f"building {path.name}")
    entrant, opponent = _build(contest, settings, sandbox, path, watcher)
    if entrant.artifact is None:
        return CheckReport(entrant.name, entrant.kind, 0, entrant.problem)
    named = _opponent_in_words(contest, opponent)
    doing(f"playing a few games against {named}")
    first_games, pace = _pace(contest, settings, sandbox, entrant, opponent)
    standard, warnings = language_of(read_submission(path), contest.interface, sandbox)
    report = CheckReport(
        name=entrant.name,
        kind=entrant.kind,
        size=len(entrant.artifact),
        problem=None,
        seed=seed,
        confined_by=""
        if entrant.plays_as == "wasm"
        else probe.probe_sandbox(sandbox.mode) + probe.seclusion_in_words(sandbox.mode),
        standard=standard,
        warnings=warnings,
        opponent=named,
    )
    if pace.too_slow or first_games.result.ended_by == 0:  # more of the same would only take long
        faults = tuple(fault for fault in first_games.result.faults if fault.seat == 0)
        return replace(
            report,
            leg=first_games.result,
            faults=_explained(contest, settings, sandbox, path, entrant, opponent, faults),
            slow=pace.in_words if pace.too_slow else "",
            too_slow=pace.too_slow,
            printed=_printed(first_games),
        )
    if pace.seconds < _SLOW_SECONDS:
        first_games = _observe(contest, settings, sandbox, entrant, opponent, _MORE_GAMES)
    played = contest if pace.seconds < _PATIENCE_SECONDS else cut_short(contest, pace.sessions, pace.games)
    doing(f"playing against {named}")
    (first,) = _play(played, settings, sandbox, entrant, opponent)
    report = replace(
        report,
        leg=first.result,
        meter=first.meter,
        points_per_session=first.result.sums[0].points / max(1, first.result.sessions),
        faults=_explained(contest, settings, sandbox, path, entrant, opponent, first.faults),
        slow="" if played is contest else pace.in_words,
        printed=_printed(first_games),
        habits=habits(contest, first_games),
    )
    if first.result.ended_by == 0:  # more of the same would only take long
        return report
    doing("playing the same once more")
    (second,) = _play(played, settings, sandbox, entrant, opponent)
    legs_apart = True
    if entrant.plays_as == "python" and first.digest == second.digest:
        doing("playing beside other legs")
        beside = _play(played, settings, sandbox, entrant, opponent, legs=_NEIGHBOURS)
        legs_apart = beside[0].digest == first.digest
    if contest.trials.new_core_at_limits:
        asking = replace(contest, new_core=contest.trials.new_core_at_limits)
    else:
        questions = extreme_questions(contest.interface)
        asking = replace(contest, new_core=lambda *_: ScriptedCore(questions, contest.interface.view_size))
    doing("asking at the limits")
    forgiving = settings.model_copy(update={"faults_allowed": _MOST_FAULTS_AT_LIMITS - 1})
    (at_limits,) = _play(asking, forgiving, sandbox, entrant, opponent)
    return replace(
        report,
        repeats=first.digest == second.digest,
        legs_apart=legs_apart,
        boundary_questions=at_limits.meter.decisions,
        boundary_faults=at_limits.faults,
    )


@dataclass(frozen=True)
class _Pace:
    """How many processor seconds a check's playing takes; and how many sessions and games it has time for.

    `too_slow`: a leg would take far longer than the bot has for it.
    """

    seconds: float
    sessions: int
    games: int
    in_words: str
    too_slow: bool


def _pace(
    contest: Contest, settings: ContestSettings, sandbox: SandboxSettings, bot: Entrant, opponent: HousePlayer
) -> tuple[ObservedLeg, _Pace]:
    """A bot's first decisions, and what their pace means for a leg.

    What a start takes, or the first decisions alone, tells nothing of the rest: pace is what more of them take more.
    """

    def taken(decisions: int) -> tuple[ObservedLeg, int, float]:
        started = time.thread_time()
        seen = _observe(contest, settings, sandbox, bot, opponent, Window(decisions=decisions))
        seconds = seen.cpu_seconds[0]
        own = sum(step.seat == 0 for game in seen.games for step in game.steps)
        return seen, own, time.thread_time() - started if seconds is None else seconds

    sessions_of_leg = 1 if contest.house else settings.sessions
    games_of_session = contest.estimates.games(settings)
    tried = [taken(_A_FEW)]
    if any(fault.seat == 0 for fault in tried[0][0].result.faults):  # that is what there is to tell
        return tried[0][0], _Pace(0.0, SESSIONS, 1, "", too_slow=False)
    tried.append(taken(_SOME))
    while True:
        (_, fewer, before), (seen, more, after) = tried[-2:]
        each = max(0.0, after - before) / max(1, more - fewer)
        of_session = each * more / max(1, len(seen.games)) * games_of_session
        of_check = of_session * min(SESSIONS, sessions_of_leg)
        if of_check < _PATIENCE_SECONDS or len(tried) > 2 or seen.result.ended_by is not None or more <= fewer:
            break
        # It looks slow. Is it so a while later, too?
        tried.append(taken(_SOME + 2 * max(_A_FEW, min(_MANY, int(_SECOND_LOOK_SECONDS / each)))))
    of_leg = of_session * sessions_of_leg
    if bot.plays_as == "wasm":
        allowed = settings.fuel_per_leg * _SECONDS_PER_FUEL
    else:
        decisions_of_leg = of_leg / each if each else 0.0
        allowed = settings.cpu_seconds_per_leg + decisions_of_leg * settings.cpu_milliseconds_more / 1000
    share = min(1.0, _PATIENCE_SECONDS / of_check) if of_check else 1.0
    sessions = max(1, int(min(SESSIONS, sessions_of_leg) * share))
    games = int(games_of_session * share) if contest.house else int(games_of_session * 1000)
    about = f"about {each * 1000:,.1f} ms a decision, {of_leg:,.0f} s a leg"
    too_slow = len(tried) > 2 and of_leg > _PLAINLY * allowed
    words = f"{about}; it has {allowed:,.0f} s" if too_slow else f"{about}: less is played here, to come to an end"
    return seen, _Pace(of_check, sessions, max(1, games), words, too_slow)


def habits(contest: Contest, seen: ObservedLeg) -> tuple[str, ...]:
    """Remarks on how a bot answered: a question that never came, and one that always gets the same answer."""
    remarks = []
    steps = [step for game in seen.games for step in game.steps if step.seat == 0]
    for question in contest.interface.questions:
        if question.only_tells:
            continue
        answers = [step.answered for step in steps if step.question == question.name and step.fault is None]
        if not any(step.question == question.name for step in steps):
            remarks.append(f"{question.name} was never asked")
        elif len(answers) >= _MANY_ANSWERS and len(set(answers)) == 1:
            remarks.append(f"{question.name}: always the same answer, {answers[0]} ({len(answers)} times)")
    return tuple(remarks)


def _printed(seen: ObservedLeg) -> str:
    """The last that the bot printed."""
    text = "".join(step.printed for game in seen.games for step in game.steps if step.seat == 0)
    return "\n".join(line[:_LONGEST_PRINTED] for line in text.splitlines()[-_MOST_PRINTED:])


def _explained(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    path: Path,
    bot: Entrant,
    opponent: HousePlayer,
    faults: tuple[Fault, ...],
) -> tuple[Fault, ...]:
    """The faults of a C or C++ bot with the function and the line of each sort's first: built and played once more."""
    if not faults or bot.plays_as != "wasm":
        return faults
    artifact = with_lines(read_submission(path), contest.interface, sandbox)
    if artifact is None:
        return faults
    explained = []
    known: dict[tuple[str, str], str] = {}
    for fault in faults:
        sort = (fault.question, fault.what)
        if sort not in known:
            window = Window(fault.session, fault.session, fault.game, fault.game)
            again = _observe(contest, settings, sandbox, bot, opponent, window, artifact)
            words = [step.fault for game in again.games for step in game.steps if step.seat == 0 and step.fault]
            known[sort] = words[0] if words else fault.what
        explained.append(replace(fault, what=known[sort]))
    return tuple(explained)


def replay_check(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    path: Path,
    session: int,
    last_game: int | None,
    watcher: Watcher,
) -> tuple[ObservedGame, ...]:
    """Play the games of a check again and return those of one session, up to `last_game`.

    Raises BadInput as `check_bot` does, without a seed, and when the check plays no such session.
    """
    if settings.seed is None:
        raise BadInput(
            "--session: say also --seed, which the check has told; without one it plays other games each time"
        )
    settings = _impatient(settings)
    entrant, opponent = _build(contest, settings, sandbox, path, watcher)
    if entrant.artifact is None:
        raise BadInput(f"{path}: {entrant.problem}")
    last = _MOST_GAMES - 1 if last_game is None else last_game
    window = Window(session, session, max(0, last - _MOST_GAMES + 1), last)
    seen = _observe(contest, settings, sandbox, entrant, opponent, window)
    if not seen.games:
        # The one in which a fault ended the leg is begun, not played to its end.
        end = max(0, seen.result.sessions - 1, *(fault.session for fault in seen.result.faults))
        raise BadInput(f"--session {session}: the check plays sessions 0 to {end}")
    if not any(step.fault for game in seen.games for step in game.steps):
        return seen.games
    artifact = with_lines(read_submission(path), contest.interface, sandbox)
    if artifact is None:
        return seen.games
    # Built with lines a bot may take a little less fuel: then its games may differ, and faults are told without.
    again = _observe(contest, settings, sandbox, entrant, opponent, window, artifact)
    return again.games if _without_reasons(again.games) == _without_reasons(seen.games) else seen.games


def _without_reasons(games: Sequence[ObservedGame]) -> list[Any]:
    """What happened in games, but for the words in which faults are told."""
    return [
        (game.session, game.game, game.row, [(step.seat, step.question, step.answer) for step in game.steps])
        for game in games
    ]


def _opponent_in_words(contest: Contest, opponent: HousePlayer) -> str:
    if contest.house is None:
        return "the house bot, the one that tournament new writes"
    return f"{opponent.name}, a house player"


def _build(
    contest: Contest, settings: ContestSettings, sandbox: SandboxSettings, path: Path, watcher: Watcher
) -> tuple[Entrant, HousePlayer]:
    """The bot, and whom it is tried against: a house player, or the contest's bot to start from."""
    if not path.exists():
        raise BadInput(f"{path}: there is no such file")
    submission = read_submission(path)
    kinds = {submission.kind} if contest.house else {"c", submission.kind}
    libraries.prepare_libraries(kinds & set(compiler_command.LANGUAGES), sandbox, watcher.say)
    entrant = build_entrant(submission, contest.interface, settings, sandbox)
    if contest.house:
        return entrant, contest.house.practice(_key(settings))
    source = (contest.interface.sdk / "new_bot.c").read_bytes()
    house = Submission(HOUSE_NAME, "c", path.with_name(f"{HOUSE_NAME}.c"), source, sha256(source).hexdigest())
    built = build_entrant(house, contest.interface, settings, sandbox)
    assert built.artifact is not None, built.problem
    return entrant, HousePlayer(HOUSE_NAME, built.artifact)


def _legs(
    contest: Contest, settings: ContestSettings, bot: Entrant, opponent: HousePlayer, count: int = 1
) -> tuple[list[Leg], dict[str, bytes]]:
    """Legs of the bot at x against the opponent under several names, and what plays them by its sha256."""
    assert bot.artifact is not None and bot.artifact_sha256 is not None
    artifacts = {bot.artifact_sha256: bot.artifact, content_sha256(opponent): opponent.content}
    mine = Competitor(0, bot.name, bot.plays_as, bot.artifact_sha256)
    # Names that no file can have keep a bot called "house" apart from the house bot. They come
    # after every other, so that the bot sits at x.
    others = [
        Competitor(n, f"~{opponent.name} {n}", "house" if contest.house else "wasm", content_sha256(opponent))
        for n in range(1, count + 1)
    ]
    playing, key = settings.playing(), _key(settings)
    schedule: AgainstHouse | RoundRobin
    if contest.house:
        schedule = AgainstHouse(contest.rules, playing | {"sessions": 1}, key, [mine], others)
    else:
        schedule = RoundRobin(contest.rules, playing | {"duplicate": False}, key, [mine, *others])
    return [leg for leg in schedule.legs() if leg.x.name == bot.name], artifacts


def _play(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    bot: Entrant,
    opponent: HousePlayer,
    legs: int = 1,
) -> list[_Trial]:
    """Play legs of the bot against the opponent, side by side."""
    chosen, artifacts = _legs(contest, settings, bot, opponent, legs)
    # Programs are told how many sessions there are; fewer are played.
    contest = replace(contest, new_core=partial(_new_short_core, contest.new_core))
    if bot.plays_as == "wasm":
        return [_play_inline(contest, settings, leg, artifacts, _digest_sink(contest)) for leg in chosen]
    return _play_in_lanes(contest, settings, sandbox, chosen, artifacts)


def _observe(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    bot: Entrant,
    opponent: HousePlayer,
    window: Window,
    artifact: bytes | None = None,
) -> ObservedLeg:
    """Play some games of the first of these legs and look on; with another `artifact` of the bot, if one is given."""
    (leg,), artifacts = _legs(contest, settings, bot, opponent)
    contest = replace(contest, new_core=partial(_new_short_core, contest.new_core))
    if artifact is not None:
        artifacts[leg.x.artifact] = artifact
    return observe_leg(contest, settings, sandbox, leg, artifacts, window)


def _key(settings: ContestSettings) -> bytes:
    assert settings.seed is not None
    return trial_key(settings.seed)


def _new_short_core(
    new_core: NewCore,
    plan: LegPlan,
    settings: ContestSettings,
    games: Table,
    sessions: Table,
    house: bytes | None = None,
) -> GameCore:
    """A core that plays a leg of no more sessions than a check has."""
    return new_core(replace(plan, sessions=min(SESSIONS, plan.sessions)), settings, games, sessions, house)


def _play_inline(
    contest: Contest, settings: ContestSettings, leg: Leg, artifacts: dict[str, bytes], sink: DigestSink
) -> _Trial:
    meters: list[tuple[int, int, int]] = []
    result = play_leg(contest, settings, leg, artifacts, sink, meters=meters)
    sink.clear()
    return _Trial(result, sink, Meter(*meters[0]))


def _play_in_lanes(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    legs: Sequence[Leg],
    artifacts: dict[str, bytes],
) -> list[_Trial]:
    trials: dict[str, _Trial] = {}
    with contextlib.closing(Spool()) as spool:
        for played in play_in_lanes(contest, settings, sandbox, legs, artifacts, cache_folder(), spool):
            sink = _digest_sink(contest)
            played.rows.replay_into(sink)
            sink.clear()
            use = played.uses[0]
            assert use is not None
            trials[played.result.digest] = _Trial(played.result, sink, Meter(use.decisions, use=use))
    return [trials[leg.digest] for leg in legs]


def _digest_sink(contest: Contest) -> DigestSink:
    return DigestSink(
        Table(buffer_fields(contest.games), ROWS_PER_BUFFER),
        Table(buffer_fields(contest.sessions), ROWS_PER_BUFFER),
    )
