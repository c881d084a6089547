"""Bots play what their authors wrote: the same answers as the same text gives when gcc or g++ compiles it for a PC."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.native_parity.programs import COMPILERS, DIFFERENT, PROGRAMS, answers_here, answers_natively

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "differences_from_a_pc.md"
# Of each language, standard and family of the libraries one or two; the thorough tests play the others.
SAMPLE = ("old_definitions", "wrapping", "big_locals", "longs")
SLOW_SAMPLE = ("old_library", "start_up", "exceptions")
MARK = pytest.mark


def marked(name: str) -> object:
    return pytest.param(name, marks=() if name in SAMPLE else MARK.slow if name in SLOW_SAMPLE else MARK.thorough)


@MARK.parametrize("name", map(marked, PROGRAMS))
def test_program_answers_as_natively_or_as_documented(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    if not shutil.which(COMPILERS[program.suffix]):
        pytest.skip("g++ is missing, which answers are compared with: apt install g++")
    places = tmp_path / "here", tmp_path / "natively"
    for place in places:
        place.mkdir()
    here, natively = answers_here(program, places[0]), answers_natively(program, places[1])
    assert isinstance(natively, list), natively
    assert len(set(natively)) > 1, "it answers always the same: nothing is compared"
    assert (here != natively) is (name in DIFFERENT)


def test_page_lists_each_difference() -> None:
    text = PAGE.read_text()
    for program in map(PROGRAMS.__getitem__, DIFFERENT):
        assert f"(../../tests/native_parity/{program.parent.name}/{program.name})" in text
