"""Flipped bits in a part, which checksums keep from being read as other numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contest_runs import make_contest
from tournament.errors import InputError
from tournament.records.results import load


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = make_contest(tmp_path_factory.mktemp("reading"), ["bold", "calm"], sessions=100)
    place.play()
    (path,) = (place.results / "games").iterdir()
    return path


def flipped(part: Path, places: range, count: int) -> Iterator[None]:
    """Flip bits of a part at random places, one at a time."""
    chance, content = random.Random(6), part.read_bytes()
    for _ in range(count):
        at = chance.choice(places)
        part.write_bytes(content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :])
        yield
    part.write_bytes(content)


def pages_of(part: Path) -> range:
    """Return the places of the pages, before the footer, whose length is in the last eight bytes."""
    content = part.read_bytes()
    return range(4, len(content) - 8 - int.from_bytes(content[-8:-4], "little"))


def test_reading_damaged_part_returns_no_other_value(part: Path) -> None:
    """Columns and types must be the contest's, since the footer has no checksum."""
    results = str(part.parents[1])
    whole = load(results).games
    size = part.stat().st_size
    for places in (pages_of(part), range(pages_of(part).stop, size)):
        for _ in flipped(part, places, 50):
            try:
                assert load(results).games.equals(whole)
            except InputError as problem:
                assert "is damaged" in str(problem)
