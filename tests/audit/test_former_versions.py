"""Games of bots that have changed or left since are played again from what is kept beside the records."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tournament
from tests.built_in import VON_NEUMANN_POKER
from tests.commands import run_cli
from tests.contest_runs import CONTEST, ContestDir, bot_source, make_contest
from tournament.audit.replay import Replay
from tournament.entrants.new import write_new_bot
from tournament.errors import InputError, RunError
from tournament.store import kept_bots
from tournament.store.reading import read_field
from tournament.store.storage import open_storage

PYTHON = "def a(bot): return 20 if bot.card > 0.{0} else 0\ndef b(bot, bet): return int(bot.card > 0.{0})\n"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> ContestDir:
    place = make_contest(tmp_path_factory.mktemp("former"), ["bold", "calm"], sessions=4)
    (place.entrants / "snake.py").write_text(PYTHON.format(4))
    write_new_bot(VON_NEUMANN_POKER, place.entrants, "abacus", "program-python")
    place.play()
    return place


@pytest.fixture
def place(played: ContestDir, tmp_path: Path) -> ContestDir:
    shutil.copytree(played.folder, tmp_path / "copy")
    return ContestDir(tmp_path / "copy")


def replayed(place: ContestDir, *names: str) -> Replay:
    return tournament.replay(CONTEST, match=names, session=1, config=place.config)


def kept(place: ContestDir) -> dict[str, Path]:
    """Return the path of each bot that is kept with the records."""
    field = read_field(open_storage(str(place.results)))
    assert field is not None
    return {one.name: place.results / kept_bots.artifact_path(one.artifact) for one in field.entrants if one.artifact}


def edit(place: ContestDir) -> None:
    """Change or remove all bots but calm."""
    place.write_bot("bold", bot_source(9, 9))
    (place.entrants / "snake.py").unlink()
    (place.entrants / "abacus" / "bot.py").write_text("raise SystemExit\n")


def test_games_of_former_versions_replay_as_recorded(place: ContestDir) -> None:
    edit(place)
    for names in (("bold", "calm"), ("snake", "calm"), ("abacus", "bold"), ("abacus", "snake")):
        found = replayed(place, *names)
        assert found.mismatch == "" and found.games, names
    verified = tournament.verify(CONTEST, config=place.config, replay="all")
    assert (verified.problems, verified.replayed) == ((), 6)
    shutil.rmtree(place.entrants)  # the records alone are enough
    assert replayed(place, "snake", "bold").mismatch == ""


def test_versions_with_games_are_kept_for_owner_alone(place: ContestDir) -> None:
    before = kept(place)
    folder = next(iter(before.values())).parent
    assert {*folder.iterdir()} == {*before.values()} and len(before) == 4
    assert {path.stat().st_mode & 0o077 for path in (folder, *folder.iterdir())} == {0}
    place.write_bot("bold", bot_source(9, 9))
    place.play()
    after = kept(place)
    assert {*folder.iterdir()} == {*after.values()} and before["bold"] not in after.values()


def test_damaged_or_missing_kept_bot_is_named(place: ContestDir) -> None:
    path = kept(place)["snake"]
    edit(place)
    content = path.read_bytes()
    path.write_bytes(content[:-2] + bytes([content[-2] ^ 1]) + content[-1:])
    with pytest.raises(RunError, match=f"{path} has other bytes than were written; restore the bot's file"):
        replayed(place, "snake", "calm")
    found = tournament.verify(CONTEST, config=place.config, replay="all")
    assert [problem.path for problem in found.problems] == [str(path.relative_to(place.results))]
    assert any("not available as they played, so their legs aren't replayed: snake" in note for note in found.notes)
    path.unlink()
    with pytest.raises(InputError, match="snake is neither in the entrants folder nor stored with the records"):
        replayed(place, "snake", "calm")


@pytest.mark.parametrize("name", ["snake", "bold"])
def test_forged_kept_bot_is_refused(place: ContestDir, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Authors of forged records might have written the bots that are kept, with their hashes."""
    monkeypatch.setattr("tournament.audit.verify_games.read_bot", lambda storage, sha256: b"\0no bot" * 99)
    edit(place)
    with pytest.raises(RunError, match=f"isn't {name} as it played: .*; restore its file"):
        replayed(place, name, "calm")


def test_bots_beyond_size_limit_are_named_and_not_kept(place: ContestDir, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {name: path.stat().st_size for name, path in kept(place).items()}
    shutil.rmtree(place.results)
    monkeypatch.setattr(kept_bots, "MAX_BYTES", sum(sizes.values()) - 1)
    told = " ".join(run_cli(*place.arguments()).err.split())
    largest = max(sizes, key=lambda name: sizes[name])
    assert f"of bots: {largest}; to replay a game, put that version back among the entrants" in told
    assert {name for name, path in kept(place).items() if path.exists()} == sizes.keys() - {largest}
