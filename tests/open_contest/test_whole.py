"""Many authors at once, a server that is killed now and then, and a final that one run would have been, too."""

from __future__ import annotations

import io
import json
import random
import re
import socket
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

PYTHON = "def a(bot):\n    return {} if bot.card > 0.{} else 0\n\ndef b(bot, bet):\n    return bot.card > 0.{}\n"


def bots(count: int) -> list[tuple[str, bytes, str]]:
    """Return files with bots of several kinds, and a pattern of why each isn't fit, "" for those that are."""
    program = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(program, "w") as archive:
        for path in write_new_bot(find_contest(CONTEST), Path(folder), "bot", "program-python").iterdir():
            archive.writestr(f"bot/{path.name}", path.read_text())
    made = []
    for number in range(count):
        of = random.Random(number)
        above = of.randrange(2, 9), of.randrange(2, 9)
        kinds = {
            0: ("zip", program.getvalue(), ""),
            1: ("c", b"int a(const Bot *bot) { return 1 }", "error: expected ';'"),
            2: ("cpp", bot_source(*above).encode(), ""),
            3: ("py", b"def a(bot):\n    return no_such_name\n\ndef b(bot, bet): return 1\n", "no_such_name"),
            4: ("py", b"def a(bot):\n    while True: pass\n\ndef b(bot, bet): return 1\n", "time|too slow"),
        }
        kind, content, why = kinds.get(
            number % 20,
            ("c", bot_source(*above).encode(), "")
            if number % 2
            else ("py", PYTHON.format(of.randrange(1, 50), *above).encode(), ""),
        )
        made.append((f"bot_{number}.{kind}", content, why))
    return made


@pytest.mark.slow
@pytest.mark.parametrize(("count", "kills"), [(5, 1), pytest.param(100, 4, marks=pytest.mark.thorough)])
def test_many_authors_at_once_and_kills(tmp_path: Path, count: int, kills: int) -> None:
    """None is lost, none plays twice, each gets the right reason, and the final is one run over the same folder and
    seed."""
    settings = f"[{CONTEST}]\nsessions = 10\n"
    (tmp_path / "tournament.toml").write_text(settings)
    entrants = tmp_path / "entrants" / CONTEST
    entrants.mkdir(parents=True)
    tokens = [add_author(tmp_path / "authors.toml", f"author_{number}") for number in range(count)]
    handed_in = bots(count)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    served = Process(tmp_path, port)
    served.start()
    outcomes: dict[str, list[tuple[str, str]]] = {}

    def hand_in(token: str, file: str, content: bytes) -> None:
        status, job = served.ask("PUT", f"/bots/{file}", token, content)
        while status == 202:
            status, job = served.ask("GET", f"{job['url']}?wait=20", token)
        outcomes.setdefault(file, []).append((job["state"], job["said"]))

    threads = [threading.Thread(target=hand_in, args=(token, *bot[:2])) for token, bot in zip(tokens, handed_in)]
    for thread in threads:
        thread.start()
    chance = random.Random(44)
    for _ in range(kills):
        time.sleep(chance.uniform(1, 6))
        served.kill()
        served.start()
    for thread in threads:
        thread.join()
    try:
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
        time.sleep(chance.uniform(2, 4))
        served.kill()  # The final is being played.
        served.start()
        assert served.says("the final is played", 400)
        assert served.ask("PUT", "/bots/late.c", tokens[0], b"")[0] == 403
        served.kill()
    finally:
        if served.running and served.running.poll() is None:
            served.running.kill()
            served.running.wait()
    final = next((tmp_path / "results").glob(f"final-*/{CONTEST}"))
    seed = read_seed(open_storage(str(final)), tournament.load(str(final)).setup.settings["seed"])
    (tmp_path / "tournament.toml").write_text(f'{settings}seed = "{seed}"\n')
    tournament.run(CONTEST, config=tmp_path / "tournament.toml", results=tmp_path / "again", executor="local")
    assert_same(read_outcome(final), read_outcome(tmp_path / "again" / CONTEST))
