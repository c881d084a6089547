"""Programs of one file, and bots that only look like them."""

from __future__ import annotations

from pathlib import Path

import pytest

import tournament
from tests.cli.in_process import run_cli
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
FILES = {"one.c": IN_C, "one.cpp": IN_CPP, "one.py": IN_PYTHON}
HOUSE = """int a(const Bot *bot) { return bot->card > 0.5 ? 5 : 0; }
int b(const Bot *bot, int bet) { return bot->card > 0.6; }
"""


@pytest.mark.parametrize("file", FILES)
def test_program_of_one_file_plays_as_folder(file: str, tmp_path: Path) -> None:
    path, folder = tmp_path / "alone" / file, tmp_path / "folders" / "one"
    for place in (path.parent, folder):
        place.mkdir(parents=True)
    path.write_text(FILES[file])
    (folder / "bot.py").write_text(IN_PYTHON)
    (folder / "bot.toml").write_text('command = ["python3", "bot.py"]\n')
    bets = []
    for entrants in (path.parent, folder.parent):
        (entrants / "house.c").write_text(HOUSE)
        results = tmp_path / f"results of {entrants.name}"
        played = tournament.run("von_neumann_poker", entrants=entrants, results=results, sessions=5, seed=1, workers=1)
        assert set(played.standings.status) == {"ok"} and not len(played.faults)
        assert played.entrants.set_index("name").kind["one"] == "program"
        bets.append(set(played.games.bet))
    assert bets == [{0, 5, 7}] * 2
    assert run_cli("check", str(path), "--contest", "von_neumann_poker").code == 0


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


@pytest.mark.parametrize("piece", ["/* ", "//", "main", "main (", "'", '"', "*/"])
def test_large_source_is_read_in_linear_time(piece: str, tmp_path: Path) -> None:
    """Quadratic time would be hours, outside the sandbox."""
    path = tmp_path / "large.c"
    path.write_text('"ACTION"' + piece * ((MAX_C_BYTES - 8) // len(piece)))
    assert read_submission(path).kind == ("program" if piece == "main (" else "c")


def test_broken_program_of_one_file_names_its_build(tmp_path: Path) -> None:
    path = tmp_path / "torn.cpp"
    path.write_text(IN_CPP.replace("std::endl;", "std::endl"))
    shown = run_cli("check", str(path), "--contest", "von_neumann_poker")
    assert shown.code == 1
    assert "its build (c++ -O2 -o program torn.cpp) " in shown.out and "torn.cpp:6" in shown.out
