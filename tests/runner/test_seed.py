"""The seed of a run: drawn, given or recorded, and kept where it belongs and nowhere else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.contest_runs import CONTEST, SEEDS, ContestDir, Listener, bot_source, make_contest
from tournament import api
from tournament.errors import RunError
from tournament.keys import master_key, seed_fingerprint
from tournament.records.results import load


def without_seed(folder: Path) -> ContestDir:
    place = make_contest(folder, ["bold", "calm"])
    place.config.write_text(place.config.read_text().replace(f'seed = "{SEEDS[7]}"\n', ""))
    return place


def play(place: ContestDir, **options: int | str) -> Listener:
    listener = Listener()
    api.run(CONTEST, config=place.config, executor="local", workers=1, listener=listener, **options)  # type: ignore[arg-type]
    return listener


def secrets_of(place: ContestDir) -> list[Path]:
    """Return the seed's file and its copy."""
    return sorted(path for path in (place.results / "secret").iterdir() if path.is_file())


def test_each_run_without_seed_draws_one_and_keeps_it(tmp_path: Path) -> None:
    cards = []
    for name in ("one", "other"):
        place = without_seed(tmp_path / name)
        play(place)
        kept, copy = secrets_of(place)
        assert len(bytes.fromhex(kept.read_text())) == 16
        cards.append(set(load(str(place.results)).games.a_card))
        place.write_bot("newcomer", bot_source(2, 3))
        assert play(place).games > 0
        assert secrets_of(place) == [kept, copy] and cards[-1] <= set(load(str(place.results)).games.a_card)
    assert len(cards[0] & cards[1]) < 3  # There are some hundred of 16 million.


def test_seed_is_stored_for_owner_alone_and_nowhere_else(tmp_path: Path) -> None:
    seed = "a sentence that no one else knows"
    place = without_seed(tmp_path)
    play(place, seed=seed)
    kept, copy = secrets_of(place)
    assert kept.read_text() == copy.read_text() == seed
    assert kept.name == seed_fingerprint(master_key(seed)) == copy.name.removesuffix("-copy")
    assert [os.stat(path).st_mode & 0o777 for path in (kept, copy, kept.parent)] == [0o600, 0o600, 0o700]
    master = master_key(seed)
    for path in place.results.rglob("*"):
        if path.is_file() and path not in (kept, copy):
            content = path.read_bytes()
            assert seed.encode() not in content and master not in content and master.hex().encode() not in content, path


def test_damaged_or_missing_seed_is_refused(tmp_path: Path) -> None:
    place = without_seed(tmp_path)
    play(place)
    kept, copy = secrets_of(place)
    seed = kept.read_text()
    kept.write_text("another")
    copy.write_text("another")
    with pytest.raises(RunError, match="is damaged, the seed of these records"):
        play(place)
    shutil.rmtree(kept.parent)
    with pytest.raises(RunError, match="is missing, the seed of these records"):
        play(place)
    assert play(place, seed=seed).games == 0
    assert play(place).games == 0


@pytest.mark.parametrize(("which", "is_gone"), [(0, False), (1, True)])
def test_seed_is_restored_from_its_copy(tmp_path: Path, which: int, is_gone: bool) -> None:
    place = without_seed(tmp_path)
    play(place)
    both = secrets_of(place)
    before, content = both[which], bytearray(both[which].read_bytes())
    content[5] ^= 4
    before.unlink() if is_gone else before.write_bytes(bytes(content))
    (problem,) = api.verify(CONTEST, config=place.config).problems
    assert problem.path == f"secret/{before.name}"
    place.write_bot("newcomer", bot_source(2, 3))
    again = play(place)
    assert again.games > 0
    assert f"secret/{before.name} was damaged or missing: it is back from its copy" in again.said
    assert {path.read_bytes() for path in secrets_of(place)} == {both[1 - which].read_bytes()}
    assert os.stat(before).st_mode & 0o777 == 0o600
    assert api.verify(CONTEST, config=place.config).problems == ()


def test_guessable_seed_causes_warning(tmp_path: Path) -> None:
    place = without_seed(tmp_path)
    for seed, warned in (("secret", True), ("a sentence that no one else knows", False)):
        said = play(place, seed=seed, archive=True).said
        assert any("can be guessed" in text for text in said) == warned
