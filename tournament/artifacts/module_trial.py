"""Tests in the sandbox whether a bot's WebAssembly compiles within limits of time and memory."""

from __future__ import annotations

import signal

from tournament.leg import Unfit
from tournament.sandbox.outside import fork_server, run_command
from tournament.sandbox.outside.launch import LaunchSpec, ModuleTrial, ProcessLimits
from tournament.sandbox.outside.process_time import MachineBusyError
from tournament.sandbox.outside.settings import SandboxSettings

SECONDS = 20  # processor time for all engines together
_MEGABYTES = 2048


def try_compile(code: bytes, library: str, engines: list[dict[str, bool | int]], sandbox: SandboxSettings) -> None:
    """Validate a module, add fuel, and compile it in the sandbox by each engine that might play it.

    It returns if that ends within 20 processor seconds for all engines together, and 2,048 MiB. It returns, too, if the
    module is invalid: who loads it finds other errors.

    Args:
        code: The module.
        library: Path of the runtime's library.
        engines: Settings of each engine, by the library's names. The first one also validates.
        sandbox: Whether the compiler is confined.

    Raises:
        Unfit: Compiling takes too long.
        MachineBusyError: It was ended from outside, got no time, or used too much memory.
        InputError: This machine can't confine it.
        OSError: Its process can't be started.
        CommandAborted: The thread must end.
    """
    launch = LaunchSpec(
        ModuleTrial(library, engines),
        ProcessLimits(_MEGABYTES, SECONDS),
        readable=[library],
        modules=["engine.wasm.modules"],
    )
    finished = run_command.finish(fork_server.start(launch, sandbox.mode), launch, 2 * SECONDS, stdin=code)
    run_command.check_confined(finished, "compilers")
    if finished.status == 0:
        return
    if finished.status == -signal.SIGXCPU:
        raise Unfit(f"takes more than {SECONDS} seconds to be compiled to machine code")
    if finished.cut_off:
        raise MachineBusyError("this machine is too busy")
    problem = f"takes more than {_MEGABYTES} MB to be compiled to machine code, or this machine has too little memory"
    raise MachineBusyError(f"{problem} ({finished.in_words})")
