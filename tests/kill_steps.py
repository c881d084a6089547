"""Ends a process at a step of storing: a call that changes what is on disk, or waits for it to be there."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

from tournament.store.folder_storage import FolderStorage

_lock = threading.Lock()
_taken = 0


def kill_at(step: int, number: int = signal.SIGKILL) -> None:
    """Let this process be killed, or get another signal, at the beginning of its so manieth step (0: never)."""

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def take(*arguments: Any, **options: Any) -> Any:
            global _taken
            with _lock:
                _taken += 1
                if _taken == step:
                    os.kill(os.getpid(), number)
            return function(*arguments, **options)

        return take

    for module_name in ("fsync", "link", "replace", "rename", "unlink", "mkdir"):
        setattr(os, module_name, counted(getattr(os, module_name)))
    for verb in ("open_staged", "finish_staged"):
        setattr(FolderStorage, verb, counted(getattr(FolderStorage, verb)))
