# Calls its author, in every family and type, also by its number.
# Verdict: ok
import socket

from by_number import call
from look_once import a, b


def look():
    for family in range(64):
        for kind in range(1, 11):
            try:
                call(41, family, kind, 0)
            except OSError:
                continue
            raise AssertionError(f"a socket of family {family} and type {kind}")
    for attempt in (socket.socketpair, lambda: call(53, 1, 1, 0, 0), lambda: socket.create_server(("", 0))):
        try:
            attempt()
        except OSError:
            continue
        raise AssertionError("a pair or a server")
