"""Bot contests: drop one file per bot into a folder, run, read every game in pandas.

From Python there are:

`tournament.run("von_neumann_poker")` plays and returns the results.
`tournament.load("results/von_neumann_poker")` reads them again.
`tournament.scan("results/von_neumann_poker")` gives the games to duckdb and polars.
`tournament.verify("von_neumann_poker")` checks all that is recorded.
`tournament.report("von_neumann_poker")` writes a page of HTML that shows it.
`tournament.compare("one", "other")` shows how two runs differ.
`tournament.cite("results/von_neumann_poker")` returns what identifies a run in a paper.
`tournament.match("von_neumann_poker", "my_bot.py")` plays one bot against all others.
`tournament.environment("von_neumann_poker", ["naive"])` lets a program of your own play step by step.
`tournament.replay("von_neumann_poker", match=3, session=12)` plays a session again, step by step.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

# Among arrow's pools this one gives memory back. With the others a long run takes 20% more than a short one. The pool
# is chosen when pyarrow is first imported.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "jemalloc")

if TYPE_CHECKING:
    from tournament.api import cite, compare, environment, match, replay, report, run, verify
    from tournament.records.results import Results, load, scan

    __version__: str

__all__ = [
    "Results",
    "__version__",
    "cite",
    "compare",
    "environment",
    "load",
    "match",
    "replay",
    "report",
    "run",
    "scan",
    "verify",
]


def __dir__() -> list[str]:
    return __all__  # what notebooks offer, though it isn't loaded yet


def __getattr__(name: str) -> object:
    # Workers import this package too; pyarrow and the rest are loaded only when used.
    if name in ("cite", "compare", "environment", "match", "replay", "report", "run", "verify"):
        from tournament import api, errors

        return _cache_attribute(name, errors.name_parameters_in_errors(getattr(api, name)))
    if name == "Results":
        from tournament.records.results import Results

        return Results
    if name in ("load", "scan"):
        from tournament import errors
        from tournament.records import results

        return _cache_attribute(name, errors.name_parameters_in_errors(getattr(results, name)))
    if name == "__version__":
        from importlib.metadata import version

        return version("tournament")
    raise AttributeError(f"module 'tournament' has no attribute {name!r}")


def _cache_attribute(name: str, value: object) -> object:
    """Store a function in the module, so that each later access finds it directly, and return it."""
    globals()[name] = value
    return value
