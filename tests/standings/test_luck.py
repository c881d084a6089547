"""Scores corrected for luck: the same expectation, less variance, and noted beside the records."""

from __future__ import annotations

import itertools
import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from engine.games.von_neumann_poker.card_cells import CELLS, CELLS_A_SIDE
from engine.games.von_neumann_poker.core import VonNeumannPoker
from engine.kernel.game_core import BLOCK_COUNT
from engine.kernel.records import Table
from tests.built_in import VON_NEUMANN_POKER
from tests.contest_runs import CONTEST, command_line, environment, make_contest, make_shipped_contest
from tests.oracles.deals import key_of
from tournament.api import run, verify
from tournament.contests.von_neumann_poker.luck import LegsLuck, usual_gains
from tournament.contests.von_neumann_poker.rules import LUCK_COLUMNS
from tournament.records.results import load
from tournament.store.columns import buffer_fields
from tournament.store.leg_sums import LegSums


def invented(seed: int, sessions: int, length: int = 10) -> dict[str, npt.NDArray[Any]]:
    """Games of a leg in which A wins ten dollars by the higher card, or is paid for a high one."""
    chance = np.random.default_rng(seed)
    count = sessions * length
    a, b = (chance.integers(0, 1 << 24, count).astype(np.float32) / np.float32(1 << 24) for _ in "ab")
    gain = np.where(a > 0.8, np.where(b > 0.5, 30, 10) * np.where((a > b) | (b <= 0.5), 1, -1), 10 * np.sign(a - b))
    return {
        "session": np.repeat(np.arange(sessions, dtype=np.int32), length) + 5,
        "seat_0_is_a": (np.arange(count) % 2 == 0).astype(np.uint8),
        "a_card": a,
        "b_card": b,
        "a_gain": gain.astype(np.int8),
    }


def plain_luck(games: dict[str, npt.NDArray[Any]], sessions: int) -> list[float]:
    """Return the luck game by game: what these cards won before, and usually, less the mean over all cards."""
    columns = [games[name].tolist() for name in LUCK_COLUMNS]
    counts, gains = [0] * CELLS, [0] * CELLS
    usual = usual_gains().tolist()
    before: list[tuple[int, int]] = []
    found = []
    played = 0
    for block in range(BLOCK_COUNT):
        own = [row for row in zip(*columns) if (row[0] - 5) * BLOCK_COUNT // sessions == block]
        worth = [(gain + 5 * base) / (count + 5) for gain, base, count in zip(gains, usual, counts)]
        half = CELLS // 2
        means = (sum(worth[:half]) / half, sum(worth[half:]) / half)
        length = (len(before) + 250) / (played + 10)
        total = 0.0
        cells = []
        for _, seat_0_is_a, a, b, gain in own:
            cell = seat_0_is_a * half + int(a * CELLS_A_SIDE) * CELLS_A_SIDE + int(b * CELLS_A_SIDE)
            total += worth[cell] - means[seat_0_is_a]
            cells.append((cell, gain if seat_0_is_a else -gain))
        found.append(1.1 * total / math.sqrt(length))
        for cell, gain in cells:
            counts[cell] += 1
            gains[cell] += gain
        before += cells
        played += len({row[0] for row in own})
    return found


@pytest.mark.parametrize("sessions", [3, 70])
def test_luck_equals_plain_oracle_however_games_are_cut(sessions: int) -> None:
    games = invented(1, sessions)
    luck = LegsLuck(sessions)
    edges = [0, 1, 17, sessions * 6, sessions * 10]
    for first, end in itertools.pairwise(edges):
        luck.add(
            {name: values[first:end] for name, values in games.items()}, [] if first else [0], [] if first else [5]
        )
    assert luck.blocks() == pytest.approx(np.array([plain_luck(games, sessions)]), abs=1e-9)


def _replies(card: float, memory: list[float], seat: int) -> int:
    """Answer as a bot that plays the bolder, the higher its first cards were."""
    if len(memory) < 20:
        memory.append(card)
    bold = sum(memory) / len(memory)
    return int(card > 1 - bold) * (10 + int(40 * bold) if seat == 0 else 1)


def _steers(card: float, memory: list[float], seat: int) -> int:
    """Answer as a bot that plays one way to be learned, then the other."""
    memory.append(card)
    turned = len(memory) // 20 % 2 == 1
    return int((card > 0.5) != turned) * (50 if seat == 0 else 1)


@pytest.mark.statistical
@pytest.mark.parametrize(("replies", "most_left"), [(_replies, 0.75), (_steers, 1.5)])
def test_luck_has_mean_zero_whatever_bots_remember(
    replies: Callable[[float, list[float], int], int], most_left: float
) -> None:
    legs, sessions = 150, 12
    luck, points = np.zeros(legs), np.zeros(legs)
    for number in range(legs):
        games = Table(buffer_fields(VON_NEUMANN_POKER.games), 50 * sessions)
        table = Table(buffer_fields(VON_NEUMANN_POKER.sessions), sessions)
        core = VonNeumannPoker(games, table, deals_key=key_of(number), sessions=sessions)
        memories: tuple[list[float], list[float]] = ([], [])
        status, answer = core.play(0), 0
        while core.sessions_played < sessions:
            kind, seat, view = core.pending()
            answer = replies(float(np.frombuffer(view, np.float32, 1)[0]), memories[seat], kind)
            status = core.play(answer)
        assert status is not None
        one = LegsLuck(sessions)
        one.add({name: games.arrays[name][: games.rows] for name in LUCK_COLUMNS}, [0], [0])
        luck[number], points[number] = one.blocks().sum(), core.sums()[0].points
    assert abs(luck.mean()) < 3.5 * luck.std() / math.sqrt(legs)
    assert (points - luck).var() < most_left * points.var()


def test_run_records_luck_of_each_leg(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"], 60, "replicas = 2")
    place.play()
    first = load(str(place.results))
    known = {line.name: line.score for line in first.ranking.entrants}
    games = first.games.sort_values(["match", "session", "game"])
    for match in first.ranking.matches:
        for replica in range(2):
            leg = LegsLuck(60)
            rows = games[(games.match == match.match) & (games.session // 60 == replica)]
            columns = {name: rows[name].to_numpy() for name in LUCK_COLUMNS}
            leg.add(columns | {"seat_0_is_a": rows.seat_0_is_a.to_numpy(np.uint8)}, [0], [60 * replica])
            known[match.x] -= leg.blocks().sum() / 2
            known[match.y] += leg.blocks().sum() / 2
    for line in first.ranking.entrants:
        assert line.adjusted_score == pytest.approx(known[line.name]) != line.score
        assert (line.adjusted_ci_low or 0.0) < (line.adjusted_score or 0.0) < (line.adjusted_ci_high or 0.0)


SHIPPED_BOTS = {
    "von_neumann_poker": ("sessions = 200\nreplicas = 2\nduplicate = true", 3000, "naive.c kuhn3.c"),
    "holdem_training": ("sessions = 3\nhands = 250", 700, "always_all_in.cpp threshold.cpp"),
}


def sums_in(results: Path) -> dict[str, tuple[LegSums, ...]]:
    """Return the sums of each leg."""
    return {leg.digest: leg.sums for batch in load(str(results)).batches for leg in batch.legs}


@pytest.mark.parametrize("contest", SHIPPED_BOTS)
def test_luck_while_playing_equals_that_from_records(
    contest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Buffers hold several legs, and are emptied in the middle of legs."""
    settings, rows, bots = SHIPPED_BOTS[contest]
    config = make_shipped_contest(tmp_path, contest, bots, f"seed = 5\n{settings}")
    if contest == CONTEST:
        bot = "def a(bot): return 20 if bot.card > 0.6 else 0\ndef b(bot, bet): return bot.card > 0.5\n"
        (tmp_path / "bots" / "python.py").write_text(bot)
    with monkeypatch.context() as patch:
        patch.setattr("tournament.worker.batch.ROWS_PER_BUFFER", rows)
        patch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda *_: False)
        run(contest, config=config, workers=1, executor="local")
    results = tmp_path / "results" / contest
    assert len(list((results / "games").iterdir())) == 1
    assert any(sums[0].luck for sums in sums_in(results).values()) and verify(contest, config=config).problems == ()
    run(contest, config=config, results=tmp_path / "whole", workers=1, executor="local")
    assert sums_in(results) == sums_in(tmp_path / "whole" / contest)


@pytest.mark.slow
@pytest.mark.parametrize("contest", SHIPPED_BOTS)
def test_luck_is_same_on_older_processor(contest: str, tmp_path: Path) -> None:
    """OpenBLAS and numpy are told to work as on an old processor, without fused multiplications."""
    settings, _, bots = SHIPPED_BOTS[contest]
    config = make_shipped_contest(tmp_path, contest, bots, f"seed = 5\n{settings}")
    known: dict[str, bool] = np._core._multiarray_umath.__cpu_features__  # type: ignore[attr-defined]
    dispatched: list[str] = np._core._multiarray_umath.__cpu_dispatch__  # type: ignore[attr-defined]
    features = " ".join(name for name in dispatched if known.get(name))
    words = ["run", contest, "--config", str(config), "--executor", "local", "--workers", "1", "--results"]
    for place, more in (
        ("new", {}), ("old", {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": features}),
    ):  # fmt: skip
        subprocess.run(command_line([*words, str(tmp_path / place)]), env=environment(more), check=True)
    sums = sums_in(tmp_path / "new" / contest)
    assert any(of_leg[0].luck for of_leg in sums.values()) and sums == sums_in(tmp_path / "old" / contest)
