"""Try the lowest versions that pyproject.toml allows.

A contest of every kind of bot is played, verified, read, reported and kept open. `make lowest` runs this.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import urllib.request
from importlib.metadata import requires, version
from pathlib import Path

import pandas as pd
from packaging.requirements import Requirement

from tests.contest_runs import CONTEST, command_line, environment, make_contest
from tests.worker.support import answering, write_bot


def main() -> None:
    """Do all that, and print the versions. Raises what a command or a reader does."""
    print(" ".join(f"{name} {version(name)}" for name in names()))
    with tempfile.TemporaryDirectory() as folder:
        place = make_contest(Path(folder), ["bold", "calm"], settings="duplicate = true\nreplicas = 2")
        (place.entrants / "steady.py").write_text("def a(bot):\n    return 5\n\n\ndef b(bot, bet):\n    return 1\n")
        write_bot(place.entrants / "told", answering("5", "card > 0.6"))
        where = ["--config", str(place.config)]
        for command in (["run"], ["leaderboard", "--json"], ["crosstable"], ["verify", "--replay", "1"], ["report"]):
            words = command_line([command[0], CONTEST, *command[1:], *where])
            subprocess.run(words, cwd=folder, env=environment(), check=True)
        games = pd.read_parquet(place.results / "games")
        assert games["match"].nunique() == 6, games
        subprocess.run([sys.executable, "-m", "tournament", "--help"], env=environment(), check=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        words = command_line(["watch", CONTEST, *where, "--publish", "published", "--serve", str(port)])
        with subprocess.Popen(words, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True) as kept:
            assert kept.stdout and any("the board is current" in line for line in kept.stdout)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{CONTEST}/board.json") as board:
                assert board.status == 200
            kept.terminate()


def names() -> list[str]:
    """Return what the package requires, and what an open contest on the web does."""
    wanted = map(Requirement, requires("tournament") or ())
    return sorted(one.name for one in wanted if one.marker is None or "serve" in str(one.marker))


if __name__ == "__main__":
    main()
