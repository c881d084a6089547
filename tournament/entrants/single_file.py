"""Programs with a single file: a C or C++ source with `main`, or a Python script."""

from __future__ import annotations

import json
import re

from tournament.artifacts.archive import archived
from tournament.artifacts.bot import Submission
from tournament.artifacts.bot_toml import FILE_NAME

# Commands of the machine's compilers, by the suffix of the file.
_OUTPUT = "program"
_BUILDS = {
    ".c": ("cc", "-O2", "-o", _OUTPUT, "{file}", "-lm"),
    **dict.fromkeys((".cpp", ".cc", ".cxx"), ("c++", "-O2", "-o", _OUTPUT, "{file}")),
}
# A text that starts with the first word of every program's answer: docs/reference/programs.md has the protocol.
_ANSWERS = re.compile(rb"""["']ACTION\b""")
_MAIN = re.compile(rb"\bmain\s*\(")
_READS = re.compile(rb"\bstdin\b|\binput\s*\(")
_READS_INPUT = re.compile(rb"\bstdin\b|\bcin\b|\b(?:input|scanf|getchar|gets|fgets|getline)\s*\(")
_COMMENTS = {
    ".py": re.compile(rb"#[^\n]*"),
    # An unclosed comment extends to the end, so that a source with many of them isn't slow to search.
    ".c": re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL),
}


def is_program(suffix: str, source: bytes) -> bool:
    """Return whether a source plays a program's protocol itself, instead of having functions to be called.

    Args:
        suffix: Suffix of the file's name, in lower case.
        source: Content of the file.
    """
    if suffix not in (*_BUILDS, ".py") or not _ANSWERS.search(source):
        return False
    code = _COMMENTS[".py" if suffix == ".py" else ".c"].sub(b"", source)
    return bool(_ANSWERS.search(code) and (_READS if suffix == ".py" else _MAIN).search(code))


def hint_for(submission: Submission) -> str:
    """Return a line for the author of a bot without functions that reads input as a program does, or "".

    It begins with a line break. Only bots in Python, C and C++ get one.
    """
    if submission.kind not in ("python", "c", "cpp") or not _READS_INPUT.search(submission.source):
        return ""
    return (
        "\nHint: it reads standard input. A program is a folder with a bot.toml, or a file that answers by lines such"
        " as ACTION 1. For example: tournament new NAME --language program-python"
    )


def pack_program(file: str, suffix: str, source: bytes) -> bytes:
    """Return the archive of a folder with this file, and a bot.toml that builds and starts it.

    Args:
        file: Name of the file.
        suffix: Suffix of the name, in lower case.
        source: Content of the file.
    """
    lines = ['command = ["python3", {file}]'] if suffix == ".py" else ["build = {build}", f'command = ["./{_OUTPUT}"]']
    build = json.dumps([word.format(file=file) for word in _BUILDS.get(suffix, ())])
    recipe = "".join(f"{line.format(file=json.dumps(file), build=build)}\n" for line in lines)
    return archived({FILE_NAME: (recipe.encode(), False), file: (source, False)})
