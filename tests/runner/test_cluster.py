"""A cluster of several nodes: whatever happens to them, the records are the same, or one line says what is wrong.

One cluster serves all tests in turn. Those that end it come last.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bad_nodes import APART, BY_MOUNT, IN_PYTHON, environment_of, mounting
from tests.contest_runs import (
    ContestDir,
    Outcome,
    assert_games_are_the_standings,
    assert_same,
    in_order,
    make_contest,
    read_outcome,
)
from tests.processes import wait_until
from tests.ray_cluster import Cluster, Node, serve, serving
from tournament.cache import cache_folder

BOTS = ["bold", "calm", "dull", "even"]
SLOW = 60_000  # steps: a leg takes some tenths of a second, and a run some seconds
SECONDS = 300.0  # only for what never comes


def slow_contest(folder: Path) -> ContestDir:
    """Return a contest of 36 legs."""
    return make_contest(folder, BOTS, 100, "replicas = 6", SLOW)


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
def test_a_run_waits_for_workers_and_plays_on_those_that_come(cluster: Cluster, tmp_path: Path) -> None:
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
def test_a_run_goes_on_when_nodes_come_and_go_and_when_it_is_stopped(
    cluster: Cluster, worker: Node, place: ContestDir, expected: Outcome
) -> None:
    with cluster.run(place) as run:
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
        said = complaints_of(run)
        stays = f"tournament: stopped; what was committed stays in {place.results}, run again to continue\n"
        assert (said, run.returncode) == (stays, 130)
    before = commits(place)
    with cluster.run(place) as run:
        wait_while_it_runs(lambda: commits(place) > before, run)
        late.kill()
        assert_ends_well(run, place, expected)


@pytest.mark.slow
def test_bad_nodes_are_set_aside_and_the_games_are_the_same(cluster: Cluster, worker: Node, tmp_path: Path) -> None:
    place, here = slow_contest(tmp_path), tmp_path / "here"
    (place.entrants / "python.py").write_text(
        "def a(bot): return 20 if bot.card > 0.5 else 0\ndef b(bot, bet): return 1\n"
    )
    place.results.mkdir(parents=True)
    if subprocess.run([*APART, "mount", "-t", "tmpfs", "none", place.results], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    with contextlib.ExitStack() as until_end:
        bad = {
            kind: cluster.add(variables=environment_of(tmp_path / kind, code)) for kind, (code, _) in IN_PYTHON.items()
        }
        for kind, (command, _) in BY_MOUNT.items():
            server = until_end.enter_context(serving(cluster.variables, mounting(command, place.results)))
            bad[kind] = cluster.add(through=server)
        run = cluster.run(place)
        shown, said = run.communicate(timeout=SECONDS)
        assert run.returncode == 0, said
        place.play(workers=2, results=here)
        assert_same(in_order(read_outcome(place.results)), in_order(read_outcome(here / place.results.name)))
        name, reasons = r"node \S+(?: \(\S+\))?", [reason for _, reason in (IN_PYTHON | BY_MOUNT).values()]
        told = re.findall(rf"^{name}: (.*); the run goes on without this node$", said, re.M)
        assert told and sorted(told) == sorted(re.findall(rf"^{name} was set aside: (.*)$", shown, re.M)), (said, shown)
        assert not [line for line in told if not any(re.search(reason, line) for reason in reasons)]
        for node in bad.values():
            node.kill()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        (NO_TOKEN, "it asks for a token, and none is here"),
        *(
            pytest.param(variables, problem, marks=pytest.mark.thorough)
            for variables, problem in (
                ({"RAY_AUTH_TOKEN": "0" * 64, "RAY_AUTH_MODE": None}, "the token here is not the cluster's"),
                ({"RAY_AUTH_MODE": "disabled"}, "it asks for a token, and RAY_AUTH_MODE is disabled"),
            )
        ),
    ],
)
def test_a_token_that_is_missing_or_wrong_is_one_line(
    cluster: Cluster, place: ContestDir, tmp_path: Path, variables: dict[str, str | None], problem: str
) -> None:
    run = cluster.run(place, HOME=str(tmp_path), TOURNAMENT_CACHE=str(cache_folder()), **variables)
    said = complaints_of(run)
    assert run.returncode == 2
    assert said == f"tournament: Ray can't be reached at {cluster.address}: {problem}{MEND}"


@pytest.mark.thorough
def test_run_whose_own_raylet_is_killed_says_so(tmp_path: Path) -> None:
    place = make_contest(tmp_path, BOTS, 100, "replicas = 60", SLOW)
    with serve() as alone:
        alone.add()
        with alone.run(place) as run:
            wait_while_it_runs(lambda: commits(place) > 1, run)
            alone.nodes[0].kill()
            shown, said = run.communicate(timeout=SECONDS)
    assert run.returncode == 1, said
    assert "tournament: Ray on this machine ended (its raylet is gone); committed games stay" in said
    assert "aylet" not in shown and said.count("its raylet is gone") == 1
    assert_games_are_the_standings(place.results)


@pytest.mark.slow
def test_a_head_that_is_gone_ends_the_run(cluster: Cluster, place: ContestDir) -> None:
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
