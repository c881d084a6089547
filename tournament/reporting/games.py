"""Games of the page's viewer as JSON. Recurring steps are listed once and referred to by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from tournament.contests.contest import Contest
from tournament.contests.game_text import plain_columns
from tournament.contests.presentation import Scene, Step, money_text, signed_money
from tournament.reporting.figures import as_json
from tournament.reporting.game_sample import SampledGame, Survey
from tournament.standings.matches import Match

_PRIORITY = {"fault": 0, "first": 1, "last": 1, "best": 2, "worst": 2}
MAX_BYTES = 900_000


class _Listed:
    """Distinct steps of games, notes on both sides, and pictures. Each kind is numbered from 0."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[Any, int]] = {"steps": {}, "notes": {}, "pictures": {}}

    def number(self, kind: str, value: Any) -> int:
        """Return the number of a value of this kind, which is added if it is new.

        Args:
            kind: "steps", "notes" or "pictures".
            value: The value, which must be hashable.
        """
        return self._numbers[kind].setdefault(value, len(self._numbers[kind]))

    def step(self, **shown: object) -> int:
        """Return the number of a step that shows these values. Values of None are omitted."""
        return self.number("steps", tuple((name, value) for name, value in shown.items() if value is not None))

    @property
    def content(self) -> dict[str, object]:
        """All values by kind, in the order of their numbers."""
        return {**{kind: list(numbers) for kind, numbers in self._numbers.items()},
                "steps": list(map(dict, self._numbers["steps"]))}  # fmt: skip


@dataclass(frozen=True)
class ReplayedSession:
    """A replayed session.

    Attributes:
        session: Session of the match, from 0.
        bots: Names of the bots by seat.
        steps: Seat and text of each decision, in order of play.
        pictures: Picture before each decision, and one at the end; "" for none.
        result: The outcome as text.
        why: Reason for the choice; "" for the first session.
    """

    session: int
    bots: Sequence[str]
    steps: Sequence[tuple[int, str]]
    pictures: Sequence[str]
    result: str
    why: str = ""


def games_for_viewer(
    contest: Contest,
    matches: Sequence[Match],
    survey: Survey,
    replayed: Mapping[int, ReplayedSession],
    tables: Sequence[ReplayedSession] = (),
) -> Markup:
    """Return the data for the viewer's script as JSON, of at most 900,000 characters if possible.

    If they are too long, games from the middle of each match and the last tables are omitted. Matches without games are
    omitted, too. A replayed session is the first game of its match, and tables follow the matches.

    Args:
        contest: Contest of the games.
        matches: Matches of two that are shown, the most interesting first.
        survey: The recorded games.
        replayed: Replayed sessions by match.
        tables: Replayed sessions of tables of any size, the most interesting first.

    Raises:
        ValueError: A recorded number that is shown is infinite or NaN.
    """
    numbers = {match.match for match in matches}
    sample: Mapping[int, Sequence[SampledGame]] = {n: games for n, games in survey.sample.items() if n in numbers}
    while True:
        listed_values = _Listed()
        listed = []
        for match in matches:
            games = [_replayed_game(replayed[match.match], listed_values)] if match.match in replayed else []
            games += [_game(contest, game, match, listed_values) for game in sample.get(match.match, ())]
            if games:
                listed.append({"bots": [match.x, match.y], "games": games})
        listed += [{"bots": list(table.bots), "games": [_replayed_game(table, listed_values)]} for table in tables]
        text = as_json({"matches": listed, **listed_values.content})
        longest = max([*map(len, sample.values()), 0])
        if len(text) <= MAX_BYTES or (longest <= 1 and len(tables) <= 1):
            return text
        share = 0.9 * MAX_BYTES / len(text)
        tables = tables[: max(1, int(len(tables) * share))]
        sample = {n: _fewer(games, share) for n, games in sample.items() if len(games) > 1 or games[0].why == "fault"}


def _replayed_game(game: ReplayedSession, listed_values: _Listed) -> dict[str, Any]:
    """Return a replayed session: steps of its decisions, with pictures, and a step of its result."""
    texts: list[tuple[int | None, str]] = [*game.steps, (None, game.result)]
    steps = [
        listed_values.step(seat=seat, what=what, picture=listed_values.number("pictures", drawn) if drawn else None)
        for (seat, what), drawn in zip(texts, game.pictures)
    ]
    opponents = f", with {', '.join(game.bots)}" if len(game.bots) > 2 else ""
    return {"label": f"session {game.session}, played again{game.why and f', {game.why}'}{opponents}", "steps": steps}


def _fewer(games: Sequence[SampledGame], share: float) -> list[SampledGame]:
    """Return a share of the games, at least one, in the same order.

    Those with a fault are preferred, then those from each end, then the best and the worst.
    """
    order = sorted(range(len(games)), key=lambda at: (_PRIORITY[games[at].why], min(at, len(games) - 1 - at)))
    return [games[at] for at in sorted(order[: int(len(games) * share) or 1])]


def _game(contest: Contest, game: SampledGame, match: Match, listed_values: _Listed) -> dict[str, Any]:
    """Return a recorded game: its label, notes on both players, and its steps."""
    presentation = contest.presentation
    money = presentation.money if presentation else ""
    scenes = [presentation.scene(row) if presentation else row_as_scene(contest, game) for row in game.rows]
    if contest.scored.by_position and game.rows[0]["bot_0"] != match.x:
        scenes = list(map(_exchanged, scenes))
    kind = presentation.game if presentation else "game"
    if game.game is None:
        scenes = [_as_turn(scene, match) for scene in scenes]
    label = f"session {game.session}, {f'{len(scenes)} {kind}s' if game.game is None else f'{kind} {game.game}'}"
    if presentation and game.gain is not None:
        label += f": {match.x} {signed_money(game.gain, money)}"
    if game.why not in ("first", "last"):
        label += ", fault" if game.why == "fault" else f", {game.why} of {match.x}"
    return {
        "label": label,
        "notes": listed_values.number("notes", scenes[0].notes),
        "steps": [_step(step, money, listed_values) for scene in scenes for step in scene.steps],
    }


def _as_turn(scene: Scene, match: Match) -> Scene:
    """Return a turn of a longer session as one step."""
    names = {0: f"{match.x} ", 1: f"{match.y} ", None: ""}
    return Scene([Step(None, ", ".join(names[step.seat] + step.text for step in scene.steps))])


def _exchanged(scene: Scene) -> Scene:
    """Return a scene with both players exchanged."""
    steps = [
        replace(step, seat=None if step.seat is None else 1 - step.seat, cards=step.cards[::-1]) for step in scene.steps
    ]
    return replace(scene, steps=steps, notes=scene.notes[::-1])


def _step(step: Step, money: str, listed_values: _Listed) -> int:
    """Return the number of a step: the action, and its changes of cards, board and pot."""
    x, y, board = (None if held is None else " ".join(held) for held in (*step.cards, step.board))
    pot = None if step.pot is None else f"pot {money_text(step.pot, money)}"
    return listed_values.step(seat=step.seat, what=step.text, x=x, y=y, board=board, pot=pot)


def row_as_scene(contest: Contest, game: SampledGame) -> Scene:
    """Return the first row of a game of a contest without a presentation, with a step for each recorded column."""
    return Scene([Step(seat, what) for seat, what in plain_columns(game.rows[0], contest.games)])
