# Calls its author, in every family and type, also by its number.
# Verdict: ok
import socket

from attempts import a, b
from by_number import call

KINDS = [(family, kind) for family in range(64) for kind in range(1, 11)]
ATTEMPTS = {
    **{one: lambda one=one: call(41, *one, 0) for one in KINDS},
    "pair": socket.socketpair,
    "pair by number": lambda: call(53, 1, 1, 0, 0),
    "server": lambda: socket.create_server(("", 0)),
}
