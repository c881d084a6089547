"""Rules in Python: what bots of every kind are told and may answer, what is recorded, and what is refused."""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.chance import Chance
from tests.python_rules import Everything, fold, new_core, play_field, played_by_functions, tables_of
from tournament.contests.contest import Contest
from tournament.contests.python_contest import (
    Column,
    Decision,
    Play,
    PythonContest,
    Session,
    Told,
    fraction,
    fractions,
    text,
    whole,
    wholes,
)
from tournament.contests.python_contest.rules import contest_of
from tournament.contests.python_contest.struct_layout import lay_out
from tournament.entrants.new import write_new_bot
from tournament.errors import RunError

KEY = bytes(range(32))
FEW = settings(max_examples=60, deadline=None, derandomize=True)


# Chance


def test_chance_follows_from_key_and_number_alone() -> None:
    draws = [Chance(KEY, number).sample(range(1000), 20) for number in (0, 0, 1, 2**63)]
    assert draws[0] == draws[1]
    assert len({tuple(draw) for draw in draws}) == 3
    assert Chance(bytes(32), 0).sample(range(1000), 20) != draws[0]


@FEW
@given(st.integers(1, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_chance_stays_within_its_limits(end: int, number: int) -> None:
    chance = Chance(KEY, number)
    assert 0 <= chance.randrange(end) < end
    assert 0.0 <= chance.random() < 1.0
    assert all(1 <= die <= 6 for die in chance.dice(9))
    items = list(range(end % 30 + 1))
    shuffled = list(items)
    chance.shuffle(shuffled)
    assert sorted(shuffled) == items
    assert len(set(chance.sample(items, len(items) // 2))) == len(items) // 2
    assert chance.choice(items) in items
    assert chance.randint(-3, -3) == -3


@pytest.mark.statistical
def test_chance_has_no_favourites() -> None:
    """Counts of n draws among k have a standard error of √(n (k − 1)) / k."""
    chance, draws = Chance(KEY), 30_000
    error = math.sqrt(draws * 5) / 6
    places = Counter(tuple(chance.sample("abc", 3)) for _ in range(draws))
    assert len(places) == 6
    assert all(abs(count - draws / 6) < 4.5 * error for count in places.values())
    weighted = Counter(chance.weighted([1, 0, 2.0, 3]) for _ in range(draws))
    assert set(weighted) == {0, 2, 3}
    assert abs(weighted[2] - draws / 3) < 4.5 * math.sqrt(draws * 2 / 9)
    # A third of all words is above this end: without drawing again small numbers would come half as often more.
    large = [chance.randrange(3 << 62) for _ in range(draws)]
    assert abs(np.mean([number < (1 << 62) for number in large]) - 1 / 3) < 4.5 * math.sqrt(2 / 9 / draws)


def test_chance_says_when_there_is_nothing_to_draw_from() -> None:
    chance = Chance(KEY)
    for draw in (
        lambda: chance.choice([]),
        lambda: chance.randrange(0),
        lambda: chance.randint(3, 2),
        lambda: chance.sample([1], 2),
        lambda: chance.weighted([0, 0]),
        lambda: chance.weighted([]),
    ):
        with pytest.raises(ValueError, match=r"draw|whole number"):
            draw()


# What bots are told


TOLD = st.one_of(
    st.sampled_from([whole(0, 5, "w"), whole(-(2**40), 2**40, "w"), fraction("f"), text("t")]),
    st.integers(0, 9).map(lambda most: wholes(0, 9, most, "ws")),
    st.integers(0, 9).map(lambda most: wholes(0, 2**33, most, "ws")),
    st.integers(0, 9).map(lambda most: fractions(most, "fs")),
)


@FEW
@given(st.lists(TOLD, max_size=9))
def test_values_lie_where_c_looks_for_them(told: list[Told]) -> None:
    """ctypes lays structs out as the platform's C compiler does."""
    decision = Decision("act", "m", tells={f"v{i}": one for i, one in enumerate(told)}, answer=whole(0, 1, "a"))
    kinds: dict[str, Any] = {"i": ctypes.c_int32, "q": ctypes.c_int64, "d": ctypes.c_double}
    members: list[tuple[str, Any]] = []
    for i, one in enumerate(told):
        if one.code != "s" and one.most < 0:
            members.append((f"v{i}", kinds[one.code]))
        elif one.code != "s":
            members += [(f"v{i}_count", ctypes.c_int32), (f"v{i}", kinds[one.code] * max(1, one.most))]
    expected = type("Expected", (ctypes.Structure,), {"_fields_": members})
    struct = lay_out([decision])
    assert struct.size >= ctypes.sizeof(expected)
    for member in struct.members:
        assert member.offset == getattr(expected, member.name).offset
        if member.count_offset >= 0:
            assert member.count_offset == getattr(expected, f"{member.name}_count").offset


@pytest.fixture(scope="module")
def everything() -> Contest:
    return contest_of(Everything)


def test_bots_of_every_kind_are_told_the_same(everything: Contest) -> None:
    """Each answers a sum over all numbers that it is told: the records are those of the rules' own sum."""
    field = play_field(everything, Everything.BOTS, sessions=30)
    expected = played_by_functions(Everything, everything, fold, fold, 30)
    assert len(field) == 10  # pairs of five bots
    for result, rows in field.values():
        assert (result.faults, result.games) == ((), 30)
        for name, column in expected["games"].items():
            assert name == "match" or rows["games"][name].tolist() == column.tolist(), name


def test_texts_reach_processes_as_they_are(everything: Contest) -> None:
    """They answer the lengths of what they got, in which there are letters of every plane."""
    bots = {
        "py": (".py", "def act(bot):\n    return bot.legal_actions[0]\ndef name(bot):\n    return len(bot.word)\n"),
        "c": (".c", "int act(const Bot *b) { return b->legal_actions[0]; }\nint name(const Bot *b) { return 0; }\n"),
    }
    ((result, rows),) = play_field(everything, bots, sessions=12).values()
    assert result.faults == ()
    y_named = rows["games"]["y_named"].tolist()
    assert y_named == [len(Everything.WORDS[session % len(Everything.WORDS)]) for session in range(12)]


_KEEPS_VALUES = """\
def act(bot):
    if not isinstance(bot.share, float) or len(bot.smalls) > 5 or 7000 in bot.smalls:
        raise ValueError("not told anew")
    bot.share = "mine"
    bot.smalls.append(7000)
    return bot.legal_actions[0]


def name(bot):
    if bot.share != "mine" or bot.smalls[-1] != 7000 or bot.large != (bot.small - 3) % 10 << 35:
        raise ValueError("what this question doesn't tell has changed")
    del bot.word
    return 2 * bot.small if bot.word is None else 0
"""


def test_what_a_bot_does_to_a_value_lasts_until_it_is_told_again(everything: Contest) -> None:
    """Values that a question doesn't tell stay as they were, those that nobody has looked at too."""
    field = play_field(everything, {"a": (".py", _KEEPS_VALUES), "b": (".py", _KEEPS_VALUES)}, sessions=10)
    ((result, rows),) = field.values()
    assert result.faults == ()
    assert rows["games"]["y_named"].tolist() == [2 * ((session + 3) % 10) for session in range(10)]


def test_what_is_no_legal_action_is_a_fault_and_the_default_is_played(everything: Contest) -> None:
    bots = {
        "a": (".c", "int act(const Bot *b) { return -7; }\nint name(const Bot *b) { return 99; }\n"),
        "b": (".py", "def act(bot):\n    return bot.legal_actions[-1]\ndef name(bot):\n    return 0\n"),
    }
    ((result, rows),) = play_field(everything, bots, sessions=3, faults_allowed=3).values()
    assert [fault.seat for fault in result.faults] == [0] * 4
    assert result.ended_by == 0
    assert "answered -7" in result.faults[0].what
    assert result.faults[0].asked.startswith("act: small 3, ")
    assert {fault.question for fault in result.faults} == {"act", "name"}
    # The first legal action counts for `act`, the declared default for `name`.
    assert rows["games"]["x_chose"].tolist() == [Everything.LEGAL[0]]
    assert rows["games"]["x_named"].tolist() == [5]


@FEW
@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 40))
def test_rows_wait_for_room(room: int, games: int, sessions: int) -> None:
    """Rules record as many games as they like between two questions; the tables are emptied when they are full."""

    class Several(Everything):
        name = "several"

        def play(self, session: Session) -> Play:
            for game in range(games):
                session.record(game, -game, x_chose=game, x_named=session.number, y_named=0)
            yield from ()

    tables = tables_of(contest_of(Everything), room)
    core = new_core(Several, *tables, sessions)
    written: list[tuple[int, int]] = []
    sessions_written = 0
    while True:
        status = core.play()
        rows = tables[0].rows
        written += zip(tables[0].arrays["x_named"][:rows].tolist(), tables[0].arrays["game"][:rows].tolist())
        sessions_written += tables[1].rows
        tables[0].rows = tables[1].rows = 0
        if status == 0:
            break
        assert status == 1
    core.check()
    assert written == [(session, game) for session in range(sessions) for game in range(games)]
    assert (core.games_recorded, core.sessions_played, sessions_written) == (games * sessions, sessions, sessions)
    assert core.sums()[0].points == sessions * sum(range(games))


def test_the_second_leg_of_a_duplicate_match_has_the_same_chance_and_the_seats_swapped() -> None:
    seen: dict[int, list[tuple[int, list[int]]]] = {0: [], 1: []}

    class Watched(Everything):
        name = "watched"

        def play(self, session: Session) -> Play:
            seen[leg].append((session.first, session.chance.dice(20)))
            # How much a game draws changes nothing in the next.
            session.chance.dice(session.number * (1 + leg))
            session.record(0, 0, x_chose=0, x_named=0, y_named=0)
            seen[leg].append((session.games, session.chance.dice(20)))
            session.record(0, 0, x_chose=0, x_named=0, y_named=0)
            yield from ()

    for leg in range(2):
        core = new_core(Watched, *tables_of(contest_of(Everything), 99), 5, number=leg)
        core.play()
        core.check()
    assert [dice for _, dice in seen[0]] == [dice for _, dice in seen[1]]
    assert len({tuple(dice) for _, dice in seen[0]}) == 10
    assert [first for first, _ in seen[0][::2]] == [0, 1, 0, 1, 0]
    assert [first for first, _ in seen[1][::2]] == [1, 0, 1, 0, 1]


# What is refused


class Fickle(list[int]):
    """A sequence that says another length than it has."""

    def __len__(self) -> int:
        return 3


def test_a_sequence_that_lies_about_its_length_is_refused() -> None:
    decision = Decision("act", "m", tells={"several": wholes(0, 9, 4, "s")}, answer=whole(0, 3, "a"))
    decision.place(0, {"several": (0, 8)})
    decision(0, several=[1, 2, 3])
    for content in ([], [1, 2], [1, 2, 3, 4]):
        with pytest.raises(ValueError, match="tells more or fewer several than they are long"):
            decision(0, several=Fickle(content))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda d, s: d(0, small=10), "small is 10, 0 to 9 were declared"),
        (lambda d, s: d(0, small=1.0), "small is 1.0, 0 to 9 were declared"),
        (lambda d, s: d(0, small=2**80), "no whole number of 64 bits"),
        (lambda d, s: d(2, small=1), "asks seat 2"),
        (lambda d, s: d(0), "declared is small"),
        (lambda d, s: d(0, small=1, large=2), "tells small, large"),
        (lambda d, s: d(0, small=1, default=7), "default answer 7 is not legal"),
        (lambda d, s: 5, "yield 5, which is no question"),
        (lambda d, s: s.record(1, 1), "worth 1.0 to x and 1.0 to y"),
        (lambda d, s: s.record(1, -1, chosen=300), "chosen = 300, which its column can't hold"),
        (lambda d, s: s.record(1, -1, chosen=1.5), "chosen = 1.5"),
        (lambda d, s: s.record(math.nan, math.nan, chosen=1), "nan"),
        (lambda d, s: s.record(1, -1), "record no chosen"),
        (lambda d, s: s.record(1, -1, chosen=1, other=2), "record other, which has no column"),
        (lambda d, s: 1 // 0, "ZeroDivisionError"),
        (lambda d, s: None if s.number == 0 else 0, "yield None"),
    ],
)
def test_what_rules_do_wrong_ends_the_run_with_a_line_that_names_the_place(asked: Any, message: str) -> None:
    class Wrong(PythonContest):
        name = "wrong"
        decisions = (Decision("act", "m", tells={"small": whole(0, 9, "s")}, answer=whole(0, 3, "a")),)
        columns = (Column("chosen", "uint8", "m"),)

        def play(self, session: Session) -> Play:
            yield asked(self.decisions[0], session)

    bots = dict.fromkeys("ab", (".c", "int act(const Bot *bot) { return 0; }\n"))
    with pytest.raises(RunError) as failure:
        play_field(contest_of(Wrong), bots, sessions=1)
    line = str(failure.value)
    assert message in line
    assert line.startswith("the rules of wrong failed in match 0 (a against b), session 0, game 0: ")
    assert "\n" not in line
    if "yield" not in message:
        assert f"({Path(__file__).name}, line " in line


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"play": PythonContest.play}, r"it has no method play\(self, session\)"),
        ({"decisions": Everything.decisions[0]}, r"decisions are a tuple, as in decisions = \("),
        ({"columns": (Column("n", "int", "m"),)}, "no column can be int; there are bool, int8,"),
        ({"columns": (Column("n", "int8", "m"),) * 2}, "no column can be called n: two of columns are called so"),
        ({"columns": (Column("points_0", "int8", "m"),)}, "no column can be called points_0: every contest has"),
        ({"settings_type": int}, "settings_type is <class 'int'>, which is no subclass of PythonSettings"),
        ({"settings_type": "x"}, "settings_type is 'x', which is no subclass of PythonSettings"),
    ],
)
def test_what_would_fail_in_play_alone_is_refused_before(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        contest_of(type("Wrong", (Everything,), {"name": "wrong", **changed}))


def test_a_session_without_a_game_is_refused() -> None:
    class Empty(Everything):
        name = "empty"

        def play(self, session: Session) -> Play:
            yield from ()

    core = new_core(Empty, *tables_of(contest_of(Everything), 9), 1)
    assert core.play() == 0
    with pytest.raises(ValueError, match="without a game"):
        core.check()


@pytest.mark.parametrize("name", ["int", "class", "Dice", "2dice", "question", "f", "di-ce", "", "lambda"])
def test_names_that_bots_can_not_be_written_with_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="can't name"):
        Decision(name, "m", tells={}, answer=whole(0, 1, "a"))
    with pytest.raises(ValueError, match="can't name"):
        Decision("act", "m", tells={name: whole(0, 1, "v")}, answer=whole(0, 1, "a"))


def test_declarations_that_contradict_each_other_are_refused() -> None:
    def one(name: str, **tells: Told) -> Decision:
        return Decision(name, "m", tells=tells, answer=whole(0, 1, "a"))

    with pytest.raises(ValueError, match="different things called v"):
        lay_out([one("a", v=whole(0, 1, "v")), one("b", v=whole(0, 2, "v"))])
    with pytest.raises(ValueError, match="v_count"):
        lay_out([one("a", v=wholes(0, 1, 3, "v"), v_count=whole(0, 1, "n"))])
    with pytest.raises(ValueError, match="legal_actions is a list"):
        one("a", legal_actions=whole(0, 1, "v"))
    with pytest.raises(
        ValueError, match=r"lowest number, 7, is above the highest, 1: wholes\(low, high, most, meaning\)"
    ):
        wholes(7, 1, 14, "in another order")
    with pytest.raises(ValueError, match=r"lowest number, 2, is above the highest, 1: whole\(low, high, meaning\)"):
        whole(2, 1, "v")
    with pytest.raises(ValueError, match="at most -1 items"):
        fractions(-1, "v")
    with pytest.raises(ValueError, match="default answer 5"):
        Decision("a", "m", tells={}, answer=whole(0, 1, "a"), default=5)


def test_a_new_bot_says_how_it_plays(tmp_path: Path) -> None:
    class Bids(PythonContest):
        name = "bids"
        decisions = (Decision("bid", "m", tells={"prize": whole(1, 9, "p")}, answer=whole(2, 5, "b")),)
        play = Everything.play

    for language in ("c", "python"):
        text = write_new_bot(contest_of(Bids), tmp_path / language, "one", language).read_text()
        assert "one: always answers the same." in text and "    return 2" in text
        assert "plays at random." in write_new_bot(contest_of(Everything), tmp_path, "one", language).read_text()
        (tmp_path / "one").with_suffix({"c": ".c", "python": ".py"}[language]).unlink()


def test_a_new_bot_may_be_in_c_plus_plus_where_there_is_one_in_c(tmp_path: Path) -> None:
    path = write_new_bot(contest_of(Everything), tmp_path, "mine", "cpp")
    assert path.name == "mine.cpp"
    bots = dict.fromkeys("ab", (".cpp", path.read_text()))
    ((result, _),) = play_field(contest_of(Everything), bots, sessions=2).values()
    assert result.faults == () and result.sessions == 2
