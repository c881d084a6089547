"""What errors are told from, and what that takes."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernel.game_core import BLOCK_COUNT
from tournament.standings.errors import Replicas, errors_of_matches, moments_of
from tournament.store.legs import Legs


def test_each_legs_blocks_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A field of a thousand bots has half a million legs: to copy all for each few thousand takes minutes."""
    count = 50_000
    whole = np.stack([np.arange(count), np.zeros(count), np.full(count, 40), np.full(count, 400)], axis=1).astype(int)
    sums = np.random.default_rng(1).normal(size=(count, 1, 2 + BLOCK_COUNT))
    players = np.tile(np.arange(2, dtype=np.int32), (count, 1))
    digest = np.frombuffer(bytes(32 * count), "S32")
    legs = Legs(digest, ("ann", "bob"), players, np.asfortranarray(whole), np.asfortranarray(sums), (), whole[:, 1])
    copied, plain = 0, np.ascontiguousarray

    def counting(values: np.ndarray) -> np.ndarray:
        nonlocal copied
        copied += values.size
        return plain(values)

    monkeypatch.setattr(np, "ascontiguousarray", counting)
    own = legs.of_seat(0)
    errors, _ = errors_of_matches(legs, own, Replicas.of(legs.match, legs.number, 1), legs.sessions)
    assert copied == count * BLOCK_COUNT
    moments = moments_of(own, legs.sessions)
    assert copied == 2 * count * BLOCK_COUNT
    blocks = plain(sums[:, 0, 2:])
    shares = np.diff(-(-np.arange(BLOCK_COUNT + 1) * 40 // BLOCK_COUNT))
    apart = blocks - shares * blocks.sum(axis=1, keepdims=True) / 40
    assert errors == pytest.approx(np.sqrt((apart**2).sum(axis=1) * BLOCK_COUNT / (BLOCK_COUNT - 1)))
    apart = blocks - shares * (sums[:, 0, :1] / 40)
    assert moments == pytest.approx(np.stack([np.full(count, 32), (apart**2).sum(axis=1), (apart**3).sum(axis=1)]))
