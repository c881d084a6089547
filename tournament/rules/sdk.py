"""The SDK of rules in Python, written from their decisions: a header, an adapter, bots to start from."""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.rules.decisions import LEGAL_ACTIONS
from tournament.cache import cache_folder, cache_trouble, make_folder
from tournament.decisions.c_adapter import adapter_text
from tournament.decisions.decision import Decision
from tournament.decisions.struct_layout import C_TYPES, View, answer_layout, choice_constants, is_number
from tournament.decisions.value_types import Choice, Float, LegalAction, List, Maybe, Struct, Text, ValueType
from tournament.small_files import write_atomically

_WIDTH = 100


def write_sdk(name: str, title: str, decisions: Sequence[Decision], view: View) -> Path:
    """Return the folder with a contest's SDK, in the cache, where it is written once on a machine.

    Args:
        name: Name of the contest, and of the header.
        title: Title of the contest, for comments.
        decisions: The contest's decisions.
        view: The struct of the decisions' values.

    Raises:
        RunError: The cache can't be used.
        ValueError: Two choices number the same name differently, or an answer's values share a name in C.
    """
    files = {
        f"{name}.h": _header(name, title, decisions, view),
        "adapter.h": _adapter(decisions, view),
        "new_bot.c": _c_bot(decisions),
        "new_bot.py": _python_bot(decisions),
    }
    digest = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
    folder = cache_folder() / "sdk" / digest[:32]
    with cache_trouble(folder):
        for path, content in files.items():
            _write(folder / path, content)
    return folder


def _write(path: Path, content: str) -> None:
    """Write a file unless it has this content already. Others can write the same content at the same time.

    Raises:
        OSError: The file can't be read or written.
    """
    try:
        if path.read_text(encoding="utf-8") == content:
            return
    except (FileNotFoundError, UnicodeDecodeError):
        pass
    make_folder(path.parent)
    write_atomically(path, content.encode(), 0o600)


def _header(name: str, title: str, decisions: Sequence[Decision], view: View) -> str:
    """Return the C header of a contest's bots."""
    example = next(one.name for one in decisions if not one.is_news)
    functions = "\n".join(
        f"       {_prototype(decision)};\n{_wrapped(_answer(decision), ' ' * 11)}" for decision in decisions
    )
    return f"""\
/* {_plain(title)}: what every bot finds included before its first line.

   A bot is one file with a function for each decision, of its name or with the file's before it
   (smart.c: {example}, smart{example} or smart_{example}), static or not:

{functions}
*/
#ifndef {name.upper()}_H
#define {name.upper()}_H

#include <stdint.h>
#ifndef TOURNAMENT_BARE    /* a bot whose own names are those of what is here builds without it */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

{_constants(decisions)}{_struct("View", view.lines)}{"".join(map(_answer_struct, decisions))}

#endif
"""


def _struct(name: str, lines: Sequence[str]) -> str:
    """Return the C definition of a struct with these lines as members and comments."""
    written = []
    for line in lines:
        text = line.lstrip()
        indent = " " * (4 + len(line) - len(text))
        written.append(_comment(text, indent) if text.startswith("/*") else f"{indent}{text}")
    return "\n".join([f"typedef struct {name} {{", *written, f"}} {name};\n"])


def _answer_struct(decision: Decision) -> str:
    """Return the C definition of the struct that a bot fills as its answer, or "" if the answer is no struct."""
    layout = answer_layout(decision.answer)
    return "" if layout is None or not layout.lines else f"\n{_struct(_answer_type(decision), layout.lines)}"


def _answer_type(decision: Decision) -> str:
    """Return the name in C of an answer's struct."""
    return "".join(word.capitalize() for word in decision.name.split("_")) + "Answer"


def _constants(decisions: Sequence[Decision]) -> str:
    """Return the names of all choices as an enum of C, or "" if there are none.

    Raises:
        ValueError: A name has different numbers in two choices.
    """
    numbers = choice_constants(decisions)
    if not numbers:
        return ""
    names = textwrap.fill(
        ", ".join(f"{name} = {number}" for name, number in numbers.items()),
        _WIDTH,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
    )
    return f"enum {{\n{names}\n}};\n\n"


def _form(decision: Decision) -> tuple[str, str, str]:
    """Return the form of a C bot's function.

    Returns:
        The type that it returns. Then type and name of the parameter that it fills with its answer, both "" if it
        returns the answer, and for news.
    """
    kind = decision.answer
    if decision.is_news:
        return "void", "", ""
    if isinstance(kind, Float):
        return "double", "", ""
    if isinstance(kind, Text):
        return "void", "char", f"answer[{decision.answer_bytes}]"
    if isinstance(kind, List) and is_number(kind.of):
        return "int", C_TYPES[kind.of.code], f"answer[{max(1, kind.most)}]"
    if is_number(kind) or isinstance(kind, LegalAction):
        return _number(kind), "", ""
    return "void", _answer_type(decision), "*answer"


def _prototype(decision: Decision) -> str:
    """Return the prototype of a C bot's function, without a semicolon."""
    result, filled, name = _form(decision)
    return f"{result} {decision.name}(const View *view{filled and f', {filled} {name}'})"


def _number(kind: ValueType) -> str:
    """Return the C type of a number that a bot returns: int64_t if its limits need 64 bits, otherwise int."""
    return "int64_t" if kind.shape.kind == "q" else "int"


def _macro(decision: Decision, view: View) -> str:
    """Return the C definition of the function that joins a bot's function to the engine.

    The engine receives a 64-bit integer, which holds the bits of a float. Other answers are behind the struct.
    """
    result, filled, _ = _form(decision)
    extra_argument = f", ({filled} *)((char *)tournament_p + {view.size})" if filled else ""
    call = f"function(tournament_p{extra_argument})"
    if result == "double":
        body = (
            f"{{ union {{ double given; int64_t bits; }} tournament_a; tournament_a.given = {call};"
            " return tournament_a.bits; }"
        )
    else:
        body = f"{{ {call}; return 0; }}" if result == "void" else f"{{ return {call}; }}"
    return f"int64_t name(View *tournament_p) {body}"


def _adapter(decisions: Sequence[Decision], view: View) -> str:
    """Return the adapter of C and C++ bots."""
    return adapter_text({decision.name: _macro(decision, view) for decision in decisions}, "View *")


def _c_bot(decisions: Sequence[Decision]) -> str:
    """Return the template of C bots, with `{name}` in place of the bot's name."""
    bots = []
    for decision in decisions:
        comments = "\n".join(
            _comment(f"view->{name}: {_meaning(value)}{_counted(name, value)}", "    ")
            for name, value in decision.observation.items()
            if not isinstance(value.of if isinstance(value, List) else value, Text)
        )
        bots.append(
            f"{_comment(_answer(decision), '')}\n{_prototype(decision)}\n"
            f"{{\n{comments}\n{_answered_in_c(decision)}\n}}\n"
        )
    return (
        f"/* {{name}}: {_manner(decisions)}. Written by `tournament new`; make it yours. */\n\n"
        "/* Globals last for a whole match, and are new at the start of the next. rand() has a seed.\n"
        "   view->seat is your position, 0 to view->seats - 1, which changes from session to session;\n"
        "   view->players[position] is a number of the bot there, the same for the whole match. */\n\n"
        + "\n".join(bots)
    )


def _answered_in_c(decision: Decision) -> str:
    """Return the statements by which the template for C answers a decision."""
    kind, default = decision.answer, decision.default
    if decision.is_news:
        return "    (void)view;"
    if isinstance(kind, LegalAction):
        drawn = f"rand() % view->{LEGAL_ACTIONS}_count"
        return (
            f"    return {drawn};"
            if isinstance(kind.of, Text)
            else f"    return ({_number(kind)})view->{LEGAL_ACTIONS}[{drawn}];"
        )
    if isinstance(kind, Text):
        return f"    strcpy(answer, {json.dumps(default, ensure_ascii=False)});"
    if is_number(kind):
        return f"    return {_in_c(kind, default)};"
    if isinstance(kind, List) and is_number(kind.of):
        assert isinstance(default, list)
        lines = [f"    answer[{i}] = {_in_c(kind.of, item)};" for i, item in enumerate(default)]
        return "\n".join([*lines, f"    return {len(default)};"])
    if isinstance(kind, Struct):
        filled = _fields("answer->", kind, default)
    else:
        filled = _assigned("answer->", "value", kind, default)
    return "\n".join(f"    {line}" for line in filled)


def _fields(base: str, kind: Struct, value: Any) -> list[str]:
    """Return the statements that fill the struct of a record, in the order of its fields."""
    return [line for name, field in kind.fields.items() for line in _assigned(base, name, field, value[name])]


def _assigned(base: str, name: str, kind: ValueType, value: Any) -> list[str]:
    """Return the statements that fill a member of a struct.

    Args:
        base: Text before the member's name, such as "answer->".
        name: Name of the member.
        kind: Type of its value.
        value: The value, None for a Maybe without one.
    """
    member = f"{base}{name}"
    if isinstance(kind, Maybe):
        statements = [] if value is None else _assigned(base, name, kind.of, value)
        return [f"{base}has_{name} = {int(value is not None)};", *statements]
    if isinstance(kind, Struct):
        return _fields(f"{member}.", kind, value)
    if isinstance(kind, Text):
        return [f"strcpy({member}, {json.dumps(value, ensure_ascii=False)});"]
    if not isinstance(kind, List):
        return [f"{member} = {_in_c(kind, value)};"]
    lines, item = [f"{member}_count = {len(value)};"], kind.of
    for place, one in enumerate(value):
        if is_number(item):
            lines.append(f"{member}[{place}] = {_in_c(item, one)};")
        elif isinstance(item, List) and is_number(item.of):
            lines.append(f"{member}_lengths[{place}] = {len(one)};")
            lines += [f"{member}[{place}][{i}] = {_in_c(item.of, number)};" for i, number in enumerate(one)]
        elif isinstance(item, Struct):
            lines += _fields(f"{member}[{place}].", item, one)
        else:
            lines += _assigned(f"{member}[{place}].", "value", item, one)
    return lines


def _in_c(kind: ValueType, value: object) -> str:
    """Return a number, a truth value or a choice in C."""
    if isinstance(kind, Choice):
        return kind.constants[list(kind.names).index(str(value))]
    return repr(int(value)) if isinstance(value, bool) else repr(value)


def _python_bot(decisions: Sequence[Decision]) -> str:
    """Return the template of Python bots, with `{name}` in place of the bot's name."""
    bots = []
    for decision in decisions:
        comments = "\n".join(
            _wrapped(f"view.{name}: {_meaning(value)}", "    # ") for name, value in decision.observation.items()
        )
        answer = f"random.choice(view.{LEGAL_ACTIONS})" if decision.has_legal_actions else repr(decision.default)
        bots.append(f"def {decision.name}(view):\n{_docstring(_answer(decision))}\n{comments}\n    return {answer}\n")
    methods = " and ".join(f"{one.name}(self, view)" for one in decisions if not one.is_news)
    drawn = "import random\n\n" if any(decision.has_legal_actions for decision in decisions) else ""
    return (
        f'"""{{name}}: {_manner(decisions)}. Written by `tournament new`; make it yours."""\n\n'
        f"{drawn}# Globals last for a whole match, and are new at the start of the next.\n"
        "# view.seat is your position, 0 to view.seats - 1, which changes from session to session;\n"
        "# view.players[position] is a number of the bot there, the same for the whole match.\n"
        "# The standard library is there; `random` needs no seed, it has one.\n\n\n" + "\n\n".join(bots) + "\n\n"
        f"# A class with the method {methods} will do as well.\n"
    )


def _manner(decisions: Sequence[Decision]) -> str:
    """Return the behaviour of the bots of `tournament new`, as text."""
    return "plays at random" if any(one.has_legal_actions for one in decisions) else "always answers the same"


def _answer(decision: Decision) -> str:
    """Return a decision and its legal answers as a sentence or two."""
    if decision.is_news:
        return f"{decision.description.rstrip('.')}. News, which a bot can leave out: it returns nothing."
    meaning = decision.answer.description.rstrip(".")
    return f"{decision.description.rstrip('.')}. Returns {f'{meaning}; ' if meaning else ''}{decision.answers}."


def _meaning(value: ValueType) -> str:
    """Return the meaning of a value, if it has one, and its limits."""
    return "; ".join(filter(None, (value.description, value.limits)))


def _counted(name: str, value: ValueType) -> str:
    """Return text that says how C bots learn a value's length or presence, or "" for other values."""
    if isinstance(value, Maybe):
        return f"; there is one if view->has_{name}"
    rows = isinstance(value, List) and isinstance(value.of, List) and is_number(value.of.of)
    lengths = f", with view->{name}_lengths[i] items each" if rows else ""
    return f"; there are view->{name}_count{lengths}" if isinstance(value, List) else ""


def _plain(written: str) -> str:
    """Return text on one line that can end neither a C comment nor a docstring, and has no backslash."""
    return " ".join(written.replace("*/", "* /").replace('"""', "'''").replace("\\", "/").split())


def _comment(written: str, indent: str) -> str:
    """Return a C comment, wrapped to the width."""
    text = _plain(written.removeprefix("/*").removesuffix("*/"))
    return textwrap.fill(f"/* {text} */", _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}   ")


def _docstring(written: str) -> str:
    """Return a Python docstring, wrapped to the width."""
    return textwrap.fill(f'"""{_plain(written)}"""', _WIDTH, initial_indent="    ", subsequent_indent="    ")


def _wrapped(written: str, indent: str) -> str:
    """Return text, each line indented and wrapped to the width."""
    return textwrap.fill(_plain(written), _WIDTH, initial_indent=indent, subsequent_indent=indent)
