"""Whether a bot's WebAssembly can be compiled within limits of time and memory, tried out of harm's way."""

from __future__ import annotations

import signal

from tournament.sandbox import confinement
from tournament.sandbox.confinement import LaunchSpec, Limits
from tournament.sandbox.settings import SandboxSettings
from tournament.worker.processes import python_bots
from tournament.worker.wasm.engine import engine_settings

SECONDS = 20  # of processor time, for both engines
_MEGABYTES = 2048


class TooHard(Exception):
    """A module that takes more than compiling may take; the message says what."""


class TooSlow(TooHard):
    """One that takes too much processor time, and so would do so again."""


def try_compile(artifact: bytes, sandbox: SandboxSettings) -> None:
    """Compile a module in the sandbox, as it will be to play. Raises TooHard, and BadInput when it can't be confined.

    Its bytes must not be malformed: what else is wrong with them passes here.
    """
    package = python_bots.installed(("wasmtime",))
    finished = confinement.run(
        LaunchSpec(
            Limits(_MEGABYTES, SECONDS),
            module={"modules": package.modules, "settings": [engine_settings(True), engine_settings(False)]},
            readable=package.readable,
        ),
        sandbox.mode,
        5 * SECONDS,
        given=artifact,
    )
    if finished.status == 0:
        return
    unfit = TooSlow if -finished.status == signal.SIGXCPU else TooHard
    if finished.cut_off or -finished.status in (signal.SIGXCPU, signal.SIGKILL):
        raise unfit(f"takes more than {SECONDS} seconds to be compiled to machine code")
    raise TooHard(f"takes more than {_MEGABYTES} MB to be compiled to machine code ({finished.in_words})")
