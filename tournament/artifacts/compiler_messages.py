"""The compiler's messages, in the bot's terms."""

from __future__ import annotations

import re
import signal
from pathlib import Path

from tournament.artifacts.compiler_command import BOT_FOLDER
from tournament.errors import first_of, printable
from tournament.sandbox.outside.launch import MEGABYTES_OF_BUILDS_FILES
from tournament.sandbox.outside.run_command import Finished

# For newcomers' mistakes: a part of the compiler's message, and the way out.
Hints = tuple[tuple[str, str], ...]

# Each trial call of a bot's function seems to be in a file of its own, whose name begins so: its errors tell by it.
TRIAL_FILE = "trial_call_"

_MOST_MESSAGE_BYTES = 1 << 18
_HINTS: Hints = (("is ambiguous", "the library has this name, too. Rename yours, or write ::name."),)
_TOO_LARGE = "File too large"
# The message about each try and throw.
_WITHOUT_EXCEPTIONS = "with exceptions disabled"
_COMPLAINT = re.compile(r"^(?:\./)?([^:\n]+):\d+:\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
_UNDEFINED = re.compile(r"undefined symbol: (.+)$", re.MULTILINE)
_TAKEN = re.compile(r"symbol type mismatch: (\w+)$", re.MULTILINE)
_IN_TRIAL = re.compile(rf"^{TRIAL_FILE}\d+:")
_IN_UNIT = re.compile(r"^unit\.\w+:\d+:\d+: (.*)$")


def message_of(finished: Finished) -> str:
    """The beginning of the compiler's message."""
    return finished.errors[:_MOST_MESSAGE_BYTES].decode(errors="replace")


def complaints_of(finished: Finished) -> tuple[tuple[str, str], ...]:
    """Its errors as (file, message)."""
    return tuple(_COMPLAINT.findall(message_of(finished)))


def text_has_exceptions(finished: Finished) -> bool:
    """Whether a text that throws or catches was compiled without exceptions."""
    return _WITHOUT_EXCEPTIONS in message_of(finished)


def names_taken(finished: Finished) -> list[str]:
    """The names of a source's own variables that are functions of the library."""
    return _TAKEN.findall(message_of(finished))


def why_refused(finished: Finished, folders: list[Path], hints: Hints) -> str:
    """Why a source was refused; it lay in one of the folders."""
    message = message_of(finished)
    if message.strip():
        return shortened(message, folders, hints)
    # The driver's status when a signal ended a part of it.
    if 256 - finished.status in set(signal.Signals):
        return f"the compiler crashed ({signal.Signals(256 - finished.status).name}), for want of memory perhaps"
    return f"the compiler {finished.in_words}"


def first_line(text: object) -> str:
    """The first line of a message that isn't empty, cut."""
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    return printable(lines[0][:200]) if lines else ""


def shortened(message: str, folders: list[Path], hints: Hints, lines: int = 12) -> str:
    """The compiler's message in the bot's terms: without our folders, trial calls and the lines around its file."""
    undefined = list(dict.fromkeys(_UNDEFINED.findall(message)))
    if undefined:
        return f"uses {', '.join(undefined)}, which bots don't have"
    if _TOO_LARGE in message:
        return f"takes more than {MEGABYTES_OF_BUILDS_FILES >> 10} GiB compiled"
    for folder in folders:
        message = message.replace(f"{folder}/", "")
    kept = []
    quoting_ours = False  # the lines that follow quote what isn't in the bot's source
    for line in message.replace("./", "").replace(f"{BOT_FOLDER}/", "").splitlines():
        if in_unit := _IN_UNIT.match(line):
            kept.append(f"at the end of the file: {in_unit.group(1)}")
            quoting_ours = True
        elif _IN_TRIAL.match(line):
            quoting_ours = True
        elif line.startswith(" ") and quoting_ours:
            continue
        elif line.startswith("In file included from") and (line in kept or "from unit." in line):
            continue  # a file that includes itself is named once
        elif line.strip() and "generated." not in line:
            kept.append(line)
            quoting_ours = False
    ways_out = list(dict.fromkeys(f"Hint: {hint}" for sign, hint in (*_HINTS, *hints) if sign in message))
    return "\n".join([*first_of(kept, lines), *ways_out]) or "the compiler failed without a message"
