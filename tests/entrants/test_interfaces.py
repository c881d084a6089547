"""The ways in which people write a bot for von Neumann poker: all build, and all decide as they say."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import wasmtime

from tests.oracles.von_neumann_poker import Bot, View
from tests.support import build_folder, play_built, poker_settings
from tests.worker.support import A, Answered, ask_each, view
from tournament.contests.von_neumann_poker.rules import Settings

# Most of the bots below play like this one.
MODEL = Bot(lambda view: 20 if view.card > 0.5 else 0, lambda view, _bet: int(view.card > 0.25))

VIEWS = [View(card, previous, money, 200 - money) for card, previous, money in (
    (0.125, -1.0, 100), (0.375, 0.5, 120), (0.5625, 0.25, 60), (0.75, 0.0, 150), (0.9375, 0.875, 90))]  # fmt: skip

BET = "return bot->card > 0.5f ? 20 : 0;"
CALL = "return bot->card > 0.25f;"

LIKE_THE_MODEL = {
    # Names
    "plain.c": f"int a(const Bot *bot) {{ {BET} }}\nint b(const Bot *bot, const int aBet) {{ {CALL} }}",
    "lion.c": f"Money lionA(const Bot *bot) {{ {BET} }} int lionB(const Bot *bot, const Money aBet) {{ {CALL} }}",
    "Ocelot.c": f"int ocelotA(Bot *bot) {{ {BET} }} int ocelotB(Bot *bot, int aBet) {{ {CALL} }}",
    # Linkage, types and styles of definition
    "voids.c": """
        Money a(const void *p) { const Bot *bot = p; return bot->card > 0.5f ? 20 : 0; }
        int b(const void *p, const Money aBet) { return ((const Bot *)p)->card > 0.25f; }""",
    "old_style.c": f"""
        Money a(bot) const Bot *bot; {{ {BET} }}
        int b(bot, aBet) const Bot *bot; Money aBet; {{ return aBet > 0 && aBet <= 50 && bot->card > 0.25f; }}""",
    "macros.c": f"""
        #define PLAYER(letter, ...) static Money macros##letter(const Bot *bot __VA_ARGS__)
        PLAYER(A) {{ {BET} }}
        PLAYER(B, , const Money aBet) {{ {CALL} }}""",
    # Bots that write over what they are shown, and over their own functions
    "meddler.c": """
        static void spoil(Bot *bot) {
            bot->card = 0.99f; bot->opponentsPreviousCard = 7; bot->money = 1000000; bot->opponentsMoney = -5;
            bot->a = 0; bot->b = 0;
        }
        int a(Bot *bot) { int bet = bot->card > 0.5f ? 20 : 0; spoil(bot); return bet; }
        int b(Bot *bot, int aBet) { int call = bot->card > 0.25f; spoil(bot); return call; }""",
    # Clashes with the names around them
    "kin.c": f"""
        static int state; int seed_random; int step; int play = 3; typedef struct Kin {{ int a, b; }} Kin;
        int a(const Bot *bot) {{ {BET} }} int b(const Bot *bot, const int aBet) {{ {CALL} }}""",
    "main.c": f"""
        int a(const Bot *bot) {{ {BET} }} int b(const Bot *bot, const int aBet) {{ {CALL} }}
        int main() {{ return 1; }}""",
    # C++
    "linkage.cpp": f"""
        extern "C" {{
        int linkagea(const Bot *bot) {{ {BET} }}
        }}
        extern "C" int linkageb(const Bot *bot, const int aBet) {{ {CALL} }}""",
    "unnamed.cpp": f"""
        namespace {{ namespace deeper {{ int a(const Bot *bot) {{ return 3; }} }} int held = 1; }}
        namespace {{
        int a(const Bot *bot) {{ {BET} }}
        int b(const Bot *bot, const int aBet) {{ {CALL} }}
        }}""",
}


# Bots with a mind of their own, each with what it does in Python


def alternating() -> Bot:
    """Return a bot that bets 20 at every other decision as A, and calls as B if its last decision was a bet."""
    count = [0]

    def a(_view: View) -> int:
        count[0] += 1
        return 20 * (count[0] % 2)

    return Bot(a, lambda _view, _bet: count[0] % 2)


FOLDS = "int b(const Bot *bot, const Money aBet) { return 0; }"
ALTERNATES = "f[0]++; return (int)f[0] % 2 ? 20 : 0;"

MINDED = {
    # State in f, the const cast away or not there; in globals
    "memory_cast.c": f"""
        int a(const Bot *bot) {{ float *f = (float *)bot->f; {ALTERNATES} }}
        int b(const Bot *bot, const int aBet) {{ return (int)bot->f[0] % 2; }}""",
    "memory_globals.c": """
        static int count;
        int a(Bot *bot) { return ++count % 2 ? 20 : 0; }
        int b(Bot *bot, int aBet) { return count % 2; }""",
    # Everything that a bot is shown
    "rich.c": f"int a(const Bot *bot) {{ return bot->money > 100 ? 9 : bot->opponentsMoney > 120 ? 5 : 0; }} {FOLDS}",
    "copycat_card.c": f"int a(const Bot *bot) {{ return (int)(40 * bot->opponentsPreviousCard); }} {FOLDS}",
    # Luck and trouble
    "lucky.c": f"int a(const Bot *bot) {{ return rand() % 50 + 1; }} {FOLDS}",
    "lucky_clock.c": f"""
        static int ready;
        int a(const Bot *bot) {{ if (!ready++) srand(time(0)); return rand() % 50 + 1; }} {FOLDS}""",
    # Two files with the same global names
    "twin.c": "int counter = 1; int helper() { return counter; } int a(Bot *bot) { return helper(); }"
    " int b(Bot *bot, int aBet) { return 1; }",
    "twin2.c": "int counter = 2; int helper() { return counter++ ? 2 : 3; } int a(Bot *bot) { return helper(); }"
    " int b(Bot *bot, int aBet) { return 1; }",
}


# Functions a and b of many types, and what they do: each bot below has one of both.
BETS: list[tuple[Callable[[View], int], str]] = [
    # Fractions of a dollar are cut off.
    (lambda view: int(50 * view.card - 25), "Money a(const Bot *bot) { Card x = bot->card; return 50.*x-25.; }"),
    # Less than nothing is a pass.
    (lambda _view: 0, "Money a(const Bot *bot) { return INT64_MIN; }"),
    (lambda _view: 0, "double a(const Bot *bot) { return NAN; }"),
    # Too much is the most.
    (lambda _view: 50, "Money a(const Bot *bot) { return (Money)1 << 32; }"),
    (lambda _view: 50, "float a(const Bot *bot) { return 3e9f; }"),
    (lambda _view: 50, "double a(const Bot *bot) { return INFINITY; }"),
]
CALLS: list[tuple[Callable[[View, int], bool], str]] = [
    # The bet is seen whatever its type.
    (lambda _view, bet: bet <= 20, "b(bot, aBet) Bot *bot; { return aBet <= 20; }"),
    (lambda _view, bet: bet <= 20, "int b(bot, aBet) Bot *bot; float aBet; { return aBet <= 20; }"),
    (lambda _view, bet: bet <= 20, "int b(const Bot *bot, double aBet) { return aBet <= 20; }"),
    # All but zero is a call.
    (lambda _view, _bet: True, "Money b(const Bot *bot, const Money aBet) { return (Money)1 << 32; }"),
    (lambda _view, _bet: True, "float b(const Bot *bot, const Money aBet) { return 0.25f; }"),
    # What the function's own type cuts to zero is a fold.
    (lambda _view, _bet: False, "unsigned char b(const Bot *bot, const Money aBet) { return 256; }"),
]
TYPED = {f"typed_{number}.c": f"{a}\n{b}" for number, ((_, a), (_, b)) in enumerate(zip(BETS, CALLS))}


def wat(text: str) -> bytes:
    return bytes(wasmtime.wat2wasm(text))


WASM_MODEL = """
    (module (memory (export "memory") 1)
      (func (export "a") (param $bot i32) (result {a})
        (select ({a}.const 20) ({a}.const 0) (f32.gt (f32.load (local.get $bot)) (f32.const 0.5))))
      (func (export "b") (param $bot i32) (result {b})
        (select ({b}.const {yes}) ({b}.const 0) (f32.gt (f32.load (local.get $bot)) (f32.const 0.25)))))"""
WASM_MODELS = {
    "narrow.wasm": wat(WASM_MODEL.format(a="i32", b="i32", yes=-1)),
    "wide.wasm": wat(WASM_MODEL.format(a="i64", b="i64", yes=1 << 32)),
    "named.wasm": wat(WASM_MODEL.format(a="i32", b="i32", yes=2).replace('"a"', '"nameda"').replace('"b"', '"namedB"')),
}
WASM = WASM_MODELS | {
    "dice.wasm": wat("""
        (module (import "env" "rand" (func $rand (result i32))) (memory (export "memory") 1)
          (func (export "a") (param i32) (result i32)
            (i32.add (i32.rem_u (call $rand) (i32.const 50)) (i32.const 1)))
          (func (export "b") (param i32) (result i32) (i32.const 0)))"""),
}


SOURCES: dict[str, str | bytes] = LIKE_THE_MODEL | MINDED | TYPED | WASM


# Each file with the bot that it plays like; i32 answers are signed, and an i64 answer of 2³² is a call.
MODELS: dict[str, Callable[[], Bot]] = {
    **dict.fromkeys((*LIKE_THE_MODEL, *WASM_MODELS), lambda: MODEL),
    **dict.fromkeys([name for name in MINDED if name.startswith("memory")], alternating),
    **{f"typed_{number}.c": partial(Bot, a, b) for number, ((a, _), (b, _)) in enumerate(zip(BETS, CALLS))},
    "rich.c": lambda: Bot(
        lambda view: 9 if view.money > 100 else 5 if view.opponents_money > 120 else 0, lambda _view, _bet: 0
    ),
    "copycat_card.c": lambda: Bot(lambda view: int(40 * view.opponents_previous_card), lambda _view, _bet: 0),
}


@pytest.fixture(scope="module")
def asked() -> dict[str, Answered]:
    """Ask all bots for a bet, and for a call of 20 and 21, with each view."""
    questions = [(kind, view(*shown, bet)) for shown in VIEWS for kind, bet in ((0, 0), (1, 20), (1, 21))]
    return ask_each({file: SOURCES[file] for file in MODELS}, questions)


@pytest.mark.parametrize("file", MODELS)
def test_every_way_of_writing_plays_the_same(asked: dict[str, Answered], file: str) -> None:
    bot, answered = MODELS[file](), asked[file.rsplit(".", 1)[0]]
    assert not answered.faults
    for number, shown in enumerate(VIEWS):
        bet, *calls = answered.answers[3 * number : 3 * number + 3]
        assert min(max(bet, 0), 50) == min(max(bot.a(shown), 0), 50), shown
        assert [call != 0 for call in calls] == [bot.b(shown, 20) != 0, bot.b(shown, 21) != 0], shown


@pytest.mark.parametrize("name", ["memory_cast.c", "memory_globals.c"])
def test_bots_forget_between_legs(name: str) -> None:
    first, second = (ask_each({name: MINDED[name]}, [A, A])[name[:-2]].answers for _ in range(2))
    assert first == second == [20, 0]


def games_of(folder: Path, *files: str) -> dict[str, list[float]]:
    """Return the columns of the games between two bots."""
    folder.mkdir()
    bots = build_folder(folder, {file: SOURCES[file] for file in files})
    result, sink = play_built(*bots.values(), settings=poker_settings(sessions=3))
    assert result.faults == ()
    return {name: sink.column(name).tolist() for name in sink.gathered if name.startswith("games.")}


def test_overwritten_card_is_shown_as_dealt(tmp_path: Path) -> None:
    """Play an opponent that bets by the card that the bot had."""
    meddler, plain = (games_of(tmp_path / bot, "copycat_card.c", bot) for bot in ("meddler.c", "plain.c"))
    assert meddler == plain and len(set(plain["games.bet"])) > 10


def test_same_global_names_are_separate(tmp_path: Path) -> None:
    """Twin bets its own counter of 1, twin2 its 2."""
    games = games_of(tmp_path / "twins", "twin.c", "twin2.c")
    assert {(seat, bet) for seat, bet in zip(games["games.seat_0_is_a"], games["games.bet"])} == {(1, 1), (0, 2)}


@pytest.mark.parametrize("file", ["lucky.c", "lucky_clock.c", "dice.wasm"])
def test_rand_differs_by_leg_and_repeats(file: str) -> None:
    """Bots that seed by a clock get the same date."""
    name = file.split(".")[0]
    first, again, other = (ask_each({file: SOURCES[file]}, [A] * 30, Settings(seed=seed))[name] for seed in "112")
    assert len(set(first.answers)) > 12 and min(first.answers) >= 1
    assert first.answers == again.answers != other.answers


@pytest.mark.statistical
def test_rand_is_uniform(tmp_path: Path) -> None:
    passes = "int b(const Bot *bot, const Money aBet) { return 1; }\n"
    gambles = f"Money a(const Bot *bot) {{ return rand() < RAND_MAX / 4 ? 10 : 0; }}\n{passes}"
    bots = build_folder(tmp_path, {"g.c": gambles, "p.c": f"Money a(const Bot *bot) {{ return 0; }}\n{passes}"})
    result, sink = play_built(bots["g"], bots["p"], settings=poker_settings(sessions=30_000), deals_key=20_200_819)
    assert result.faults == ()
    bets = sink.column("games.bet")[sink.column("games.seat_0_is_a") == 1] > 0
    assert len(bets) > 100_000
    for happened, probability in ((bets, 1 / 4), (bets[1:] & bets[:-1], 1 / 16)):
        assert abs(happened.mean() - probability) < 4 * math.sqrt(probability * (1 - probability) / len(happened))
