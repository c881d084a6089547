"""The chosen games as the page's viewer reads them: numbers, many of which stand for texts that recur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from tournament.contests.contest import Contest
from tournament.contests.portrait import Row, Rows, Scene, Step, Turns, signed_money
from tournament.contests.telling import plain_columns
from tournament.reporting.figures import as_json
from tournament.reporting.survey import ChosenGame, Survey
from tournament.standings.matches import Match

_REASONS = ("first", "last", "best", "worst", "fault")
_KEPT = {"fault": 0, "first": 1, "last": 1, "best": 2, "worst": 2}
MOST_BYTES = 700_000
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class _Texts:
    """Texts by number, each once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


@dataclass(frozen=True)
class PlayedAgain:
    """A session that was played again: each decision in words, and the picture before it; one more picture ends it."""

    session: int
    steps: Sequence[tuple[int, str]]
    pictures: Sequence[str]
    result: str


def games_for_viewer(
    contest: Contest,
    matches: Sequence[Match],
    survey: Survey,
    told: Mapping[int, PlayedAgain],
) -> Markup:
    """What the viewer's script reads, as JSON: script/viewer.js says how.

    A match that was `told` has what happened there, others their recorded games. If it is too long, games are left
    out, from the middle of each match.
    """
    portrait = contest.display.portrait
    turns = portrait.turns if portrait else None
    shown = {match.match for match in matches}
    chosen: Mapping[int, Sequence[ChosenGame]] = {n: games for n, games in survey.chosen.items() if n in shown}
    strips: dict[int, list[list[Any]]] = {}
    for (number, session), pieces in sorted(survey.sessions.items()):
        if turns and number in shown and (strip := _strip(turns, session, pieces)):
            strips.setdefault(number, []).append(strip)
    while True:
        texts = _Texts()
        listed = []
        for match in matches:
            games = [_told(told[match.match], texts)] if match.match in told else []
            games += [_game(contest, game, texts) for game in chosen.get(match.match, ())]
            if games := games + strips.get(match.match, []):
                listed.append([match.x, match.y, games])
        content: dict[str, Any] = {"matches": listed, "texts": list(texts.numbers)}
        if turns:
            content |= {"moves": list(turns.moves), "payoffs": turns.payoffs}
        text = as_json(content)
        most = max([*map(len, strips.values()), *map(len, chosen.values()), 0])
        if len(text) <= MOST_BYTES or most <= 1:
            return text
        strips = {match: found[: max(1, len(found) // 2)] for match, found in strips.items()}
        chosen = {match: _fewer(games) for match, games in chosen.items() if len(games) > 1 or _has_fault(games)}


def _strip(turns: Turns, session: int, pieces: Sequence[Rows]) -> list[Any]:
    """A session's moves: its number, then for x and y a letter or digit for each turn, and the turns with slips.

    Empty if not all turns of it were read, or moves have no letter.
    """
    columns = {name: np.concatenate([rows[name] for rows in pieces]) for name in pieces[0]}
    order = np.argsort(columns["turn"], kind="stable")
    moves = [columns[f"{seat}_move"][order].astype(int) for seat in "xy"]
    if (columns["turn"][order] != np.arange(len(order))).any() or max(map(np.max, moves)) >= len(_DIGITS):
        return []
    if min(map(np.min, moves)) < 0:
        return []
    letters = ["".join(_DIGITS[move] for move in one) for one in moves]
    return [session, *letters, *(np.flatnonzero(columns[f"{seat}_slipped"][order]).tolist() for seat in "xy")]


def _told(game: PlayedAgain, texts: _Texts) -> list[Any]:
    """A session played again, as games are."""
    steps: list[int | float] = []
    for place, picture in enumerate(game.pictures):
        seat, what = game.steps[place] if place < len(game.steps) else (-1, game.result)
        steps += [seat + 1, texts.number(what), 0, 0, texts.number(picture) + 1, 0]
    return [game.session, 0, _REASONS.index("first"), 0, 0, 0, *steps]


def _has_fault(games: Sequence[ChosenGame]) -> bool:
    return any(game.why == "fault" for game in games)


def _fewer(games: Sequence[ChosenGame]) -> list[ChosenGame]:
    """Half of the games: those with a fault, then some from either end, then the best and the worst."""
    order = sorted(range(len(games)), key=lambda at: (_KEPT[games[at].why], min(at, len(games) - 1 - at)))
    return [games[at] for at in sorted(order[: len(games) // 2 or 1])]


def _game(contest: Contest, game: ChosenGame, texts: _Texts) -> list[Any]:
    """Session, game, why, result, the two notes, then six numbers for each step."""
    portrait = contest.display.portrait
    scene = portrait.scene(game.row) if portrait else row_as_scene(game.row)
    result = signed_money(game.gain, portrait.money) if portrait and game.gain is not None else ""
    numbers = [texts.number(text) for text in (result, scene.x_note, scene.y_note)]
    steps = [number for step in scene.steps for number in _step(step, texts)]
    return [game.session, game.game, _REASONS.index(game.why), *numbers, *steps]


def _step(step: Step, texts: _Texts) -> list[int | float]:
    """Who (0 the dealer, 1 x, 2 y), what, cards of x, of y and on the board and the pot: plus 1, 0 if unchanged."""
    shown = [
        0 if cards is None else texts.number(" ".join(cards)) + 1 for cards in (step.x_cards, step.y_cards, step.board)
    ]
    pot = 0 if step.pot is None else step.pot + 1
    return [0 if step.seat is None else step.seat + 1, texts.number(step.text), *shown, pot]


def row_as_scene(row: Row) -> Scene:
    """A game of a contest without a portrait: a step for each recorded column."""
    return Scene([Step(seat, what) for seat, what in plain_columns(row)])
