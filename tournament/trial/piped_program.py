"""Talking by lines with one program over its stdin and stdout."""

from __future__ import annotations

import codecs
import contextlib
import os
import selectors
import sys
import time

from tournament.errors import printable
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.own_time import Use

_CHUNK = 1 << 16
_MOST_COMPLAINTS = 1 << 20  # bytes of a program's standard error that are shown


class ProgramTimedOut(Exception):
    """The program wrote no line in time."""


class ProgramExited(Exception):
    """The program closed its output, most likely by ending."""


class PipedProgram:
    """A program behind pipes. Its stderr goes to ours, made harmless, up to a limit."""

    def __init__(self, process: Confined) -> None:
        self._process = process
        self._input, self._output, self._errors = process.to, process.answers, process.errors
        self._unsent = bytearray()
        self._unread = bytearray()
        self._status: int | None = None
        self._ended = False
        self._complained = 0
        self._in_text = codecs.getincrementaldecoder("utf-8")("replace")
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._output, self._errors):
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_READ)
        os.set_blocking(self._input, False)

    def send(self, text: bytes) -> None:
        """Write to its input, without waiting for it to read."""
        self._unsent += text
        self._write()

    def read_line(self, seconds: float, most_bytes: int) -> bytes:
        """Its next line, without the end of line; cut after `most_bytes` + 1 bytes if longer.

        Raises ProgramTimedOut when there is none within this many seconds, ProgramExited when there will be none.
        """
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
                raise ProgramTimedOut
            for key, _ in self._selector.select(left):
                if key.fd == self._input:
                    self._write()
                elif key.fd == self._errors:
                    self._pass_errors_on()
                elif chunk := os.read(self._output, _CHUNK):
                    self._unread += chunk
                else:
                    raise ProgramExited

    def use(self) -> Use:
        """What it has used of the machine."""
        return self._process.use()

    def has_taken_too_much(self) -> bool:
        """Whether it has, or has had, more memory than its limits allow."""
        return self._process.has_taken_too_much()

    def end(self, seconds: float) -> int | None:
        """Close its input, let it end within this many seconds, else kill it with all that it started. Returns its exit
        status, negative for a signal; None if it had to be killed."""
        if not self._ended:
            self._ended = True
            # The rest of what was to be sent, as far as it fits into the pipe.
            with contextlib.suppress(OSError):
                os.write(self._input, self._unsent)
            self._process.close_input()
            self._status = self._end_within(seconds)
        return self._status

    def _end_within(self, seconds: float) -> int | None:
        deadline = time.monotonic() + seconds
        status = None
        while status is None and time.monotonic() < deadline:
            if self._errors >= 0:
                self._pass_errors_on()
            status = self._process.ended_by_itself(min(0.05, seconds))
        self._selector.close()
        if status is None:
            self._process.end()
        return status

    def _pass_errors_on(self) -> None:
        """Copy its stderr to ours, so that the program never waits for us to read it."""
        try:
            chunk = os.read(self._errors, _CHUNK)
        except BlockingIOError:
            return
        if chunk:
            if self._complained < _MOST_COMPLAINTS:
                sys.stderr.write(printable(self._in_text.decode(chunk)))
                if self._complained + len(chunk) >= _MOST_COMPLAINTS:
                    sys.stderr.write("\ntournament: the program's further words on standard error are left out\n")
                sys.stderr.flush()
            self._complained += len(chunk)
        elif self._errors in self._selector.get_map():
            self._selector.unregister(self._errors)
            self._errors = -1

    def _write(self) -> None:
        """Write what fits now; the rest goes while waiting for a line."""
        try:
            while self._unsent:
                del self._unsent[: os.write(self._input, self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # it has closed its input; its output will tell
            self._unsent.clear()
        registered = self._input in self._selector.get_map()
        if self._unsent and not registered:
            self._selector.register(self._input, selectors.EVENT_WRITE)
        elif not self._unsent and registered:
            self._selector.unregister(self._input)
