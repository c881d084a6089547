"""Bot contests: drop one file per bot into a folder, run, read every game in pandas.

From Python: `tournament.run("von_neumann_poker")` plays and returns the results,
`tournament.load("results/von_neumann_poker")` reads them again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tournament.api import run
    from tournament.results import Results, load

__all__ = ["Results", "load", "run"]


def __getattr__(name: str) -> object:
    # Workers import this package too; pyarrow and the rest are loaded when they are wanted.
    if name == "run":
        from tournament.api import run

        return run
    if name in ("Results", "load"):
        from tournament import results

        return getattr(results, name)
    raise AttributeError(f"module 'tournament' has no attribute {name!r}")
