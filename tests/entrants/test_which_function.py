"""Choice of a bot's functions by name, and of its language standard."""

from __future__ import annotations

import re
import types
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from tests.built_in import HOLDEM_TRAINING, MATRIX_GAME, TWO_CARD_DRAW, VON_NEUMANN_POKER
from tests.commands import command, run_cli
from tournament.artifacts.bot import Entrant
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.entrants.build import build_entrants
from tournament.sandbox.inside.bot_functions import choose_functions
from tournament.sandbox.inside.function_names import choose, names_for
from tournament.sandbox.outside.settings import SandboxSettings

CARDS = (
    "int init(int x, int y) { return 0; } int new_hand(int x, int y, int z) { return %d; }"
    " int round1(int x, int y, int z) { return 0; } int draw(int x, int y, int z) { return 0; }"
    " int round2(int x, int y, int z, int v, int w) { return 0; }"
    " int showdown(int x, int y, int z, int v) { return 0; }"
)
AFTER_FILE = re.sub("int (?=[inrds]\\w+\\()", "int cards_", CARDS)
# The first answer of each: from the function that is meant.
IN_C = "int a(Bot *bot) { return 1; } int b(Bot *bot, int aBet) { return 1; }\n"
B = "int b(Bot *bot, int aBet) { return 1; }\n"
CLASS = f"class TwoCardDraw {{ public: {CARDS % 1} }};\n"
DECISION = "pair<ActionType, int> makeDecision(const State &s) { return make_pair(ActionType::RAISE, 1); }\n"
HOLDEM_BOT = f'#include "texas.h"\nusing namespace std;\n{DECISION}'
MEANT: dict[str, tuple[Contest, str]] = {
    "horse.c": (MATRIX_GAME, "int helper(int *p) { return *p + 2; } int move(const Bot *bot) { return 1; }"),
    "gnu.cpp": (MATRIX_GAME, "int gnu_move(int *p) { return *p; } static int move(const Bot *bot) { return 1; }"),
    "moose.cpp": (MATRIX_GAME, "#include <utility>\nusing namespace std;\nint move(const Bot *bot) { return 1; }"),
    "pasted.c": (MATRIX_GAME, "#define IS(p, q) int p##q(const Bot *bot)\nIS(mo, ve) { return 1; }"),
    "overloaded.cpp": (MATRIX_GAME, "int move(int n) { return n; } int move(const Bot *bot) { return 1; }"),
    "cards.c": (TWO_CARD_DRAW, AFTER_FILE % 1),
    "both.cpp": (TWO_CARD_DRAW, f"{CARDS % 0}\nclass TwoCardDraw {{ public: {CARDS % 1} }};"),
    "spoken_of.cpp": (TWO_CARD_DRAW, f"// Not a class TwoCardDraw.\n{CARDS % 1}"),
    "helped.c": (
        VON_NEUMANN_POKER,
        "static int b(Bot *bot, int bet) { return 0; } int helpedA(Bot *bot) { return 1; }"
        " int helpedB(Bot *bot, Money bet) { return b(bot, bet); }",
    ),
    "alice.cpp": (
        HOLDEM_TRAINING,
        '#include "texas.h"\nstatic int aliceMakeDecision(int n) { return n; }\n'
        "std::pair<ActionType, int> makeDecision(const State &s) { return {ActionType::RAISE, 1}; }",
    ),
    # What gcc and g++ take, and statements allow: macros and globals of all names, the headers of a system.
    # Macros of names that are ordinary.
    "words.c": (
        VON_NEUMANN_POKER,
        "#define seed 12345\n#define bet 20\n#define unused\n#define name x\n#define bot 7\n"
        "int a(Bot *f) { return 1; } int b(Bot *f, int m) { return 1; }\n",
    ),
    "wide_texas.cpp": (HOLDEM_TRAINING, "#define int long long\n" + HOLDEM_BOT),
    # Globals whose names the library has.
    "functions.cpp": (
        VON_NEUMANN_POKER,
        "int index, round, log[4], div, remove, clock;\nint f() { return index + clock; }\n" + IN_C,
    ),
    "of_std.cpp": (
        VON_NEUMANN_POKER,
        "#include <vector>\n#include <string>\nusing namespace std;\nint count = 1, left;\n"
        "int a(Bot *bot) { count++; left = vector<int>(2, count).size(); return count == 2 && left == 2; }\n" + B,
    ),
    # Headers of a system, and a value that no one reads.
    "system.cpp": (
        VON_NEUMANN_POKER,
        "#include <signal.h>\n#include <sys/mman.h>\n#include <sys/resource.h>\n#include <unistd.h>\n"
        "int seen; int note(int x) { seen = x; }\nint a(Bot *f) { struct rusage r; getrusage(RUSAGE_SELF, &r);\n"
        "char *p = (char *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
        "p[3] = 1; note(p[3] * (getpid() > 0)); return seen; }\n" + B,
    ),
}
UNCLEAR: dict[str, tuple[Contest, str, str]] = {
    "twice.c": (
        MATRIX_GAME,
        "int twicemove(Bot *bot) { return 0; } int twice_move(Bot *bot) { return 1; }",
        "twicemove and twice_move could each be its function move",
    ),
    "misfit.c": (
        MATRIX_GAME,
        "int misfitmove(int *p, int n) { return p[n]; }",
        "lacks the function move (or misfitmove)\nmisfitmove doesn't fit: error: too few arguments",
    ),
    "two.py": (
        MATRIX_GAME,
        "def firstmove(bot):\n    return 1\ndef lastmove(bot):\n    return 1\n",
        "lacks the function move",
    ),
    "undefined.c": (MATRIX_GAME, "int move(const Bot *bot);", "uses move, which bots don't have"),
    "torn.c": (MATRIX_GAME, "int move(const Bot *bot) { return", "at the end of the file: error: expected expression"),
    "private.cpp": (TWO_CARD_DRAW, f"class TwoCardDraw {{ {CARDS % 1} }};", "private member"),
    "mixed.c": (
        VON_NEUMANN_POKER,
        "int a(Bot *bot) { return 0; } int mixedb(Bot *bot, int bet) { return 0; }",
        "lacks the function b",
    ),
}
OLD_HOLDEM = '#include <cstddef>\n#include <iterator>\n#include "texas.h"\nusing namespace std;\n'

# By file: the contest, the standard by which it builds first, and the text.
STANDARDS: dict[str, tuple[Contest, str, str]] = {
    "retired.cpp": (
        TWO_CARD_DRAW,
        "gnu++11",
        "#include <algorithm>\n#include <functional>\n#include <memory>\n#include <vector>\nusing namespace std;\n"
        "void mix(vector<int> &v) { random_shuffle(v.begin(), v.end()); }\n"
        "auto_ptr<int> p(new int(3));\n"
        "int less_than(const vector<int> &v) { return count_if(v.begin(), v.end(), bind1st(less<int>(), 3)); }\n"
        "void f() throw(int) {}\n" + CLASS,
    ),
    "words.cpp": (TWO_CARD_DRAW, "gnu++98", "static int constexpr = 3, decltype = 4, alignas = 5;\n" + CLASS),
    "concepts.cpp": (
        HOLDEM_TRAINING,
        "gnu++20",
        "#include <concepts>\ntemplate <std::integral T> T id(T t) { return t; }\n" + OLD_HOLDEM + DECISION,
    ),
    "constant.c": (VON_NEUMANN_POKER, "gnu2x", "constexpr int one = 1;\nstatic auto x = nullptr;\n" + IN_C),
    "restricts.c": (VON_NEUMANN_POKER, "gnu89", "static int restrict = 3, typeof_ = 1;\n" + IN_C),
}


def built(folder: Path, contest: Contest, file: str, source: str | bytes) -> Entrant:
    (folder / "bots").mkdir(exist_ok=True)
    path = folder / "bots" / file
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    settings = find_contest(contest.name).settings()
    (entrant,) = build_entrants(contest, settings, SandboxSettings(), path.parent, lambda _text: None)
    path.rename(folder / file)
    return entrant


FIRST = {
    "matrix_game": "move",
    "two_card_draw": "new_hand",
    "von_neumann_poker": "a",
    "holdem_training": "makeDecision",
}


def first_answer(entrant: Entrant, contest: str) -> int:
    """Return a bot's answer to its contest's first real question, with zeros for all values."""
    assert entrant.artifact is not None, entrant.problem
    store = wasmtime.Store()
    linker = wasmtime.Linker(store.engine)
    module = wasmtime.Module(store.engine, entrant.artifact)
    linker.define_unknown_imports_as_default_values(store, module)
    exports = linker.instantiate(store, module).exports(store)
    memory, start = exports["memory"], exports["tournament_start"]
    assert isinstance(memory, wasmtime.Memory)
    address = memory.grow(store, 4) * 65536
    call: Any = start
    call(store, address, 1)
    asked: Any = exports[FIRST[contest]]
    answer = asked(store, address)
    assert isinstance(answer, int)
    return answer


@pytest.mark.parametrize("file", MEANT)
def test_intended_function_plays(tmp_path: Path, file: str) -> None:
    contest, source = MEANT[file]
    assert first_answer(built(tmp_path, contest, file, source), contest.name) == 1


@pytest.mark.parametrize("file", UNCLEAR)
def test_unclear_function_breaks_the_bot(tmp_path: Path, file: str) -> None:
    contest, source, words = UNCLEAR[file]
    entrant = built(tmp_path, contest, file, source)
    assert entrant.artifact is None and words in (entrant.problem or "")


@pytest.mark.parametrize("file", STANDARDS)
def test_first_fitting_standard_builds_the_bot(tmp_path: Path, file: str) -> None:
    contest, standard, source = STANDARDS[file]
    assert first_answer(built(tmp_path, contest, file, source), contest.name) == 1
    done = command(tmp_path, "check", file, "--contest", contest.name)
    assert f"compiled by {standard}" in " ".join(done.out.split()), done


@pytest.mark.slow
def test_endless_loop_runs_out_of_fuel(tmp_path: Path) -> None:
    """Play a bot that answers 1 where the loop ends, and never where it doesn't."""
    loop = "unsigned x = (unsigned)f->f[0]; while (x != 17) { if (x == 0) continue; x = x * 2 + 1; } return 1;"
    (tmp_path / "endless.cpp").write_text(f"int a(Bot *f) {{ {loop} }}\n{B}")
    done = run_cli("check", str(tmp_path / "endless.cpp"), "--contest", "von_neumann_poker")
    assert "ran out of fuel" in done.out + done.err


def test_rule_of_names_holds_for_all_languages() -> None:
    """Compiler, exports and Python agree on names."""
    for name in ("move", "zebramove", "zebraMOVE", "zebra_move", "zebraMove"):
        assert choose("zebra", {"move": [word for word in names_for("zebra", "move") if word == name]}) == [name]
        module = types.ModuleType("zebra")
        exec(f"def {name}(bot): return 1\ndef Zebra__move(bot): return 2", module.__dict__)
        (function,) = choose_functions(module, "zebra", [(("move",), 1)], "")
        assert function(None) == 1
