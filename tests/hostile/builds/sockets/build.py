import socket
import sys

for family in range(64):
    for kind in range(1, 11):
        try:
            socket.socket(family, kind)
        except OSError:
            continue
        sys.exit(f"a socket of family {family} and type {kind}")
sys.exit(6)
