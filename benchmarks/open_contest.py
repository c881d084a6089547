"""Measure how quickly the server of an open contest answers a class.

    python -m benchmarks.open_contest rush [--authors 40] [--seconds 600]
    python -m benchmarks.open_contest reasons [--authors 10] [--uploads 20] [--seconds 600]

With `rush`, each author submits one bot at a random time. It prints how long the quick trials took from the upload, and
when the last full trial ended after the last upload. With `reasons`, authors submit sound and broken bots. It prints
how many answers had the right reason. Both exit with 1 if a bar isn't met.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tournament.open_contest.authors import add_author

_CONTEST = "von_neumann_poker"
_QUICK_SECONDS, _LAST_SECONDS = 10.0, 60.0
_C = "int a(const Bot *bot) {{ {a} }}\nint b(const Bot *bot, const int bet) {{ return bot->card > 0.5; }}\n"
_PYTHON = (
    "def a(bot):\n    {a}\n    return 50 if bot.card > {card} else 0\n\n\ndef b(bot, bet):\n    return bot.card > 0.5\n"
)


@dataclass(frozen=True)
class Kind:
    """A kind of bots: its source, the state in which its job ends, and a pattern of the reason."""

    suffix: str
    source: str
    state: str = "entered"
    reason: str = ""


_KINDS = {
    "sound C": Kind("c", _C.format(a="return bot->card > {card} ? 50 : 0;")),
    "sound Python": Kind("py", _PYTHON.replace("{a}", "pass")),
    "loop in C": Kind("c", _C.format(a="while (bot->card < {card} + 2) if (bot->money < 0) return 1; return 0;"),
                      "not fit", "took too long|too slow|fuel|time"),
    "loop in Python": Kind("py", _PYTHON.replace("{a}", "while True: pass"), "not fit",
                           "took too long|too slow|time"),
    "crash": Kind("py", _PYTHON.replace("{a}", "no_such_name"), "not fit", "no_such_name"),
    "syntax in Python": Kind("py", "def a(bot:  # {card}\n", "not fit", "SyntaxError|never closed"),
    "syntax in C": Kind("c", "int a(const Bot *bot) {{ return 1 }} // {card}\n", "not fit", "error"),
}  # fmt: skip


class Server:
    """A served contest in a folder of its own."""

    def __init__(self, folder: Path, authors: int) -> None:
        self._folder = folder
        (folder / "tournament.toml").write_text(f"[{_CONTEST}]\nsessions = 100\n[watch]\nmax_bots_per_author = 30\n")
        (folder / "entrants" / _CONTEST).mkdir(parents=True)
        self.tokens = [add_author(folder / "authors.toml", f"author_{number}") for number in range(authors)]
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]

    @contextmanager
    def running(self) -> Iterator[None]:
        words = ["watch", "--serve", str(self._port), "--submissions", "authors.toml", "--executor", "local"]
        with (self._folder / "log").open("wb") as log:
            command = [sys.executable, "-m", "tournament", *words]
            server = subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log)
            try:
                while b"served at" not in (self._folder / "log").read_bytes() and server.poll() is None:
                    time.sleep(0.1)
                yield
            finally:
                server.terminate()
                server.wait()

    def ask(self, method: str, path: str, token: str, body: bytes | None = None) -> dict[str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=90)
        try:
            headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
            connection.request(method, path, body, headers)
            found: dict[str, Any] = json.loads(connection.getresponse().read())
            return found
        finally:
            connection.close()


@dataclass
class Upload:
    """An upload and its outcome: the seconds until its quick trial was told, and the time at which its job ended."""

    kind: str
    author: int
    number: int
    at: float
    quick: float = 0.0
    ended: float = 0.0
    job: dict[str, Any] | None = None

    def submit(self, server: Server, began: float) -> None:
        """Wait for the time of the upload, submit it, and wait until its job is done."""
        kind, token = _KINDS[self.kind], server.tokens[self.author]
        time.sleep(max(0.0, began + self.at - time.monotonic()))
        uploaded = time.monotonic()
        source = kind.source.replace("{card}", f"0.{self.author + 1:03}{self.number:03}").replace("{{", "{")
        path = f"/bots/bot_{self.author}_{self.number % 20}.{kind.suffix}"
        job = server.ask("PUT", path, token, source.replace("}}", "}").encode())
        while job.get("state") == "queued":
            if job["quick"] and not self.quick:
                self.quick = time.monotonic() - uploaded
            time.sleep(0.2)
            job = server.ask("GET", job["url"], token)
        self.ended = time.monotonic() - began
        self.quick = self.quick or self.ended - (uploaded - began)
        self.job = job
        print(
            f"{self.kind}: quick {self.quick:.1f} s, done {self.ended - uploaded + began:.1f} s",
            file=sys.stderr,
            flush=True,
        )

    @property
    def is_right(self) -> bool:
        """Return whether the job has the right state and reason."""
        kind, job = _KINDS[self.kind], self.job or {}
        in_time = kind.state if kind.state != "entered" else "entered|replaced"
        state = re.fullmatch(in_time, str(job.get("state")))
        return bool(state and re.search(kind.reason, f"{job.get('said')}\n{job.get('quick')}"))


def submit_all(uploads: Sequence[Upload], authors: int) -> None:
    """Submit bots to a server at their times."""
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as folder:
        server = Server(Path(folder), authors)
        with server.running():
            began = time.monotonic()
            threads = [threading.Thread(target=one.submit, args=(server, began)) for one in uploads]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how quickly an open contest answers a class.")
    parser.add_argument("what", choices=("rush", "reasons"))
    parser.add_argument("--authors", type=int)
    parser.add_argument("--uploads", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=600.0)
    given = parser.parse_args()
    is_rush = given.what == "rush"
    authors, each = given.authors or (40 if is_rush else 10), 1 if is_rush else given.uploads
    chance = random.Random(4)
    kinds = [*_KINDS] if not is_rush else [*["sound C", "sound Python"] * 2, *_KINDS]
    uploads = [
        Upload(kinds[(author + number * 3) % len(kinds)], author, number, chance.uniform(0, given.seconds))
        for author in range(authors)
        for number in range(each)
    ]
    submit_all(uploads, authors)
    last = max(one.ended for one in uploads) - max(one.at for one in uploads)
    quick = sorted(one.quick for one in uploads)
    wrong = [one for one in uploads if not one.is_right]
    print("| what | measured | wanted |\n|---|---|---|")
    print(
        f"| {len(uploads)} uploads in {given.seconds:g} s, right state and reason | {len(uploads) - len(wrong)} | all |"
    )
    print(f"| quick trial told, median and slowest | {quick[len(quick) // 2]:.1f} s, {quick[-1]:.1f} s | ≤ 10 s |")
    print(f"| last full trial after the last upload | {last:.1f} s | ≤ 60 s |")
    for kind in _KINDS:
        of_kind = [one.quick for one in uploads if one.kind == kind]
        if of_kind:
            print(f"| quick trials of {kind}, number and slowest | {len(of_kind)}, {max(of_kind):.1f} s | |")
    for one in wrong[:5]:
        print(f"wrong: {one.kind}: {one.job}", file=sys.stderr)
    states = Counter(str((one.job or {}).get("state")) for one in uploads)
    print(f"states: {dict(states)}", file=sys.stderr)
    is_met = not wrong and (not is_rush or (quick[-1] <= _QUICK_SECONDS and last <= _LAST_SECONDS))
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
