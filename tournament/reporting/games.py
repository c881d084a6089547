"""The chosen games as the page's viewer reads them: numbers, many of which stand for texts that recur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from tournament.contests.contest import Contest
from tournament.contests.portrait import Row, Scene, Step, signed_money
from tournament.contests.telling import plain_columns
from tournament.reporting.figures import as_json
from tournament.reporting.survey import ChosenGame
from tournament.standings.matches import Match

_REASONS = ("first", "last", "best", "worst", "fault")
_KEPT = {"fault": 0, "first": 1, "last": 1, "best": 2, "worst": 2}
MOST_BYTES = 700_000


class _Texts:
    """Texts by number, each once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def games_for_viewer(contest: Contest, matches: Sequence[Match], chosen: Mapping[int, Sequence[ChosenGame]]) -> Markup:
    """What the viewer's script reads, as JSON: script/viewer.js says how.

    If it is too long, games are left out, from the middle of each match.
    """
    while True:
        texts = _Texts()
        listed = [
            [match.x, match.y, [_game(contest, game, texts) for game in chosen[match.match]]]
            for match in matches
            if chosen.get(match.match)
        ]
        text = as_json({"matches": listed, "texts": list(texts.numbers)})
        if len(text) <= MOST_BYTES:
            return text
        chosen = {match: _fewer(games) for match, games in chosen.items() if len(games) > 1 or games[0].why == "fault"}


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
