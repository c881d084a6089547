"""Programs that talk by lines over stdin and stdout."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import Protocol

from tournament.problems import BadInput

_CHUNK = 1 << 16


class Silent(Exception):
    """The program wrote no line in time."""


class Gone(Exception):
    """The program closed its output, most likely by ending."""


class Program(Protocol):
    """A running program, seen from the other end of its pipes."""

    def send(self, text: bytes) -> None:
        """Write to its input, without waiting for it to read."""

    def read_line(self, seconds: float, most_bytes: int) -> bytes:
        """Its next line, without the end of line; cut after `most_bytes` + 1 bytes if longer.

        Raises Silent when there is none within so many seconds, Gone when there will be none.
        """

    def end(self, seconds: float) -> int:
        """Close its input, let it end within so many seconds, else kill it with all that it started.

        Returns its exit status, negative for a signal.
        """


class PipedProgram:
    """A program as an ordinary child process, with all of this user's rights. What it writes to stderr is shown.

    Raises BadInput when it can't be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
            )
        except OSError as error:
            raise BadInput(f"{command[0]}: can't be started: {error.strerror}") from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._unsent = bytearray()
        self._unread = bytearray()
        for descriptor in (self._input, self._output):
            os.set_blocking(descriptor, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)

    def send(self, text: bytes) -> None:
        self._unsent += text
        self._write()

    def read_line(self, seconds: float, most_bytes: int) -> bytes:
        deadline = time.monotonic() + seconds
        while True:
            end = self._unread.find(b"\n", 0, most_bytes + 1)
            if end >= 0:
                line = bytes(self._unread[:end])
                del self._unread[: end + 1]
                return line
            if len(self._unread) > most_bytes:
                return bytes(self._unread[: most_bytes + 1])
            left = deadline - time.monotonic()
            if left <= 0:
                raise Silent
            for key, _ in self._selector.select(left):
                if key.fd == self._input:
                    self._write()
                    continue
                chunk = os.read(self._output, _CHUNK)
                if not chunk:
                    raise Gone
                self._unread += chunk

    def end(self, seconds: float) -> int:
        self._selector.close()
        assert self._process.stdin is not None and self._process.stdout is not None
        # What still has to be said, so far as it fits.
        with contextlib.suppress(OSError):
            os.write(self._input, self._unsent)
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process.stdout.close()
        return self._process.returncode

    def _write(self) -> None:
        """Write what fits now; the rest goes while waiting for a line."""
        waiting = bool(self._unsent)
        try:
            while self._unsent:
                del self._unsent[: os.write(self._input, self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # nobody reads any more; its output will tell
            self._unsent.clear()
        registered = self._input in self._selector.get_map()
        if self._unsent and not registered:
            self._selector.register(self._input, selectors.EVENT_WRITE)
        elif not self._unsent and registered and waiting:
            self._selector.unregister(self._input)
