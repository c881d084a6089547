"""Reading only what is asked for: the rows and columns that a whole reading has, and no other part is opened."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pandas as pd
import pandas.testing
import pyarrow.compute as pc
import pytest

import tournament
from tests.contest_runs import ContestDir, make_contest, with_texts
from tournament.errors import InputError
from tournament.records.results import Results
from tournament.store.folder_storage import FolderStorage


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> ContestDir:
    """Four bots, six matches, a part for each."""
    place = make_contest(tmp_path_factory.mktemp("selecting"), ["bold", "calm", "dull", "even"], sessions=40)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda pace, inline, *legs: inline == 1)
        place.play()
    return place


@pytest.fixture(scope="module")
def whole(place: ContestDir) -> Results:
    return tournament.load(place.results)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which the names of opened parts are added."""
    names: list[str] = []
    real = FolderStorage.open_data

    def open_data(storage: FolderStorage, name: str) -> object:
        names.append(name)
        return real(storage, name)

    monkeypatch.setattr(FolderStorage, "open_data", open_data)
    return names


def same(part: pd.DataFrame, whole: pd.DataFrame) -> None:
    pandas.testing.assert_frame_equal(with_texts(pd.DataFrame(part)), with_texts(whole.reset_index(drop=True)))


def test_load_of_matches_and_bots_opens_only_their_parts(place: ContestDir, whole: Results, opened: list[str]) -> None:
    games, sessions = whole.games, whole.sessions
    del opened[:]
    some = tournament.load(str(place.results), matches=[1, 4])
    same(some.games, games[games["match"].isin([1, 4])])
    same(some.sessions, sessions[sessions["match"].isin([1, 4])])
    assert sorted(name.partition("-")[0] for name in opened) == [
        f"{table}/000000000{match}" for table in ("games", "sessions") for match in (1, 4)
    ]
    assert len(some.standings) == 4
    theirs = games[(games.bot_0 == "dull") | (games.bot_1 == "dull")]
    assert theirs["match"].nunique() == 3
    same(tournament.load(str(place.results), bots=["dull"]).games, theirs)
    number = int(theirs["match"].iloc[0])
    both = tournament.load(str(place.results), bots=["dull", "even"], matches={number})
    same(both.games, games[games["match"] == number])
    same(tournament.load(str(place.results), matches=()).games, games.iloc[:0])


def test_load_returns_columns_in_requested_order(place: ContestDir, whole: Results) -> None:
    for columns in (["bet", "bot_1", "folded"], ["a_gain", "match"]):
        same(tournament.load(str(place.results), columns=columns).games, whole.games[columns])
    some = tournament.load(str(place.results), columns=["points_0", "bot_0", "bet"], bots=["bold"])
    sessions = whole.sessions
    same(some.sessions, sessions[(sessions.bot_0 == "bold") | (sessions.bot_1 == "bold")][["points_0", "bot_0"]])
    assert isinstance(some.sessions["bot_0"].dtype, pd.CategoricalDtype)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"columns": ["bet", "bets"]}, "unknown column 'bets'; expected one of: match, replica, session, game, bot_0"),
        ({"matches": [0, 77]}, "unknown match '77'; expected one of: 0, 1, 2, 3, 4, 5"),
        ({"bots": ["bolt"]}, "unknown bot with matches 'bolt'; expected one of: bold, calm, dull, even"),
        ({"matches": 3}, r"matches must be a list of numbers; write matches=\[3\]"),
        ({"columns": ["bet"]}, "sessions has none of the columns bet"),
    ],
)
def test_load_names_unknown_selection(place: ContestDir, given: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        _ = tournament.load(str(place.results), **given).sessions


def test_scan_has_same_rows_for_other_libraries(place: ContestDir, whole: Results, opened: list[str]) -> None:
    duckdb = import_module("duckdb")
    polars = import_module("polars")
    games = tournament.scan(str(place.results))
    assert opened == []
    assert games.count_rows() == len(whole.games)
    same(games.to_table().to_pandas(), whole.games)
    del opened[:]
    same(games.to_table(filter=pc.field("match") == 3).to_pandas(), whole.games[whole.games["match"] == 3])
    assert len(set(opened)) == 1
    bets = whole.games.groupby("match")["bet"].mean()
    found = duckdb.sql("SELECT match, avg(bet) FROM games GROUP BY match ORDER BY match").fetchall()
    assert found == [(match, pytest.approx(mean)) for match, mean in bets.items()]
    lazily = polars.scan_pyarrow_dataset(games).filter(polars.col("match") == 3).select("bet").collect()
    assert lazily["bet"].to_list() == whole.games[whole.games["match"] == 3]["bet"].tolist()
    few = tournament.scan(str(place.results), "sessions", bots=["calm"], matches=[0])
    assert few.to_table()["match"].unique().to_pylist() == [0]
    assert duckdb.sql("SELECT count(*), max(match) FROM few").fetchall() == [(40, 0)]


def test_scan_finds_flipped_bit(place: ContestDir) -> None:
    path = next((place.results / "games").glob("0000000002-*"))
    content = path.read_bytes()
    games = tournament.scan(str(place.results))
    path.write_bytes(content[:3000] + bytes([content[3000] ^ 4]) + content[3001:])
    try:
        with pytest.raises(OSError, match=r"(?i:crc|corrupt|checksum)"):
            games.to_table()
    finally:
        path.write_bytes(content)
