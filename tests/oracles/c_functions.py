"""How the functions of a C file were once found: plain, and slow on long files. An oracle for the quick way."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_TOKEN = re.compile(
    r"""
    (?P<marker>^\#[^\n]*$)
    | (?P<raw>\b(?:u8|[uUL])?R"(?P<fence>[^()\s\\]*)\((?s:.*?)\)(?P=fence)")
    | (?P<number>\b\d(?:'?\w)*)
    | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    | (?P<word>[A-Za-z_]\w*)
    | (?P<mark>[^\s\w])
    """,
    re.VERBOSE | re.MULTILINE,
)
_MARKER_FILE = re.compile(r'#\s*(?:line\s+)?\d+\s+"((?:[^"\\]|\\.)*)"')


def defined_functions(preprocessed: str, file_name: str) -> list[str]:
    """Names of the functions defined at file level in the part of a preprocessed text that is `file_name`'s.

    K&R definitions and those that a macro makes count too.
    """
    tokens = _own_tokens(preprocessed, file_name)
    functions: list[str] = []
    depth = 0
    open_blocks = 0  # `extern "C" {` and `namespace {`, which don't hide what is in them
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token == "{":
            before = tokens[max(0, position - 2) : position]
            if depth == 0 and (before == ["extern", '"C"'] or before[-1:] == ["namespace"]):
                open_blocks += 1
            else:
                depth += 1
        elif token == "}":
            if depth:
                depth -= 1
            else:
                open_blocks = max(0, open_blocks - 1)
        elif depth == 0 and token == "(" and position and _is_name(tokens[position - 1]):
            end = _closing(tokens, position)
            after = tokens[end + 1] if end + 1 < len(tokens) else ";"
            if after == "{" or _is_name(after) or _has_trailing_type(tokens, end + 1):
                functions.append(tokens[position - 1])
            position = end
        position += 1
    return functions


def defines_class(preprocessed: str, file_name: str, name: str) -> bool:
    """Whether a class or struct of that name is defined in the part of a preprocessed text that is `file_name`'s."""
    tokens = _own_tokens(preprocessed, file_name)
    for position, token in enumerate(tokens[:-2]):
        if (
            token in ("class", "struct")
            and tokens[position + 1] == name
            and tokens[position + 2] in ("{", ":", "final")
        ):
            return True
    return False


def _own_tokens(preprocessed: str, file_name: str) -> list[str]:
    tokens: list[str] = []
    inside = False
    for match in _TOKEN.finditer(preprocessed):
        if match.lastgroup == "marker":
            if file := _MARKER_FILE.match(match.group()):
                inside = file.group(1).rsplit("/", 1)[-1] == file_name
        elif inside:
            tokens.append(match.group())
    return tokens


def choose_functions(names: Collection[str], stem: str, questions: Sequence[str]) -> list[str] | str:
    """Which of the defined functions answers each question, or what is missing, in words.

    Tried in turn: named after the file (likeme.c: likemea, likemeA, likeme_a,
    in any case), plain (a), and any other common beginning, if just one fits.
    """
    word = "".join(c for c in stem if c.isalnum() or c == "_").lower()
    beginnings = [word, word + "_", ""]
    others = {name[: -len(questions[0])].lower() for name in names if name.lower().endswith(questions[0].lower())}
    others -= set(beginnings)
    complete = [b for b in sorted(others) if all(_find(names, b + q) for q in questions)]
    if len(complete) == 1:
        beginnings.append(complete[0])
    for beginning in beginnings:
        found = [_find(names, beginning + question) for question in questions]
        if all(found):
            return [name for name in found if name]
    missing = [q for q in questions if not any(_find(names, b + q) for b in beginnings)] or list(questions[1:])
    plural = "s" if len(missing) > 1 else ""
    return f"lacks the function{plural} {' and '.join(missing)} (or {' and '.join(stem + q for q in missing)})"


def _find(names: Collection[str], wanted: str) -> str | None:
    exact = [name for name in names if name == wanted]
    alike = [name for name in names if name.lower() == wanted.lower()]
    return next(iter(exact or alike), None)


def _is_name(token: str) -> bool:
    return token[0].isalpha() or token[0] == "_"


def _has_trailing_type(tokens: Sequence[str], position: int) -> bool:
    """Whether `-> type {` stands here, as after the parameters of a C++ definition."""
    if tokens[position : position + 2] != ["-", ">"]:
        return False
    return next((token for token in tokens[position:] if token in "{;"), ";") == "{"


def _closing(tokens: Sequence[str], opening: int) -> int:
    depth = 0
    for position in range(opening, len(tokens)):
        if tokens[position] == "(":
            depth += 1
        elif tokens[position] == ")":
            depth -= 1
            if depth == 0:
                return position
    return len(tokens) - 1
