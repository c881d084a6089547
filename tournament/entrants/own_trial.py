"""Checks whether this machine can build, start and cache the project's own bot, after another bot failed.

If it can, the other bot is at fault, and the run continues. If it can't, the machine is at fault.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from tournament.artifacts import archive, c_bots, libraries, module_trial, program_build, python_artifact
from tournament.artifacts.bot import Kind
from tournament.artifacts.compiler_command import LANGUAGES
from tournament.cache import cache_folder, explain_failed_write, require_room, write_cached
from tournament.contests.interface import Interface
from tournament.errors import InputError, RunError, TournamentError
from tournament.sandbox.outside import probe
from tournament.sandbox.outside.scratch import is_full, scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes import programs, python_bots
from tournament.worker.wasm import seating
from tournament.worker.wasm.calls import library_path
from tournament.worker.wasm.engine import Engine, engine_settings

_MEGABYTES = 64
# A module without content.
_EMPTY_MODULE = b"\0asm\1\0\0\0"


def require_machine(kind: Kind, interface: Interface, sandbox: SandboxSettings) -> None:
    """Build, start and cache the project's own bot of a kind.

    Raises:
        InputError: This machine can't confine it, or a readable path is missing.
        RunError: This machine can't build, start or cache it, its disk is full, or the build is cancelled.
        TournamentError: An error of another such class from the build itself, which passes through.
    """
    try:
        _do_all(kind, interface, sandbox)
    except TournamentError:
        raise
    except OSError as error:
        raise RunError(f"bots can't be built: {explain_failed_write(error, 'this machine')}") from None
    except MemoryError:
        raise RunError("this machine has too little memory to build bots") from None
    except Exception as error:
        raise RunError(f"this machine can't build the project's own bot: {error}") from error


def require_readable(sandbox: SandboxSettings) -> None:
    """Check that the paths exist that programs are allowed to read.

    Raises:
        InputError: One of them doesn't exist.
    """
    if missing := [path for path in sandbox.readable_paths if not os.path.exists(path)]:
        raise InputError(f"[sandbox] readable_paths: no such file or folder: {missing[0]}")


def _do_all(kind: Kind, interface: Interface, sandbox: SandboxSettings) -> None:
    """Build, start and cache the project's own bot. Any exception means that the machine is at fault.

    Raises:
        RunError: The cache or the folder of temporary files is full or can't be written.
        InputError: This machine can't confine the bot.
        Exception: Any exception of a build or a start.
    """
    bots = cache_folder() / "bots"
    write_cached(bots / "trial.sealed", b"")
    temporary = Path(tempfile.gettempdir())
    folders = ((bots, f"the cache {bots}", ""), (temporary, f"temporary files {temporary}", "; or set TMPDIR"))
    for folder, place, hint in folders:
        require_room(folder, place, hint)
        if is_full(folder):
            raise RunError(explain_failed_write(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), place) + hint)
    with scratch_folder() as folder:
        probe.probe_sandbox(sandbox.mode)
        if kind == "python":
            source = "".join(f"def {question.name}(*_):\n    return 0\n" for question in interface.answered)
            packed = python_artifact.pack(source.encode(), sandbox, interface.python.sdk)
            python_bots.try_start(packed, "trial", interface, sandbox, memory_megabytes=_MEGABYTES)
        elif kind == "program":
            _program(folder, sandbox)
        else:
            if kind in LANGUAGES:
                probe.probe_builds(sandbox.mode)
                libraries.prepare_libraries([kind], sandbox, lambda _text: None)
                c_bots.require_compiler(kind, sandbox)
            module_trial.try_compile(_EMPTY_MODULE, library_path(), [engine_settings(Engine.PLAIN)], sandbox)
            seating.require_memory()


def _program(folder: Path, sandbox: SandboxSettings) -> None:
    """Build and start a program. Any exception means that the machine is at fault."""
    require_readable(sandbox)
    (folder / "bot.toml").write_text('build = ["true"]\ncommand = ["sh", "bot.sh"]\n')
    (folder / "bot.sh").write_text("read line\n")
    built = program_build.build(archive.pack(folder), sandbox)
    programs.try_start(built, sandbox, cache_folder(), memory_megabytes=_MEGABYTES)
