"""Finding functions in C: as the plain way finds them, in time that grows with the file's length alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import c_functions as oracle
from tournament.entrants import c_functions

NAMES = st.sampled_from(["a", "b", "A", "likemea", "likemeB", "like_b", "other_a", "other_b", "data", "Bot", "f"])
PIECES = [
    "int {0}(const Bot *bot) {{ return bot->f[0] > 1'000 ? '{{' : \"}} {1}(x) {{\"[0]; }}\n",
    "static {0}(bot) Bot *bot; {{ if ({1}(bot)) {{ return 1; }} }}\n",
    "auto {0}(int x) noexcept -> int {{ return {1}(x); }}\n",
    "auto {0}(int x) -> int;\n",
    "int {0}(int), {1} = 3;\n",
    "struct {0} {{ int {1}() {{ return 1; }} }};\n",
    'extern "C" {{ int {0}() {{ return 1; }} }}\n',
    "namespace {{ int {0}() {{ return {1}; }} }}\n",
    "namespace inner {{ int {0}() {{ return 1; }} }}\n",
    "class {0} final : public {1} {{ }};\n",
    'const char *t = u8R"x(int {0}() {{ " \' )" {1})x";\n',
    'const char *s = "\\"int {0}() {{\\\\";\n',
    "f()->g;\n",
    '# 1 "./header.h" 1\nint {0}() {{ return 1; }}\n# 7 "./likeme.c" 2\n',
    "#pragma once\n",
    "}}\n",
    "((\n",
]


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Preprocessed texts as bots give them: definitions of every style, and what looks like some."""
    pieces = draw(st.lists(st.tuples(st.sampled_from(PIECES), NAMES, NAMES), max_size=30))
    return '# 1 "likeme.c"\n' + "".join(piece.format(one, other) for piece, one, other in pieces)


@settings(max_examples=150, deadline=None)
@given(sources(), NAMES)
def test_found_as_in_the_plain_way(text: str, name: str) -> None:
    found = c_functions.defined_functions(text, "likeme.c")
    assert found == oracle.defined_functions(text, "likeme.c")
    assert c_functions.defines_class(text, "likeme.c", name) == oracle.defines_class(text, "likeme.c", name)
    for questions in (["a", "b"], ["f"]):
        chosen = c_functions.choose_functions(found, "likeme", questions)
        assert chosen == oracle.choose_functions(found, "likeme", questions)


def steps(search: Callable[[], object]) -> int:
    """How many lines of the module a search runs through."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        if frame.f_code.co_filename != c_functions.__file__:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        search()
    finally:
        sys.settrace(before)
    return count


LONG = {
    "calls": "f()->g;\n",
    "functions": "int f{0}a() {{ return 1; }}\n",
    "pairs": "int f{0}a() {{ return 1; }} int f{0}b() {{ return 1; }}\n",
    "brackets": "f(",
    "raw literals": 'R"x{0}(',
    "quotes": '\\"',
    "apostrophes": "'\"",
    "arrows": "f()->",
}


@pytest.mark.parametrize("kind", LONG)
def test_a_search_takes_steps_as_the_file_is_long(kind: str) -> None:
    def search(count: int) -> int:
        text = '# 1 "likeme.c"\n' + "".join(LONG[kind].format(number) for number in range(count))

        def find() -> None:
            found = c_functions.defined_functions(text, "likeme.c")
            c_functions.defines_class(text, "likeme.c", "Bot")
            c_functions.choose_functions(found, "likeme", ["a", "b"])

        return steps(find)

    short, long = search(500), search(1000)
    assert long < 2.1 * short + 100, (short, long)


def test_a_file_too_long_to_be_searched_says_so() -> None:
    line = f"int {'x' * 500};\n"
    text = '# 1 "likeme.c"\n' + line * 10_000
    with pytest.raises(c_functions.TooLong, match="more than 4 MB"):
        c_functions.defined_functions(text, "likeme.c")
    # What headers bring doesn't count.
    c_functions.defined_functions('# 1 "header.h"\n' + line * 10_000, "likeme.c")
