"""Rewrites the compiler's messages in the bot's terms."""

from __future__ import annotations

import re
import signal
from pathlib import Path

from tournament.artifacts.compiler_command import BOT_FOLDER
from tournament.errors import printable, truncate_lines
from tournament.sandbox.outside.launch import MEGABYTES_OF_BUILDS_FILES
from tournament.sandbox.outside.run_command import Finished

# A part of the compiler's message, and a hint for beginners.
Hints = tuple[tuple[str, str], ...]

# Prefix of the pretended file of each trial call, by which its errors are recognised.
TRIAL_FILE = "trial_call_"

_MAX_MESSAGE_BYTES = 1 << 18
_MAX_LINES = 12
_HINTS: Hints = (("is ambiguous", "the library has this name, too. Rename yours, or write ::name."),)
_TOO_LARGE = "File too large"
# Part of the message about each try and throw.
_WITHOUT_EXCEPTIONS = "with exceptions disabled"
_COMPLAINT = re.compile(r"^(?:\./)?([^:\n]+):\d+:\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
_UNDEFINED = re.compile(r"undefined symbol: (.+)$", re.MULTILINE)
_TAKEN = re.compile(r"symbol type mismatch: (\w+)$", re.MULTILINE)
_IN_TRIAL = re.compile(rf"^{TRIAL_FILE}\d+:")
_IN_UNIT = re.compile(r"^unit\.\w+:\d+:\d+: (.*)$")


def message_of(finished: Finished) -> str:
    """Return the compiler's message, at most its first 256 KiB, with replacements for what isn't UTF-8."""
    return finished.errors[:_MAX_MESSAGE_BYTES].decode(errors="replace")


def complaints_of(finished: Finished) -> tuple[tuple[str, str], ...]:
    """Return the errors in the message as pairs of file and text, in its order.

    Errors without a file and a line, such as the linker's, are left out, and so are further lines of an error. The
    result is empty if there are no others.
    """
    return tuple(_COMPLAINT.findall(message_of(finished)))


def text_has_exceptions(finished: Finished) -> bool:
    """Return whether a source that throws or catches was compiled without exceptions."""
    return _WITHOUT_EXCEPTIONS in message_of(finished)


def names_taken(finished: Finished) -> list[str]:
    """Return the names of a source's own variables that clash with functions of the library, in the linker's order.

    A name can occur several times.
    """
    return _TAKEN.findall(message_of(finished))


def why_refused(finished: Finished, folders: list[Path], hints: Hints) -> str:
    """Return why a source in one of the folders was refused, in the bot's terms.

    Without a message of the compiler, this is how it ended.

    Args:
        finished: The compiler's end.
        folders: Folders whose paths are removed from the message.
        hints: Pairs of a part of the message and a hint, which is added if the message has that part.
    """
    message = message_of(finished)
    if message.strip():
        return shortened(message, folders, hints)
    # Status of the compiler's driver if a signal ended one of its processes.
    if 256 - finished.status in set(signal.Signals):
        return f"the compiler crashed ({signal.Signals(256 - finished.status).name}), for want of memory perhaps"
    return f"the compiler {finished.in_words}"


def first_line(text: object) -> str:
    """Return the first line of a message that isn't blank, cut to 200 characters, or "" if there is none."""
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    return printable(lines[0][:200]) if lines else ""


def shortened(message: str, folders: list[Path], hints: Hints) -> str:
    """Return the message in the bot's terms, without our folders, trial calls and the lines around the bot's file.

    It has at most twelve lines, then one with the number of further lines, if any, and hints, each once. If functions
    are undefined or the output is too large, it is one line about that, without hints. An empty message becomes "the
    compiler failed without a message".

    Args:
        message: The compiler's message.
        folders: Folders whose paths are removed.
        hints: Pairs of a part of the message and a hint, in addition to those for all contests.
    """
    undefined = list(dict.fromkeys(_UNDEFINED.findall(message)))
    if undefined:
        return f"uses {', '.join(undefined)}, which bots don't have"
    if _TOO_LARGE in message:
        return f"takes more than {MEGABYTES_OF_BUILDS_FILES >> 10} GiB compiled"
    for folder in folders:
        message = message.replace(f"{folder}/", "")
    selected = []
    quoting_ours = False  # whether the following lines quote text that isn't the bot's
    for line in message.replace("./", "").replace(f"{BOT_FOLDER}/", "").splitlines():
        if in_unit := _IN_UNIT.match(line):
            selected.append(f"at the end of the file: {in_unit.group(1)}")
            quoting_ours = True
        elif _IN_TRIAL.match(line):
            quoting_ours = True
        elif line.startswith(" ") and quoting_ours:
            continue
        elif line.startswith("In file included from") and (line in selected or "from unit." in line):
            continue  # names a file that includes itself once
        elif line.strip() and "generated." not in line:
            selected.append(line)
            quoting_ours = False
    advice = list(dict.fromkeys(f"Hint: {hint}" for sign, hint in (*_HINTS, *hints) if sign in message))
    return "\n".join([*truncate_lines(selected, _MAX_LINES), *advice]) or "the compiler failed without a message"
