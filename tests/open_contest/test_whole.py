"""Many authors at once, a server that is killed now and then, and a final that one run would have been, too."""

from __future__ import annotations

import io
import json
import re
import tempfile
import threading
import time
import zipfile
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import tournament
from tests.contest_runs import CONTEST, assert_same, bot_source, read_outcome
from tests.open_contest.support import Process
from tests.processes import wait_until
from tournament.contests import find_contest
from tournament.entrants.new import write_new_bot
from tournament.open_contest.authors import add_author
from tournament.runner.seed import read_seed
from tournament.store.storage import open_storage

PYTHON = "def a(bot):\n    {}\n\ndef b(bot, bet):\n    return bot.card > 0.3\n"


def bots() -> list[tuple[str, bytes, str]]:
    """Return files with bots of several kinds, and a pattern of why each isn't fit, "" for those that are."""
    program = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(program, "w") as archive:
        for path in write_new_bot(find_contest(CONTEST), Path(folder), "bot", "program-python").iterdir():
            archive.writestr(f"bot/{path.name}", path.read_text())
    return [
        ("program.zip", program.getvalue(), ""),
        ("torn.c", b"int a(const Bot *bot) { return 1 }", "error: expected ';'"),
        ("in_cpp.cpp", bot_source(4, 3).encode(), ""),
        ("in_c.c", bot_source(6, 5).encode(), ""),
        ("fails.py", PYTHON.format("return no_such_name").encode(), "no_such_name"),
        ("loops.py", PYTHON.format("while True: pass").encode(), "time|too slow"),
    ]


@pytest.mark.slow
def test_killed_server_loses_no_bot_and_final_equals_one_run(tmp_path: Path) -> None:
    settings = f"[{CONTEST}]\nsessions = 10\n"
    (tmp_path / "tournament.toml").write_text(settings)
    entrants = tmp_path / "entrants" / CONTEST
    entrants.mkdir(parents=True)
    handed_in = bots()
    tokens = [add_author(tmp_path / "authors.toml", f"author_{number}") for number in range(len(handed_in))]
    with Process(tmp_path) as served:
        outcomes: dict[str, list[tuple[str, str]]] = {}

        def hand_in(token: str, file: str, content: bytes) -> None:
            status, job = served.ask("PUT", f"/bots/{file}", token, content)
            while status == 202:
                status, job = served.ask("GET", f"{job['url']}?wait=20", token)
            outcomes.setdefault(file, []).append((job["state"], job["said"]))

        threads = [threading.Thread(target=hand_in, args=(token, *bot[:2])) for token, bot in zip(tokens, handed_in)]
        for thread in threads:
            thread.start()
        time.sleep(3)
        served.kill()
        served.start()
        for thread in threads:
            thread.join()
        for file, _, why in handed_in:
            ((state, said),) = outcomes[file]
            assert state == ("not fit" if why else "entered") and re.search(why, said), (file, state, said)
        fit = {file.partition(".")[0] for file, _, why in handed_in if not why}
        board = tmp_path / "published" / "c" / CONTEST / "board.json"

        def names() -> list[str]:
            with suppress(FileNotFoundError):
                return [line["name"] for line in json.loads(board.read_bytes())["leaderboard"]]
            return []

        assert wait_until(lambda: sorted(names()) == sorted(fit), 300)
        closes = (datetime.now(UTC) + timedelta(seconds=1)).isoformat(timespec="seconds")
        (tmp_path / "tournament.toml").write_text(f"{settings}[watch]\ncloses = {closes}\n")
        time.sleep(3)
        served.kill()  # The final is being played.
        served.start()
        assert served.says("the final is played", 400)
        assert served.ask("PUT", "/bots/late.c", tokens[0], b"")[0] == 403
        served.kill()
    final = next((tmp_path / "results").glob(f"final-*/{CONTEST}"))
    seed = read_seed(open_storage(str(final)), tournament.load(str(final)).setup.settings["seed"])
    (tmp_path / "tournament.toml").write_text(f'{settings}seed = "{seed}"\n')
    tournament.run(CONTEST, config=tmp_path / "tournament.toml", results=tmp_path / "again", executor="local")
    assert_same(read_outcome(final), read_outcome(tmp_path / "again" / CONTEST))
