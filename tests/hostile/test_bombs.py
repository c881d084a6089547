"""Small files that expand to gigabytes are refused in one line, with little memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.contest_runs import call, make_contest

_MAX_MEGABYTES = 500
# Runs when the command is done.
_MEASURE = """
def after():
    import resource
    open({taken!r}, "w").write(f"{{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}}")
"""


def many_rows(summary: Path) -> None:
    one = pq.read_table(summary).slice(0, 1)
    pq.write_table(one.take(np.zeros(5_000_000, np.int8)), summary, compression="zstd")


def a_long_text(summary: Path) -> None:
    """Write a text of many equal megabytes, in the usual number of rows."""
    table = pq.read_table(summary)
    texts = pa.array(["x" * (400 << 20)] + ["x"] * (len(table) - 1))
    number = table.schema.get_field_index("bot")
    swollen = table.set_column(number, table.schema.field(number), texts)
    pq.write_table(swollen, summary, compression="zstd", use_dictionary=False, write_statistics=False)


@pytest.mark.slow
@pytest.mark.parametrize("swell", [a_long_text, pytest.param(many_rows, marks=pytest.mark.thorough)])
def test_swollen_summary_is_refused_in_one_line(swell: Callable[[Path], None], tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"], sessions=10)
    place.play()
    swell(place.results / "matches.parquet")
    taken = tmp_path / "taken"
    done = call(["verify", "--results", str(place.results)], _MEASURE.format(taken=str(taken)))
    assert done.code in (1, 2) and "Traceback" not in done.err
    assert "matches.parquet doesn't match the legs" in done.said
    assert float(taken.read_text()) < _MAX_MEGABYTES
