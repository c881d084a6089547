"""Programs of one file, and bots that only look like them."""

from __future__ import annotations

from pathlib import Path

import pytest

import tournament
from tests.commands import run_cli
from tests.contest_runs import CONTEST
from tournament.entrants.folder import MAX_C_BYTES, read_submission

IN_C = """#include <stdio.h>
#include <string.h>
int main(void) {
  char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    if (strstr(line, "SCORE") || line[0] == '-') return 0;
    if (line[0] != '{') continue;
    printf("ACTION %d\\n", strstr(line, "\\"a\\"") ? 7 : 1);
    fflush(stdout);
  }
}
"""
IN_CPP = """#include <iostream>
#include <string>
int main() {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find("SCORE") == 0 || line[0] == '-') return 0;
    if (line[0] == '{') std::cout << "ACTION " << (line.find("\\"a\\"") != line.npos ? 7 : 1) << std::endl;
  }
}
"""
IN_PYTHON = """import sys
for line in sys.stdin:
    if line.startswith(("SCORE", "-1")):
        break
    if line.startswith("{"):
        print("ACTION", 7 if '"a"' in line else 1, flush=True)
"""
FILES = {"in_c.c": IN_C, "in_cpp.cpp": IN_CPP, "in_python.py": IN_PYTHON}
HOUSE = """int a(const Bot *bot) { return bot->card > 0.5 ? 5 : 0; }
int b(const Bot *bot, int bet) { return bot->card > 0.6; }
"""


def test_programs_of_one_file_play(tmp_path: Path) -> None:
    bots = tmp_path / "bots"
    bots.mkdir()
    for file, text in {**FILES, "house.c": HOUSE}.items():
        (bots / file).write_text(text)
    played = tournament.run(CONTEST, entrants=bots, results=tmp_path / "results", sessions=5, seed=1, workers=1)
    assert set(played.standings.status) == {"ok"} and not len(played.faults)
    kinds = played.entrants.set_index("name").kind
    assert [kinds[name] for name in ("in_c", "in_cpp", "in_python", "house")] == ["program"] * 3 + ["c"]
    assert set(played.games.bet) == {0, 5, 7}
    assert run_cli("check", str(bots / "in_c.c"), "--contest", CONTEST).code == 0


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("bot.c", f'// a program would print "ACTION 1"\n{HOUSE}int main(void) {{ return 0; }}\n'),
        ("bot.cpp", f'/* main() prints "ACTION 1" */\n{HOUSE}'),
        ("bot.py", "def a(bot): return 0\ndef b(bot, bet): return 'ACTION' and 1\n"),
        ("bot.py", "# input() and 'ACTION'\ndef a(bot): return 0\ndef b(bot, bet): return 1\n"),
    ],
)
def test_bot_with_functions_is_no_program(file: str, source: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(source)
    submission = read_submission(tmp_path / file)
    assert submission.kind != "program" and submission.source == source.encode()


@pytest.mark.parametrize("piece", ["/* ", "main (", "'", "*/"])
def test_large_source_is_read_in_linear_time(piece: str, tmp_path: Path) -> None:
    """Quadratic time would be hours, outside the sandbox."""
    path = tmp_path / "large.c"
    path.write_text('"ACTION"' + piece * ((MAX_C_BYTES - 8) // len(piece)))
    assert read_submission(path).kind == ("program" if piece == "main (" else "c")


def test_broken_program_of_one_file_names_its_build(tmp_path: Path) -> None:
    path = tmp_path / "torn.cpp"
    path.write_text(IN_CPP.replace("std::endl;", "std::endl"))
    shown = run_cli("check", str(path), "--contest", CONTEST)
    assert shown.code == 1
    assert "its build (c++ -O2 -o program torn.cpp) " in shown.out and "torn.cpp:6" in shown.out
