"""What a bot wins from a server of two-card draw: exact if it forgets between hands, else by play."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from engine.rules.generator_core import GeneratorCore
from tournament.artifacts import compiler_command, libraries
from tournament.artifacts.bot import Entrant
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.contests.two_card_draw import TWO_CARD_DRAW
from tournament.contests.two_card_draw.strategy_file import ServerStrategy, write_strategy
from tournament.contests.two_card_draw.walk import (
    MOST_LEAVES,
    Answers,
    NotMemoryless,
    Questions,
    introduction,
    play,
    visit_leaves,
)
from tournament.entrants.build import build_entrant
from tournament.entrants.folder import read_submission
from tournament.errors import BadInput
from tournament.keys import drawn_seed, trial_key
from tournament.leg import LegPlan
from tournament.runner.schedule import AgainstHouse, Competitor
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.legs import LegResult
from tournament.trial.playing import play_legs
from tournament.worker.leg import NullSink
from tournament.worker.wasm.loading import BotUnfit

_HANDS = 10_000  # of a session
_SESSIONS_OF_PLAY = 4  # in which a bot may show that it doesn't forget


@dataclass(frozen=True)
class Expectation:
    """What a bot wins a hand. `error` is its standard error, None where the value is exact; `hands` were played."""

    profit: float
    error: float | None
    hands: int
    faults: int = 0


def expectation(
    path: Path,
    strategy: ServerStrategy,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    sessions: int,
    say: Callable[[str], None],
) -> Expectation:
    """Build a bot and find what it wins a hand; by so many sessions where it has to be played.

    Raises BadInput when there is no such bot, it can't be built, it is at fault too often, or nothing can confine it.
    """
    if not path.exists():
        raise BadInput(f"{path}: there is no such file")
    submission = read_submission(path)
    if submission.kind in compiler_command.LANGUAGES:
        libraries.prepare_libraries({submission.kind}, sandbox, say)
    entrant = build_entrant(submission, TWO_CARD_DRAW.interface, settings, sandbox)
    if entrant.artifact is None:
        raise BadInput(f"{path}: {entrant.problem}")
    try:
        return BotAndServer(settings, sandbox, entrant, strategy).expectation(sessions)
    except BotUnfit as problem:
        how = f"tournament check {path} --contest {TWO_CARD_DRAW.name}"
        raise BadInput(f"{path}: {problem}; see more by: {how}") from None


@dataclass(frozen=True)
class BotAndServer:
    """A bot of any kind, built, and a server: they play as in a tournament."""

    settings: ContestSettings
    sandbox: SandboxSettings
    entrant: Entrant
    strategy: ServerStrategy

    def expectation(self, sessions: int) -> Expectation:
        """What the bot wins a hand: exactly if it seems to forget between hands, else by so many sessions of play.

        Raises BotUnfit when it is at fault too often, BadInput when nothing here can confine it.
        """
        return self.exact() or self.played(sessions)

    def exact(self) -> Expectation | None:
        """The exact value of a bot that seems to forget between hands; None for another, or one that is at fault.

        It has to do the same in the same place of a hand, always: in a session that visits all places, in one that
        does so after some play, and in sessions of play alone. Each has a new bot with another rand(),
        and hands and winnings that could be a tournament's.
        """
        answers = Answers()
        cores: dict[int, GeneratorCore] = {}  # by leg; a leg that begins again has a new one

        def new_core(
            leg: LegPlan, settings: ContestSettings, games: Table, sessions: Table, house: bytes | None = None
        ) -> GameCore:
            cores[leg.number] = GeneratorCore(self._questions(leg, answers))
            return cores[leg.number]

        results = self._legs(replace(TWO_CARD_DRAW, new_core=new_core), 2 + _SESSIONS_OF_PLAY, faults_allowed=0)
        for core in cores.values():
            if core.failure is not None and not isinstance(core.failure, NotMemoryless):
                raise core.failure
        if not answers.agree or any(result.ended_by is not None for result in results):
            return None
        hands = sum(core.outcome[1] for core in cores.values())
        return Expectation(cores[0].outcome[0], None, hands)

    def _questions(self, leg: LegPlan, answers: Answers) -> Questions[tuple[float | None, int]]:
        """A leg that shows whether the bot forgets; its value, where all places are visited, and hands."""
        if leg.number == 0:
            yield from introduction(self.strategy)
            return (yield from visit_leaves(self.strategy, answers, 0))
        hands = _HANDS - MOST_LEAVES if leg.number == 1 else _HANDS
        rows = NullSink.of(TWO_CARD_DRAW, hands + 1)
        settings = self.settings.model_copy(update={"hands": hands})
        core = TWO_CARD_DRAW.new_core(leg, settings, rows.games, rows.sessions, self._server.content)
        yield from play(core, answers)
        if leg.number > 1:
            return None, hands
        value, more = yield from visit_leaves(self.strategy, answers, int(core.sums()[0].points))
        return value, hands + more

    def played(self, sessions: int) -> Expectation:
        """What it wins by play. Raises BotUnfit."""
        results = self._legs(TWO_CARD_DRAW, sessions)
        for result in results:
            if result.ended_by is not None:
                raise BotUnfit(f"{result.faults[-1].what}; a bot may not be at fault so often")
        blocks = [points for result in results for points in result.sums[0].blocks]
        hands = sum(result.games for result in results)
        spread = float(np.std(blocks, ddof=1)) * math.sqrt(len(blocks))
        return Expectation(sum(blocks) / hands, spread / hands, hands, sum(len(result.faults) for result in results))

    @property
    def _server(self) -> HousePlayer:
        return HousePlayer("server", write_strategy(self.strategy).encode())

    def _legs(self, contest: Contest, count: int, **changes: object) -> list[LegResult]:
        """Play legs of one session each, in order."""
        assert self.entrant.artifact is not None and self.entrant.artifact_sha256 is not None
        settings = self.settings.model_copy(update={"hands": _HANDS, "sessions": count, **changes})
        house = self._server
        artifacts = {self.entrant.artifact_sha256: self.entrant.artifact, house.sha256: house.content}
        bot = Competitor(0, self.entrant.name, self.entrant.plays_as, self.entrant.artifact_sha256)
        server = Competitor(0, house.name, "house", house.sha256)
        key = trial_key(settings.seed or drawn_seed())
        legs = list(AgainstHouse(contest.rules, settings.playing(), key, [bot], [server]).legs())
        return [trial.result for trial in play_legs(contest, settings, self.sandbox, legs, artifacts)]
