"""Contests that need lists, texts, choices or many seats, played by bots of every kind against what they must give."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from tests.python_rules import play_field, play_table
from tournament.rules import Choice, Column, Decision, Float, Int, List, Questions, Rules, Session, Text
from tournament.rules.rules import contest_of

# Colonel Blotto (E. Borel, 1921): ten chips on five boxes, and each box goes to the one who has more there.

SPLIT = Decision(
    "split",
    "Split ten chips among five boxes",
    observation={"round": Int(0, 10**6, "round of the session")},
    answer=List(Int(0, 10), 5, "chips for each box"),
    default=[2, 2, 2, 2, 2],
)


class Blotto(Rules):
    name = "blotto"
    seats = 2
    decisions = (SPLIT,)

    def play(self, session: Session) -> Questions:
        splits = yield [SPLIT(seat, round=session.number) for seat in range(2)]
        lost = [len(split) != 5 or sum(split) > 10 for split in splits]
        boxes = [(a > b) - (a < b) for a, b in zip(*splits)] if not any(lost) else []
        won = sum(boxes) + 5 * (lost[1] - lost[0])
        session.record([won, -won])


SPLITS = {"even": [2, 2, 2, 2, 2], "front": [4, 3, 3, 0, 0], "spear": [10, 0, 0, 0, 0], "wide": [1, 2, 3, 4, 0]}
SPLITS["greedy"] = [9, 9, 9, 9, 9]  # more than there are


def splitter(name: str) -> tuple[str, str]:
    chips = SPLITS[name]
    if name in ("even", "greedy"):
        filled = "".join(f"answer[{box}] = {chips[box]}; " for box in range(5))
        return ".c", f"int split(const View *view, int32_t answer[5]) {{ {filled}return 5; }}\n"
    if name == "front":
        return "", (
            "import json, sys\nsys.stdin.readline()\nfor line in sys.stdin:\n    if line.startswith('{'):\n"
            f"        print('ACTION', json.dumps({chips}), flush=True)\n"
        )
    return ".py", f"def split(view):\n    return {chips}\n"


def test_colonel_blotto_gives_five_fixed_bots_their_exact_scores() -> None:
    played = play_field(contest_of(Blotto), {name: splitter(name) for name in SPLITS}, sessions=4)
    assert len(played) == 10
    for names, (result, _) in played.items():
        one, other = (SPLITS[name] for name in names)
        expected = sum((a > b) - (a < b) for a, b in zip(one, other))
        expected = -5 if names[0] == "greedy" else 5 if names[1] == "greedy" else expected
        assert result.faults == () and result.sums[0].points == 4 * expected, names


# An auction by sealed bids with everybody: the highest bid wins what is worth 100, and pays itself.

BID = Decision("bid", "Bid", observation={"bidders": Int(1, 64, "how many bid")}, answer=Int(0, 99, "your bid"))


class Auction(Rules):
    name = "sealed_bids"
    seats = "all"
    zero_sum = False
    decisions = (BID,)
    columns = (Column("bid", "uint8", "bid", per_seat=True),)

    def play(self, session: Session) -> Questions:
        bids = yield [BID(seat, bidders=session.seats) for seat in range(session.seats)]
        winner = session.rng.choice([seat for seat, bid in enumerate(bids) if bid == max(bids)])
        session.record([(100 - bids[winner]) * (seat == winner) for seat in range(session.seats)], bid=bids)


@pytest.mark.statistical
@pytest.mark.parametrize("bidders", [1, 3, 20])
def test_an_auction_with_everybody_brings_random_bidders_what_is_expected(bidders: int) -> None:
    """All bids are equally likely: the highest of n is at most m with the probability ((m + 1) / 100)ⁿ."""
    bots = {f"bot_{n:02}": (".c", "int bid(const View *view) { return rand() % 100; }\n") for n in range(bidders)}
    sessions = 3000
    ((result, rows),) = play_table(contest_of(Auction), bots, sessions=sessions)
    highest = [((m + 1) / 100) ** bidders - (m / 100) ** bidders for m in range(100)]
    mean = sum(p * (100 - m) for m, p in enumerate(highest))
    deviation = math.sqrt(sum(p * (100 - m) ** 2 for m, p in enumerate(highest)) - mean**2)
    total = sum(sums.points for sums in result.sums) / sessions
    assert abs(total - mean) < 4 * deviation / math.sqrt(sessions)
    assert set(rows["games"]) >= {f"bid_{bidders - 1}", f"points_{bidders - 1}"}


# A game of words: each begins with the last letter of the one before, and none comes twice.

SAY = Decision(
    "say",
    "Say a word",
    observation={"letter": Choice(["any", *"abcdefghijklmnopqrstuvwxyz"], "its first letter"), "said": List(Text())},
    answer=Text(12, "a word of small letters"),
    default="",
)


class Words(Rules):
    name = "words"
    seats = 2
    decisions = (SAY,)
    columns = (Column("words", "uint8", "words said"),)

    def play(self, session: Session) -> Questions:
        said: list[str] = []
        for seat in itertools.cycle(session.turn_order):
            letter = said[-1][-1] if said else "any"
            word = yield SAY(seat, letter=letter, said=said)
            if not word.isalpha() or word in said or letter not in ("any", word[0]):
                break
            said.append(word)
        points = [1, 1]
        points[seat] = -1
        session.record(points, words=len(said))


KNOWS = ["apple", "eagle", "elephant", "tiger", "rabbit", "toad", "dog", "goat", "ears", "snake", "era"]
IN_PYTHON = f"""\
def say(view):
    fits = [word for word in {KNOWS} if word not in view.said and view.letter in ("any", word[0])]
    return fits[0] if fits else ""
"""
# It isn't shown what was said, so it says each of its words once.
IN_C = """\
static const char *words[] = {"egg", "tree", "goose", "newt", "stag", "egret", "rat"};
static int used[7];
void say(const View *view, char answer[13])
{
    for (int i = 0; i < 7; i++)
        if (!used[i] && (view->letter == ANY || words[i][0] == 'a' + view->letter - A)) {
            used[i] = 1;
            strcpy(answer, words[i]);
            return;
        }
}
"""


def test_a_game_of_words_is_won_by_who_knows_more() -> None:
    ((result, rows),) = play_field(contest_of(Words), {"a": (".py", IN_PYTHON), "b": (".c", IN_C)}, sessions=1).values()
    said = ["apple", "egg", "goat", "tree", "eagle", "egret", "tiger", "rat", "toad"]  # then b has none with a d
    assert result.faults == () and rows["games"]["words"].tolist() == [len(said)]
    assert result.sums[0].points == 1


# Snakes on a grid: all turn at the same time, and one that runs into anything stays where it died.

WAYS = {"up": -8, "right": 1, "down": 8, "left": -1}
TURN = Decision(
    "turn",
    "Choose where your snake goes",
    observation={
        "board": List(Int(-1, 3), 64, "row by row: whose body a cell has, or −1"),
        "head": Int(0, 63, "the cell of your head"),
        "share": Float("how much of the board is free"),
    },
    answer=Choice(list(WAYS), "the way"),
)


class Snakes(Rules):
    name = "snakes"
    seats = range(2, 5)
    zero_sum = False
    decisions = (TURN,)
    columns = (Column("turns", "uint8", "turns that it lived", per_seat=True),)

    def play(self, session: Session) -> Questions:
        heads = [9, 14, 49, 54][: session.seats]
        self.board = [-1] * 64
        for seat, head in enumerate(heads):
            self.board[head] = seat
        alive, turns = list(range(session.seats)), [0] * session.seats
        while alive:
            free = self.board.count(-1) / 64
            asked = [TURN(seat, board=self.board, head=heads[seat], share=free) for seat in alive]
            cells = [step(heads[seat], way) for seat, way in zip(alive, (yield asked))]
            moved = [
                (seat, cell) for seat, cell in zip(alive, cells) if self.board[cell] < 0 and cells.count(cell) == 1
            ]
            for seat, cell in moved:
                heads[seat], self.board[cell], turns[seat] = cell, seat, turns[seat] + 1
            alive = [seat for seat, _ in moved]
        session.record(turns, turns=turns)

    def render(self) -> str:
        cells = "".join(
            f'<rect x="{10 * (cell % 8)}" y="{10 * (cell // 8)}" width="9" height="9" fill="hsl({90 * seat} 60% 50%)"/>'
            for cell, seat in enumerate(self.board)
            if seat >= 0
        )
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80">{cells}</svg>'


def step(head: int, way: str) -> int:
    """The next cell; a wall gives the same one, which is taken."""
    row, column = divmod(head, 8)
    row, column = row + (way == "down") - (way == "up"), column + (way == "right") - (way == "left")
    return 8 * row + column if 0 <= row < 8 and 0 <= column < 8 else head


SPIRAL_IN_PYTHON = """\
WAYS = ["up", "right", "down", "left"]

def turn(view):
    row, column = divmod(view.head, 8)
    for way, (down, right) in zip(WAYS, [(-1, 0), (0, 1), (1, 0), (0, -1)]):
        there = (row + down, column + right)
        if 0 <= min(there) and max(there) < 8 and view.board[8 * there[0] + there[1]] < 0:
            return way
    return "left"
"""
SPIRAL_IN_C = """\
int turn(const View *view)
{
    static const int downs[] = {-1, 0, 1, 0}, rights[] = {0, 1, 0, -1}, ways[] = {UP, RIGHT, DOWN, LEFT};
    for (int i = 0; i < 4; i++) {
        int row = view->head / 8 + downs[i], column = view->head % 8 + rights[i];
        if (row >= 0 && row < 8 && column >= 0 && column < 8 && view->board[8 * row + column] < 0) return ways[i];
    }
    return LEFT;
}
"""
SPIRAL_PROGRAM = (
    "import json, sys, types\n"
    + SPIRAL_IN_PYTHON
    + """
sys.stdin.readline()
for line in sys.stdin:
    if not line.startswith("{"):
        break
    print("ACTION", json.dumps(turn(types.SimpleNamespace(**json.loads(line)))), flush=True)
"""
)


def test_snakes_of_every_kind_crawl_in_the_same_way() -> None:
    kinds = {"c": (".c", SPIRAL_IN_C), "python": (".py", SPIRAL_IN_PYTHON), "program": ("", SPIRAL_PROGRAM)}
    expected: Any = None
    for chosen in (["c"] * 4, ["python", "c", "program", "python"]):
        bots = {f"snake_{seat}": kinds[kind] for seat, kind in enumerate(chosen)}
        ((result, rows),) = play_table(contest_of(Snakes), bots, sessions=2, seats=4)
        games = {name: column.tolist() for name, column in rows["games"].items()}
        assert result.faults == ()
        expected = expected or games
        assert games == expected
    turns = [expected[f"turns_{seat}"][0] for seat in range(4)]
    assert expected["turns_0"] == [turns[0]] * 2 and sum(turns) <= 60 and min(turns) > 3
    assert [expected[f"points_{seat}"][0] for seat in range(4)] == turns
