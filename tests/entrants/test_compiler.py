"""Compiler messages for authors of C bots."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

from tests.commands import command
from tests.worker.support import A, ask_each, problem_of

CALLS = "int b(const Bot *bot, const int bet) { return 1; }\n"
ASSERTS = '#include <assert.h>\nint a(const Bot *b) {\n assert(b->card < 0 && "sure\\n");\n return 0;\n}\n' + CALLS


def test_failed_assertion_is_a_fault() -> None:
    """Ask a bot that has the name of our own unit."""
    assert ask_each({"unit.c": ASSERTS}, [A])["unit"].what == ['assertion failed: b->card < 0 && "sure\\n", line 3']


def test_only_ambiguous_name_has_a_hint() -> None:
    """Refusals are kept, so one is new in each run."""
    source = f"// {uuid4()}\n#include <algorithm>\nusing namespace std;\nint count = 1;\n"
    message = problem_of(source + "int a(Bot *bot) { return count; }\n" + CALLS, "ambiguous.cpp")
    assert message.splitlines()[0].startswith("ambiguous.cpp:5:") and "'count' is ambiguous" in message
    hints = [line for line in message.splitlines() if line.startswith("Hint: ")]
    assert hints == ["Hint: the library has this name, too. Rename yours, or write ::name."]
    other = problem_of("int a(Bot *bot) { return counted; }\n" + CALLS, "undeclared.cpp")
    assert "counted" in other and "Hint: " not in other


def test_check_shows_warnings(tmp_path: Path) -> None:
    (tmp_path / "warned.c").write_text("int a(const Bot *bot) { int unused[1]; return unused; }\n" + CALLS)
    done = command(tmp_path, "check", "warned.c", "--contest", "von_neumann_poker")
    assert "warnings warned.c:1:" in " ".join(done.out.split()), done
