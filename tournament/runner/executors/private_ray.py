"""A Ray of this run alone, on this machine, closed to others, which ends with the run.

Its processes listen on loopback only and require a token that no one else has. Its files are in a folder that only this
user can read. A keeper cleans up after it, even if this process is killed.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tournament.errors import RunError
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.worker.batch import Task

_KEEPER = Path(__file__).with_name("ray_cleanup.py")
# A socket's path can have 107 bytes. Ray's are up to 65 bytes longer than its folder's, which is 31 longer than this.
_MAX_PATH_BYTES = 107 - 65 - 31


@contextlib.contextmanager
def own_ray(ray: Any, cores: int, **options: Any) -> Iterator[None]:
    """Start Ray with this many cores, until the end of the block. Exceptions of `ray.init` are passed on.

    In the block this process's environment has a token and lacks other settings of authentication.

    Args:
        ray: The package.
        cores: Maximum number of simultaneous tasks of one core.
        options: Further arguments of `ray.init`.

    Raises:
        RunError: Ray would be open to others, or no temporary folder has a short enough path.
        RuntimeError: One of Ray's processes didn't start.
        OSError: Its folder can't be made, or the process that cleans up can't be started.
    """
    with scratch_folder(_short_folder()) as folder, _cleaned_up(folder), _closed(ray):
        try:
            try:
                ray.init(
                    "local",
                    num_cpus=cores,  # Ray misreads the number of cores in a container
                    include_dashboard=False,
                    _node_ip_address="127.0.0.1",
                    _temp_dir=str(folder / "r"),  # Ray opens it to everybody
                    **options,
                )
            except Exception as error:
                if type(error) is Exception:  # one of its processes didn't start
                    raise RuntimeError(str(error)) from None
                raise
            _check_closed(ray)
            yield
        finally:
            ray.shutdown()


def memory_for(task: Task, available: int, workers: int) -> int:
    """Return the bytes that a task requests: what it can use, but no more than a worker's share.

    It is at least what one leg with processes needs, and never more than all available bytes.

    Args:
        task: The task.
        available: Bytes of the Ray, 0 if it reports none.
        workers: Number of simultaneous tasks, at least 1.
    """
    return min(available, max(task.least_memory_bytes, min(task.memory_bytes, available // workers)))


def _short_folder() -> Path:
    """Return the first temporary folder whose path is short enough for sockets in it, and that can be written to.

    Python's own is tried first, then XDG_RUNTIME_DIR, /tmp and /var/tmp.

    Raises:
        RunError: There is none.
    """
    for folder in (tempfile.gettempdir(), os.environ.get("XDG_RUNTIME_DIR", ""), "/tmp", "/var/tmp"):
        if folder and len(os.fsencode(folder)) <= _MAX_PATH_BYTES and os.access(folder, os.W_OK | os.X_OK):
            return Path(folder)
    raise RunError(f"Ray needs a temporary folder whose path has at most {_MAX_PATH_BYTES} bytes; set TMPDIR")


@contextlib.contextmanager
def _cleaned_up(folder: Path) -> Iterator[None]:
    """Kill what works in a folder, and remove the folder, after the block or when this process dies.

    The end of the block waits until that is done, for about ten seconds at most.

    Raises:
        OSError: The process that does this can't be started.
    """
    command = [sys.executable, "-I", "-S", str(_KEEPER), str(folder)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    ):
        yield  # afterwards the keeper's input is closed and its end awaited


@contextlib.contextmanager
def _closed(ray: Any) -> Iterator[None]:
    """Let a Ray in the block bind to loopback and require its own token, by private code that knows its variables."""
    constants, tokens = ray._private.ray_constants, ray._raylet.AuthenticationTokenLoader.instance()
    # For 127.0.0.1 Ray uses the address that other nodes reach, unless clusters are disabled.
    variables = {"RAY_AUTH_TOKEN": secrets.token_hex(32), constants.ENABLE_RAY_CLUSTERS_ENV_VAR: "0"}
    with _environment(variables, without=("RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH")):
        before, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
        tokens.reset_cache()
        try:
            yield
        finally:
            constants.ENABLE_RAY_CLUSTER = before
            tokens.reset_cache()


@contextlib.contextmanager
def _environment(variables: Mapping[str, str], without: tuple[str, ...]) -> Iterator[None]:
    """Change this process's environment for the block. Afterwards all these variables are as before.

    Args:
        variables: Variables to set.
        without: Names of variables to remove.
    """
    before = {name: os.environ.pop(name, None) for name in (*variables, *without)}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _check_closed(ray: Any) -> None:
    """Check that Ray is closed to others, because another version of it might behave differently.

    Raises:
        RunError: It listens on another address than loopback, or requires no token.
    """
    address = ray.get_runtime_context().gcs_address.rpartition(":")[0].strip("[]")
    if not ipaddress.ip_address(address).is_loopback:
        raise RunError(f"Ray {ray.__version__} would listen on {address}, not on this machine alone")
    if os.environ.get("RAY_AUTH_MODE") != "token":
        raise RunError(f"Ray {ray.__version__} would ask no one for a token")
