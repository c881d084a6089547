"""`python -m tests.chaos --rounds N --seed S`: random faults, and a table of what came of them."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.chaos.faults import FAULTS
from tests.chaos.rounds import Ground, play_rounds, written

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", action="append", help="only this one; may be given again")
    options = parser.parse_args()
    chosen = [fault for fault in FAULTS if options.fault is None or fault.__name__ in options.fault]
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    table = play_rounds(Ground(folder), chosen, options.rounds, options.seed, print)
    print("\n".join(written(table)))
    sys.exit(any(came["WRONG"] for came in table.values()))
