"""Hints for authors whose bots can't play, derived from the problem and the bots' sources."""

from __future__ import annotations

import re

from tournament.artifacts.bot import Submission

_READS_INPUT = {
    "python": re.compile(rb"\binput\s*\(|\bsys\.stdin\b"),
    "c": re.compile(rb"\b(?:scanf|getchar|fgets|getline)\s*\("),
    "cpp": re.compile(rb"\bcin\b|\b(?:scanf|getchar|fgets|getline)\s*\("),
}
_PROGRAM = (
    "Hint: this reads standard input, as a program does. A program is a folder with a bot.toml, or a file that reads"
    " standard input and answers by lines such as ACTION 1. For example: tournament new NAME --language"
    " program-python"
)
_FILES = (
    "Hint: a bot in a single file can't use other files or start processes. A program, which is a"
    " folder with a bot.toml, can read the files of its folder."
)


_SINGLE_FILE = (
    "Hint: it is a program of one file, because it has main() and answers by lines of ACTION. This machine's own"
    " compiler builds it; to build it otherwise, put it into a folder with a bot.toml"
)
_MODULES = (
    "Hint: `packages` of [sandbox] is for Python bots that are one file. A program finds the modules in its own folder,"
    " and the folders that `readable` of [sandbox] names."
)
_FORBIDDEN = re.compile(r"\b(?:FileNotFoundError|PermissionError): ")


def for_fault(message: str) -> list[str]:
    """Return lines to append to a fault."""
    return [_FILES] if _FORBIDDEN.search(message) else []


def for_problem(submission: Submission, problem: str) -> list[str]:
    """Return lines to append to a problem."""
    reads_input = _READS_INPUT.get(submission.kind)
    if "lacks the function" in problem and reads_input and reads_input.search(submission.source):
        return [_PROGRAM]
    if submission.kind == "python" and (
        "No such file" in problem or "not permitted" in problem or "Permission" in problem
    ):
        return [_FILES]
    if submission.kind == "program" and submission.path.suffix and ("its build (" in problem or "installed" in problem):
        return [_SINGLE_FILE]
    if submission.kind == "program" and "ModuleNotFoundError" in problem:
        return [_MODULES]
    return []
