"""What gcc and g++ take, and statements allow, plays here: macros and globals of all names, the system's headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contest_runs import call
from tests.entrants.test_which_function import CARDS, first_answer
from tournament.contests import find_contest
from tournament.entrants.build import build_entrants
from tournament.sandbox.outside.settings import SandboxSettings

POKER, DRAW, HOLDEM = "von_neumann_poker", "two_card_draw", "holdem_training"
IN_C = "int a(Bot *bot) { return 1; } int b(Bot *bot, int aBet) { return 1; }\n"
B = "int b(Bot *bot, int aBet) { return 1; }\n"
CLASS = f"class TwoCardDraw {{ public: {CARDS % 1} }};\n"
DECISION = "pair<ActionType, int> makeDecision(const State &s) { return make_pair(ActionType::RAISE, 1); }\n"
HOLDEM_BOT = f'#include "texas.h"\nusing namespace std;\n{DECISION}'
PLAYED = {
    # An empty environment.
    "environment.c": (
        POKER,
        '#include <locale.h>\nint a(Bot *f) { setlocale(LC_ALL, ""); return !getenv("HOME"); }\n' + B,
    ),
    # Macros of names that are ordinary.
    "words.c": (
        POKER,
        "#define seed 12345\n#define bet 20\n#define unused\n#define name x\n#define bot 7\n"
        "int a(Bot *f) { return 1; } int b(Bot *f, int m) { return 1; }\n",
    ),
    "words_of_cards.cpp": (
        DRAW,
        "#define unused 3\n#define bets 4\n#define winnings 4\n#define card1 7\n#define drew\n" + CLASS,
    ),
    "words_of_texas.cpp": (
        HOLDEM,
        '#include "texas.h"\n#define seed 3\n#define state 4\n#define decision 5\n' + HOLDEM_BOT,
    ),
    "wide.cpp": (POKER, "#define int long long\n" + IN_C),
    "wide_cards.cpp": (DRAW, "#define int long long\n" + CLASS),
    "wide_texas.cpp": (HOLDEM, "#define int long long\n" + HOLDEM_BOT),
    "own_new.cpp": (
        DRAW,
        "class TwoCardDraw { public: void *operator new(size_t n) { return malloc(n); }" + CARDS % 1 + "};\n",
    ),
    # Globals whose names the library has.
    "bessel.c": (POKER, "int y1[5];\n" + IN_C),
    "functions.cpp": (
        POKER,
        "int index, round, log[4], div, remove, clock;\nint f() { return index + clock; }\n" + IN_C,
    ),
    "of_std.cpp": (
        POKER,
        "#include <vector>\n#include <string>\nusing namespace std;\nint count = 1, left;\n"
        "int a(Bot *bot) { count++; left = vector<int>(2, count).size(); return count == 2 && left == 2; }\n" + B,
    ),
    # Headers of a system.
    "system.c": (
        POKER,
        "#include <signal.h>\n#include <sys/mman.h>\n#include <sys/resource.h>\n#include <sys/times.h>\n"
        "#include <unistd.h>\nstatic void caught(int number) {}\nint a(Bot *f) {\n"
        "struct tms t; struct rusage r; times(&t); getrusage(RUSAGE_SELF, &r); signal(SIGFPE, caught); raise(SIGFPE);\n"
        "char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
        "p[3] = 1; return p[3] * (getpid() > 0); }\n" + B,
    ),
    "gnu.c": (
        POKER,
        "#define _GNU_SOURCE\n#include <math.h>\n#include <stdlib.h>\n"
        "static int by(const void *a, const void *b, void *s)\n{ return *(int *)s * (*(int *)a - *(int *)b); }\n"
        "int a(Bot *f) { int v[3] = {3, 1, 2}, up = 1; double s, c;\n"
        "qsort_r(v, 3, sizeof *v, by, &up); sincos(0, &s, &c);\n"
        "return v[0] * (exp10(2) == 100) * (c == 1); }\n" + B,
    ),
    # A value that no one reads.
    "returns.cpp": (POKER, "int seen; int note(int x) { seen = x; }\nint a(Bot *bot) { note(1); return seen; }\n" + B),
}


@pytest.mark.parametrize("file", PLAYED)
def test_what_a_pc_takes_plays(file: str, tmp_path: Path) -> None:
    contest = find_contest(PLAYED[file][0])
    (tmp_path / file).write_text(PLAYED[file][1])
    (built,) = build_entrants(contest, contest.settings(), SandboxSettings(), tmp_path, lambda text: None)
    assert built.problem is None and first_answer(built, contest.name) == 1


# The bot answers 1 where the loop ends, and never where it doesn't.
ENDLESS = """\
int a(Bot *bot)
{
    unsigned x = (unsigned)bot->f[0];
    while (x != 17) {
        if (x == 0) continue;
        x = x * 2 + 1;
    }
    return 1;
}
"""


@pytest.mark.slow
def test_an_endless_loop_is_none_that_ends(tmp_path: Path) -> None:
    (tmp_path / "endless.cpp").write_text(ENDLESS + B)
    done = call(["check", str(tmp_path / "endless.cpp"), "--contest", POKER])
    assert "ran out of fuel" in done.stdout + done.stderr
