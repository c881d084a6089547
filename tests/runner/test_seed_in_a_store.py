"""The seed of a run whose records lie in an object store: kept there, brought back, missed when it is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contest_runs import CONTEST, SEEDS, Listener, new_place
from tests.object_store import new_location
from tournament.errors import RunFailed
from tournament.keys import master_key, seed_fingerprint
from tournament.store.storage import inside, open_storage


def test_a_seed_lies_beside_the_records_of_an_object_store(tmp_path: Path, object_store: str) -> None:
    place = new_place(tmp_path, ["bold", "calm"])
    place.config.write_text(place.config.read_text().replace(f'seed = "{SEEDS[7]}"\n', ""))
    location = new_location(object_store)

    def games() -> int:
        counter = Listener()
        place.play(results=location, watcher=counter)
        return counter.games

    assert games() > 0
    storage = open_storage(inside(location, CONTEST))
    name, copy = sorted(storage.list("secret"))
    seed = storage.read(f"secret/{name}")
    assert name == seed_fingerprint(master_key(seed.decode())) and len(seed) == 32
    for folder in ("ledger", "games", "sessions"):
        for entry in storage.list(folder):
            assert seed not in storage.read(f"{folder}/{entry}")
    assert games() == 0
    storage.replace(f"secret/{name}", b"another seed")
    assert games() == 0
    assert storage.read(f"secret/{name}") == storage.read(f"secret/{copy}") == seed
    for one in (name, copy):
        storage.replace(f"secret/{one}", b"another seed")
    with pytest.raises(RunFailed, match="is damaged, the seed of these records"):
        games()
    for one in (name, copy):
        storage.remove(f"secret/{one}")
    with pytest.raises(RunFailed, match="is missing, the seed of these records"):
        games()
    storage.replace(f"secret/{name}", seed)
    assert games() == 0
