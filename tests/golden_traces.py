"""Games in readable form, as tests/golden/ keeps them.

To write the file anew after a change that is meant:

    python -m tests.golden_traces > tests/golden/von_neumann_poker.txt
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.support import build_folder, play_built, poker_settings

BOTS = Path(__file__).parent.parent / "entrants" / "von_neumann_poker"
X, Y = "likeme", "naive"
DEALS_KEY = 20_200_819


def trace(folder: Path, sessions: int = 3) -> str:
    """A few sessions of the statement's bots, a line for each game."""
    bots = build_folder(folder, {f"{name}.c": (BOTS / f"{name}.c").read_bytes() for name in (X, Y)})
    result, sink = play_built(bots[X], bots[Y], settings=poker_settings(sessions=sessions), deals_key=DEALS_KEY)
    columns = {name: values for name, (values,) in sink.gathered.items()}
    lines = [
        f"# {X} is x, {Y} is y; deals key {DEALS_KEY}. Written by python -m tests.golden_traces,",
        f"# checked by tests/test_golden_traces.py. Cards are in units of 1/{2**24}.",
    ]
    games = {name.removeprefix("games."): values.tolist() for name, values in columns.items() if name[0] == "g"}
    ends = {name.removeprefix("sessions."): values.tolist() for name, values in columns.items() if name[0] == "s"}
    position = 0
    for session, count in enumerate(ends["games"]):
        for at in range(position, position + count):
            a, b = (X, Y) if games["x_is_a"][at] else (Y, X)
            bet = games["bet"][at]
            reply = "folds" if games["folded"][at] else "calls"
            play = f"{a} bets {bet}, {b} {reply}" if bet else f"{a} passes"
            cards = [f"{int(games[f'{role}_card'][at] * 2**24):8d}" for role in "ab"]
            stacks = f"{games['a_money'][at]:3d} : {games['b_money'][at]:3d}"
            place = f"session {games['session'][at]} game {games['game'][at]:2d}"
            lines.append(f"{place} | {cards[0]} {cards[1]} | {stacks} | {play} | {games['a_gain'][at]:+d} for {a}")
        position += count
        gain, points = ends["x_gain"][session], ends["x_points"][session]
        lines.append(f"session {session} | {count} games | {gain:+d} for {X} | {points:+.12f} points")
    lines.append(f"leg | {result.games} games | {result.points:+.12f} points for {X}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        print(trace(Path(scratch)), end="")
