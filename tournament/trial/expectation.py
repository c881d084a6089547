"""What a bot can expect against a server: exactly where it forgets between hands, else by play."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.game_core import ANSWER_WANTED, FAULT, GameCore
from engine.records import Table
from engine.scripted_core import GeneratorCore
from engine.two_card_draw import ReadyServer, TwoCardDraw
from tournament.cache import cache_folder
from tournament.contests.contest import Contest, ContestSettings, HousePlayer
from tournament.contests.two_card_draw.strategy_file import ServerStrategy, write_strategy
from tournament.contests.two_card_draw.walk import Answers, NotWalkable, Questions, Walk, introduction
from tournament.entrants.bot import Entrant
from tournament.leg import Leg, LegPlan
from tournament.runner.resume import content_sha256
from tournament.runner.schedule import AgainstHouse, Competitor
from tournament.sandbox.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.store.ledger import LegResult
from tournament.worker.leg import NullSink, play_leg
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool
from tournament.worker.wasm.seating import BotUnfit

_PLAYED_HANDS = 10_000


@dataclass(frozen=True)
class Expectation:
    """What a bot wins a hand. `error` is its standard error, None where the value is exact; `hands` were played."""

    profit: float
    error: float | None
    hands: int
    faults: int = 0


def expectation(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    entrant: Entrant,
    strategy: ServerStrategy,
    sessions: int,
) -> Expectation:
    """What a bot of any kind wins a hand against a server.

    The bot is asked for all that can happen in a hand; then another, with another
    rand(), is asked after it has played a session. If both always answer
    the same, it is taken to forget between hands, and the value is exact; else it plays `sessions` sessions.
    Raises BotUnfit when it is at fault too often for that, BadInput when nothing here can confine it.
    """
    both = BotAndServer(contest, settings, sandbox, entrant, strategy)
    exact = both.exact()
    return Expectation(exact, None, 0) if exact is not None else both.played(sessions)


class BotAndServer:
    """A bot and a server, who play as in a tournament."""

    def __init__(
        self,
        contest: Contest,
        settings: ContestSettings,
        sandbox: SandboxSettings,
        entrant: Entrant,
        strategy: ServerStrategy,
    ) -> None:
        assert entrant.artifact is not None
        self._contest = contest
        self._settings = settings.model_copy(update={"hands": _PLAYED_HANDS})
        self._sandbox = sandbox
        self._entrant = entrant
        self._strategy = strategy
        self._server = HousePlayer("server", write_strategy(strategy).encode())
        self._artifacts = {
            entrant.artifact_sha256 or "": entrant.artifact,
            content_sha256(self._server): self._server.content,
        }

    def exact(self) -> float | None:
        """What it wins a hand, None for a bot that doesn't forget."""
        interviews: list[GeneratorCore] = []

        def new_core(
            leg: LegPlan, settings: ContestSettings, games: Table, sessions: Table, house: bytes | None = None
        ) -> GameCore:
            walk = self._first_walk() if leg.number == 0 else self._later_walk()
            interviews.append(GeneratorCore(walk))
            return interviews[-1]

        # A bot that is at fault has no answer to add up.
        asking = replace(self._contest, new_core=new_core)
        results = self._legs(asking, self._settings.model_copy(update={"faults_allowed": 0}), 2)
        if any(result.ended_by is not None for result in results):
            return None
        found = [interview.outcome for interview in interviews if interview.outcome is not None]
        for interview in interviews:
            if interview.failure is not None and not isinstance(interview.failure, NotWalkable):
                raise interview.failure
        if len(found) < 2 or found[0][1] != found[-1][1]:
            return None
        value = found[0][0]
        assert isinstance(value, float)
        return value

    def _first_walk(self) -> Questions[tuple[float, Answers]]:
        yield from introduction(self._strategy)
        walk = Walk(self._strategy)
        value = yield from walk.value()
        return value, walk.answers

    def _later_walk(self) -> Questions[tuple[float, Answers]]:
        """The same after a session."""
        tables = [Table(buffer_fields(c), _PLAYED_HANDS + 1) for c in (self._contest.games, self._contest.sessions)]
        session = TwoCardDraw(
            *tables,
            deals_key=1,
            hands=_PLAYED_HANDS,
            bet1=self._strategy.bet1,
            bet2=self._strategy.bet2,
            server=ReadyServer(self._strategy.rows),
        )
        status = session.play()
        while status == ANSWER_WANTED:
            kind, _, arguments, _ = session.pending()
            status = session.play((yield kind, arguments))
            if status == FAULT:
                raise NotWalkable
        walk = Walk(self._strategy, int(session.points) or 1)
        value = yield from walk.value()
        return value, walk.answers

    def played(self, sessions: int) -> Expectation:
        """What it wins by play. Raises BotUnfit."""
        results = self._legs(self._contest, self._settings, sessions)
        for result in results:
            if result.ended_by is not None:
                raise BotUnfit(f"{result.faults[-1].what}; a bot may not be at fault so often")
        blocks = [points for result in results for points in result.blocks]
        hands = sum(result.games for result in results)
        spread = float(np.std(blocks, ddof=1)) * math.sqrt(len(blocks))
        return Expectation(sum(blocks) / hands, spread / hands, hands, sum(len(result.faults) for result in results))

    def _legs(self, contest: Contest, settings: ContestSettings, sessions: int) -> list[LegResult]:
        """Play legs of one session each, in order."""
        bot = Competitor(0, self._entrant.name, self._entrant.plays_as, self._entrant.artifact_sha256 or "")
        server = Competitor(0, self._server.name, "house", content_sha256(self._server))
        schedule = AgainstHouse(contest.name, settings.playing() | {"sessions": sessions}, [bot], [server])
        legs = list(schedule.legs())
        if self._entrant.plays_as == "wasm":
            sink = NullSink.of(contest, _PLAYED_HANDS)
            return [play_leg(contest, settings, leg, self._artifacts, sink) for leg in legs]
        return self._in_lanes(contest, settings, legs)

    def _in_lanes(self, contest: Contest, settings: ContestSettings, legs: Sequence[Leg]) -> list[LegResult]:
        results = {}
        with contextlib.closing(Spool()) as spool:
            for played in play_in_lanes(contest, settings, self._sandbox, legs, self._artifacts, cache_folder(), spool):
                results[played.result.digest] = played.result
        return [results[leg.digest] for leg in legs]
