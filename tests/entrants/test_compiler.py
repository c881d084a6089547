"""Compiler messages for authors of C bots."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from tests.commands import run_cli
from tests.support import build_folder, constant_bot, try_bot
from tournament.artifacts.bot import Entrant

CALLS = "int b(const Bot *bot, const int bet) { return 1; }\n"
BOTS = {
    "asserts.c": '#include <assert.h>\nint a(const Bot *bot) {\n assert(bot->card < 0 && "sure\\n");\n return 0;\n}\n'
    + CALLS,
    # Refusals are kept, so one of each is new in each run.
    "ambiguous.cpp": f"// {uuid4()}\n#include <algorithm>\nusing namespace std;\nint count = 1;\n"
    "int a(Bot *bot) { return count; }\n" + CALLS,
    "undeclared.cpp": "int a(Bot *bot) { return counted; }\n" + CALLS,
    # The name of our own unit.
    "unit.c": "int a(const Bot *bot) { return 7; }\n" + CALLS,
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
    assert entrants["unit"].problem is None
    assert "counted" in other and "Hint: " not in other


def test_check_shows_warnings(tmp_path: Path) -> None:
    bot = tmp_path / "warned.c"
    bot.write_text("int a(const Bot *bot) { int unused[1]; return unused; }\n" + CALLS)
    done = run_cli("check", str(bot), "--contest", "von_neumann_poker")
    assert "warnings warned.c:1:" in " ".join(done.out.split()), done
    bot.write_text("int a(const Bot *bot) { return 20; }\n" + CALLS)
    assert "warning" not in run_cli("check", str(bot), "--contest", "von_neumann_poker").out
