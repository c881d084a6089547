"""Mistakes of C and C++ bots that don't show in WebAssembly: found with their line by `check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.cli.in_process import run_cli
from tournament.config import load_config
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.entrants.folder import read_submission
from tournament.runner.listener import NullListener
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.trial.check import check_bot
from tournament.trial.sanitizer_search import Mistake, search
from tournament.trial.trial_legs import build

SETTINGS = Settings(seed="1", sessions=60)

# What the compiler can't see through: a number, and an address that somebody else may use.
HEAD = """
static volatile int ten = 10;
static void *volatile shared;
static int table[10];
struct Pair { int first, second; };
"""
# Each is a function of its own: of its mistakes the bot makes another in each game, by its card.
DECIDE = """
int a(const Bot *bot) {{ switch ((int)(bot->card * {count})) {{ {cases} }} return 0; }}
int b(const Bot *bot, const int bet) {{ return bot->card > 0.5; }}
"""
MISTAKES = [
    "struct Pair *none = shared; return none->second;",
    "int seen[10] = {0}; shared = seen; int got = seen[ten]; shared = 0; return got & 1;",
    "int got = table[ten]; return got & 1;",
    "return (ten << (ten + 24)) & 1;",
    "return (2147483647 - ten + ten * 2) & 1;",
    "char text[8] = {0}; char *at = text + 1; int got; got = *(int *)at; return got & 1;",
    "return __builtin_clz(ten - 10) & 1;",
]
GOOD = """#include <stdexcept>
#include <string>
#include <vector>
static volatile unsigned ten = 10;
int a(const Bot *bot) {
    std::vector<int> queue;
    unsigned hash = 2166136261u;
    for (unsigned n = 0; n < ten; n++) {
        queue.push_back((int)n);
        hash = (hash ^ n) * 16777619u;
        try { throw std::runtime_error(std::string(n, 'x')); } catch (std::exception &e) { hash += e.what()[0]; }
    }
    return queue.back() + (int)(hash % 10);
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5; }
"""


def bot_of(bodies: list[str]) -> str:
    functions = "\n".join(f"static int make{number}(void) {{ {body} }}" for number, body in enumerate(bodies))
    cases = " ".join(f"case {number}: return make{number}();" for number in range(len(bodies)))
    return f"{HEAD}{functions}{DECIDE.format(count=len(bodies), cases=cases)}"


def mistakes_in(path: Path, source: str) -> tuple[Mistake, ...]:
    path.write_text(source)
    tried = build(VON_NEUMANN_POKER, SETTINGS, SandboxSettings(), path, lambda _text: None)
    made = search(tried, read_submission(path))
    assert made is not None and made.games > 10
    return made.mistakes


def test_mistake_without_effect_here_is_found_with_line(tmp_path: Path) -> None:
    first = HEAD.count("\n") + 1
    found = mistakes_in(tmp_path / "plays_on.c", bot_of(MISTAKES))
    lines = {first + number: body for number, body in enumerate(MISTAKES)}
    assert sorted(mistake.line for mistake in found) == sorted(lines), [lines.get(mistake.line) for mistake in found]
    assert all(mistake.when.startswith("session ") for mistake in found)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        pytest.param("good.cpp", GOOD, id="good", marks=pytest.mark.slow),
        pytest.param("gives_up.c", bot_of(["__builtin_trap();"]), id="fails"),
    ],
)
def test_bot_without_hidden_mistakes_has_none(tmp_path: Path, name: str, source: str) -> None:
    assert mistakes_in(tmp_path / name, source) == ()


def test_check_names_line_of_mistake_and_accepts_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tournament.toml").write_text("[von_neumann_poker]\nsessions = 60\nseed = 2\n")
    Path("crashes.c").write_text(bot_of(MISTAKES[:1]))
    checked = run_cli("check", "crashes.c")
    text = " ".join(checked.out.split())
    assert checked.code == 0 and "crashes.c:6: does what the language leaves undefined (session 0, game " in text
    assert "faults none" in text and "verdict fit to enter, but would crash or differ elsewhere" in text


SHIPPED = sorted(path for path in Path("entrants").glob("*/*") if path.suffix in (".c", ".cpp"))


@pytest.mark.parametrize(
    "path", [pytest.param(path, marks=pytest.mark.thorough, id="/".join(path.parts[1:])) for path in SHIPPED]
)
def test_shipped_bots_have_no_mistakes(path: Path) -> None:
    config = load_config(path.parent.name, None)
    report = check_bot(config.played, config.contest, config.sandbox, path, NullListener())
    assert report.mistakes is None or report.mistakes.mistakes == ()
