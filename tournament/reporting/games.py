"""The chosen games as the page's viewer reads them: steps that recur are listed once, and named by their number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from markupsafe import Markup

from tournament.contests.contest import Contest
from tournament.contests.game_text import plain_columns
from tournament.contests.presentation import Row, Rows, Scene, Step, signed_money
from tournament.reporting.figures import as_json
from tournament.reporting.game_sample import ChosenGame, Survey
from tournament.standings.matches import Match
from tournament.store.columns import Column

_KEPT = {"fault": 0, "first": 1, "last": 1, "best": 2, "worst": 2}
MOST_BYTES = 900_000
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class _Told:
    """Steps of games, and notes on both sides, by number, each once."""

    def __init__(self) -> None:
        self._steps: dict[tuple[tuple[str, object], ...], int] = {}
        self._notes: dict[tuple[str, str], int] = {}
        self._pictures: dict[str, int] = {}

    def picture(self, drawn: str) -> int:
        """The number of a picture, which several asked together have in common."""
        return self._pictures.setdefault(drawn, len(self._pictures))

    def step(self, **told: object) -> int:
        """The number of a step that says these things; None says nothing."""
        step = tuple((name, value) for name, value in told.items() if value is not None)
        return self._steps.setdefault(step, len(self._steps))

    def notes(self, x: str, y: str) -> int:
        """Their number."""
        return self._notes.setdefault((x, y), len(self._notes))

    @property
    def content(self) -> dict[str, object]:
        return {
            "steps": [dict(step) for step in self._steps],
            "notes": list(self._notes),
            "pictures": list(self._pictures),
        }


@dataclass(frozen=True)
class PlayedAgain:
    """A session that was played again: each decision in words, and the picture before it; one more picture ends it."""

    session: int
    bots: Sequence[str]
    steps: Sequence[tuple[int, str]]
    pictures: Sequence[str]
    result: str


def games_for_viewer(
    contest: Contest,
    matches: Sequence[Match],
    survey: Survey,
    told: Mapping[int, PlayedAgain],
    tables: Sequence[PlayedAgain] = (),
) -> Markup:
    """What the viewer's script reads, as JSON: script/viewer.js says how.

    A match that was `told` has what happened there, others their recorded games. `tables` are those of any number of
    bots. If it is too long, games are left out, from the middle of each match, and the last tables.
    """
    presentation = contest.presentation
    turns = presentation.turns if presentation else None
    shown = {match.match for match in matches}
    chosen: Mapping[int, Sequence[ChosenGame]] = {n: games for n, games in survey.chosen.items() if n in shown}
    strips: dict[int, list[dict[str, Any]]] = {}
    for (number, session), pieces in sorted(survey.sessions.items()):
        if turns and number in shown and (strip := _turns(session, pieces)):
            strips.setdefault(number, []).append(strip)
    while True:
        once = _Told()
        listed = []
        for match in matches:
            games = [_again(told[match.match], once)] if match.match in told else []
            games += [_game(contest, game, match, once) for game in chosen.get(match.match, ())]
            if games := games + strips.get(match.match, []):
                listed.append({"bots": [match.x, match.y], "games": games})
        listed += [{"bots": list(table.bots), "games": [_again(table, once)]} for table in tables]
        content: dict[str, Any] = {"matches": listed, **once.content}
        if turns:
            content |= {"moves": list(turns.moves), "payoffs": turns.payoffs}
        text = as_json(content)
        most = max([*map(len, strips.values()), *map(len, chosen.values()), 0])
        if len(text) <= MOST_BYTES or (most <= 1 and len(tables) <= 1):
            return text
        tables = tables[: max(1, len(tables) // 2)]
        strips = {match: found[: max(1, len(found) // 2)] for match, found in strips.items()}
        chosen = {match: _fewer(games) for match, games in chosen.items() if len(games) > 1 or _has_fault(games)}


def _turns(session: int, pieces: Sequence[Rows]) -> dict[str, Any] | None:
    """A session of a repeated game: the moves of both, a letter or digit for each turn, and the turns with slips.

    None if not all turns of it were read, or moves have no letter.
    """
    columns = {name: np.concatenate([rows[name] for rows in pieces]) for name in pieces[0]}
    order = np.argsort(columns["turn"], kind="stable")
    moves = [columns[f"move_{seat}"][order].astype(int) for seat in (0, 1)]
    if (columns["turn"][order] != np.arange(len(order))).any() or max(map(np.max, moves)) >= len(_DIGITS):
        return None
    if min(map(np.min, moves)) < 0:
        return None
    letters = ["".join(_DIGITS[move] for move in one) for one in moves]
    slips = [np.flatnonzero(columns[f"move_replaced_{seat}"][order]).tolist() for seat in (0, 1)]
    return {"kind": "turns", "session": session, "moves": letters, "slips": slips}


def _again(game: PlayedAgain, once: _Told) -> dict[str, Any]:
    """A session that was played again: the steps of its decisions, each with a picture, and one of its result."""
    said: list[tuple[int | None, str]] = [*game.steps, (None, game.result)]
    steps = [
        once.step(seat=seat, what=what, picture=once.picture(drawn) if drawn else None)
        for (seat, what), drawn in zip(said, game.pictures)
    ]
    return {"kind": "again", "session": game.session, "steps": steps}


def _has_fault(games: Sequence[ChosenGame]) -> bool:
    return any(game.why == "fault" for game in games)


def _fewer(games: Sequence[ChosenGame]) -> list[ChosenGame]:
    """Half of the games: those with a fault, then some from either end, then the best and the worst."""
    order = sorted(range(len(games)), key=lambda at: (_KEPT[games[at].why], min(at, len(games) - 1 - at)))
    return [games[at] for at in sorted(order[: len(games) // 2 or 1])]


def _game(contest: Contest, game: ChosenGame, match: Match, once: _Told) -> dict[str, Any]:
    """A recorded game: why it was chosen, what seat 0 won, notes on both players, and its steps."""
    presentation = contest.presentation
    scene = presentation.scene(game.row) if presentation else row_as_scene(game.row, contest.games)
    if contest.scored.by_position and game.row["bot_0"] != match.x:
        scene = _exchanged(scene)
    why = {} if game.why in ("first", "last") else {"why": game.why}
    return {
        "kind": "game",
        "session": game.session,
        "game": game.game,
        **why,
        "result": signed_money(game.gain, presentation.money) if presentation and game.gain is not None else "",
        "notes": once.notes(*scene.notes),
        "steps": [_step(step, once) for step in scene.steps],
    }


def _exchanged(scene: Scene) -> Scene:
    """Return a scene with both players exchanged."""
    steps = [
        replace(step, seat=None if step.seat is None else 1 - step.seat, cards=step.cards[::-1]) for step in scene.steps
    ]
    return replace(scene, steps=steps, notes=scene.notes[::-1])


def _step(step: Step, once: _Told) -> int:
    """What happened, who did it unless it was the dealer, and what it changed: cards of either, the board, the pot."""
    x, y, board = (None if held is None else " ".join(held) for held in (*step.cards, step.board))
    return once.step(seat=step.seat, what=step.text, x=x, y=y, board=board, pot=step.pot)


def row_as_scene(row: Row, columns: Iterable[Column]) -> Scene:
    """A game of a contest without a presentation: a step for each recorded column."""
    return Scene([Step(seat, what) for seat, what in plain_columns(row, columns)])
