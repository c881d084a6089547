"""Matrix games as a contest: bots of every kind, faults in the middle of a game, and names of moves."""

from __future__ import annotations

from pathlib import Path

import tournament
from tournament.records.results import Results

DILEMMA = """
[dilemma]
rules = "matrix_game"
moves = ["cooperate", "defect"]
payoffs = [[3, 0], [5, 1]]
turns_per_game = 20
sessions = SESSIONS
entrants = "bots"
seed = "a seed of the tests of matrix games"
max_faults = 100
"""
# Fails in every seventh turn, otherwise plays by a sum of all turns, so that a bot without one of them would differ.
FORGETFUL = {
    "forgets_in_c.c": """int move(const Bot *bot) {
        unsigned sum = bot->turn;
        if (bot->turn % 7 == 6) __builtin_trap();
        for (int i = 0; i < bot->turn; i++) sum += (i + 1) * (bot->my_moves[i] + 2 * bot->opponents_moves[i]);
        return sum % 2; }""",
    "forgets_in_python.py": """def move(bot):
    assert bot.turn % 7 != 6
    assert len(bot.my_moves) == len(bot.opponents_moves) == bot.turn
    pairs = enumerate(zip(bot.my_moves, bot.opponents_moves), 1)
    return (bot.turn + sum(i * (mine + 2 * theirs) for i, (mine, theirs) in pairs)) % 2
""",
}
STEADY = "int move(const Bot *bot) { return bot->turn % 3 == 1; }"


def played(folder: Path, bots: dict[str, str], sessions: int) -> Results:
    (folder / "bots").mkdir()
    for name, source in bots.items():
        (folder / "bots" / name).write_text(source)
    config = folder / "tournament.toml"
    config.write_text(DILEMMA.replace("SESSIONS", str(sessions)))
    return tournament.run("dilemma", config=config, executor="local", workers=1)


def test_bots_of_all_kinds_know_game_after_fault(tmp_path: Path) -> None:
    """Bots play the same against a third, whatever they forgot."""
    found = played(tmp_path, {**FORGETFUL, "zz_steady.c": STEADY}, sessions=2)
    turns = found.games[found.games.bot_1 == "zz_steady"]
    own = [list(of_bot.move_0) for _, of_bot in turns.groupby("bot_0", observed=True)]
    assert len(own) == 2 and own[0] == own[1]
    assert 0 < sum(own[0]) < len(own[0]) == 40
    against = found.matches[found.matches.bot == "zz_steady"].match
    faults = found.faults[found.faults.match.isin(against)]
    assert faults.groupby("bot").size().to_dict() == {"forgets_in_c": 4, "forgets_in_python": 4}
    assert set(faults.game) == {6, 13} and set(faults.decision) == {"move"}


def test_python_bots_may_answer_a_moves_name(tmp_path: Path) -> None:
    named = {"a.py": "def move(bot): return 'defect'\n", "b.py": "def move(bot): return 'cooperate'\n"}
    wrong = "def move(bot): return 'defekt' if bot.turn == 3 else 1\n"
    found = played(tmp_path, {**named, "c.py": wrong}, sessions=1)
    pairs = found.games[(found.games.bot_0 == "a") & (found.games.bot_1 == "b")]
    assert len(pairs) == 20 and set(pairs.move_0) == {1} and set(pairs.move_1) == {0}
    assert set(found.faults.bot) == {"c"} and set(found.faults.game) == {3}
    assert all("defekt" in message for message in found.faults.message)
