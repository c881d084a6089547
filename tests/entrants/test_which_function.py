"""Which of a bot's functions is asked: the one that its statement names, and never a helper whose name is like it."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from tests.built_in import HOLDEM_TRAINING, MATRIX_GAME, TWO_CARD_DRAW, VON_NEUMANN_POKER
from tests.samples import sample_params
from tournament.artifacts.bot import Entrant
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.entrants.build import build_entrants
from tournament.sandbox.inside.bot_functions import choose_functions
from tournament.sandbox.inside.function_names import NotChosen, choose, names_for
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.wasm.loading import load_bot

HELPER_FIRST = "int {0}(int *p) {{ return p[0] + 2; }}\n"
CARDS = (
    "int init(int x, int y) { return 0; } int new_hand(int x, int y, int z) { return %d; }"
    " int round1(int x, int y, int z) { return 0; } int draw(int x, int y, int z) { return 0; }"
    " int round2(int x, int y, int z, int v, int w) { return 0; }"
    " int showdown(int x, int y, int z, int v) { return 0; }"
)
AFTER_FILE = CARDS.replace("int init", "int cards_init").replace("int new_hand", "int cards_new_hand").replace(
    "int round", "int cards_round"
).replace("int draw", "int cards_draw").replace("int showdown", "int cards_showdown")  # fmt: skip
# The first answer of each: from the function that is meant.
MEANT: dict[str, tuple[Contest, dict[str, tuple[str | bytes, int]]]] = {
    "matrix_game": (
        MATRIX_GAME,
        {
            "horse.c": (HELPER_FIRST.format("helper") + "int move(const Bot *bot) { return 1; }", 1),
            "zebra.c": (HELPER_FIRST.format("ZebraMove") + "int move(const Bot *bot) { return 1; }", 1),
            "okapi.c": ("int okapimove(const Bot *bot) { return 0; } int move(Bot *bot) { return 1; }", 1),
            "gnu.cpp": (HELPER_FIRST.format("gnu_move") + "static int move(const Bot *bot) { return 1; }", 1),
            "moose.cpp": ("#include <utility>\nusing namespace std;\nint move(const Bot *bot) { return 1; }", 1),
            "camel.c": (
                "static int pick(int move) { return move; } int camel_move(const Bot *bot) { return pick(1); }",
                1,
            ),
            "pasted.c": ("#define IS(p, q) int p##q(const Bot *bot)\nIS(mo, ve) { return 1; }", 1),
            "spliced.c": (
                "int splicedmove(const Bot *bot) { return 0; } int mo\\\nve(const Bot *bot) { return 1; }",
                1,
            ),
            "overloaded.cpp": ("int move(int n) { return n; } int move(const Bot *bot) { return 1; }", 1),
            "copied.c": ("int originalmove(const Bot *bot) { return 1; }", 1),
            "variable.c": ("static int move = 7; int variablemove(Bot *bot) { return move - 6; }", 1),
        },
    ),
    "two_card_draw": (
        TWO_CARD_DRAW,
        {
            "deck.cpp": (f"static int deck_init(int n) {{ return n; }} {CARDS % 1}", 1),
            "cards.c": (AFTER_FILE % 1, 1),
            "drawer.c": (f"static int drawerdraw(int *p) {{ return *p; }} {CARDS % 1}", 1),
            "both.cpp": (f"{CARDS % 0}\nclass TwoCardDraw {{ public: {CARDS % 1} }};", 1),
            "spoken_of.cpp": (f"// Not a class TwoCardDraw.\n{CARDS % 1}", 1),
            "declared.cpp": (f"class TwoCardDraw; {CARDS % 1}", 1),
        },
    ),
    "von_neumann_poker": (
        VON_NEUMANN_POKER,
        {
            "loner.c": (
                "static int a(int *p) { return *p; } int lonera(Bot *bot) { return 7; }"
                " int lonerb(Bot *bot, int bet) { return 1; }",
                7,
            ),
            "helped.c": (
                "static int b(Bot *bot, int bet) { return 0; } int helpedA(Bot *bot) { return 7; }"
                " int helpedB(Bot *bot, Money bet) { return b(bot, bet); }",
                7,
            ),
        },
    ),
    "holdem_training": (
        HOLDEM_TRAINING,
        {
            "alice.cpp": (
                '#include "texas.h"\nstatic int aliceMakeDecision(int n) { return n; }\n'
                "std::pair<ActionType, int> makeDecision(const State &s) { return {ActionType::RAISE, 1}; }",
                1,
            ),
        },
    ),
}
UNCLEAR: dict[str, tuple[Contest, dict[str, tuple[str, str]]]] = {
    "matrix_game": (
        MATRIX_GAME,
        {
            "twice.c": (
                "int twicemove(Bot *bot) { return 0; } int twice_move(Bot *bot) { return 1; }",
                "twicemove and twice_move could each be its function move",
            ),
            "misfit.c": (
                "int misfitmove(int *p, int n) { return p[n]; }",
                "lacks the function move (or misfitmove)\nmisfitmove doesn't fit: error: too few arguments",
            ),
            "strange.c": (
                "int lastmove, firstmove(const Bot *bot) { return 1; }",
                "lacks the function move (or strangemove)",
            ),
            "variable.c": ("int lastmove;", "lacks the function move (or variablemove)"),
            "two.py": (
                "def firstmove(bot):\n    return 1\ndef lastmove(bot):\n    return 1\n",
                "lacks the function move",
            ),
            "wide.py": ("def firstmove(bot, turn):\n    return 1\n", "lacks the function move"),
            "undefined.c": ("int move(const Bot *bot);", "uses move, which bots don't have"),
            "torn.c": ("int move(const Bot *bot) { return", "at the end of the file: error: expected expression"),
            "taker.c": ("int move(const Bot *bot, int turn) { return 1; }", "too few arguments"),
        },
    ),
    "two_card_draw": (
        TWO_CARD_DRAW,
        {
            "private.cpp": (f"class TwoCardDraw {{ {CARDS % 1} }};", "private member"),
            "partly.cpp": (
                "class TwoCardDraw { public: int init(int x, int y) { return 0; } };",
                "no member named 'new_hand'",
            ),
        },
    ),
    "von_neumann_poker": (
        VON_NEUMANN_POKER,
        {
            "mixed.c": (
                "int a(Bot *bot) { return 0; } int mixedb(Bot *bot, int bet) { return 0; }",
                "lacks the function b",
            ),
        },
    ),
}


def built(folder: Path, contest: Contest, file: str, source: str | bytes) -> Entrant:
    (folder / file).write_bytes(source if isinstance(source, bytes) else source.encode())
    settings = find_contest(contest.name).settings()
    (entrant,) = build_entrants(contest, settings, SandboxSettings(), folder, lambda _text: None)
    return entrant


FIRST = {
    "matrix_game": "move",
    "two_card_draw": "new_hand",
    "von_neumann_poker": "a",
    "holdem_training": "makeDecision",
}


def first_answer(entrant: Entrant, contest: str) -> int:
    """What a bot answers to its contest's first real question, asked about zeros."""
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


@pytest.mark.parametrize(
    "place", sample_params(((name, file) for name, (_, bots) in MEANT.items() for file in bots), 5)
)
def test_the_function_that_is_meant_plays(tmp_path: Path, place: tuple[str, str]) -> None:
    name, file = place
    contest, bots = MEANT[name]
    source, answer = bots[file]
    assert first_answer(built(tmp_path, contest, file, source), name) == answer


@pytest.mark.parametrize(
    "place", sample_params(((name, file) for name, (_, bots) in UNCLEAR.items() for file in bots), 5)
)
def test_where_it_is_not_clear_the_bot_is_broken(tmp_path: Path, place: tuple[str, str]) -> None:
    name, file = place
    contest, bots = UNCLEAR[name]
    source, words = bots[file]
    entrant = built(tmp_path, contest, file, source)
    assert entrant.artifact is None
    assert words in (entrant.problem or "")


WASM = '(module (memory (export "memory") 1) {})'
MOVE = '(func (export "{}") (param {}) (result i32) (i32.const {}))'


def module(*functions: tuple[str, str, int]) -> bytes:
    """A module with functions of these names, parameters and answers."""
    return bytes(wasmtime.wat2wasm(WASM.format(" ".join(MOVE.format(*function) for function in functions))))


def test_exports_are_chosen_by_the_same_rule(tmp_path: Path) -> None:
    bots = {
        "exact.wasm": module(("exactmove", "i32", 0), ("move", "i32", 1)),
        "helped.wasm": module(("helped_move", "i32 i32", 0), ("helpedmove", "i32", 1)),
        "twice.wasm": module(("twicemove", "i32", 0), ("twice_move", "i32", 1)),
        "narrow.wasm": module(("move", "f32", 0)),
    }
    for file, content in bots.items():
        (tmp_path / file).write_bytes(content)
    settings = find_contest("matrix_game").settings()
    entrants = {
        entrant.name: entrant
        for entrant in build_entrants(MATRIX_GAME, settings, SandboxSettings(), tmp_path, lambda _text: None)
    }
    for name, function in {"exact": "move", "helped": "helpedmove"}.items():
        loaded = load_bot(entrants[name].artifact or b"", MATRIX_GAME.interface, name, 64)
        assert set(loaded.functions) == {function}
    assert "twicemove and twice_move could each be" in (entrants["twice"].problem or "")
    assert "the function move is (f32) -> (i32), expected (i32) -> (i32 or i64)" in (entrants["narrow"].problem or "")


@pytest.mark.parametrize("name", ["move", "zebramove", "zebraMOVE", "zebra_move", "zebraMove"])
def test_one_rule_of_names_holds_for_all_languages(name: str) -> None:
    """What names a function for the compiler and for a module's exports names it for Python."""
    assert choose("zebra", {"move": [word for word in names_for("zebra", "move") if word == name]}) == [name]
    module = types.ModuleType("zebra")
    exec(f"def {name}(bot): return 1\ndef Zebra__move(bot): return 2", module.__dict__)
    (function,) = choose_functions(module, "zebra", [(("move",), 1)], "")
    assert function(None) == 1


def test_functions_of_a_copy_under_another_name_are_found() -> None:
    module = types.ModuleType("zebra")
    exec("def zebra_a(bot): return 1\ndef zebra_b(bot, bet): return 2\ndef data(): pass", module.__dict__)
    questions = [(("a",), 1), (("b",), 2)]
    assert [function.__name__ for function in choose_functions(module, "copy", questions, "")] == ["zebra_a", "zebra_b"]
    with pytest.raises(NotChosen, match="lacks the functions a and b"):
        choose_functions(module, "copy", questions, "", may_be_copy=False)
