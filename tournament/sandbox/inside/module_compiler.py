"""Compiles a bot's WebAssembly on trial, to find out whether that ends. A worker later compiles it again to play it.

It runs inside the sandbox. The compiler needs hours for some hostile modules of a few kilobytes, and so does the
validator for some of megabytes. It calls wasmtime's library by its C interface (wasmtime.h), because importing the
package takes longer than most modules.
"""

from __future__ import annotations

import ctypes
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def load(library: str) -> None:
    """Load the compiler's library and the module that adds fuel, for the processes that this one forks.

    Args:
        library: Path of the library.

    Raises:
        OSError: The library can't be loaded.
        ImportError: The module that adds fuel can't be imported.
    """
    from engine.wasm import modules  # noqa: F401

    ctypes.CDLL(library)


def main(library_file: str, settings: Sequence[Mapping[str, bool | int]], confine: Callable[[], None]) -> None:
    """Compile the module on standard input with an engine of each of the settings, in their order.

    It returns early, without a report, if the module is invalid or refused: the worker that loads it reports errors.
    The limit of processor time ends the process.

    Args:
        library_file: Path of wasmtime's library.
        settings: For each engine, values by names such as "consume_fuel", which functions of the library set. The first
            engine also validates.
        confine: Called before the module is read.

    Raises:
        OSError: The library can't be loaded.
        ImportError: The module that adds fuel can't be imported.
        MemoryError: There isn't enough memory to add fuel.
        Exception: `confine` raises it.
    """
    from engine.wasm.modules import Refused, read_module

    library = ctypes.CDLL(library_file)
    library.wasm_engine_new_with_config.restype = ctypes.c_void_p
    library.wasmtime_module_new.restype = library.wasmtime_module_validate.restype = ctypes.c_void_p
    engines = [ctypes.c_void_p(library.wasm_engine_new_with_config(_config(library, each))) for each in settings]
    confine()
    code = sys.stdin.buffer.read()
    if library.wasmtime_module_validate(engines[0], code, ctypes.c_size_t(len(code))):
        return
    try:
        code = read_module(code).metered()
    except Refused:
        return
    for engine in engines:
        module = ctypes.c_void_p()
        if library.wasmtime_module_new(engine, code, ctypes.c_size_t(len(code)), ctypes.byref(module)):
            return


def _config(library: ctypes.CDLL, settings: Mapping[str, bool | int]) -> ctypes.c_void_p:
    """Return a new configuration with these settings. An engine takes ownership of it.

    Args:
        library: The loaded library.
        settings: Values by name: booleans, and integers from 0 to 2⁶⁴ − 1.
    """
    library.wasm_config_new.restype = ctypes.c_void_p
    config = ctypes.c_void_p(library.wasm_config_new())
    for name, value in settings.items():
        set_value = getattr(library, f"wasmtime_config_{name}_set")
        set_value.restype = None
        set_value(config, ctypes.c_bool(value) if isinstance(value, bool) else ctypes.c_uint64(value))
    return config
