"""A loopback proxy before an object store: it may be slow, refuse, hang up, or lose the answer to what was done."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

KINDS = ("slow", "refusing", "hanging up", "losing answers")
_REFUSAL = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@contextmanager
def flaky(address: str, chance: random.Random, kind: str, share: float) -> Iterator[str]:
    """The address of a proxy that is so with a share of what it is sent."""
    host, _, port = address.rpartition(":")
    lock = threading.Lock()

    def carry(client: socket.socket) -> None:
        with client, socket.create_connection((host, int(port))) as upstream, suppress(OSError):
            lost = threading.Event()
            threading.Thread(target=bring_back, args=(upstream, client, lost), daemon=True).start()
            while data := client.recv(1 << 16):
                with lock:
                    unlucky = chance.random() < share
                if unlucky and kind == "slow":
                    time.sleep(0.1)
                elif unlucky and kind == "refusing":
                    client.sendall(_REFUSAL)
                    return
                elif unlucky and kind == "hanging up":
                    return
                elif unlucky:
                    lost.set()
                upstream.sendall(data)

    def bring_back(upstream: socket.socket, client: socket.socket, lost: threading.Event) -> None:
        with suppress(OSError):
            while data := upstream.recv(1 << 16):
                if lost.is_set():
                    break
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)

    def listen() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=carry, args=(server.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
