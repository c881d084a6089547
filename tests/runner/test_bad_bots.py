"""Bots that misbehave cost nobody else anything: one line each, and the rest play as without them."""

from __future__ import annotations

import faulthandler
from pathlib import Path
from typing import Literal

import pytest

import tournament
from tournament.standings.results import Results

SEED = 7  # of all runs whose games are compared
GOOD = {
    "steady.c": "int a(const Bot *b) { return b->card > 0.6f ? 20 : 0; }"
    " int b(const Bot *b, int x) { return b->card > 0.5f; }",
    "loose.c": "int a(const Bot *b) { return 5; } int b(const Bot *b, int x) { return 1; }",
}
CALL = " int b(const Bot *b, int x) { return 1; }"
# Each with the status and a word of the reason that the leaderboard must give.
BAD = {
    "no_brace.c": ("int a(const Bot *b) { return 1;" + CALL, "broken", "error:"),
    "no_b.c": ("int a(const Bot *b) { return 1; }", "broken", "lacks the function b"),
    "opens_files.c": ('int a(const Bot *b) { return fopen("/etc/passwd", "r") != 0; }' + CALL, "broken", "imports"),
    "runs_programs.c": ('int a(const Bot *b) { return system("ls"); }' + CALL, "broken", "uses system"),
    "vast.c": (
        "static volatile char x[2000000000]; int a(const Bot *b) { return x[b->money]; }" + CALL,
        "broken",
        "GiB",
    ),
    "huge.c": (
        "static volatile char x[1 << 27]; int a(const Bot *b) { return x[b->money]; }" + CALL,
        "broken",
        "can't start",
    ),
    "never_starts.cpp": (
        "struct S { S() { for (volatile int i = 0;; i = i + 1) {} } } s;"
        "int a(const Bot *) { return 1; } int b(const Bot *, int) { return 1; }",
        "broken",
        "can't start: ran out of fuel",
    ),
    "loops.c": ("int a(const Bot *b) { for (volatile int i = 0;; i = i + 1) {} }" + CALL, "disqualified", "fuel"),
    "loops_late.c": (
        "static int n; int a(const Bot *b) { if (++n > 100) for (volatile int i = 0;; i = i + 1) {} return 0; }" + CALL,
        "disqualified",
        "fuel",
    ),
    "recurses.c": (
        "static int deep(volatile int *p) { volatile int x = *p + 1; return deep(&x) + x; }"
        "int a(const Bot *b) { volatile int x = 0; return deep(&x); }" + CALL,
        "disqualified",
        "recursed",
    ),
    "divides.c": (
        "int a(const Bot *b) { volatile int z = 0; return 100 / z; }" + CALL,
        "disqualified",
        "divided by zero",
    ),
    "writes.c": (
        "int a(const Bot *b) { *(volatile int *)0x7fffffff = 1; return 1; }" + CALL,
        "disqualified",
        "out of bounds",
    ),
    "allocates.c": (
        "int a(const Bot *b) { for (;;) { char *volatile p = malloc(1 << 20); if (!p) abort(); p[5] = 1; } }" + CALL,
        "disqualified",
        "gave up",
    ),
    "exits.c": ("int a(const Bot *b) { exit(0); }" + CALL, "disqualified", "gave up"),
    "throws.cpp": (
        "int a(const Bot *) { throw 1; } int b(const Bot *, int) { return 1; }",
        "disqualified",
        "threw int",
    ),
    "not_wasm.wasm": ("this is no WebAssembly", "broken", "not a WebAssembly module"),
}


def played(
    folder: Path, bots: dict[str, str], seed: int = SEED, executor: Literal["local", "ray"] = "local"
) -> Results:
    """The results of a small tournament of these sources."""
    entrants = folder / "entrants"
    entrants.mkdir(parents=True)
    for name, source in bots.items():
        (entrants / name).write_text(source)
    config = folder / "tournament.toml"
    config.write_text("[von_neumann_poker]\nfuel_per_decision = 10_000_000\n")  # of what never ends
    return tournament.run(
        config=config,
        entrants=entrants,
        results=folder / "results",
        sessions=200,
        seed=seed,
        workers=2,
        executor=executor,
    )


def games_between(results: Results, x: str, y: str) -> bytes:
    """The columns of a pairing's games, all but the match number, as bytes."""
    games = results.games
    mine = games[(games.x == x) & (games.y == y)].drop(columns=["match", "x", "y"])
    assert len(mine)
    return b"".join(mine[column].to_numpy().tobytes() for column in mine)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """One tournament of all of them; faulthandler is on, as pytest has it."""
    assert faulthandler.is_enabled()
    bots = GOOD | {name: source for name, (source, _, _) in BAD.items()}
    return played(tmp_path_factory.mktemp("mixed"), bots)


@pytest.mark.parametrize("file", BAD)
def test_each_is_listed_with_its_reason(mixed: Results, file: str) -> None:
    _, status, word = BAD[file]
    entrants = mixed.entrants.set_index("name")
    line = entrants.loc[Path(file).stem]
    assert line.status == status
    assert word in line.reason
    if status == "disqualified":
        assert line.faults > 3
        assert "against" in line.reason and "session" in line.reason


def test_the_others_play_as_without_them(mixed: Results, tmp_path: Path) -> None:
    alone = played(tmp_path, GOOD)
    assert games_between(alone, "loose", "steady") == games_between(mixed, "loose", "steady")
    there = mixed.standings.set_index("name")
    for name in ("loose", "steady"):
        assert str(there.loc[name, "score"]) == str(alone.standings.set_index("name").loc[name, "score"])
        assert str(there.loc[name, "matches"]) == "1"


def test_matches_of_the_disqualified_stay_in_the_records(mixed: Results) -> None:
    names = set(mixed.games.x) | set(mixed.games.y)
    assert {"loops", "divides", "throws"} <= names
    assert "no_b" not in names


def test_a_fault_is_the_default_action_and_a_new_start(tmp_path: Path) -> None:
    # Traps in its first two games as A, then counts from empty memory again: three faults in all are allowed.
    source = (
        "static int n; int a(const Bot *b) { volatile int z = 0; ++n;"
        " if (b->money == 100 && b->card < 0.02f) return 100 / z; return n; }" + CALL
    )
    results = played(tmp_path, {"moody.c": source, "loose.c": GOOD["loose.c"]}, seed=1)
    line = results.entrants.set_index("name").loc["moody"]
    assert line.faults > 0
    games = results.games
    mine = games[~games.x_is_a]  # moody is y
    struck = mine[(mine.a_money == 100) & (mine.a_card < 0.02)]
    assert (struck.bet == 0).all()
    first_after = mine[mine.index > struck.index[0]].iloc[0]
    assert first_after.bet == 1 or first_after.bet == 0


def test_traps_inside_ray_workers(tmp_path: Path, mixed: Results) -> None:
    bots = GOOD | {name: BAD[name][0] for name in ("divides.c", "writes.c", "recurses.c", "loops.c")}
    results = played(tmp_path, bots, executor="ray")
    lines = results.entrants.set_index("name")
    for name in ("divides", "writes", "recurses", "loops"):
        assert lines.loc[name, "status"] == "disqualified"
        assert lines.faults[name] > 3
    assert games_between(results, "loose", "steady") == games_between(mixed, "loose", "steady")


def test_two_files_of_one_name(tmp_path: Path) -> None:
    results = played(
        tmp_path, GOOD | {"steady.cpp": "int a(const Bot *) { return 0; } int b(const Bot *, int) { return 0; }"}
    )
    line = results.entrants.set_index("name").loc["steady.cpp"]
    assert line.status == "broken"
    assert "has the name of steady.c" in line.reason
