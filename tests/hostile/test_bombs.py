"""A small file that expands to gigabytes is refused in one line, with little memory."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.contest_runs import call, make_contest

# Runs when the command is done.
_MEASURE = """
def after():
    import resource
    open({taken!r}, "w").write(f"{{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}}")
"""


@pytest.mark.slow
def test_swollen_summary_is_refused_in_one_line(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"], sessions=10)
    place.play()
    summary = place.results / "matches.parquet"
    table = pq.read_table(summary)
    texts = pa.array(["x" * (400 << 20)] + ["x"] * (len(table) - 1))
    number = table.schema.get_field_index("bot")
    swollen = table.set_column(number, table.schema.field(number), texts)
    pq.write_table(swollen, summary, compression="zstd", use_dictionary=False, write_statistics=False)
    taken = tmp_path / "taken"
    done = call(["verify", "--results", str(place.results)], _MEASURE.format(taken=str(taken)))
    assert done.code in (1, 2) and "Traceback" not in done.err
    assert "matches.parquet doesn't match the legs" in done.said
    assert float(taken.read_text()) < 500
