"""Numbers from rand() are uniform over a hundred thousand games."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.support import build_folder, play_built, poker_settings


@pytest.mark.statistical
def test_rand_is_uniform(tmp_path: Path) -> None:
    passes = "int b(const Bot *bot, const Money aBet) { return 1; }\n"
    bots = build_folder(
        tmp_path,
        {
            "gambler.c": f"Money a(const Bot *bot) {{ return rand() < RAND_MAX / 4 ? 10 : 0; }}\n{passes}",
            "passer.c": f"Money a(const Bot *bot) {{ return 0; }}\n{passes}",
        },
    )
    result, sink = play_built(
        bots["gambler"], bots["passer"], settings=poker_settings(sessions=30_000), deals_key=20_200_819
    )
    assert result.faults == ()
    bets = sink.column("games.bet")[sink.column("games.seat_0_is_a") == 1] > 0
    assert len(bets) > 100_000
    for happened, chance in ((bets, 1 / 4), (bets[1:] & bets[:-1], 1 / 16)):
        assert abs(happened.mean() - chance) < 4 * math.sqrt(chance * (1 - chance) / len(happened))
