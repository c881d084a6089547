"""Joining a Ray cluster that others started."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Iterator
from typing import Any

from tournament.errors import InputError

_MODE = "RAY_AUTH_MODE"
# Whether this process ends once it has played, as the command's does. Then it stays joined until it ends: Ray crashes
# at times in a process that leaves a cluster while another asks it something.
ends_after_play = False
_TOKEN = "put the cluster's own into ~/.ray/auth_token (mode 0600) or RAY_AUTH_TOKEN"


def join(ray: Any, address: str, **options: Any) -> None:
    """Join the cluster at an address. The caller leaves it by `ray.shutdown`.

    This sets variables of Ray in this process's environment, which stay: its level of logs, and the use of a token.

    Args:
        ray: The package.
        address: "auto", or the host and port.
        options: Arguments of `ray.init`, whose exceptions are passed on.

    Raises:
        ValueError: The address has no number of a port.
        InputError: Nothing listens there, the cluster requires another token, or it is an address of Ray's client.
    """
    if address.startswith("ray://"):
        raise InputError(
            f"{address} is for Ray's client; run on a node of the cluster with host:port, or by ray job submit"
        )
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    if address != "auto" and not listens(address):  # Ray would retry, with a line a second
        raise InputError(f"Ray can't be reached at {address}: nothing listens there")
    _enable_token(ray, address)
    with _no_complaints():
        ray.init(address, **options)


def _enable_token(ray: Any, address: str) -> None:
    """Let Ray use the token that is here, as `ray start` does.

    Ray's public function uses none for a given address, and reports a refused one only as a failed connection.

    For the address "auto" nothing is checked.

    Args:
        ray: The package.
        address: "auto", or the host and port.

    Raises:
        InputError: The cluster refuses the token, or requires one, and none is here or its use is switched off.
    """
    token = ray._raylet.AuthenticationTokenLoader.instance().has_token(ignore_auth_mode=True)
    if token and _MODE not in os.environ:
        os.environ[_MODE] = "token"
        ray._raylet.Config.initialize("")
    if address == "auto":  # Ray finds where it is
        return
    try:
        with _no_complaints():
            ray._raylet.GcsClient(address=address)
    except ray.exceptions.AuthenticationError:
        if not token:
            problem = "it asks for a token, and none is here"
        elif os.environ[_MODE].lower() == "token":
            problem = "the token here is not the cluster's"
        else:
            problem = f"it asks for a token, and {_MODE} is {os.environ[_MODE]}"
        raise InputError(f"Ray can't be reached at {address}: {problem}; {_TOKEN}") from None


@contextlib.contextmanager
def _no_complaints() -> Iterator[None]:
    """Hide what Ray's compiled part writes to standard error in the block. It also raises what matters.

    All threads of this process lose their standard error for that time.
    """
    sys.stderr.flush()
    saved_stderr = os.dup(2)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(saved_stderr, 2)
        os.close(saved_stderr)


def listens(address: str) -> bool:
    """Return whether a program takes connections at host:port, within two seconds for each address of the host.

    It is also False if the host is unknown.

    Args:
        address: The host and port. An IPv6 address is in brackets.

    Raises:
        ValueError: The port isn't a number.
    """
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=2).close()
    except OSError:
        return False
    return True
