"""A cluster of several nodes: whatever happens to them, the records are the same, or one line says what is wrong.

One cluster serves all tests in turn. Those that end it come last.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contest_runs import (
    REPOSITORY,
    ContestDir,
    Outcome,
    assert_games_are_the_standings,
    assert_same,
    in_order,
    make_contest,
    read_outcome,
)
from tests.processes import wait_until
from tests.ray_cluster import Cluster, Node
from tournament.cache import cache_folder

BOTS = ["bold", "calm", "dull", "even"]
# What keeps a node from playing, as code that its Python runs first, and what a run says of it.
BAD_NODES = {
    "no package": (
        """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "pyarrow":
            raise ModuleNotFoundError("No module named 'pyarrow'")
sys.meta_path.insert(0, Missing())
""",
        "a worker failed: .*pyarrow.*; install the same on every node",
    ),
    # A filter of system calls answers those of Landlock (444 to 446) as a kernel without it does.
    "no Landlock": (
        """
import ctypes, errno, struct
jump = lambda code, yes, no, value: struct.pack("HBBI", code, yes, no, value)
filter = jump(0x20, 0, 0, 0) + jump(0x35, 0, 2, 444) + jump(0x25, 1, 0, 446)
filter += jump(0x06, 0, 0, 0x00050000 | errno.ENOSYS) + jump(0x06, 0, 0, 0x7FFF0000)
kept = ctypes.create_string_buffer(filter)
program = struct.pack("HxxxxxxQ", len(filter) // 8, ctypes.addressof(kept))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
""",
        "there is no Landlock here .*; give this node what the others have, or take it out of the cluster",
    ),
}
SLOW = 60_000  # steps: a leg takes some tenths of a second, and a run some seconds
SECONDS = 300.0  # only for what never comes


def slow_contest(folder: Path) -> ContestDir:
    """Return a contest of 36 legs, some of them with a process."""
    place = make_contest(folder, BOTS[:3], 100, "replicas = 6", SLOW)
    (place.entrants / "even.py").write_text(
        "def a(bot): return 20 if bot.card > 0.5 else 0\ndef b(bot, bet): return 1\n"
    )
    return place


def environment_of(folder: Path, code: str) -> dict[str, str]:
    """Return variables with which every Python process of a node runs this code first."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": f"{folder}:{REPOSITORY}"}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Return the records of an undisturbed run on threads."""
    place = slow_contest(tmp_path_factory.mktemp("undisturbed"))
    place.play(workers=2)
    return in_order(read_outcome(place.results))


@pytest.fixture
def place(tmp_path: Path) -> ContestDir:
    return slow_contest(tmp_path)


@pytest.fixture(scope="module")
def worker(cluster: Cluster) -> Node:
    """Return the node that tests find there after the first."""
    return cluster.nodes[1] if len(cluster.nodes) > 1 else cluster.add()


def commits(place: ContestDir) -> int:
    return len(list((place.results / "sessions").glob("*")))


def wait_while_it_runs(what: Callable[[], object], run: subprocess.Popen[str]) -> None:
    """Wait for a condition, and fail with the output of a run that ends before or takes too long."""
    if not wait_until(what, SECONDS, run):
        run.kill()
        raise AssertionError(run.communicate())


def complaints_of(run: subprocess.Popen[str]) -> str:
    """Return a run's output without its progress."""
    _, said = run.communicate(timeout=SECONDS)
    return re.sub(r"(Compiling|Building|This will take|Starting Ray|Playing|.* legs · ).*\n", "", said)


def assert_ends_well(run: subprocess.Popen[str], place: ContestDir, expected: Outcome) -> None:
    said = complaints_of(run)
    assert run.returncode == 0, said
    assert_same(in_order(read_outcome(place.results)), expected)
    assert not list((place.results / "staging").glob("*"))


NO_TOKEN = {"RAY_AUTH_TOKEN": None, "RAY_AUTH_MODE": None}
MEND = "; put the cluster's own into ~/.ray/auth_token (mode 0600) or RAY_AUTH_TOKEN\n"


@pytest.mark.slow
def test_run_waits_for_workers_and_uses_late_ones(cluster: Cluster, tmp_path: Path) -> None:
    """Begin without a node that has processors, and with a token in the home folder."""
    place = make_contest(tmp_path, BOTS)
    place.play(results=tmp_path / "here")
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text(cluster.variables["RAY_AUTH_TOKEN"])
    with cluster.run(place, HOME=str(tmp_path), TOURNAMENT_CACHE=str(cache_folder()), **NO_TOKEN) as run:
        assert run.stderr
        line = next(line for line in run.stderr if line.startswith("Waiting"))
        assert line == (
            "Waiting for workers: nothing can play on the cluster's 1 node; a batch takes one processor and 570 MB of"
            " memory\n"
        )
        cluster.add()
        assert_ends_well(run, place, in_order(read_outcome(tmp_path / "here" / place.results.name)))


@pytest.mark.slow
def test_failing_dying_and_late_nodes_change_no_record(
    cluster: Cluster, worker: Node, place: ContestDir, expected: Outcome, tmp_path: Path
) -> None:
    """Two nodes can't play, one stands still, one comes late and is killed, and the run is stopped once."""
    bad = [cluster.add(variables=environment_of(tmp_path / name, code)) for name, (code, _) in BAD_NODES.items()]
    reasons = [reason for _, reason in BAD_NODES.values()]
    with cluster.run(place) as run:
        assert run.stderr
        for line in run.stderr:
            reasons = [one for one in reasons if not re.search(rf"^node .*: {one}; the run goes on without", line)]
            if not reasons:
                break
        wait_while_it_runs(lambda: commits(place) > 1 and worker.playing(), run)
        stopped = worker.playing()
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
        before = commits(place)
        late = cluster.add()
        wait_while_it_runs(lambda: commits(place) > before + 1, run)
        run.send_signal(signal.SIGINT)
        for process in stopped:
            os.kill(process, signal.SIGCONT)
        stays = f"tournament: stopped; what was committed stays in {place.results}, run again to continue\n"
        assert (complaints_of(run), run.returncode) == (stays, 130)
    for node in bad:
        node.kill()
    before = commits(place)
    with cluster.run(place) as run:
        wait_while_it_runs(lambda: commits(place) > before, run)
        late.kill()
        assert_ends_well(run, place, expected)


@pytest.mark.slow
def test_missing_token_of_cluster_is_one_line(cluster: Cluster, place: ContestDir, tmp_path: Path) -> None:
    run = cluster.run(place, HOME=str(tmp_path), TOURNAMENT_CACHE=str(cache_folder()), **NO_TOKEN)
    said, problem = complaints_of(run), "it asks for a token, and none is here"
    assert run.returncode == 2
    assert said == f"tournament: Ray can't be reached at {cluster.address}: {problem}{MEND}"


@pytest.mark.slow
def test_killed_head_ends_run_and_keeps_records(cluster: Cluster, place: ContestDir) -> None:
    cluster.add()
    with cluster.run(place, RAY_gcs_rpc_server_reconnect_timeout_s="20") as run:
        wait_while_it_runs(lambda: commits(place) > 1, run)
        for node in cluster.nodes:
            for process in node.playing():
                os.kill(process, signal.SIGSTOP)  # otherwise they could play to the end
        os.kill(cluster.nodes[0].processes["gcs_server"][0], signal.SIGKILL)
        shown, said = run.communicate(timeout=SECONDS)
    assert run.returncode == 1, said
    assert f"tournament: the cluster's head doesn't answer at {cluster.address} for 10 s; committed games stay" in said
    assert not shown
    assert_games_are_the_standings(place.results)
