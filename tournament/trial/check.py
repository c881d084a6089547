"""Trying a bot before it enters: built, started and played as in the tournament."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from engine.game_core import GameCore
from engine.records import Table
from engine.scripted_core import ScriptedCore
from tournament.cache import cache_folder
from tournament.config import Contests
from tournament.contests.contest import Contest, ContestSettings, HousePlayer, NewCore
from tournament.contests.questions import extreme_questions
from tournament.entrants import compiler
from tournament.entrants.bot import Entrant, Kind, Submission
from tournament.entrants.build import build_entrant, warnings_of
from tournament.entrants.folder import read_submission
from tournament.errors import BadInput
from tournament.keys import drawn_seed, trial_key
from tournament.leg import Leg, LegPlan
from tournament.runner.contest_run import Watcher
from tournament.runner.resume import content_sha256
from tournament.runner.schedule import AgainstHouse, Competitor, RoundRobin
from tournament.sandbox import confinement
from tournament.sandbox.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.store.legs import Fault, LegResult
from tournament.store.part_writer import ROWS_PER_BUFFER
from tournament.worker.leg import play_leg
from tournament.worker.processes.lanes import Use, play_in_lanes
from tournament.worker.processes.spool import Spool

SESSIONS = 500
HOUSE_NAME = "house"
# Legs that a Python bot plays side by side, to see that they don't know of each other.
_NEIGHBOURS = 4
# A bot that takes all its time at each question at the limits must not take it for all of them.
_MOST_FAULTS_AT_LIMITS = 5


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
    warnings: str = ""
    faults: tuple[Fault, ...] = ()
    boundary_questions: int = 0
    boundary_faults: tuple[Fault, ...] = ()

    @property
    def asked_all(self) -> bool:
        """Whether it was asked all questions at the limits: after some faults, or disqualified, it is asked no more."""
        return self.boundary_questions > 0 and len(self.boundary_faults) < _MOST_FAULTS_AT_LIMITS

    @property
    def fit(self) -> bool:
        """Whether the bot can enter. One whose games can't be repeated may."""
        return self.problem is None and not self.faults and not self.boundary_faults and self.legs_apart


@dataclass(frozen=True)
class Replay:
    """Games of a session that a check played, each by column, and the bot's faults in them."""

    games: tuple[dict[str, float], ...]
    faults: tuple[Fault, ...]


@dataclass
class DigestSink:
    """A sink that throws rows away, but for the games of session `kept`, and keeps a digest of all."""

    games: Table
    sessions: Table
    kept: int | None = None

    def __post_init__(self) -> None:
        self.digest = sha256()
        self.kept_games: list[dict[str, float]] = []

    def clear(self) -> None:
        if self.kept is not None:
            for row in (self.games.arrays["session"][: self.games.rows] == self.kept).nonzero()[0]:
                self.kept_games.append({name: values[row].item() for name, values in self.games.arrays.items()})
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
    for part in reversed(path.absolute().parts):
        if part in known.all:
            return part
    if len(known.chosen) == 1:
        return known.chosen[0]
    choices = " or ".join(f"--contest {name}" for name in known.chosen)
    raise BadInput(f"{path}: for which contest? Its path doesn't say; add {choices}")


def check_bot(
    contest: Contest, settings: ContestSettings, sandbox: SandboxSettings, path: Path, watcher: Watcher
) -> CheckReport:
    """Build a bot and try it: games against a house player or bot, twice with one seed, and questions at the limits.

    What it is told must not tell it that it is tried: without a seed one is drawn, and it hears of as many sessions
    as in a tournament. Raises BadInput when there is no such file or it isn't a bot's, and when nothing here can
    confine it.
    """
    seed = None if settings.seed else drawn_seed()
    settings = settings.model_copy(update={"seed": seed or settings.seed})
    entrant, opponent = _build(contest, settings, sandbox, path, watcher)
    if entrant.artifact is None:
        return CheckReport(entrant.name, entrant.kind, 0, entrant.problem)
    (first,) = _play(contest, settings, sandbox, entrant, opponent)
    report = CheckReport(
        name=entrant.name,
        kind=entrant.kind,
        size=len(entrant.artifact),
        problem=None,
        seed=seed,
        leg=first.result,
        meter=first.meter,
        fuel_allowed=settings.fuel_per_decision,
        points_per_session=first.result.points / max(1, first.result.sessions),
        confined_by="" if entrant.plays_as == "wasm" else confinement.probe_sandbox(sandbox.mode),
        warnings=warnings_of(read_submission(path), contest.interface, sandbox),
        faults=first.faults,
    )
    if first.result.ended_by == 0:  # more of the same would only take long
        return report
    (second,) = _play(contest, settings, sandbox, entrant, opponent)
    legs_apart = True
    if entrant.plays_as == "python" and first.digest == second.digest:
        beside = _play(contest, settings, sandbox, entrant, opponent, legs=_NEIGHBOURS)
        legs_apart = beside[0].digest == first.digest
    if contest.new_core_at_limits:
        asking = replace(contest, new_core=contest.new_core_at_limits)
    else:
        questions = extreme_questions(contest.interface)
        asking = replace(contest, new_core=lambda *_: ScriptedCore(questions, contest.interface.view_size))
    forgiving = settings.model_copy(update={"faults_allowed": _MOST_FAULTS_AT_LIMITS - 1})
    (at_limits,) = _play(asking, forgiving, sandbox, entrant, opponent)
    return replace(
        report,
        repeats=first.digest == second.digest,
        legs_apart=legs_apart,
        boundary_questions=at_limits.meter.decisions,
        boundary_faults=at_limits.faults,
    )


def replay_check(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    path: Path,
    session: int,
    last_game: int | None,
    watcher: Watcher,
) -> Replay:
    """Play the games of a check again and return those of one session, up to `last_game`.

    Raises BadInput as `check_bot` does, without a seed, and when the check plays no such session.
    """
    if settings.seed is None:
        raise BadInput(
            "--session: say also --seed, which the check has told; without one it plays other games each time"
        )
    entrant, opponent = _build(contest, settings, sandbox, path, watcher)
    if entrant.artifact is None:
        raise BadInput(f"{path}: {entrant.problem}")
    (trial,) = _play(contest, settings, sandbox, entrant, opponent, kept=session)
    last = last_game if last_game is not None else max((int(game["game"]) for game in trial.sink.kept_games), default=0)
    games = tuple(game for game in trial.sink.kept_games if game["game"] <= last)
    faults = tuple(fault for fault in trial.faults if fault.session == session and fault.game <= last)
    if not games and not faults:
        # The one in which a fault ended the leg is begun, not played to its end.
        last_session = max(0, trial.result.sessions - 1, *(fault.session for fault in trial.faults))
        raise BadInput(f"--session {session}: the check plays sessions 0 to {last_session}")
    return Replay(games, faults)


def _build(
    contest: Contest, settings: ContestSettings, sandbox: SandboxSettings, path: Path, watcher: Watcher
) -> tuple[Entrant, HousePlayer]:
    """The bot, and whom it is tried against: a house player, or the contest's bot to start from."""
    if not path.exists():
        raise BadInput(f"{path}: there is no such file")
    submission = read_submission(path)
    kinds = {submission.kind} if contest.house else {"c", submission.kind}
    for kind in sorted(kinds & set(compiler.LANGUAGES)):
        compiler.prepare_libraries(kind, sandbox, watcher.say)
    entrant = build_entrant(submission, contest.interface, settings, sandbox)
    if contest.house:
        return entrant, contest.house.practice(_key(settings))
    source = (contest.interface.sdk / "new_bot.c").read_bytes()
    house = Submission(HOUSE_NAME, "c", path.with_name(f"{HOUSE_NAME}.c"), source, sha256(source).hexdigest())
    built = build_entrant(house, contest.interface, settings, sandbox)
    assert built.artifact is not None, built.problem
    return entrant, HousePlayer(HOUSE_NAME, built.artifact)


def _play(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    bot: Entrant,
    opponent: HousePlayer,
    legs: int = 1,
    kept: int | None = None,
) -> list[_Trial]:
    """Play legs of the bot against the opponent under several names, side by side.

    The games of session `kept` stay on the sinks.
    """
    assert bot.artifact is not None and bot.artifact_sha256 is not None
    artifacts = {bot.artifact_sha256: bot.artifact, content_sha256(opponent): opponent.content}
    mine = Competitor(0, bot.name, bot.plays_as, bot.artifact_sha256)
    # Names that no file can have keep a bot called "house" apart from the house bot. They come
    # after every other, so that the bot sits at x.
    others = [
        Competitor(n, f"~{opponent.name} {n}", "house" if contest.house else "wasm", content_sha256(opponent))
        for n in range(1, legs + 1)
    ]
    playing, key = settings.playing(), _key(settings)
    # Programs are told how many sessions there are; fewer are played.
    contest = replace(contest, new_core=partial(_new_short_core, contest.new_core))
    schedule: AgainstHouse | RoundRobin
    if contest.house:
        schedule = AgainstHouse(contest.rules, playing | {"sessions": 1}, key, [mine], others)
    else:
        schedule = RoundRobin(contest.rules, playing | {"duplicate": False}, key, [mine, *others])
    chosen = [leg for leg in schedule.legs() if leg.x.name == bot.name]
    if bot.plays_as == "wasm":
        return [_play_inline(contest, settings, leg, artifacts, _digest_sink(contest, kept)) for leg in chosen]
    return _play_in_lanes(contest, settings, sandbox, chosen, artifacts, kept)


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
    kept: int | None,
) -> list[_Trial]:
    trials: dict[str, _Trial] = {}
    with contextlib.closing(Spool()) as spool:
        for played in play_in_lanes(contest, settings, sandbox, legs, artifacts, cache_folder(), spool):
            sink = _digest_sink(contest, kept)
            played.rows.replay_into(sink)
            sink.clear()
            use = played.uses[0]
            assert use is not None
            trials[played.result.digest] = _Trial(played.result, sink, Meter(use.decisions, use=use))
    return [trials[leg.digest] for leg in legs]


def _digest_sink(contest: Contest, kept: int | None) -> DigestSink:
    return DigestSink(
        Table(buffer_fields(contest.games), ROWS_PER_BUFFER),
        Table(buffer_fields(contest.sessions), ROWS_PER_BUFFER),
        kept,
    )
