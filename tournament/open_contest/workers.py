"""The threads of an open contest that try what is submitted, one for each kind of job."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tournament.containment import our_error
from tournament.open_contest.jobs import BOT, PRACTICE, WITHDRAWAL
from tournament.open_contest.submissions import Submissions

_LOOK_SECONDS = 1.0


class Workers:
    """A thread for each kind of job. As a context they work. Whatever goes wrong in one is told, and it goes on; a
    thread that ends all the same is replaced."""

    def __init__(self, submissions: Submissions, tell: Callable[[str], None]) -> None:
        self._submissions, self._tell = submissions, tell
        self._stopped = threading.Event()
        self._threads: dict[str, threading.Thread] = {}

    def __enter__(self) -> Workers:
        for kind in (BOT, PRACTICE, WITHDRAWAL):
            self._start(kind)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for kind in list(self._threads):
            self._threads[kind].join(10)

    def _start(self, kind: str) -> None:
        self._threads[kind] = thread = threading.Thread(target=self._work, args=(kind,), name=kind, daemon=True)
        thread.start()

    def _work(self, kind: str) -> None:
        """Until it is stopped."""
        try:
            while not self._stopped.is_set():
                try:
                    if kind == WITHDRAWAL:
                        self._submissions.put_out_banned()
                    self._submissions.try_next(_LOOK_SECONDS, self._stopped.is_set, kind)
                except Exception as error:
                    self._tell(our_error(error, f"jobs of the kind {kind}"))
                    self._stopped.wait(_LOOK_SECONDS)
        finally:
            if not self._stopped.is_set():
                self._start(kind)
                self._tell(f"the thread of jobs of the kind {kind} ended; another goes on")
