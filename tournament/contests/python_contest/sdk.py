"""The SDK of a contest in Python, written from its decisions: a header, an adapter, bots to start from."""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Sequence
from pathlib import Path

from engine.rules.decisions import LEGAL_ACTIONS
from tournament.cache import cache_folder, cache_trouble, make_folder
from tournament.contests.python_contest.declaring import Decision, Told
from tournament.contests.python_contest.struct_layout import Struct
from tournament.small_files import write_whole

_WIDTH = 100


def write_sdk(name: str, title: str, decisions: Sequence[Decision], struct: Struct) -> Path:
    """The folder with a contest's SDK, in the cache: written once on a machine. Raises RunError."""
    files = {
        f"{name}.h": _header(name, title, decisions, struct),
        "adapter.h": _adapter(decisions),
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
    """Write a file unless it is there; others may do so at the same time, with the same content."""
    try:
        if path.read_text(encoding="utf-8") == content:
            return
    except (FileNotFoundError, UnicodeDecodeError):
        pass
    make_folder(path.parent)
    write_whole(path, content.encode(), 0o600)


def _header(name: str, title: str, decisions: Sequence[Decision], struct: Struct) -> str:
    example = decisions[0].name
    functions = "\n".join(
        f"       int {decision.name}(const Bot *bot);\n{_wrapped(_answer(decision), ' ' * 11)}"
        for decision in decisions
    )
    members = "\n".join(
        _comment(line, "    ") if line.startswith("/*") else f"    {line}"
        for member in struct.members
        for line in member.in_c()
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

typedef struct Bot {{
{members or "    int64_t nothing;"}
}} Bot;

#endif
"""


def _adapter(decisions: Sequence[Decision]) -> str:
    names = [(decision.name, decision.name.upper()) for decision in decisions]
    macros = "\n".join(
        f"#define ANSWER_{upper}(name, function) int64_t name(Bot *tournament_p) {{ return function(tournament_p); }}"
        for _, upper in names
    )
    functions = "\n".join(
        f'__attribute__((__export_name__("{name}"))) ANSWER_{upper}(tournament_{name}, BOT_{upper})'
        for name, upper in names
    )
    return f"""\
/* Joins a bot to the contest. BOT_ and the name of a decision name the bot's functions, which were included
   just before. With TRIAL_CALLS there are only the macros, by which any function can be tried. */

{macros}

#ifndef TRIAL_CALLS
#ifdef __cplusplus
extern "C" {{
#endif

void tournament_seed_random(uint64_t);

{functions}

__attribute__((__export_name__("tournament_start"))) void tournament_start(Bot *tournament_p, uint64_t tournament_s)
{{
    (void)tournament_p;
    tournament_seed_random(tournament_s);
}}

#ifdef __cplusplus
}}
#endif
#endif
"""


def _c_bot(decisions: Sequence[Decision]) -> str:
    bots = []
    for decision in decisions:
        told = "\n".join(
            _comment(f"bot->{name}: {value.meaning}; {value.limits}{_counted(name, value)}", "    ")
            for name, value in decision.told.items()
            if value.code != "s"
        )
        answer = str(decision.default)
        if decision.has_legal_actions:
            answer = f"(int)bot->{LEGAL_ACTIONS}[rand() % bot->{LEGAL_ACTIONS}_count]"
        bots.append(
            f"{_comment(_answer(decision), '')}\nint {decision.name}(const Bot *bot)\n{{\n{told}\n"
            f"    return {answer};\n}}\n"
        )
    return (
        f"/* {{name}}: {_manner(decisions)}. Written by `tournament new`; make it yours. */\n\n"
        "/* Globals last for a whole match, and are new at the start of the next. rand() has a seed. */\n\n"
        + "\n".join(bots)
    )


def _python_bot(decisions: Sequence[Decision]) -> str:
    bots = []
    for decision in decisions:
        told = "\n".join(
            _wrapped(f"bot.{name}: {value.meaning}; {value.limits}", "    # ") for name, value in decision.told.items()
        )
        answer = f"random.choice(bot.{LEGAL_ACTIONS})" if decision.has_legal_actions else str(decision.default)
        bots.append(f"def {decision.name}(bot):\n{_docstring(_answer(decision))}\n{told}\n    return {answer}\n")
    drawn = "import random\n\n" if any(decision.has_legal_actions for decision in decisions) else ""
    return (
        f'"""{{name}}: {_manner(decisions)}. Written by `tournament new`; make it yours."""\n\n'
        f"{drawn}# Globals last for a whole match, and are new at the start of the next.\n"
        "# The standard library is there; `random` needs no seed, it has one.\n\n\n" + "\n\n".join(bots) + "\n\n"
        f"# A class with the method {' and '.join(f'{d.name}(self, bot)' for d in decisions)} will do as well.\n"
    )


def _manner(decisions: Sequence[Decision]) -> str:
    """How the bots of `tournament new` play."""
    return "plays at random" if any(one.has_legal_actions for one in decisions) else "always answers the same"


def _answer(decision: Decision) -> str:
    """A decision and its legal answers in words."""
    which = "one of the legal actions" if decision.has_legal_actions else decision.answer.limits
    return f"{decision.meaning.rstrip('.')}. Returns {decision.answer.meaning.rstrip('.')}; {which}."


def _counted(name: str, value: Told) -> str:
    return f"; there are bot->{name}_count" if value.most >= 0 else ""


def _plain(written: str) -> str:
    """A text that can't end a comment, or hold a template's name."""
    return " ".join(written.replace("*/", "* /").replace('"""', "'''").replace("\\", "/").split())


def _comment(written: str, indent: str) -> str:
    """A C comment of lines that fit."""
    words = _plain(written.removeprefix("/*").removesuffix("*/"))
    return textwrap.fill(f"/* {words} */", _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}   ")


def _docstring(written: str) -> str:
    return textwrap.fill(f'"""{_plain(written)}"""', _WIDTH, initial_indent="    ", subsequent_indent="    ")


def _wrapped(written: str, indent: str) -> str:
    return textwrap.fill(_plain(written), _WIDTH, initial_indent=indent, subsequent_indent=indent)
