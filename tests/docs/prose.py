"""Rules for the English of docstrings, comments, texts and pages, and the number of places that break each.

`python -m tests.docs.prose` shows the counts. With a rule it shows the places that break it. With `--lower` it lowers
the counts that `test_prose.py` allows.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.docs.blocks import ROOT

TABLE = Path(__file__).with_name("prose_counts.txt")
_ROOMS = ("tournament", "engine", "tests", "benchmarks", "docs", "examples")
# Bots and templates are written for the readers of the contests' statements.
_FOREIGN = re.compile(r"/sdk/|^tests/hostile/(?:python|programs|builds|shared)/")

RULES = {
    "P0": "public function without a docstring",
    "P1": "summary begins with a relative pronoun",
    "P2": "summary begins with a preposition or conjunction",
    "P3": "summary of a function is a noun phrase",
    "P4": "summary is longer than a line",
    "P5": "summary begins with a pronoun",
    "P6": "parameter or field explained in running text",
    "P7": "exception named in running text",
    "P8": "sentence of more than 25 words in a docstring",
    "P9": "semicolon in a docstring",
    "C1": "trailing comment without a subject",
    "W1": "word that is always wrong, in a docstring, comment, text or page",
}

_RELATIVE = re.compile(r"(?:What|Whether|Who|Whom|Whose|How|Which|Where|Why)(?:ever)?\b")
_FRONTED = (
    r"(?:Of|By|From|With|Without|To|For|In|On|As|At|After|Among|Also|So|Else|But|And|Until|Since|Not|Now|Between|"
    r"Below|Beside|Beyond|Behind)\b"
)
_NOUN_PHRASE = re.compile(r"(?:A|An|The|Those|These|All|Each|Its|Their|One|Every|Some|Both|Our|No|Any)\b")
_PRONOUN = re.compile(r"(?:It|They|Its|Their)\b")
_RUNNING = re.compile(r"`\w+`:|`\w+` (?:is|are|has|have|tells?|gives?|names?|says?)\b")
_RAISES = re.compile(r"\b[Rr]aises?\b (?!an?\b)[A-Z]")
_SECTION = re.compile(r"\n *(?:Args|Attributes|Returns|Raises|Yields):")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z`])")
_NO_SUBJECT = re.compile(_FRONTED + r"|(?:which|that|who|whose|where|else|so|not|its?|they|those|these)\b", re.I)
_MARK = re.compile(r"#[:!]|# (?:type: ignore|noqa|fmt:|no-cython-lint)")
# Split, so that this line doesn't match itself.
_WRONG = re.compile(
    r"\b(?:a(?:new)|fore(?:tells?|told)|like(?:wise)|mend(?:ed)|no(?:body)|so (?:many)|reck(?:on)\w*)\b", re.I
)

_TOKEN = re.compile(
    r'(?P<comment>#[^\n]*)|(?P<text>"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\''
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|\\\n|(?P<open>[\[({])|(?P<close>[\])}])|(?P<end>\n)',
    re.DOTALL,
)
_CLASS = re.compile(r" *(?:cdef |cpdef )?class ")
_FUNCTION = re.compile(
    r" *(?:async )?(?P<kind>def|cdef|cpdef)\b(?!\s+(?:class|struct|enum|extern|union)\b)[^(=]*?(?P<name>\w+)\("
)


class Finding(NamedTuple):
    """A place that breaks a rule.

    Attributes:
        rule: Key of RULES.
        path: Path of the file below the root of the project.
        line: Number of the line, from 1.
        text: The text that breaks the rule.
    """

    rule: str
    path: str
    line: int
    text: str


class _Docstring(NamedTuple):
    """A docstring and its owner.

    Attributes:
        kind: "module", "class", "function" or "property".
        line: Number of its first line.
        text: The text without quotes; None if a public function has none.
        name: Name of a function.
    """

    kind: str
    line: int
    text: str | None
    name: str = ""


class _Sources(NamedTuple):
    """Docstrings, other texts and comments of a source file, each of the latter two with its line."""

    docstrings: list[_Docstring]
    texts: list[tuple[int, str]]
    comments: list[tuple[int, str, bool]]  # whether code precedes the comment in its line


def _parse(source: str) -> _Sources:
    """Split Python or Cython source into docstrings, texts and comments."""
    docstrings: list[_Docstring] = []
    texts: list[tuple[int, str]] = []
    comments: list[tuple[int, str, bool]] = []
    owner: _Docstring | None = _Docstring("module", 1, None)
    scopes: list[tuple[int, str]] = []  # indentation and kind of the enclosing classes and functions
    decorators = ""
    depth = position = counted = 0
    number = 1
    code = ""  # the logical line so far, without texts and comments
    for token in _TOKEN.finditer(source + "\n"):
        code += source[position : token.start()]
        number += source.count("\n", counted, token.start())
        counted = token.start()
        position = token.end()
        if token["comment"]:
            physical = source[source.rfind("\n", 0, token.start()) + 1 : token.start()]
            comments.append((number, token[0], bool(physical.strip())))
        elif token["text"]:
            if owner and code.strip() in ("", "r") and not depth:
                docstrings.append(owner._replace(line=number, text=_unquoted(token[0])))
                owner = None
            else:
                texts.append((number, token[0]))
            code += '""'
        elif token["open"] or token["close"]:
            depth += 1 if token["open"] else -1
            code += token[0]
        elif token["end"] and not depth:
            if code.strip() not in ("", '""', 'r""'):
                if owner and owner.name:
                    docstrings.append(owner)
                owner = None
                indent = len(code) - len(code.lstrip(" "))
                while scopes and scopes[-1][0] >= indent:
                    scopes.pop()
                if code.lstrip().startswith("@"):
                    decorators += code
                else:
                    owner = _owner(code, number, decorators, scopes)
                    decorators = ""
            code = ""
    return _Sources(docstrings, texts, comments)


def _owner(code: str, line: int, decorators: str, scopes: list[tuple[int, str]]) -> _Docstring | None:
    """Return what a logical line defines, without its docstring, and add it to the scopes, or return None."""
    indent = len(code) - len(code.lstrip(" "))
    function = _FUNCTION.match(code)
    if _CLASS.match(code):
        scopes.append((indent, "class"))
        return _Docstring("class", line, None)
    if function is None or not re.search(r"\)[^()]*:", code):
        return None
    is_public = not function["name"].startswith("_") and all(kind == "class" for _, kind in scopes)
    is_public &= function["kind"] == "def" and "overload" not in decorators and ".setter" not in decorators
    scopes.append((indent, "function"))
    kind = "property" if "property" in decorators else "function"
    return _Docstring(kind, line, None, function["name"] if is_public else "")


def _unquoted(text: str) -> str:
    """Return the content of a docstring without indentation."""
    return "\n".join(line.strip() for line in text.strip("\"'").split("\n")).strip()


def _docstring_findings(docstring: _Docstring, is_test: bool) -> Iterator[tuple[str, str]]:
    """Yield the rules that a docstring breaks, each with the text that does."""
    text = docstring.text
    if text is None:
        if not is_test:
            yield "P0", docstring.name
        return
    summary = text.split("\n\n")[0]
    body = _SECTION.split(text)[0]
    if _RELATIVE.match(summary):
        yield "P1", summary
    elif re.match(_FRONTED, summary):
        yield "P2", summary
    elif docstring.kind == "function" and _NOUN_PHRASE.match(summary):
        yield "P3", summary
    if "\n" in summary:
        yield "P4", summary
    if _PRONOUN.match(summary):
        yield "P5", summary
    if _RUNNING.search(body):
        yield "P6", body
    if _RAISES.search(body, 1):  # "Raise RunError if …" is a summary
        yield "P7", body
    for paragraph in body.split("\n\n"):
        for sentence in _SENTENCE.split(" ".join(paragraph.split())):
            if len(sentence.split()) > 25:
                yield "P8", sentence
    if ";" in body:
        yield "P9", body
    if _WRONG.search(text):
        yield "W1", text


def source_findings(path: str, source: str) -> Iterator[Finding]:
    """Yield the findings in Python or Cython source."""
    parsed = _parse(source)
    is_test = path.split("/")[0] not in ("tournament", "engine")
    for docstring in parsed.docstrings:
        for rule, text in _docstring_findings(docstring, is_test):
            yield Finding(rule, path, docstring.line, text)
    for line, text in parsed.texts:
        if _WRONG.search(text):
            yield Finding("W1", path, line, text)
    for line, comment, follows_code in parsed.comments:
        if _MARK.match(comment):
            continue
        text = comment.lstrip("# ")
        if follows_code and _NO_SUBJECT.match(text):
            yield Finding("C1", path, line, text)
        if _WRONG.search(text):
            yield Finding("W1", path, line, text)


def page_findings(path: str, text: str) -> Iterator[Finding]:
    """Yield the findings in a page, except in its code."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", lambda code: "\n" * code[0].count("\n"), text, flags=re.DOTALL)
    for number, line in enumerate(prose.split("\n"), 1):
        if _WRONG.search(line):
            yield Finding("W1", path, number, line)


def all_findings() -> Iterator[Finding]:
    """Yield the findings in the whole project."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for path in [*pages, *(file for room in _ROOMS for file in sorted((ROOT / room).rglob("*")))]:
        name = path.relative_to(ROOT).as_posix()
        if path.suffix not in (".py", ".pyx", ".pxd", ".md") or _FOREIGN.search(name):
            continue
        yield from (page_findings if path.suffix == ".md" else source_findings)(name, path.read_text())


def room(path: str) -> str:
    """Return the folder by which findings in a file are counted."""
    parts = path.split("/")
    return "/".join(parts[: min(2, len(parts) - 1)]) or "pages"


def counts() -> Counter[tuple[str, str]]:
    """Return the number of findings by room and rule."""
    return Counter((room(finding.path), finding.rule) for finding in all_findings())


def read_table() -> Counter[tuple[str, str]]:
    """Return the number of findings that each room is allowed, by room and rule."""
    header, *rows = (line.split() for line in TABLE.read_text().splitlines())
    return Counter({(row[0], rule): int(count) for row in rows for rule, count in zip(header[1:], row[1:])})


def table(number: Counter[tuple[str, str]]) -> str:
    """Return counts as a table with a row for each room."""
    rows = [("room", *RULES)]
    for name in sorted({name for (name, _), count in number.items() if count}):
        rows.append((name, *(str(number[name, rule]) for rule in RULES)))
    return "".join(f"{row[0]:30}" + "".join(f"{cell:>5}" for cell in row[1:]) + "\n" for row in rows)


def main(arguments: list[str]) -> None:
    """Show counts or findings, or lower the allowed counts."""
    if arguments == ["--lower"]:
        TABLE.write_text(table(counts() & read_table()))
    elif arguments:
        for finding in all_findings():
            if finding.rule == arguments[0] and finding.path.startswith(arguments[1] if arguments[1:] else ""):
                print(f"{finding.path}:{finding.line}: {' '.join(finding.text.split())[:100]}")
    else:
        print(table(counts()), end="")
        total = Counter(finding.rule for finding in all_findings())
        print("\n".join(f"{rule} {meaning}: {total[rule]}" for rule, meaning in RULES.items()))


if __name__ == "__main__":
    main(sys.argv[1:])
