"""Measure how often `match --baseline` tells twins apart, and what pairing saves.

    python -m benchmarks.versions [--tries 200] [--replicas 40] [--only snakes]

Each try has a seed of its own. The twins draw their answers from one distribution with other random numbers.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tournament
from benchmarks.fields import ROOT
from tournament.trial.match import MatchReport

_REPLICAS_OF_A_TRY = 6
_EXAMPLES = ROOT / "examples"
_RAISES_TO = "\nint raise_to(const View *view) { return view->least; }\n"


@dataclass(frozen=True)
class Table:
    """A contest of three and more seats, with versions of a bot in C.

    Attributes:
        settings: Keys of its table.
        field: The companions, as bodies of the function by name.
        answers: The head of that function, and what follows it.
        twins: Two bodies that draw from one distribution.
        close: A body that differs from the first of the twins in few answers.
    """

    settings: dict[str, object]
    field: dict[str, str]
    answers: tuple[str, str]
    twins: tuple[str, str]
    close: str

    def write(self, folder: Path, name: str) -> Path:
        """Write the contest with its field and return the settings file."""
        (folder / "bots").mkdir(parents=True)
        for bot, body in self.field.items():
            (folder / "bots" / f"{bot}.c").write_text(self.source(body))
        keys = [f"{key} = {json.dumps(value)}" for key, value in {"entrants": "bots", **self.settings}.items()]
        (folder / "tournament.toml").write_text("\n".join([f"[{name}]", *keys, ""]))
        return folder / "tournament.toml"

    def source(self, body: str) -> str:
        """Return the program of a bot whose function has this body."""
        head, rest = self.answers
        return f"{head}\n{{\n    {body}\n}}\n{rest}"


_FREE = "for (int i = 0; i < 4; i++) if (view->free[(start + i) % 4]) return (start + i) % 4; return UP;"
_MOVE = "return drawn < 1 ? FOLD : drawn < 7 ? CALL : RAISE;"
_LEGAL = "return (int)view->legal_actions[drawn % view->legal_actions_count];"
TABLES = {
    "snakes": Table(
        {"rules": str(_EXAMPLES / "snakes" / "snakes.py"), "seats": 4, "sessions": 4},
        {
            "any": f"int start = rand() % 4; {_FREE}",
            "clockwise": f"int start = 0; {_FREE}",
            "keeps": f"static int way; int start = way; if (!view->free[way]) way = rand() % 4; {_FREE}",
            "turns": f"static int way; int start = way++ % 4; {_FREE}",
        },
        ("int turn(const View *view)", ""),
        (f"int start = rand() % 4; {_FREE}", f"rand(); int start = rand() % 4; {_FREE}"),
        f"int start = rand() % 4; if (view->turns_left % 8 == 0) start = 0; {_FREE}",
    ),
    "auction": Table(
        {"rules": str(_EXAMPLES / "auction" / "auction.py"), "sessions": 20},
        {
            "any": "return rand() % 101;",
            "half": "return view->value / 2;",
            "most": "return view->value * 3 / 4;",
            "none": "return 0;",
        },
        ("int bid(const View *view)", ""),
        (
            "return view->value * (50 + rand() % 40) / 100;",
            "rand(); return view->value * (50 + rand() % 40) / 100;",
        ),
        "return view->value * (52 + rand() % 40) / 100;",
    ),
    "holdem": Table(
        {"rules": str(_EXAMPLES / "holdem" / "holdem.py"), "seats": 4, "sessions": 4, "hands": 10},
        {
            "any": f"int drawn = rand() % 10; {_MOVE}",
            "calls": "return CALL;",
            "pairs": "return view->cards[0] % 13 == view->cards[1] % 13 ? RAISE : CALL;",
            "high": "return view->cards[0] % 13 + view->cards[1] % 13 > 11 ? CALL : FOLD;",
        },
        ("int act(const View *view)", _RAISES_TO),
        (f"int drawn = rand() % 10; {_MOVE}", f"rand(); int drawn = rand() % 10; {_MOVE}"),
        f"int drawn = rand() % 10; if (view->cards[0] % 13 > 10 && drawn < 1) drawn = 1; {_MOVE}",
    ),
    "leduc": Table(
        {"rules": "open_spiel", "open_spiel_game": "leduc_poker(players=3)", "sessions": 30},
        {
            "any": f"int drawn = rand(); {_LEGAL}",
            "first": f"int drawn = 0; {_LEGAL}",
            "last": f"int drawn = view->legal_actions_count - 1; {_LEGAL}",
            "second": f"int drawn = 1; {_LEGAL}",
        },
        ("int act(const View *view)", ""),
        (f"int drawn = rand(); {_LEGAL}", f"rand(); int drawn = rand(); {_LEGAL}"),
        f"int drawn = rand(); if (rand() % 8 == 0) drawn = 1; {_LEGAL}",
    ),
}


def compared(name: str, config: Path, new: str, old: str, seed: str, replicas: int) -> MatchReport:
    """Return the report of two bodies of a bot at the same tables."""
    paths = []
    for version, body in (("new", new), ("old", old)):
        paths.append(config.parent / f"{version}.c")
        paths[-1].write_text(TABLES[name].source(body))
    return tournament.match(
        name, paths[0], baseline=paths[1], config=config, seed=seed, replicas=replicas, sessions=None, workers=1
    )


def interval(hits: int, tries: int) -> tuple[float, float]:
    """Return the interval of 95% for a probability, of C. Clopper and E. Pearson (1934)."""

    def bound(holds: int, at_least: float) -> float:
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            below = math.fsum(math.comb(tries, k) * middle**k * (1 - middle) ** (tries - k) for k in range(holds))
            low, high = (middle, high) if below > at_least else (low, middle)
        return low

    return (bound(hits, 0.975) if hits else 0.0), (bound(hits + 1, 0.025) if hits < tries else 1.0)


def twins(name: str, folder: Path, tries: int) -> str:
    """Return the row of a contest: how many tries tell twins apart."""
    table = TABLES[name]
    config, hits, exact = table.write(folder / "twins", name), 0, 0
    for number in range(tries):
        report = compared(name, config, *table.twins, seed=f"twins {number}", replicas=_REPLICAS_OF_A_TRY)
        assert report.difference
        hits += report.verdict != "open"
        exact += report.difference.value == 0
    low, high = interval(hits, tries)
    return f"| {name} | {tries} | {hits} | {low:.1%} to {high:.1%} | {exact} |"


def savings(name: str, folder: Path, replicas: int) -> str:
    """Return the row of a contest: games that a verdict takes, as a share of those without pairs."""
    table = TABLES[name]
    config, shares = table.write(folder / "savings", name), []
    others = list(table.field.values())
    for new, old in ((table.twins[0], table.twins[0]), (table.close, table.twins[0]), (others[1], others[2])):
        share = compared(name, config, new, old, "savings", replicas).games_of_unpaired
        shares.append("—" if share is None else f"{share:.2f}")
    return f"| {name} | {' | '.join(shares)} |"


def rows(tries: int, replicas: int, only: str) -> Iterator[str]:
    """Yield both tables, a line at a time."""
    chosen = [name for name in TABLES if only in name]
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as place:
        if tries:
            yield "| contest | tries | told apart | 95% interval | differences of 0 |"
            yield "|---|---|---|---|---|"
            yield from (twins(name, Path(place) / name, tries) for name in chosen)
        if replicas:
            yield "\n| contest | the same version | a close version | another bot |"
            yield "|---|---|---|---|"
            yield from (savings(name, Path(place) / name, replicas) for name in chosen)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Measure comparisons of two versions at the same tables.")
    parser.add_argument("--tries", type=int, default=200, help="matches between twins in each contest")
    parser.add_argument("--replicas", type=int, default=40, help="replicas that measure what pairs save")
    parser.add_argument("--only", default="", help="contests whose name has this text")
    options = parser.parse_args()
    for line in rows(options.tries, options.replicas, options.only):
        print(line, flush=True)


if __name__ == "__main__":
    main()
