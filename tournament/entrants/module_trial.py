"""Whether a bot's WebAssembly can be compiled within limits of time and memory, tried out of harm's way."""

from __future__ import annotations

import signal

from tournament.sandbox import confinement
from tournament.sandbox.confinement import LaunchSpec, Limits
from tournament.sandbox.settings import SandboxSettings
from tournament.worker.processes import python_bots
from tournament.worker.wasm import seating as runtime

SECONDS = 60
_MEGABYTES = 2048


class TooHard(Exception):
    """A module that takes more than compiling may take; the message says what."""


def try_compile(artifact: bytes, sandbox: SandboxSettings) -> None:
    """Compile a module in the sandbox. Raises TooHard, and BadInput when it can't be confined."""
    package = python_bots.installed(("wasmtime",))
    finished = confinement.run(
        LaunchSpec(
            Limits(_MEGABYTES, SECONDS),
            module={"modules": package.modules, "settings": runtime.engine_settings(counts_fuel=True)},
            readable=package.readable,
        ),
        sandbox.mode,
        5 * SECONDS,
        given=artifact,
    )
    if finished.status == 0:
        return
    if finished.cut_off or -finished.status in (signal.SIGXCPU, signal.SIGKILL):
        raise TooHard(f"takes more than {SECONDS} seconds to be compiled to machine code")
    raise TooHard(f"takes more than {_MEGABYTES} MB to be compiled to machine code ({finished.in_words})")
