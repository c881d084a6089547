"""Bots that misbehave cost nobody else anything: one line each, and the rest play as without them."""

from __future__ import annotations

from pathlib import Path

import pytest

import tournament
from tests.hostile import field
from tests.hostile.field import games_between
from tournament.records.results import Results

SEED = 7  # of all runs whose games are compared
GOOD = {name: source for name, source in field.GOOD.items() if isinstance(source, str) and not name.endswith(".py")}
CALL = " int b(const Bot *b, int x) { return 1; }"
# Each with the status and a word of the reason that the leaderboard must give; tests/hostile has many more.
BAD = {
    "no_b.c": ("int a(const Bot *b) { return 1; }", "broken", "lacks the function b"),
    "divides.c": (
        "int a(const Bot *b) { volatile int z = 0; return 100 / z; }" + CALL,
        "disqualified",
        "divided by zero",
    ),
}


def played(folder: Path, bots: dict[str, str], seed: int = SEED) -> Results:
    """The results of a small tournament of these sources."""
    entrants = folder / "entrants"
    entrants.mkdir(parents=True)
    for name, source in bots.items():
        (entrants / name).write_text(source)
    return tournament.run(
        entrants=entrants,
        results=folder / "results",
        sessions=200,
        seed=seed,
        workers=2,
        executor="local",
    )


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """One tournament of all of them."""
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
    assert "divides" in names
    assert "no_b" not in names


def test_a_fault_is_the_default_action_and_a_new_start(tmp_path: Path) -> None:
    # Traps in its first two games as A, then counts from empty memory again: three faults in all are allowed.
    source = (
        "static int n; int a(const Bot *b) { volatile int z = 0; ++n;"
        " if (b->money == 100 && b->card < 0.02f) return 100 / z; return n; }" + CALL
    )
    results = played(tmp_path, {"moody.c": source, "loose.c": "int a(const Bot *b) { return 5; }" + CALL}, seed=1)
    line = results.entrants.set_index("name").loc["moody"]
    assert line.faults > 0
    games = results.games
    mine = games[~games.x_is_a]  # moody is y
    struck = mine[(mine.a_money == 100) & (mine.a_card < 0.02)]
    assert (struck.bet == 0).all()
    first_after = mine[mine.index > struck.index[0]].iloc[0]
    assert first_after.bet == 1 or first_after.bet == 0


def test_two_files_of_one_name(tmp_path: Path) -> None:
    """Newcomers: none of them plays."""
    twin = "int a(const Bot *) { return 0; } int b(const Bot *, int) { return 0; }"
    others = {"one.cpp": twin, "two.cpp": twin}
    results = played(tmp_path, GOOD | {"steady.cpp": twin} | others)
    lines = results.entrants.set_index("name").loc[["steady.c", "steady.cpp"]]
    assert set(lines.status) == {"broken"}
    assert set(lines.reason) == {"steady.c and steady.cpp have one name, and none of them plays: rename one of them"}
