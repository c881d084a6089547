"""Code that joins a C bot's functions to the engine. Each gets the address of the struct with a question's values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tournament.decisions.struct_layout import C_TYPES
from tournament.decisions.value_types import ValueType

# These names come after the bot in its unit, so they begin in a way in which no macro of a bot does.
_STRUCT = "struct tournament_view"
_VALUE = "tournament_p->tournament_{}"


def adapter_text(macros: Mapping[str, str], pointer: str, before: str = "") -> str:
    """Return the adapter of C and C++ bots, as compilers read it behind a bot.

    BOT_CLASS names the bot's class, or BOT_ and each decision its functions. With TRIAL_CALLS there are only the
    macros, by which any function can be tried.

    Args:
        macros: C source of the function that answers a decision, by the decision. It uses the macro's parameters
            `name`, which is its own name, and `function`, which is the bot's function.
        pointer: C type that the functions take, which ends in `*`.
        before: C source that the macros need; "" if they need none.
    """
    lines = [before, *(f"#define ANSWER_{name.upper()}(name, function) {macro}" for name, macro in macros.items())]
    methods = "\n".join(f"#define BOT_{name.upper()} tournament_bot->{name}" for name in macros)
    exported = '__attribute__((__export_name__("{0}"))) ANSWER_{1}(tournament_answer_{0}, BOT_{1})'
    functions = "\n".join(
        f"#ifdef BOT_{name.upper()}\n{exported.format(name, name.upper())}\n#endif" for name in macros
    )
    lines.append(f"""
#ifndef TRIAL_CALLS
#ifdef BOT_CLASS
#include <new>

/* A new object for each leg, in memory of its own; nothing destroys it. */
static unsigned char tournament_storage[sizeof(BOT_CLASS)] __attribute__((__aligned__(__alignof__(BOT_CLASS))));
static BOT_CLASS *tournament_bot;

{methods}
#endif

#ifdef __cplusplus
extern "C" {{
#endif

void tournament_seed_random(uint64_t);

{functions}

__attribute__((__export_name__("tournament_start"))) void tournament_start({pointer}tournament_p, uint64_t tournament_s)
{{
    (void)tournament_p;
    tournament_seed_random(tournament_s);
#ifdef BOT_CLASS
    tournament_bot = ::new ((void *)tournament_storage) BOT_CLASS;
#endif
}}

#ifdef __cplusplus
}}
#endif
#endif
""")
    return "\n".join(lines)


def statement_adapter(
    values: Mapping[str, ValueType], parameters: Mapping[str, Sequence[str] | None], news: frozenset[str], struct: str
) -> str:
    """Return the adapter for the functions of a statement, which return an `int`.

    Args:
        values: All that decisions show, in the order of the struct.
        parameters: By decision the values that its function takes one by one; None if it takes the address of `struct`.
        news: Names of the decisions that are news, whose functions are allowed to return nothing.
        struct: C type of the header whose struct begins with the values. "": the header has none, and the adapter
            declares one.
    """
    members = " ".join(f"{C_TYPES[kind.code]} tournament_{name};" for name, kind in values.items())
    pointer = f"{struct or _STRUCT} *"
    macros = {}
    for decision, names in parameters.items():
        passed = "tournament_p" if names is None else ", ".join(map(_VALUE.format, names))
        called = f"function({passed}); return 0;" if decision in news else f"return function({passed});"
        macros[decision] = f"int32_t name({pointer}tournament_p) {{ {called} }}"
    return adapter_text(macros, pointer, "" if struct else f"{_STRUCT} {{ {members} }};")
