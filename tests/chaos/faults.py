"""What may happen to a run, or to its records between two runs."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import time
from pathlib import Path

from tests.chaos.rounds import Fault, Round, Wrong
from tests.forks import Ended, Run

_STEPS = 120  # of storing; a run takes about as many


def _started(round_: Round) -> Run:
    """A run that stands still at some step, if it has not come to its end."""
    run = round_.server.start(round_.arguments(), round_.batches() + _signal_at(round_, signal.SIGSTOP))
    run.stops()
    return run


def _signal_at(round_: Round, number: int) -> str:
    """Set-up: a signal at some step."""
    step = round_.chance.randrange(1, _STEPS)
    return f"from tests.kill_steps import kill_at; kill_at({step}, {int(number)})\n"


def killed_at_a_step(round_: Round) -> Ended:
    return round_.server.run(round_.arguments(), round_.batches() + _signal_at(round_, signal.SIGKILL))


def killed_at_a_time(round_: Round) -> Ended:
    run = round_.server.start(round_.arguments(), round_.batches())
    time.sleep(round_.chance.uniform(0, 0.3))
    run.send(signal.SIGKILL)
    return run.wait()


def ended_politely(round_: Round) -> Ended:
    number = round_.chance.choice([signal.SIGTERM, signal.SIGINT])
    return round_.server.run(round_.arguments(), round_.batches() + _signal_at(round_, number))


def stopped_for_a_while(round_: Round) -> Ended:
    """Meanwhile another run is refused, or finds the first one not yet, or no longer, writing."""
    run = _started(round_)
    other = round_.server.run(round_.arguments())
    run.send(signal.SIGCONT)
    _refused_or_done(other)
    ended = run.wait()
    _refused_or_done(ended)
    return ended


def taken_over(round_: Round) -> Ended:
    """A run that stands still loses its lock, as one on a host that is dead to the others; then it wakes up."""
    run = _started(round_)
    (round_.results / "writer").unlink(missing_ok=True)
    other = round_.server.start(round_.arguments(), round_.batches() + _signal_at(round_, signal.SIGSTOP))
    other.stops()
    both = [run, other]
    round_.chance.shuffle(both)
    for one in both:
        one.send(signal.SIGCONT)
        if round_.chance.random() < 0.5:
            time.sleep(0.05)
    ends = [one.wait() for one in both]
    for ended in ends:
        _refused_or_done(ended)
    return ends[0]


def two_at_once(round_: Round) -> Ended:
    runs = [round_.server.start(round_.arguments(), round_.batches()) for _ in range(2)]
    ended = [run.wait() for run in runs]
    for one in ended:
        _refused_or_done(one)
    return ended[0]


def _refused_or_done(ended: Ended) -> None:
    words = ("is being written by", "another process now writes")
    if ended.code != 0 and not any(word in ended.said for word in words):
        raise Wrong(f"of two runs one: {ended}")


def _some_file(round_: Round) -> Path | None:
    files = round_.files("games", "sessions", "legs", "faults", "history", "staging", "secret", "")
    return round_.chance.choice(files) if files else None


def bit_flipped(round_: Round) -> None:
    # An earlier fault may have left the file empty.
    if (path := _some_file(round_)) and (content := bytearray(path.read_bytes())):
        content[round_.chance.randrange(len(content))] ^= 1 << round_.chance.randrange(8)
        path.write_bytes(content)


def file_cut_short(round_: Round) -> None:
    if path := _some_file(round_):
        os.truncate(path, round_.chance.choice([0, path.stat().st_size // 2]))


def file_removed(round_: Round) -> None:
    if path := _some_file(round_):
        path.unlink()


def folder_removed(round_: Round) -> None:
    shutil.rmtree(round_.results / round_.chance.choice(["games", "sessions", "legs", "staging"]), ignore_errors=True)


def changed_during_a_run(round_: Round) -> Ended:
    run = _started(round_)
    round_.chance.choice([bit_flipped, file_cut_short, file_removed, folder_removed])(round_)
    run.send(signal.SIGCONT)
    return run.wait()


def results_taken_away_during_a_run(round_: Round) -> Ended:
    run = round_.server.start(round_.arguments(), round_.batches() + _signal_at(round_, signal.SIGSTOP))
    stopped = run.stops()
    shutil.rmtree(round_.results, ignore_errors=True)
    run.send(signal.SIGCONT)
    ended = run.wait()
    if stopped and ended.code == 0:  # it tells of games: they must be there
        round_.require_equal()
    return ended


def full_disk(round_: Round) -> Ended:
    space = round_.chance.choice([0, 500, 5_000, 50_000, 150_000])
    return round_.server.run(
        round_.arguments(), f"{round_.batches()}from tests.disk_quota import limit; limit({space})\n"
    )


def failing_writes(round_: Round) -> Ended:
    """A write that fails after a half, or writes but a half and says so; once, or from then on."""
    number = round_.chance.choice([errno.EIO, errno.ENOSPC, 0])
    write, once = round_.chance.randrange(1, 40), round_.chance.random() < 0.5
    setup = f"from tests.disk_quota import fail_at; fail_at({write}, {number}, once={once})\n"
    ended = round_.server.run(round_.arguments(), round_.batches() + setup)
    if number == 0 and ended.code != 0:
        raise Wrong(f"short writes: {ended}")
    return ended


def limited_files(round_: Round) -> Ended:
    """No file may become larger than this: the system sends a signal, or fails the write."""
    size = round_.chance.choice([3_000, 10_000, 30_000])
    return round_.server.run(
        round_.arguments(),
        f"{round_.batches()}import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n",
    )


def few_descriptors(round_: Round) -> Ended:
    count = round_.chance.choice([4, 5, 6, 7, 8, 10])
    return round_.server.run(
        round_.arguments(),
        f"{round_.batches()}import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({count}, {count}))\n",
    )


def failing_calls(round_: Round) -> Ended:
    """A call of the system's fails once, as on a disk with a bad sector or a mount over a network."""
    name = round_.chance.choice(["fsync", "link", "replace", "rename", "unlink", "mkdir", "open"])
    number = round_.chance.choice(["EIO", "ESTALE", "EDQUOT", "EROFS"])
    return round_.server.run(
        round_.arguments(),
        f"""{round_.batches()}
import errno, os
before, left = os.{name}, [{round_.chance.randrange(1, 40)}]
def failing(*arguments, **options):
    left[0] -= 1
    if left[0] == 0 and not str(arguments[0]).startswith(("/proc", "/sys", "/usr", "/dev")):
        raise OSError(errno.{number}, os.strerror(errno.{number}))
    return before(*arguments, **options)
os.{name} = failing
""",
    )


FAULTS: tuple[Fault, ...] = (
    killed_at_a_step,
    killed_at_a_time,
    ended_politely,
    stopped_for_a_while,
    taken_over,
    two_at_once,
    bit_flipped,
    file_cut_short,
    file_removed,
    folder_removed,
    changed_during_a_run,
    results_taken_away_during_a_run,
    full_disk,
    failing_writes,
    limited_files,
    few_descriptors,
    failing_calls,
)
