"""Legs played step by step: what each bot was asked, answered and printed, and the rows of its games."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from engine.watching.observed_core import ObservedCore
from tournament.cache import cache_folder
from tournament.contests.bots import Dialogue
from tournament.contests.contest import Contest, CoreSetup
from tournament.contests.game_text import GameText, describe_game, plain_game, plain_value
from tournament.contests.questions import describe_question, view_values
from tournament.contests.settings import ContestSettings
from tournament.errors import printable
from tournament.leg import Leg
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import NAME, ROWS_PER_BUFFER, Column, buffer_fields
from tournament.store.leg_result import Fault, LegResult
from tournament.worker.leg import leg_values, play_leg, result_of
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

# Decisions that are kept of a leg, some 200 MB. Longer legs are observed a few games at a time.
_MAX_STEPS = 250_000
_LAST = (1 << 62) - 1
ILLEGAL = ", which is illegal and loses the game"  # suffix of an answer's text


@dataclass(frozen=True)
class Window:
    """The games of a leg to observe.

    Attributes:
        first_session: First session, counted from 0 in the leg.
        last_session: Last session, counted as the first, which is included. By default it is the leg's last.
        first_game: First game of each session, from 0.
        last_game: Last game of each session, which is included. By default it is the session's last.
        decisions: Maximum number of decisions that are kept, by default 250,000. A leg with more ends early.
        drawn: Session of the leg that is drawn, if the contest makes drawings; None for none.
    """

    first_session: int = 0
    last_session: int = _LAST
    first_game: int = 0
    last_game: int = _LAST
    decisions: int = _MAX_STEPS
    drawn: int | None = None


@dataclass(frozen=True)
class Step:
    """A decision: the asked bot, its question, and its answer.

    If there is no answer, the fault gives the reason. The output is the bot's since its previous decision.
    """

    seat: int  #: seat of the bot, from 0
    bot: str  #: name of the bot that decided
    decision: str  #: name of the decision in the contest's interface
    observation: Mapping[str, float]  #: values that the bot received, by name
    question_text: str  #: the question as text
    answer: int | None  #: the bot's answer; null if it gave none that the rules know
    answer_text: str  #: the answer as text
    fault: str | None = None  #: description of the bot's fault; null if there was none
    printed: str = ""  #: output of the bot since its previous decision
    illegal: bool = False  #: whether the answer was illegal, which loses the game


@dataclass(frozen=True)
class ObservedGame:
    """A game: its text, the bots' decisions, and its row, if it ended. A recorded game is compared with the records."""

    session: int  #: session of the match, from 0
    game: int  #: game of the session, from 0
    cards: Mapping[str, tuple[str, ...]]  #: cards by holder
    #: actions in order, each with its player; "" for cards turned up
    actions: tuple[tuple[str, str], ...]
    outcome: str  #: the result as text
    steps: tuple[Step, ...]  #: the bots' decisions, see below
    row: Mapping[str, Any] | None  #: row of the game, as in the records, by column; null if the game was aborted
    matches_record: bool = True  #: whether the game is the same as in the records


@dataclass(frozen=True)
class ObservedLeg:
    """A leg's observed games, and its result up to the last of them.

    Attributes:
        result: The leg's result.
        games: The observed games, by session and game.
        drawings: Drawings of the window's session, one before each decision and one at its end. Empty if none is drawn.
    """

    result: LegResult
    games: tuple[ObservedGame, ...]
    drawings: tuple[str, ...] = ()


class ObservationTape(Protocol):
    """Records the decisions of a leg, and what its programs read and write in dialogues of their own."""

    def record_question(
        self, session: int, game: int, seat: int, kind: int, address: int, values: dict[str, Any], /
    ) -> None:
        """Record a decision before its answer.

        Args:
            session: Session of the leg, from 0.
            game: Game of the session, from 0.
            seat: Seat of the bot.
            kind: Number of the decision in the contest's interface.
            address: Address of the bot's struct or view.
            values: The observation by name. Empty unless the contest's bots receive values by name.
        """

    def answered(self, seat: int, number: int, value: object, /) -> None:
        """Record what a bot answered.

        Args:
            seat: Seat of the bot.
            number: The answer as a number.
            value: The answer as a value if the rules read one, otherwise None.
        """

    def failed(self, seat: int, /) -> None:
        """Record a fault in the last decision of a seat."""

    def recorded(self, dialogue: Dialogue, key: bytes) -> Dialogue:
        """Return a dialogue that is recorded, given the key of the program's helpers. It can be the same dialogue."""


@dataclass
class _WindowSink:
    """A sink that keeps the rows of the observed games.

    Attributes:
        games: Rows of games since the last `clear`.
        sessions: Rows of sessions since the last `clear`, which aren't kept.
        window: The games to keep.
        first_session: Number of the leg's first session in its match.
        leg: The leg.
        columns: Columns of games in the records.
        kept: Kept rows as records have them, by session of the leg and game of the session.
    """

    games: Table
    sessions: Table
    window: Window
    first_session: int
    leg: Leg
    columns: Sequence[Column]

    def __post_init__(self) -> None:
        self.kept: dict[tuple[int, int], dict[str, Any]] = {}

    def clear(self) -> None:
        """Keep the rows of the window's games, and empty the tables."""
        count, arrays = self.games.rows, self.games.arrays
        session = arrays["session"][:count].astype("int64") - self.first_session
        game = arrays["game"][:count].astype("int64")
        window = self.window
        inside = (session >= window.first_session) & (session <= window.last_session)
        inside &= (game >= window.first_game) & (game <= window.last_game)
        for row in inside.nonzero()[0]:
            self.kept[int(session[row]), int(game[row])] = self._recorded({n: v[row].item() for n, v in arrays.items()})
        self.games.rows = self.sessions.rows = 0

    def _recorded(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row as records have it: names in place of seat numbers, and truth values as bool."""
        constants = leg_values(self.leg)
        return {
            column.name: constants[column.name]
            if column.of_leg
            else self.leg.names[values[column.name]]
            if column.dtype == NAME
            else bool(values[column.name])
            if column.dtype == "bool"
            else values[column.name]
            for column in self.columns
        }


def observe_leg(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    leg: Leg,
    artifacts: Mapping[str, bytes],
    window: Window | None = None,
    new_tape: Callable[[], ObservationTape] | None = None,
) -> ObservedLeg:
    """Play a leg as a tournament plays it, up to the last game of the window.

    A bot that is a process has one for this leg alone, so that its output is known.

    Args:
        contest: The contest.
        settings: The contest's settings.
        sandbox: Settings of the sandbox. Processes aren't shared, no matter what it says.
        leg: The leg.
        artifacts: Contents of bots and house players, by sha256.
        window: The games to observe; None for all, with at most 250,000 decisions.
        new_tape: Makes the tape of the window's decisions, again if the leg begins again. None for no tape.

    Returns:
        The leg. It ends early if the window has more decisions than its maximum.

    Raises:
        InputError: This machine can't confine a bot.
        RunError: This machine can't run a bot, or the rules failed.
        BotTrouble: A bot failed for a reason outside of the game. It is a RunError.
        OSError: Rows can't be stored, a program's file can't be read, or too many files are open.
    """
    window = window or Window()
    cores: list[ObservedCore] = []
    drawings: list[str] = []
    watched = _watched(contest, window, cores, drawings, leg.names, new_tape)
    sink = _WindowSink(
        Table(buffer_fields(contest.games), ROWS_PER_BUFFER),
        Table(buffer_fields(contest.sessions), ROWS_PER_BUFFER),
        window,
        leg.plan.first_session,
        leg,
        contest.games,
    )
    if leg.has_processes:
        unshared = sandbox.model_copy(update={"legs_per_process": 1})
        with contextlib.closing(Spool()) as spool:
            (played,) = play_in_lanes(watched, settings, unshared, [leg], artifacts, cache_folder(), spool)
            played.rows.replay_into(sink)
        result = played.result
    else:
        result = result_of(watched, play_leg(watched, settings, leg, artifacts, sink))
    sink.clear()
    # A leg whose process was killed from outside was begun again: its last core counts.
    games = _games(contest.under(settings), leg, cores[-1], sink, result)
    return ObservedLeg(result, games, tuple(drawings))


def cut_short(contest: Contest, sessions: int, games: int) -> Contest:
    """Return the contest with legs that end after this many games of their session number `sessions`.

    Earlier sessions are complete. The bots don't know of this.

    Args:
        contest: The contest, which isn't changed.
        sessions: Number of the last session, from 1.
        games: Number of games of that session.
    """
    return _watched(contest, Window(_LAST, sessions - 1, 0, games - 1), [], [])


def _watched(
    contest: Contest,
    window: Window,
    cores: list[ObservedCore],
    drawings: list[str],
    names: Sequence[str] = (),
    new_tape: Callable[[], ObservationTape] | None = None,
) -> Contest:
    """Return the contest with cores that record the window.

    Args:
        contest: The contest, which isn't changed.
        window: The games to record.
        cores: Receives each core. The last one is of the attempt that counts.
        drawings: Receives the drawings of the window's session, in order. It is emptied before each attempt.
        names: Names of the bots, by seat, for the drawings.
        new_tape: Makes the tape of each core; None for no tape.
    """
    draw = contest.new_drawn_core

    tapes: list[ObservationTape] = []

    def new_core(setup: CoreSetup[Any]) -> GameCore:
        """Return a core that records the window, and add it to `cores`."""
        if new_tape:
            tapes.append(new_tape())
        if draw and window.drawn is not None:
            drawings.clear()  # discards those of an interrupted leg
            core = draw(setup, window.drawn, drawings, names)
        else:
            core = contest.new_core(setup)
        cores.append(
            ObservedCore(
                core,
                first_session=window.first_session,
                last_session=window.last_session,
                first_game=window.first_game,
                last_game=window.last_game,
                most=window.decisions,
                tape=tapes[-1] if tapes else None,
            )
        )
        return cores[-1]

    interface = contest.interface
    if dialogue := interface.new_dialogue:
        # A dialogue reads the contest's own core.
        def new_dialogue(core: GameCore, key: bytes) -> Dialogue:
            """Return a program's dialogue, recorded if there is a tape."""
            assert isinstance(core, ObservedCore)
            talk = dialogue(core.core, key)
            return tapes[-1].recorded(talk, key) if tapes else talk

        interface = replace(interface, new_dialogue=new_dialogue)
    return replace(contest, new_core=new_core, interface=interface)


def _games(
    contest: Contest, leg: Leg, core: ObservedCore, sink: _WindowSink, result: LegResult
) -> tuple[ObservedGame, ...]:
    """Return a leg's observed games, by session and game.

    A game without a row in the sink was broken off. Its outcome says so, and its row is None. A decision that failed
    without a recorded fault has the fault "a fault", because only some faults of a leg are kept.

    Args:
        contest: The contest under the settings.
        leg: The leg.
        core: The core of the attempt that counts.
        sink: The kept rows.
        result: The leg's result, whose faults are used.
    """
    names = tuple(player.name for player in leg.players)
    faults = list(result.faults)
    steps: dict[tuple[int, int], list[Step]] = {position: [] for position in sink.kept}
    for session, game, seat, kind, view, named, answer, failed, illegal, printed in core.steps:
        seat //= contest.members
        question = contest.interface.questions[kind]
        observed = named or view_values(contest.interface, kind, view)
        fault = _pop_fault(faults, seat, leg.plan.first_session + session, game) if failed else None
        printed_text = printable(printed.decode("utf-8", "replace"))
        if fault is not None and not printed_text:
            printed_text = fault.last_output
        if failed:
            answered = "" if answer is None else contest.interface.name_answer(answer)
        else:
            answered = _plain_answer(contest, kind, answer) + ILLEGAL * illegal
        steps.setdefault((session, game), []).append(
            Step(
                seat,
                names[seat],
                question.name,
                observed,
                describe_question(
                    contest.interface, kind, _plain(named) or observed, compiled=leg.players[seat].kind == "wasm"
                ),
                answer,
                answered,
                (fault.message if fault else "a fault") if failed else None,
                printed_text,
                illegal,
            )
        )
    presentation = contest.presentation
    games = []
    for (session, game), decisions in sorted(steps.items()):
        row = sink.kept.get((session, game))
        if row is None:
            text = GameText(outcome="it was broken off")
        else:
            players = [row[f"bot_{position}"] for position in range(len(leg.seats))] + list(names[len(leg.seats) :])
            text = (
                describe_game(presentation.scene(row), players)
                if presentation
                else plain_game(row, players, contest.games)
            )
        position = leg.plan.first_session + session, game
        games.append(ObservedGame(*position, text.cards, text.actions, text.outcome, tuple(decisions), row))
    return tuple(games)


def _plain(named: Mapping[str, object]) -> Mapping[str, str]:
    """Return values as text, by name. The result is empty if no values are passed by name."""
    return {name: plain_value(value) for name, value in named.items()}


def _pop_fault(faults: list[Fault], seat: int, session: int, game: int) -> Fault | None:
    """Remove and return the next fault of a seat in a game, or return None if it has no more there."""
    for number, fault in enumerate(faults):
        if (fault.seat, fault.session, fault.game) == (seat, session, game):
            return faults.pop(number)
    return None


def _plain_answer(contest: Contest, kind: int, answer: object) -> str:
    """Return an answer as text: its name in the contest, its value if it has none, or "nothing"."""
    if answer is None:
        return "nothing"
    names = contest.interface.questions[kind].answer_names
    return names.get(answer, str(answer)) if isinstance(answer, int) else str(answer)
