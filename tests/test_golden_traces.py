"""Games of the statement's bots, readable line by line, stay as they are."""

from __future__ import annotations

from pathlib import Path

from tests.golden_traces import trace


def test_von_neumann_poker(tmp_path: Path) -> None:
    """A difference means other games for everybody: results of the past no longer count."""
    golden = (Path(__file__).parent / "golden" / "von_neumann_poker.txt").read_text()
    assert trace(tmp_path) == golden
