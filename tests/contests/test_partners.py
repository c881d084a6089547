"""Teams: an entrant plays several positions with a bot of its own at each, which share nothing."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from tests.python_rules import as_program, play_field, play_table
from tournament.rules import Column, Decision, Int, Questions, Rules, Session
from tournament.rules.contests import get_contest

SAY = Decision("say", "Say what you know", observation={"turn": Int(0, 1)}, answer=Int(-1, 10**9))


class Partners(Rules):
    """Rules that ask each position alone, then all together, and record answers by team."""

    name = "partners"
    seats: ClassVar[Any] = 2
    teams: ClassVar[Any] = ((0, 2), (1, 3))
    decisions = (SAY,)
    columns = (
        Column("first", "int64", "first member", per_seat=True),
        Column("second", "int64", "other", per_seat=True),
    )

    def play(self, session: Session) -> Questions:
        teams = len(self.teams)
        said = {}
        for position in range(2 * teams):
            said[position] = yield SAY(position, turn=0)
        together = yield [SAY(position, turn=1) for position in range(2 * teams)]
        assert all(together[position] > said[position] or together[position] == -1 for position in said)
        worth = [together[team] + together[team + teams] for team in range(teams)]
        first, second = ([together[team + more] for team in range(teams)] for more in (0, teams))
        session.record([one - sum(worth) / teams for one in worth], first=first, second=second)


# A bot says how often it was called, at which positions (as bits), which number it has, and who is at position 0.
IN_PYTHON = """\
calls = 0
seen = 0


def say(view):
    global calls, seen
    calls += 1
    seen |= 1 << view.seat
    assert view.seats == 4 and sorted(view.players) == [0, 1, 2, 3]
    return calls * 10000 + seen * 100 + view.players[view.seat] * 10 + view.players[0]
"""
IN_C = """\
static int calls, seen;
int say(const View *view)
{
    calls++;
    seen |= 1 << view->seat;
    if (view->seats != 4) return -1;
    return calls * 10000 + seen * 100 + view->players[view->seat] * 10 + view->players[0];
}
"""
KINDS = {"c": (".c", IN_C), "python": (".py", IN_PYTHON), "program": as_program(IN_PYTHON)}


def test_partners_share_neither_memory_nor_numbers() -> None:
    bots = {**KINDS, "apart": (".py", f"import sys\n\n\n{IN_PYTHON}")}  # the last with a process for each leg
    played = play_field(get_contest(Partners), bots, sessions=4)
    assert len(played) == 6
    found = []
    for (_, _), (result, rows) in played.items():
        assert not result.faults and len(result.seats) == 2
        games = rows["games"]
        found.append({name: games[name].tolist() for name in ("bot_0", "first_0", "first_1", "second_0", "second_1")})
    assert all(one == found[0] for one in found)  # equal bots say the same, whatever they are
    for session in range(4):
        comes_first = found[0]["bot_0"][session]
        assert comes_first == (found[0]["bot_0"][0] + session) % 2
        for team in range(2):
            for member, name in enumerate(("first", "second")):
                position = team + 2 * member
                # In the first session its number is its position; then teams swap, and it is at the other's.
                number = position if session % 2 == 0 else (1 - team) + 2 * member
                seen = 1 << position | (1 << ((1 - team) + 2 * member) if session else 0)
                at_first = 0 if session % 2 == 0 else 1
                expected = 2 * (session + 1) * 10000 + seen * 100 + number * 10 + at_first
                assert found[0][f"{name}_{team}"][session] == expected


def test_partners_draw_differently() -> None:
    draws = "import random\n\n\ndef say(view):\n    return 1 + view.turn * 10**8 + random.randrange(10**7) * 10\n"
    in_c = "int say(const View *view) { return 1 + view->turn * 100000000 + rand() % 10000000 * 10; }\n"
    ((_, rows),) = play_field(get_contest(Partners), {"a": (".py", draws), "b": (".c", in_c)}, sessions=1).values()
    said = [rows["games"][name][0] for name in ("first_0", "first_1", "second_0", "second_1")]
    assert len(set(said)) == 4


class ThreeTeams(Partners):
    """Three entrants of two."""

    name = "three_teams"
    seats = 3
    teams = ((0, 3), (1, 4), (2, 5))


@pytest.mark.parametrize("kind", KINDS)
def test_fault_of_partner_takes_its_team_out(kind: str) -> None:
    six = IN_PYTHON.replace("view.seats == 4 and sorted(view.players) == [0, 1, 2, 3]", "view.seats == 6")
    in_c = IN_C.replace("view->seats != 4", "view->players[view->seat] >= 3")
    bad = six.replace("return calls", "return -2 if view.players[view.seat] >= 3 else calls")
    faulty = {"c": (".c", in_c.replace("-1", "-2")), "python": (".py", bad), "program": as_program(bad)}[kind]
    bots = {"good": (".py", six), "bad": faulty, "fine": (".py", six)}
    ((result, rows),) = play_table(get_contest(ThreeTeams), bots, sessions=3, max_faults=0)
    assert result.disqualified_seats == (1,) and [fault.seat for fault in result.faults] == [1]
    assert result.sessions == 3
    for first in zip(*[rows["games"][f"first_{team}"].tolist() for team in range(3)]):
        assert sum(one == -1 for one in first) == 1, "the default answer"


@pytest.mark.parametrize("teams", [((0, 1), (2,)), ((0, 2), (1, 2)), ((0, 2), (1, 4)), ((0, 1),), ((), ())])
def test_teams_that_are_none_are_refused(teams: tuple[tuple[int, ...], ...]) -> None:
    wrong = type("Wrong", (Partners,), {"name": "wrong", "teams": teams})
    with pytest.raises(ValueError, match="teams is"):
        get_contest(wrong)
