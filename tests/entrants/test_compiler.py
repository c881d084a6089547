"""Compiler messages for authors of C bots."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from tests.cli.in_process import run_cli
from tests.support import build_folder, constant_bot, try_bot
from tournament.artifacts.bot import Entrant

CALLS = "int b(const Bot *bot, const int bet) { return 1; }\n"
ASSERTS = (
    '#include <assert.h>\nint a(const Bot *bot) {\n    assert(bot->card < 0 && "sure\\n");\n    return 0;\n}\n' + CALLS
)
BOTS = {
    "asserts.c": ASSERTS,
    "dates.c": "const char *when = __DATE__ __TIME__ __TIMESTAMP__;\nint a(const Bot *bot) { return when[0] == 74; }\n"
    + CALLS,
    "places.cpp": "#include <vector>\nconst char *where = __FILE__ __BASE_FILE__;\n"
    "int a(const Bot *bot) { std::vector<int> v(bot->money); return v.at(3) + where[bot->money % 9]; }\n" + CALLS,
    # Forty rounds, which -O3 writes out and -O2 doesn't.
    "rounds.c": "int a(const Bot *bot) {\n    unsigned x = bot->money;\n    for (int i = 0; i < 40; i++)\n"
    "        x = (x ^ x >> 15) * 5 + i;\n    return x % 50;\n}\n" + CALLS,
    # g++ refuses these two, as clang does. Refusals are kept, so one of each is new in each run.
    "ambiguous.cpp": f"// {uuid4()}\n#include <algorithm>\nusing namespace std;\nint count = 1;\n"
    "int a(Bot *bot) { return count; }\n"
    "int b(Bot *bot, int bet) { return 1; }\n",
    "undeclared.cpp": "int a(Bot *bot) { return counted; }\nint b(Bot *bot, int bet) { return 1; }\n",
    # Names of our own units, and of the folder in which they are.
    **{
        f"{name}.c": "int a(const Bot *bot) { return 7; }\n" + CALLS
        for name in ("unit", "runtime", "adapter", "bot", "output")
    },
}


@pytest.fixture(scope="module")
def entrants(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Entrant]:
    """Build all bots of this file together."""
    return build_folder(tmp_path_factory.mktemp("bots"), BOTS)


def test_failed_assertion_is_a_fault(entrants: dict[str, Entrant]) -> None:
    trial = try_bot(entrants["asserts"], constant_bot(20, 1), sessions=1)
    assert trial.failures == ['assertion failed: bot->card < 0 && "sure\\n", line 3'] * 3


def test_only_ambiguous_name_has_a_hint(entrants: dict[str, Entrant]) -> None:
    message, other = entrants["ambiguous"].problem or "", entrants["undeclared"].problem or ""
    assert message.splitlines()[0].startswith("ambiguous.cpp:5:") and "'count' is ambiguous" in message
    hints = [line for line in message.splitlines() if line.startswith("Hint: ")]
    assert hints == ["Hint: the library has this name, too. Rename yours, or write ::name."]
    assert "counted" in other and "Hint: " not in other


def test_check_shows_warnings(tmp_path: Path) -> None:
    bot = tmp_path / "warned.c"
    bot.write_text("int a(const Bot *bot) { int unused[1]; return unused; }\n" + CALLS)
    done = run_cli("check", str(bot), "--contest", "von_neumann_poker")
    assert "warnings warned.c:1:" in " ".join(done.out.split()), done
    bot.write_text("int a(const Bot *bot) { return 20; }\n" + CALLS)
    assert "warning" not in run_cli("check", str(bot), "--contest", "von_neumann_poker").out
