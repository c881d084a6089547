"""Bots that are ready play while others are built, and the records are as if all had been ready at once."""

from __future__ import annotations

import threading
from pathlib import Path

import pandas as pd
import pytest

from tests.contest_runs import (
    CONTEST,
    ContestDir,
    Listener,
    assert_same,
    bot_source,
    in_order,
    make_contest,
    read_outcome,
)
from tournament.artifacts.bot import Entrant, Submission
from tournament.config import load_config
from tournament.contests import find_contest
from tournament.entrants import build
from tournament.runner.contest_run import run_prepared
from tournament.runner.listener import Progress
from tournament.runner.prepare import prepare_contest

BOTS = ["bold", "calm", "dull"]


class Waiting(Listener):
    """A listener of a run in which "calm" is built once something has been said, or the others have played."""

    def __init__(self, place: ContestDir, cue: str) -> None:
        super().__init__()
        self._place, self._cue = place, cue
        self.may_be_built = threading.Event()
        self.others_played = False

    def on_message(self, text: str) -> None:
        super().on_message(text)
        if self._cue and text.startswith(self._cue):
            self.may_be_built.set()

    def on_progress(self, progress: Progress) -> None:
        super().on_progress(progress)
        if not self._cue:
            self.others_played |= len(pd.read_parquet(self._place.results / "games")) > 0
            self.may_be_built.set()


def play(place: ContestDir, listener: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run with no patience at all."""
    built = build.Builds.build

    def build_late(builds: build.Builds, submission: Submission) -> Entrant | build.PostponedBuild:
        if submission.name == "calm":
            assert listener.may_be_built.wait(60)
        return built(builds, submission)

    with monkeypatch.context() as patch:
        patch.setattr(build.Builds, "build", build_late)
        patch.setattr(build, "_POLL_SECONDS", 0.05)
        patch.setattr(build, "_MESSAGE_SECONDS", 0.1)
        config = load_config(CONTEST, place.config, workers=1, executor="local")
        with prepare_contest(find_contest(CONTEST), config, listener, 0) as prepared:
            run_prepared(prepared, listener)


def test_ready_bots_play_while_another_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late, ready = (make_contest(tmp_path / name, BOTS) for name in ("late", "ready"))
    ready.play()
    listener = Waiting(late, "")
    play(late, listener, monkeypatch)
    assert listener.others_played and "Playing without calm, still being built" in listener.said
    assert_same(in_order(read_outcome(late.results)), in_order(read_outcome(ready.results)))


def test_bot_with_recorded_games_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise its games would leave the records, and be played again."""
    place = make_contest(tmp_path, BOTS)
    place.play()
    place.write_bot("dull", bot_source(1, 2))
    listener = Waiting(place, "Still building calm…")
    play(place, listener, monkeypatch)
    assert not any(text.startswith("Playing without") for text in listener.said)
    # Changed, it is no longer the one of the records.
    place.write_bot("calm", bot_source(2, 3))
    listener = Waiting(place, "Playing without calm")
    play(place, listener, monkeypatch)
    assert listener.may_be_built.is_set()
