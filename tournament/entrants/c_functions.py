"""Finding the functions that a C or C++ file defines, whatever it calls them. Time grows with the file's length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

MOST_CHARACTERS = 4 << 20

# Every alternative takes what it can and never gives back: an unfinished literal ends with its line.
_TOKEN = re.compile(
    r"""
    (?P<marker>^\#[^\n]*$)
    | (?P<raw>\b(?:u8|[uUL])?R"(?P<fence>[^()\s\\"]{0,16})\()
    | (?P<number>\b\d(?:'?\w)*)
    | (?P<string>"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|'[^'\\\n]*(?:\\.[^'\\\n]*)*'?)
    | (?P<word>[A-Za-z_]\w*)
    | (?P<mark>[^\s\w])
    """,
    re.VERBOSE | re.MULTILINE,
)
_MARKER = re.compile(r"^\#[^\n]*$", re.MULTILINE)
_MARKER_FILE = re.compile(r'#\s*(?:line\s+)?\d+\s+"([^"\\]*(?:\\.[^"\\]*)*)"')


class TooLong(Exception):
    """A file that has more text than is searched; the message says so."""


def defined_functions(preprocessed: str, file_name: str) -> list[str]:
    """Names of the functions defined at file level in the part of a preprocessed text that is `file_name`'s.

    K&R definitions and those that a macro makes count too. Raises TooLong.
    """
    tokens = list(_own_tokens(preprocessed, file_name))
    bodies = _bodies_follow(tokens)
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
            has_trailing_type = tokens[end + 1 : end + 3] == ["-", ">"] and bodies[end + 1]
            if after == "{" or _is_name(after) or has_trailing_type:
                functions.append(tokens[position - 1])
            position = end
        position += 1
    return functions


def defines_class(preprocessed: str, file_name: str, name: str) -> bool:
    """Whether a class or struct of that name is defined in the part of a preprocessed text that is `file_name`'s.

    Raises TooLong.
    """
    last: tuple[str, str] = ("", "")
    for token in _own_tokens(preprocessed, file_name):
        if last[0] in ("class", "struct") and last[1] == name and token in ("{", ":", "final"):
            return True
        last = (last[1], token)
    return False


def _own_tokens(preprocessed: str, file_name: str) -> Iterator[str]:
    """The tokens of a file's own part. Raises TooLong."""
    inside = False
    raw_ends = True  # until one doesn't: none is looked for in vain a second time
    own = position = 0
    while match := (_TOKEN if inside else _MARKER).search(preprocessed, position):
        start, position = position, match.end()
        if match.group().startswith("#") and (not inside or match.lastgroup == "marker"):
            if file := _MARKER_FILE.match(match.group()):
                inside = file.group(1).rsplit("/", 1)[-1] == file_name
            continue
        if match.lastgroup == "raw":
            fence = f'){match["fence"]}"'
            end = preprocessed.find(fence, position) if raw_ends else -1
            raw_ends = end >= 0
            # Else it is an identifier that ends in R, and an ordinary literal.
            position = end + len(fence) if raw_ends else preprocessed.index('"', match.start())
        own += position - start
        if own > MOST_CHARACTERS:
            raise TooLong(f"has more than {MOST_CHARACTERS >> 20} MB of source text after its macros are expanded")
        yield preprocessed[match.start() : position]


def _bodies_follow(tokens: Sequence[str]) -> list[bool]:
    """For each token whether, from there on, a brace opens before a semicolon comes."""
    follows = False
    found = []
    for token in reversed(tokens):
        if token in ("{", ";"):
            follows = token == "{"
        found.append(follows)
    return found[::-1]


def choose_functions(names: Sequence[str], stem: str, questions: Sequence[str]) -> list[str] | str:
    """Which of the defined functions answers each question, or what is missing, in words.

    Tried in turn: named after the file (likeme.c: likemea, likemeA, likeme_a,
    in any case), plain (a), and any other common beginning, if just one fits.
    """
    exact = set(names)
    alike: dict[str, str] = {}
    for name in names:
        alike.setdefault(name.lower(), name)

    def find(wanted: str) -> str | None:
        return wanted if wanted in exact else alike.get(wanted.lower())

    word = "".join(c for c in stem if c.isalnum() or c == "_").lower()
    beginnings = [word, word + "_", ""]
    others = {name[: -len(questions[0])] for name in alike if name.endswith(questions[0].lower())}
    complete = [b for b in others - set(beginnings) if all(find(b + q) for q in questions)]
    if len(complete) == 1:
        beginnings += complete
    for beginning in beginnings:
        found = [answering for q in questions if (answering := find(beginning + q))]
        if len(found) == len(questions):
            return found
    missing = [q for q in questions if not any(find(b + q) for b in beginnings)] or list(questions[1:])
    plural = "s" if len(missing) > 1 else ""
    return f"lacks the function{plural} {' and '.join(missing)} (or {' and '.join(stem + q for q in missing)})"


def _is_name(token: str) -> bool:
    return token[0].isalpha() or token[0] == "_"


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
