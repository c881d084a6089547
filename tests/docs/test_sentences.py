"""Pages are in short sentences: half of them have fifteen words at most, and none more than 35."""

import re
import statistics
from pathlib import Path

import pytest

from tests.docs.blocks import name_of, pages


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_sentences_are_short(page: Path) -> None:
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    blocks = [block.strip() for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)", text)]
    prose = [" ".join(block.split()) for block in blocks if not block.startswith(tuple("#|!<"))]
    plain = [re.sub(r"`[^`]*`", "x", re.sub(r"\]\([^)]*\)", "]", block)) for block in prose]
    sentences = [one for block in plain for one in re.split(r"(?<=[.!?:;])\s+(?=[A-Zx`\[“\"*0-9])", block) if one]
    words = [len(one.split()) for one in sentences]
    assert statistics.median(words) <= 15
    assert max(words) <= 35, max(sentences, key=lambda one: len(one.split()))
