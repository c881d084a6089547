"""WebAssembly instances made and entered with few calls, by private names of the binding, which nothing else uses.

The binding's own classes look at every export of an instance and at the types of every call, and wrap each value.
Together this takes longer than a short leg. Callers here know the types, so nothing is checked. pyproject.toml says up
to which version of wasmtime these names were tried.
"""

from __future__ import annotations

import ctypes
import resource
from collections.abc import Mapping
from functools import cache
from typing import Any, NoReturn

import wasmtime
from wasmtime import _ffi as ffi

from engine.wasm.instances import Instance, Program, Store
from engine.wasm.runtime import find_functions
from tournament.artifacts.limits import MAX_ELEMENTS
from tournament.worker.wasm.traps import blame_machine

# What instances import and export, as the runtime has it, in bytes: functions, memories, globals.
Extern = bytes


def address_of(pointer: object) -> int:
    """Return the address in a pointer of the binding, or of a function. It must not be null."""
    address = ctypes.cast(pointer, ctypes.c_void_p).value  # type: ignore[arg-type]
    assert address is not None
    return address


def library_path() -> str:
    """Return the path of the runtime's library, for calls without the binding."""
    return str(ffi.filename)


def failure(error: int, trap: int) -> wasmtime.Trap | wasmtime.WasmtimeError | None:
    """Return the failure at the address of an error or a trap, and take ownership of it. Return None if both are 0."""
    if trap:
        return wasmtime.Trap._from_ptr(ctypes.cast(trap, ctypes.POINTER(ffi.wasm_trap_t)))
    if error:
        return wasmtime.WasmtimeError._from_ptr(ctypes.cast(error, ctypes.POINTER(ffi.wasmtime_error_t)))
    return None


def _fail(error: int, trap: int) -> NoReturn:
    """Raise the failure at the address of an error or a trap, of which one isn't 0.

    Raises:
        wasmtime.Trap: The code trapped.
        wasmtime.WasmtimeError: The runtime failed.
        RunError: The machine is at fault.
    """
    failed = failure(error, trap)
    assert failed
    if isinstance(failed, wasmtime.WasmtimeError):
        blame_machine(failed)
    raise failed


find_functions(ffi.dll, _fail)


def apply(settings: Mapping[str, bool | int], config: wasmtime.Config) -> None:
    """Apply settings to a configuration by the library's own functions, of which the binding lacks some.

    Args:
        settings: Values by the names in the functions `wasmtime_config_NAME_set`.
        config: The configuration, which is changed.
    """
    for name, value in settings.items():
        getattr(ffi.dll, f"wasmtime_config_{name}_set")(config.ptr(), value)


# Bytes of a table in the pool that are cleared without the system. Tables of ordinary bots take a page.
_CLEARED_BYTES = 1 << 16


def pool_memories(config: wasmtime.Config, count: int) -> None:
    """Have an engine make memories and tables once, and clear one for the next instance when its store is deleted.

    Args:
        config: The engine's configuration, which is changed.
        count: The maximum number of memories and of tables that exist simultaneously.
    """
    # These are limits of the pool only: `modules` has those of bots.
    anything = 1 << 30
    pool = ffi.dll.wasmtime_pooling_allocation_config_new()
    for name, value in {
        "total_memories": count,
        "total_tables": count,
        "table_elements": MAX_ELEMENTS,
        "total_core_instances": anything,
        "max_core_instance_size": anything,
        "max_unused_warm_slots": count,
        "table_keep_resident": _CLEARED_BYTES,
    }.items():
        getattr(ffi.dll, f"wasmtime_pooling_allocation_config_{name}_set")(pool, value)
    ffi.dll.wasmtime_pooling_allocation_strategy_set(config.ptr(), pool)
    ffi.dll.wasmtime_pooling_allocation_config_delete(pool)


@cache
def _object_address(owned: wasmtime.Engine | wasmtime.Module | wasmtime.FuncType) -> int:
    """Return the address of an object of the binding. The cache keeps the object alive."""
    return address_of(owned.ptr())


def new_store(engine: wasmtime.Engine, count: int = 0) -> Store:
    """Return a store of an engine. When it is deleted, it gives back `count` places of the pool, by default none."""
    return Store(_object_address(engine), count)


def new_instance(store: Store, module: wasmtime.Module, imports: list[Extern]) -> Instance:
    """Return an instance of a module in a store, with imports in the module's order. Nothing checks their types.

    Raises:
        wasmtime.Trap: The module's code trapped. As for the other errors, its calls can raise it, too.
        wasmtime.WasmtimeError: The module can't be instantiated.
        RunError: The machine is at fault.
    """
    return Instance(store, _object_address(module), imports)


def program(module: wasmtime.Module, *more: Any) -> Program:
    """Return the constant parts of a bot's starts.

    Args:
        module: The bot's module, which the result keeps alive.
        more: Arguments of Program after those of the module: exports, functions to call first, and so on.
    """
    return Program(module, address_of(module.ptr()), *more)


def native_function(store: Store, kind: wasmtime.FuncType, function: int, argument: int) -> Extern:
    """Return a C function as a WebAssembly function. The caller must keep alive what the addresses belong to.

    Args:
        store: Store in which the function is called.
        kind: Type of the function in WebAssembly.
        function: Address of the C function.
        argument: Address that it gets as its first argument.
    """
    return store.function(_object_address(kind), function, argument)


_madvise = ctypes.CDLL(None).madvise
_madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_DONT_NEED = 4  # Linux's MADV_DONTNEED


def empty(store: Store, memory: Extern) -> None:
    """Give a memory's pages back to the system. Its instance must not be entered again."""
    _madvise(*store.place_of(memory), _DONT_NEED)


_mincore = ctypes.CDLL(None).mincore
_mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
_SYSTEMS_PAGE = resource.getpagesize()


def resident(store: Store, memory: Extern, first: int) -> int:
    """Return how many of a memory's first bytes are in resident pages, counted in complete pages.

    If the system doesn't report that, all of them count.

    Args:
        store: Store of the memory.
        memory: The memory.
        first: Number of bytes to look at. Bytes beyond the memory's end don't count.
    """
    place, size = store.place_of(memory)
    size = min(first, size)
    pages = ctypes.create_string_buffer(-(-size // _SYSTEMS_PAGE))
    if _mincore(place, size, pages):
        return size
    return pages.raw.count(b"\1") * _SYSTEMS_PAGE


def content(store: Store, memory: Extern, first: int, count: int) -> bytes:
    """Return `count` bytes of a memory, starting at address `first`. There are fewer if the memory ends before."""
    place, size = store.place_of(memory)
    return ctypes.string_at(place + first, max(0, min(count, size - first)))
