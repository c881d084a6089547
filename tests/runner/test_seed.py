"""The seed of a run: drawn, given or recorded, and kept where it belongs and nowhere else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.contest_runs import CONTEST, SEEDS, ContestDir, Listener, make_contest
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


def test_a_run_without_a_seed_draws_one_and_goes_on_with_it(tmp_path: Path) -> None:
    place = without_seed(tmp_path)
    assert play(place).games > 0
    kept, copy = secrets_of(place)
    assert len(bytes.fromhex(kept.read_text())) == 16
    games = load(str(place.results)).games
    assert play(place).games == 0
    place.write_bot("newcomer", "int a(const Bot *b) { return 9; } int b(const Bot *b, const int bet) { return 0; }")
    again = play(place)
    assert again.games > 0 and not any("another seed" in text for text in again.said)
    assert secrets_of(place) == [kept, copy]
    both = load(str(place.results)).games.merge(games, on=["match", "session", "game"], suffixes=("", "_before"))
    assert len(both) == len(games)
    assert (both.a_card == both.a_card_before).all()


def test_two_runs_without_a_seed_have_other_cards(tmp_path: Path) -> None:
    cards = []
    for name in ("one", "other"):
        place = without_seed(tmp_path / name)
        play(place)
        cards.append(set(load(str(place.results)).games.a_card))
    assert len(cards[0] & cards[1]) < 3  # There are some hundred of 16 million.


def test_the_seed_is_its_owners_alone_and_stands_nowhere_else(tmp_path: Path) -> None:
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


def test_records_whose_seed_is_missing_or_another_say_so(tmp_path: Path) -> None:
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
def test_a_seed_of_which_one_copy_is_damaged_or_gone_is_mended(tmp_path: Path, which: int, is_gone: bool) -> None:
    place = without_seed(tmp_path)
    play(place)
    both = secrets_of(place)
    before, content = both[which], bytearray(both[which].read_bytes())
    content[5] ^= 4
    before.unlink() if is_gone else before.write_bytes(bytes(content))
    (problem,) = api.verify(CONTEST, config=place.config).problems
    assert problem.path == f"secret/{before.name}"
    place.write_bot("newcomer", "int a(const Bot *b) { return 9; } int b(const Bot *b, const int bet) { return 0; }")
    again = play(place)
    assert again.games > 0
    assert f"secret/{before.name} was damaged or missing: it is back from its copy" in again.said
    assert {path.read_bytes() for path in secrets_of(place)} == {both[1 - which].read_bytes()}
    assert os.stat(before).st_mode & 0o777 == 0o600
    assert api.verify(CONTEST, config=place.config).problems == ()


@pytest.mark.parametrize(("seed", "warned"), [("secret", True), ("a sentence that no one else knows", False)])
def test_a_guessable_seed_is_named_so(tmp_path: Path, seed: int | str, warned: bool) -> None:
    place = without_seed(tmp_path)
    said = play(place, seed=seed).said
    assert any("can be guessed" in text for text in said) == warned
