"""Numbers as tables and messages show them."""

from __future__ import annotations

import pytest

from tournament.cli.numbers import small_duration


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.8211269, "3.8 s"), (0.0382, "38.2 ms"), (0.000_003_82, "3.8 µs"), (0.0, "0.0 µs")]
)
def test_small_duration_has_the_unit_that_fits(seconds: float, text: str) -> None:
    assert small_duration(seconds) == text
