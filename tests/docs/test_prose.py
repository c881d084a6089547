"""The English of docstrings, comments, texts and pages keeps to the rules of `prose.py`, or at least gets no worse."""

from __future__ import annotations

import pytest

from tests.docs.prose import RULES, counts, page_findings, read_table, source_findings

SOURCE = '''\
"""What the module is for."""

from a import b  # of which little is used


class Bot:
    """The bot; `name`: what it's called. Raises KeyError."""

    def plays(self) -> bool:
        """Whether it plays."""

    def move(self) -> int: ...

    @property
    def score(self) -> int:
        """The score
        in points."""

    def _own(self):
        text = "so many" #: not a trailing comment
        def inner(): pass


{definition}
    """The {words}."""
    return (
        """Of no matter."""
    )
'''


@pytest.mark.parametrize(
    "definition", ["def count(x: int = 1) -> str:", "cdef inline object _count(int[:] x) except *:"]
)
def test_source_breaks_rules(definition: str) -> None:
    source = SOURCE.format(definition=definition, words="word " * 30)
    found = [(finding.line, finding.rule) for finding in source_findings("tournament/a.py", source)]
    assert sorted(found) == [
        (1, "P1"),
        (3, "C1"),
        (7, "P6"),
        (7, "P7"),
        (7, "P9"),
        (10, "P1"),
        (12, "P0"),
        (16, "P4"),
        (20, "W1"),
        (25, "P3"),
        (25, "P8"),
    ]


def test_recommended_docstring_breaks_no_rule() -> None:
    source = '''
def play(archive):
    """Play a contest and return its results.

    Args:
        archive: Whether to archive a million games; others are kept.

    Raises:
        InputError: A setting is wrong.
    """
'''
    assert not list(source_findings("tournament/a.py", source))


def test_page_code_breaks_no_rule() -> None:
    page = "Nobody wins.\n\n```python\nnobody = 1\n```\n\nCall `nobody` anew.\n"
    assert [(finding.line, finding.rule) for finding in page_findings("docs/a.md", page)] == [(1, "W1"), (7, "W1")]


def test_counts_do_not_rise() -> None:
    rises = counts() - read_table()
    assert not rises, "more findings than the table allows; see python -m tests.docs.prose RULE ROOM: " + ", ".join(
        f"{rule} ({RULES[rule]}) in {room}: {number} more" for (room, rule), number in sorted(rises.items())
    )
