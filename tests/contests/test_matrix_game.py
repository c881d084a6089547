"""Matrix games as a contest: bots of every kind, faults in the middle of a game, and names of moves."""

from __future__ import annotations

from pathlib import Path

import pytest

import tournament
from tests.worker.test_programs import Ear

DILEMMA = """
[dilemma]
rules = "matrix_game"
moves = ["cooperate", "defect"]
payoffs = [[3, 0], [5, 1]]
turns_per_game = {rounds}
sessions = {sessions}
entrants = "bots"
seed = "a seed of the tests of matrix games"
max_faults = 100
{more}
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
PROGRAM = """import json, sys
sys.stdin.readline()
moves = []
for line in sys.stdin:
    if line.startswith("SCORE"):
        break
    told = json.loads(line)
    turn = told["turn"]
    if turn <= 1:
        moves = []
    if turn:
        moves.append((told["my_previous_move"], told["opponents_previous_move"]))
    assert len(moves) == turn
    if told["decision"] == "past":
        continue
    if turn % 7 == 6:
        sys.exit(3)
    print("ACTION", (turn + sum(i * (a + 2 * b) for i, (a, b) in enumerate(moves, 1))) % 2, flush=True)
"""
STEADY = "int move(const Bot *bot) { return bot->turn % 3 == 1; }"


def place(folder: Path, rounds: int = 20, sessions: int = 2, more: str = "") -> Path:
    (folder / "bots").mkdir()
    config = folder / "tournament.toml"
    config.write_text(DILEMMA.format(rounds=rounds, sessions=sessions, more=more))
    return config


def test_bots_of_all_kinds_know_game_after_fault(tmp_path: Path) -> None:
    """Bots of three kinds play the same against a fourth, whatever they forgot."""
    config = place(tmp_path)
    (tmp_path / "bots" / "zz_steady.c").write_text(STEADY)
    for name, source in FORGETFUL.items():
        (tmp_path / "bots" / name).write_text(source)
    program = tmp_path / "bots" / "forgets_in_a_program"
    program.mkdir()
    (program / "bot.toml").write_text('command = ["python3", "bot.py"]\n')
    (program / "bot.py").write_text(PROGRAM)
    found = tournament.run("dilemma", config=config, executor="local", workers=1)
    turns = found.games[found.games.bot_1 == "zz_steady"]
    own = [list(of_bot.move_0) for _, of_bot in turns.groupby("bot_0", observed=True)]
    assert len(own) == 3 and own[0] == own[1] == own[2]
    assert 0 < sum(own[0]) < len(own[0]) == 40
    against = found.matches[found.matches.bot == "zz_steady"].match
    faults = found.faults[found.faults.match.isin(against)]
    assert faults.groupby("bot").size().to_dict() == dict.fromkeys(
        ("forgets_in_a_program", "forgets_in_c", "forgets_in_python"), 4
    )
    assert set(faults.game) == {6, 13} and set(faults.decision) == {"move"}


def test_python_bots_and_programs_may_answer_a_moves_name(tmp_path: Path) -> None:
    config = place(tmp_path, sessions=1)
    (tmp_path / "bots" / "a.py").write_text("def move(bot): return 'defect'\n")
    (tmp_path / "bots" / "b").mkdir()
    (tmp_path / "bots" / "b" / "bot.toml").write_text('command = ["python3", "bot.py"]\n')
    named = PROGRAM[: PROGRAM.index("    if turn % 7")] + "    print('ACTION \"cooperate\"', flush=True)\n"
    (tmp_path / "bots" / "b" / "bot.py").write_text(named)
    (tmp_path / "bots" / "c.py").write_text("def move(bot): return 'defekt' if bot.turn == 3 else 1\n")
    found = tournament.run("dilemma", config=config, executor="local", workers=1)
    pairs = found.games[(found.games.bot_0 == "a") & (found.games.bot_1 == "b")]
    assert len(pairs) == 20 and set(pairs.move_0) == {1} and set(pairs.move_1) == {0}
    assert set(found.faults.bot) == {"c"} and set(found.faults.game) == {3}
    assert all("defekt" in message for message in found.faults.message)


@pytest.mark.usefixtures("read_to_the_end")
@pytest.mark.parametrize("names", [("a_defects", "b_cooperates"), ("b_defects", "a_cooperates")])
def test_program_receives_own_score_at_either_seat(tmp_path: Path, names: tuple[str, str]) -> None:
    """Defectors win 5 in each of 20 turns, cooperators nothing."""
    config = place(tmp_path)
    # Bots of the test write to pipes.
    config.write_text('sandbox = "off"\n' + config.read_text())
    ears = [Ear(tmp_path / name) for name in names]
    for name, ear, move in zip(names, ears, (1, 0)):
        program = tmp_path / "bots" / name
        program.mkdir()
        for file, content in ear.program(f"ACTION {move}").items():
            (program / file).write_text(content)
    found = tournament.run("dilemma", config=config, executor="local", workers=1)
    assert found.faults.empty, found.faults.message.tolist()
    assert [ear.heard() for ear in ears] == ["SCORE 100.000000\nend\n", "SCORE 0.000000\nend\n"]
