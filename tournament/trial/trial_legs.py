"""Plays or observes legs of a bot that is tried against a house player or bot, as in the tournament."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.kernel.game_core import GameCore
from tournament.artifacts import compiler_command, libraries
from tournament.artifacts.bot import Entrant, Kind, Submission
from tournament.cache import cache_folder
from tournament.contests.contest import Contest, CoreSetup, NewCore
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import adapted, build_entrant
from tournament.entrants.folder import read_submission
from tournament.errors import InputError, RunError
from tournament.keys import trial_key
from tournament.leg import Leg, PlaysAs
from tournament.runner.schedule.fixtures import Competitor, Replicas
from tournament.runner.schedule.legs import AgainstHouse, RoundRobin
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import ROWS_PER_BUFFER
from tournament.store.leg_result import Fault, LegResult, Used
from tournament.worker.leg import NullSink, play_leg, result_of
from tournament.worker.observation import ObservedLeg, Window, observe_leg
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

SESSIONS = 500
HOUSE_NAME = "house"
_FULL_TABLE_SEATS = 4  # seats of a match that would have one for every bot


@dataclass(frozen=True)
class Meter:
    """The cost of a bot's decisions in a leg.

    Attributes:
        decisions: Number of decisions.
        fuel: Units of fuel used by all decisions; 0 for a process.
        max_fuel: Maximum units of fuel of one decision; 0 for a process.
        use: Processor time and memory, for a process; None for WebAssembly.
    """

    decisions: int
    fuel: int = 0
    max_fuel: int = 0
    use: Used | None = None


class DigestSink(NullSink):
    """A sink that discards rows and keeps a digest of them.

    Attributes:
        digest: sha256 of the rows that have been discarded. It depends on when `clear` is called, too.

    Args:
        contest: The contest, whose columns the rows have.
    """

    def __init__(self, contest: Contest) -> None:
        inner = NullSink.of(contest, ROWS_PER_BUFFER)
        super().__init__(inner.games, inner.sessions)
        self.digest = sha256()

    def clear(self) -> None:
        """Add the rows to the digest, and discard them."""
        for table in (self.games, self.sessions):
            for values in table.arrays.values():
                self.digest.update(values[: table.rows].tobytes())
        super().clear()


@dataclass(frozen=True)
class Trial:
    """A leg that the bot played in the first seat.

    Attributes:
        result: The leg's result.
        sink: Its sink, with the digest of its rows.
        meter: The cost of the bot's decisions.
    """

    result: LegResult
    sink: DigestSink
    meter: Meter

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The bot's faults, in order. Only those that the result keeps are among them."""
        return tuple(fault for fault in self.result.faults if fault.seat == 0)

    @property
    def digest(self) -> str:
        """Digest of the leg's rows, in hex. A replay of the leg with the same rows has the same one."""
        return self.sink.digest.hexdigest()


@dataclass(frozen=True)
class Pairing:
    """A bot that is tried, after its build, and its opponent.

    Attributes:
        contest: The contest, with the adapters of the settings.
        settings: Settings of the contest, with a seed.
        sandbox: The table [sandbox].
        bot: The bot. It has no artifact if it couldn't be built. Then no leg can be played.
        opponent: The opponent.
        opponent_plays_as: How the opponent is run, if the contest has no house players.
    """

    contest: Contest
    settings: ContestSettings
    sandbox: SandboxSettings
    bot: Entrant
    opponent: HousePlayer
    opponent_plays_as: PlaysAs = "wasm"

    def play(self, legs: int = 1) -> list[Trial]:
        """Play this many legs against the opponent, each of at most SESSIONS sessions, and return them in order.

        Legs with processes run in parallel. In a single leg each bot has its own process.

        Raises:
            InputError: This machine can't confine bots.
            RunError: This machine can't play or use its cache, or the rules failed.
            BotTrouble: A bot failed for a reason outside of the game. It is a RunError.
            OSError: Rows can't be stored, or too many files are open.
        """
        chosen, artifacts = self._legs(legs)
        sandbox = self.sandbox if legs > 1 else self.sandbox.model_copy(update={"legs_per_process": 1})
        # Programs receive the tournament's number of sessions, but play fewer.
        contest = replace(self.contest, new_core=partial(_new_short_core, self.contest.new_core))
        return play_legs(contest, self.settings, sandbox, chosen, artifacts)

    def observe(self, window: Window, artifact: bytes | None = None) -> ObservedLeg:
        """Play the first leg and observe some of its games.

        Args:
            window: The games to observe.
            artifact: A build that replaces the bot; None for the bot itself.

        Returns:
            The leg, up to the last game of the window. It ends early if the window has more decisions than its maximum.

        Raises:
            InputError: This machine can't confine bots.
            RunError: This machine can't play, or the rules failed.
            BotTrouble: A bot failed for a reason outside of the game. It is a RunError.
            OSError: Rows can't be stored, or too many files are open.
        """
        (leg,), artifacts = self._legs()
        contest = replace(self.contest, new_core=partial(_new_short_core, self.contest.new_core))
        if artifact is not None:
            artifacts[leg.seats[0].artifact] = artifact
        return observe_leg(contest, self.settings, self.sandbox, leg, artifacts, window)

    def _legs(self, count: int = 1) -> tuple[list[Leg], dict[str, bytes]]:
        """Return legs with the bot in the first seat, and artifacts by sha256. The opponent has all other seats."""
        contest, settings, bot, opponent = self.contest, self.settings, self.bot, self.opponent
        assert bot.artifact is not None and bot.artifact_sha256 is not None
        artifacts = {bot.artifact_sha256: bot.artifact, opponent.sha256: opponent.content}
        mine = Competitor(0, bot.name, bot.plays_as, bot.artifact_sha256)
        playing, key = settings.playing(), _key(settings)
        seats = contest.seats_of(playing) or _FULL_TABLE_SEATS

        def make_opponents(first: int, many: int) -> list[Competitor]:
            """Return `many` copies of the opponent, numbered from `first`. The last have the house's seats."""
            # No file can have these names, so a bot can be called "house". They are sorted last, so that the bot has
            # the first seat.
            kind: PlaysAs = "house" if contest.house else self.opponent_plays_as
            last = first + many
            return [
                Competitor(n, f"~{opponent.name} {n}", kind, opponent.sha256, is_house=n >= last - settings.house_seats)
                for n in range(first, last)
            ]

        if contest.house:
            against = AgainstHouse(contest.rules, playing | {"sessions": 1}, key, [mine], make_opponents(1, count))
            return [replace(leg, is_trial=True) for leg in against.legs()], artifacts
        schedule = RoundRobin(
            contest.rules, playing | {"duplicate": False}, key, [mine], seats=seats, first_by_name=True
        )
        if seats == 1:
            return [
                replace(leg, is_trial=True) for leg in replace(schedule, replicas=Replicas(count)).legs()
            ], artifacts
        tables = (make_opponents(1 + number * (seats - 1), seats - 1) for number in range(count))
        legs = (leg for table in tables for leg in replace(schedule, competitors=[mine, *table]).legs())
        return [replace(leg, is_trial=True) for leg in legs], artifacts


def build(
    contest: Contest, settings: ContestSettings, sandbox: SandboxSettings, path: Path, on_message: Callable[[str], None]
) -> Pairing:
    """Build the bot at a path. Return it with its opponent: a house player, or the contest's template.

    A bot that can't be built has no artifact.

    Args:
        contest: The contest.
        settings: The contest's settings, with a seed.
        path: File or folder of the bot.
        on_message: Called with a message before the compiler's libraries are built.

    Raises:
        InputError: The file is missing, or isn't a bot's, or this machine can't confine a build. A file of the settings
            can't be read.
        RunError: This machine can't build the opponent or the compiler's libraries, or use its cache.
        OSError: The disk is full, or the template can't be read.
        CommandAborted: The thread must end.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file")
    submission = read_submission(path)
    contest = contest.seated(contest.seats_of(settings.playing()) or _FULL_TABLE_SEATS)
    house_kind = _house_kind(submission.kind)
    kinds = {submission.kind} if contest.house else {house_kind, submission.kind}
    libraries.prepare_libraries(kinds & set(compiler_command.LANGUAGES), sandbox, on_message)
    contest = replace(contest, interface=adapted(contest.interface, settings))
    entrant = build_entrant(submission, contest.interface, settings, sandbox)
    if contest.house:
        return Pairing(contest, settings, sandbox, entrant, contest.house.practice(_key(settings)))
    template = contest.interface.folder / f"new_bot{'.py' if house_kind == 'python' else '.c'}"
    source = template.read_bytes()
    house = Submission(HOUSE_NAME, house_kind, path.with_name(template.name), source, sha256(source).hexdigest())
    own = replace(contest.interface, adapters={})  # the template is written for the contest itself
    built = build_entrant(house, own, settings.model_copy(update={"adapter": None}), sandbox)
    if built.artifact is None:
        raise RunError(f"this machine can't build the project's own bot: {built.problem}")
    return Pairing(contest, settings, sandbox, entrant, HousePlayer(HOUSE_NAME, built.artifact), built.plays_as)


def _house_kind(kind: Kind) -> Kind:
    """Return the language of the template that a bot of this kind meets.

    A process meets the one in Python, so that its author doesn't wait for the compiler's libraries.
    """
    return "python" if kind in ("python", "program") else "c"


def _key(settings: ContestSettings) -> bytes:
    """Return the key of trials with the settings' seed. No contest has the same deals."""
    assert settings.seed is not None
    return trial_key(settings.seed)


def _new_short_core(new_core: NewCore, setup: CoreSetup[Any]) -> GameCore:
    """Return a core for a leg with at most SESSIONS sessions."""
    few = setup.leg._replace(sessions=min(SESSIONS, setup.leg.sessions))
    return new_core(replace(setup, leg=few))


def play_legs(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    legs: Sequence[Leg],
    artifacts: dict[str, bytes],
) -> list[Trial]:
    """Play legs of a bot in the first seat, and return them in order. Legs with a process are played in parallel.

    Args:
        legs: Legs that all have a process, or all have none. At least one.
        artifacts: Contents of bots and house players, by sha256.

    Raises:
        InputError: This machine can't confine bots.
        RunError: This machine can't play or use its cache, or the rules failed.
        BotTrouble: A bot failed for a reason outside of the game. It is a RunError.
        OSError: Rows can't be stored, or too many files are open.
    """
    trials: dict[str, Trial] = {}
    for leg in legs if not legs[0].has_processes else ():
        sink, meters = DigestSink(contest), list[tuple[int, int, int]]()
        result = result_of(contest, play_leg(contest, settings, leg, artifacts, sink, meters=meters))
        sink.clear()
        trials[leg.digest] = Trial(result, sink, Meter(*meters[0]))
    if trials:
        return list(trials.values())
    with contextlib.closing(Spool()) as spool:
        for played in play_in_lanes(contest, settings, sandbox, legs, artifacts, cache_folder(), spool):
            sink = DigestSink(contest)
            played.rows.replay_into(sink)
            sink.clear()
            meter = Meter(played.decisions[0], use=played.outcome.used[0])
            trials[played.result.digest] = Trial(played.result, sink, meter)
    return [trials[leg.digest] for leg in legs]
