"""Language standards: what builds by one of those that tests/statements.md names, plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.built_in import HOLDEM_TRAINING, TWO_CARD_DRAW, VON_NEUMANN_POKER
from tests.cli.in_process import run_cli
from tests.entrants.test_which_function import CARDS, first_answer
from tests.samples import sample_params
from tournament.contests.contest import Contest
from tournament.entrants.build import build_entrants, language_of
from tournament.entrants.folder import read_submission
from tournament.sandbox.outside.settings import SandboxSettings

CLASS = f"class TwoCardDraw {{ public: {CARDS % 1} }};\n"
DECISION = "pair<ActionType, int> makeDecision(const State &s) { return make_pair(ActionType::RAISE, 1); }\n"
HOLDEM = '#include <cstddef>\n#include <iterator>\n#include "texas.h"\nusing namespace std;\n'
C_BOT = "int a(Bot *bot) { return 1; } int b(Bot *bot, int bet) { return 1; }\n"

# By file: the contest, the standard by which it builds first, and the text.
BOTS: dict[str, tuple[Contest, str, str]] = {
    "structured.cpp": (TWO_CARD_DRAW, "gnu++17", "#include <utility>\nauto [one, two] = std::pair(1, 2);\n" + CLASS),
    "registers.cpp": (TWO_CARD_DRAW, "gnu++17", "int f(int n) { register int m = n; return m; }\n" + CLASS),
    "retired.cpp": (
        TWO_CARD_DRAW,
        "gnu++11",
        "#include <algorithm>\n#include <functional>\n#include <memory>\n#include <vector>\nusing namespace std;\n"
        "void mix(vector<int> &v) { random_shuffle(v.begin(), v.end()); }\n"
        "auto_ptr<int> p(new int(3));\n"
        "int less_than(const vector<int> &v) { return count_if(v.begin(), v.end(), bind1st(less<int>(), 3)); }\n"
        "void f() throw(int) {}\n" + CLASS,
    ),
    "globals.cpp": (
        HOLDEM_TRAINING,
        "gnu++11",
        HOLDEM + "int data[10], byte, size;\nint g() { return data[size] + byte; }\nauto x = {1, 2};\n" + DECISION,
    ),
    "words.cpp": (TWO_CARD_DRAW, "gnu++98", "static int constexpr = 3, decltype = 4, alignas = 5;\n" + CLASS),
    "concepts.cpp": (
        HOLDEM_TRAINING,
        "gnu++20",
        "#include <concepts>\ntemplate <std::integral T> T id(T t) { return t; }\n" + HOLDEM + DECISION,
    ),
    "constant.c": (VON_NEUMANN_POKER, "gnu2x", "constexpr int one = 1;\nstatic auto x = nullptr;\n" + C_BOT),
    "plain.c": (VON_NEUMANN_POKER, "gnu17", C_BOT),
    "restricts.c": (VON_NEUMANN_POKER, "gnu89", "static int restrict = 3, typeof_ = 1;\n" + C_BOT),
    "inlines.c": (
        VON_NEUMANN_POKER,
        "gnu89",
        "inline __attribute__((noinline)) int one(int x) { return x; }\n" + C_BOT.replace("1;", "one(1);"),
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bots")
    for file, (contest, _, text) in BOTS.items():
        (folder / contest.name).mkdir(exist_ok=True)
        (folder / contest.name / file).write_text(text)
    return folder


# One of each standard, and what only an older one than the newest takes.
SAMPLE = ("registers.cpp", "retired.cpp", "words.cpp", "concepts.cpp", "plain.c", "restricts.c", "constant.c")


@pytest.mark.parametrize("file", sample_params(BOTS, SAMPLE))
def test_the_first_standard_that_fits_builds_it(folder: Path, file: str) -> None:
    contest, standard, _ = BOTS[file]
    name = file.split(".")[0]
    settings = contest.settings()
    (built,) = build_entrants(
        contest, settings, SandboxSettings(), folder / contest.name, lambda _text: None, lambda one: one.name == name
    )
    assert first_answer(built, contest.name) == 1
    submission = read_submission(folder / contest.name / file)
    assert language_of(submission, contest.interface, SandboxSettings())[0] == standard


def test_check_says_by_which(folder: Path) -> None:
    config = folder / "tournament.toml"
    config.write_text("[von_neumann_poker]\nsessions = 5\n")
    bot = folder / "von_neumann_poker" / "constant.c"
    done = run_cli("check", str(bot), "--config", str(config))
    assert "compiled by gnu2x" in " ".join(done.out.split()), done
