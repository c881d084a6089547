"""Sessions in arrays are those of legs between bots, whatever the contest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.contest_runs import EXAMPLES
from tests.training.support import POKER_IN_C, played, table_of, written
from tournament.errors import InputError
from tournament.training.environment import Environment
from tournament.training.values import Features
from tournament.training.vector import VectorEnvironment

ROWS, SESSIONS = 7, 12
Answers = Callable[[npt.NDArray[np.void], npt.NDArray[np.int64]], npt.NDArray[Any]]
MINE_IN_POKER = (
    "int a(const Bot *bot) { return bot->card > 0.5 ? bot->money / 10 : 0; }\n"
    "int b(const Bot *bot, const int bet) { return bot->card * 20 > bet; }\n"
)
# Challenges high bids, else makes the lowest one that is above half of them.
MINE_IN_DICE = (
    "def bid(view):\n    legal = view.legal_actions\n"
    "    return 0 if view.last_bid > 14 + view.dice[0] else legal[len(legal) // 2 // view.dice[-1]]\n"
)


def answer_poker(seen: npt.NDArray[np.void], kinds: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    bets = np.where(seen["card"] > 0.5, seen["money"] // 10, 0)
    return np.where(kinds == 0, bets, seen["card"].astype(float) * 20 > seen["bet"])


def answer_dice(seen: npt.NDArray[np.void], kinds: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    rows, count = np.arange(len(seen)), seen["legal_actions_count"]
    middle = seen["legal_actions"][rows, count // 2 // seen["dice"][rows, seen["dice_count"] - 1]]
    return np.where(seen["last_bid"] > 14 + seen["dice"][:, 0], 0, middle)


@pytest.mark.parametrize(
    ("contest", "mine", "theirs", "answers"),
    [
        ("von_neumann_poker", {"mine.c": MINE_IN_POKER}, {"other.c": POKER_IN_C}, answer_poker),
        ("liars_dice", {"mine.py": MINE_IN_DICE}, {"other.py": MINE_IN_DICE.replace("14", "18")}, answer_dice),
    ],
)
def test_rows_play_the_legs_of_bots(
    contest: str, mine: dict[str, str], theirs: dict[str, str], answers: Answers, tmp_path: Path
) -> None:
    paths = written(tmp_path, {**mine, **theirs})
    of_bots = table_of(contest, paths, seats=(), sessions=SESSIONS)
    results = {
        (result.match, result.number): [one.points for one in result.sums]
        for leg in range(2)
        for result in played(of_bots, [of_bots.leg(row, leg) for row in range(ROWS)])
    }
    points, ended = np.zeros((2, ROWS)), np.zeros(ROWS, np.int64)
    with VectorEnvironment(table_of(contest, paths[1:], sessions=SESSIONS), ROWS) as environment:
        step = environment.current
        while (ended < 2 * SESSIONS).any():
            step = environment.step(answers(step.observations, step.decisions).astype(np.int64))
            for row in range(ROWS):
                assert step.ended[row] < 2 and (step.ended[row] or not step.rewards[row])
                if step.ended[row] and ended[row] < 2 * SESSIONS:
                    points[ended[row] // SESSIONS, row] += step.rewards[row]
            ended += step.ended
        assert environment.illegal == {}
        assert sorted(environment._sessions.lanes.waiting) == [*range(ROWS)], "a leg that ends leaves its lane"
    expected = [[results[row, leg][0] for row in range(ROWS)] for leg in range(2)]
    assert points == pytest.approx(np.array(expected))
    assert len(np.unique(points)) > ROWS // 2, "rows differ"


def test_illegal_answers_are_told_by_row(tmp_path: Path) -> None:
    """Sessions of liar's dice can't begin with a challenge."""
    paths = written(tmp_path, {"other.py": MINE_IN_DICE})
    with VectorEnvironment(table_of("liars_dice", paths, sessions=50), 5) as environment:
        assert not environment.current.observations["last_bid"].any()
        environment.step(np.array([0, 1, 0, 7, 70]))
        assert set(environment.illegal) == {0, 2, 4}
        assert all("which is no answer to this" in why for why in environment.illegal.values())


def written_poker() -> str:
    return str(Path(__file__).parents[2] / "entrants" / "von_neumann_poker" / "naive.c")


def test_table_that_fits_no_array_is_refused() -> None:
    for table, why in (
        (table_of("von_neumann_poker"), "one open seat"),
        (table_of("blotto", [lambda turn: None]), "one open seat"),
        (table_of("blotto", [str(next((EXAMPLES / "blotto" / "entrants" / "blotto").glob("*.py")))]), "whole numbers"),
    ):
        with pytest.raises(InputError, match=why):
            VectorEnvironment(table, 2)
    with pytest.raises(InputError, match="expected 1 or more"):
        VectorEnvironment(table_of("two_card_draw"), 0)


def test_features_have_a_place_for_every_number() -> None:
    table = table_of("snakes", seats=())
    features = Features(table.contest)
    assert len(set(features.names)) == len(features.names) > 10
    with Environment(table) as environment:
        vectors = []
        for turn in environment:
            vectors.append(features.vector(turn.observation))
            assert vectors[-1].shape == (len(features.names),)
            assert vectors[-1][features.names.index("seat")] == turn.observation["seat"]
            environment.answer(turn.observation.get("legal_actions", [0])[0])
    assert len({vector.tobytes() for vector in vectors}) > 3
