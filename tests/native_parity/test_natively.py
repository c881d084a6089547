"""Bots play what their authors wrote: the same answers as the same text gives when gcc or g++ compiles it for a PC."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.native_parity.programs import COMPILERS, PROGRAMS, Answers, answers_here, answers_natively

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "differences_from_a_pc.md"
# Of each language, standard and family of the libraries one or two; the others are played by the thorough tests.
SAMPLE = ["old_definitions", "wrapping", "big_locals", "old_library", "start_up", "exceptions"]
REST = sorted(set(PROGRAMS) - set(SAMPLE))

# Those that answer otherwise, or don't build, and why that stays so: the page tells it too.
DIFFERENT = {
    "longs": "a long and a size_t have 32 bits",
    "long_doubles": "a long double has 113 bits of precision, on a PC 64",
    "huge_fractions": "a fraction too large for a whole type becomes its largest, NaN 0; on a PC both its least",
    "ties": "qsort leaves what compares equal in another order",
    "unstable_order": "so do std::sort and std::shuffle",
    "hash_order": "an unordered_map is walked in another order",
    "drawn_numbers": "distributions draw other numbers from the same generator",
    "nested_functions": "clang has no functions within functions",
    "long_jumps": "there is no setjmp",
    "threads": "there are no threads",
    "locks": "nor is there what they lock with",
}


class Compared(NamedTuple):
    """Answers by name, or why there are none."""

    here: dict[str, Answers]
    natively: dict[str, Answers]


def compared(names: Sequence[str], folder: Path) -> Compared:
    for name in ("here", "natively"):
        (folder / name).mkdir()
    known = [PROGRAMS[name] for name in names if shutil.which(COMPILERS[PROGRAMS[name].path.suffix])]
    return Compared(answers_here(known, folder / "here"), answers_natively(known, folder / "natively"))


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Compared:
    return compared(SAMPLE, tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory) -> Compared:
    return compared(REST, tmp_path_factory.mktemp("rest"))


def assert_as_listed(name: str, of: Compared) -> None:
    if name not in of.natively:
        pytest.skip("g++ is missing, which answers are compared with: apt install g++")
    here, natively = of.here[name], of.natively[name]
    assert isinstance(natively, list), natively
    assert len(set(natively)) > 1, "it answers always the same: nothing is compared"
    if name in DIFFERENT:
        assert here != natively, "it answers as natively: take it off the list"
    else:
        assert here == natively


@pytest.mark.parametrize("name", SAMPLE)
def test_sample_answers_as_natively(sample: Compared, name: str) -> None:
    assert_as_listed(name, sample)


@pytest.mark.thorough
@pytest.mark.parametrize("name", REST)
def test_rest_answers_as_natively(rest: Compared, name: str) -> None:
    assert_as_listed(name, rest)


@pytest.mark.parametrize("name", DIFFERENT)
def test_page_lists_each_difference(name: str) -> None:
    path = PROGRAMS[name].path
    place = f"../../tests/native_parity/{path.parent.name}/{path.name}"
    assert f"({place})" in PAGE.read_text()
