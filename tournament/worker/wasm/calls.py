"""WebAssembly instances made and entered with few calls, by private names of the binding, which nothing else uses.

The binding's own classes look at every export of an instance and at the types
of every call, and wrap each value, which together costs more than a short leg.
Callers here know the types: nothing is checked.
pyproject.toml says up to which version of wasmtime these names were tried.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import resource
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import wasmtime
from wasmtime import _ffi as ffi

from tournament.worker.wasm.traps import blame_machine

# What instances import and export, as the runtime has it: functions, memories, globals.
Extern = ffi.wasmtime_extern_t
_EXTERN_BYTES = ctypes.sizeof(Extern)
_FUNCTION, _VARIABLE = ctypes.c_uint8(0), ctypes.c_uint8(1)  # wasmtime's WASMTIME_EXTERN_FUNC and _GLOBAL
_INTEGER = ctypes.c_uint8(0)  # WASMTIME_I32


def address_of(pointer: object) -> int:
    """The address in a pointer of the binding, or of a function."""
    address = ctypes.cast(pointer, ctypes.c_void_p).value  # type: ignore[arg-type]
    assert address is not None
    return address


def library_path() -> str:
    """Where the runtime's library is, for calls without the binding."""
    return str(ffi.filename)


def context_of(store: wasmtime.Store) -> int:
    """The address of a store's context."""
    return ctypes.addressof(store._context().contents)


# Addresses of functions that the core calls.
CALL_UNCHECKED = address_of(ffi.dll.wasmtime_func_call_unchecked)
GET_VARIABLE = address_of(ffi.dll.wasmtime_global_get)
SET_VARIABLE = address_of(ffi.dll.wasmtime_global_set)
SET_DEADLINE = address_of(ffi.dll.wasmtime_context_set_epoch_deadline)
NEW_TRAP = address_of(ffi.dll.wasmtime_trap_new)
GET_CALLERS_EXPORT = address_of(ffi.dll.wasmtime_caller_export_get)
MEMORY_DATA = address_of(ffi.dll.wasmtime_memory_data)
MEMORY_SIZE = address_of(ffi.dll.wasmtime_memory_data_size)

# The binding's functions once more, taking addresses.
_pointer, _size = ctypes.c_void_p, ctypes.c_size_t
_error = ctypes.POINTER(ffi.wasmtime_error_t)
_NO_TRAP = ctypes.POINTER(ffi.wasm_trap_t)()
_new_instance = ctypes.CFUNCTYPE(_error, _pointer, _pointer, _pointer, _size, _pointer, _pointer)(
    address_of(ffi.dll.wasmtime_instance_new)
)
_call = ctypes.CFUNCTYPE(_error, _pointer, _pointer, _pointer, _size, _pointer)(CALL_UNCHECKED)
_get_export = ctypes.PYFUNCTYPE(ctypes.c_bool, _pointer, _pointer, _pointer, _size, _pointer)(
    address_of(ffi.dll.wasmtime_instance_export_get)
)
_new_variable = ctypes.PYFUNCTYPE(_error, _pointer, _pointer, _pointer, _pointer)(
    address_of(ffi.dll.wasmtime_global_new)
)
_new_function = ctypes.PYFUNCTYPE(None, _pointer, _pointer, _pointer, _pointer, _pointer, _pointer)(
    address_of(ffi.dll.wasmtime_func_new_unchecked)
)


def apply(settings: Mapping[str, bool | int], config: wasmtime.Config) -> None:
    """Set a configuration by the library's own functions, of which the binding lacks some."""
    for name, value in settings.items():
        getattr(ffi.dll, f"wasmtime_config_{name}_set")(config.ptr(), value)


class Instance:
    """An instance of a module in the store of a context; the imports come in the module's order.

    Raises Trap and WasmtimeError, and RunFailed where the machine fails.
    """

    def __init__(self, context: int, module: wasmtime.Module, imports: Sequence[Extern]) -> None:
        self._context = context
        self._instance = ffi.wasmtime_instance_t()
        externs = (Extern * len(imports))(*imports)
        trap = ctypes.POINTER(ffi.wasm_trap_t)()
        error = _new_instance(
            context,
            ctypes.addressof(module.ptr().contents),
            ctypes.addressof(externs),
            len(imports),
            ctypes.addressof(self._instance),
            ctypes.addressof(trap),
        )
        _raise(error, trap)

    def exports(self, names: tuple[str, ...]) -> list[Extern]:
        """The exports of these names, which must all be there."""
        wanted = _wanted(names)
        found = wanted.array()
        place = ctypes.addressof(found)
        instance = ctypes.addressof(self._instance)
        for name, length in wanted.names:
            there = _get_export(self._context, instance, name, length, place)
            assert there, names
            place += _EXTERN_BYTES
        return list(found)

    def call(self, function: Extern, *arguments: int) -> None:
        """Call a function of this instance that takes so many integers and returns nothing."""
        values = (ffi.wasmtime_val_raw_t * max(1, len(arguments)))()
        for value, argument in zip(values, arguments):
            value.i64 = argument  # an i32 is its lower half
        trap = ctypes.POINTER(ffi.wasm_trap_t)()
        error = _call(
            self._context,
            ctypes.addressof(function.of),
            ctypes.addressof(values),
            len(values),
            ctypes.addressof(trap),
        )
        _raise(error, trap)


class _Wanted(NamedTuple):
    """Names of exports as the runtime takes them: (address, length), and room for what is found."""

    names: list[tuple[int, int]]
    array: type[ctypes.Array[Extern]]
    kept: list[ctypes.Array[ctypes.c_char]]  # what the addresses point to


@cache
def _wanted(names: tuple[str, ...]) -> _Wanted:
    buffers = [ctypes.create_string_buffer(name.encode()) for name in names]
    lengths = [(ctypes.addressof(buffer), len(buffer) - 1) for buffer in buffers]
    return _Wanted(lengths, Extern * len(names), buffers)


def native_function(context: int, kind: wasmtime.FuncType, function: int, argument: int) -> Extern:
    """A C function at an address, called with this first argument, as a WebAssembly function."""
    found = Extern()
    found.kind = _FUNCTION
    _new_function(context, ctypes.addressof(kind.ptr().contents), function, argument, None, ctypes.addressof(found.of))
    return found


# How the runtime describes a function to compiled code: the addresses of what is called from outside and of the code
# itself, the type, and the first argument. A function of C has no such code, and its first argument begins with a mark.
_Described = ctypes.c_uint64 * 4
_MARK = b"ACHF"


@cache
def knows_functions() -> bool:
    """Whether this holds for the runtime; versions with which it was not tried call C in their own, slower way."""
    return importlib.metadata.version("wasmtime").startswith("50.")


def direct_function(function: Extern, code: int, argument: int) -> tuple[Extern, object] | None:
    """A function of `native_function` with code of its own for compiled callers, and what to keep as long as that.

    The code may not enter the runtime, look at its caller, or fail. None where there is none, or the runtime isn't
    known to allow it.
    """
    if code == 0 or not knows_functions():
        return None
    from_outside, itself, kind, first = _Described.from_address(function.of.func.__private)  # type: ignore[arg-type]
    if itself or ctypes.string_at(first, len(_MARK)) != _MARK:
        return None
    described = _Described(from_outside, code, kind, argument)
    found = Extern.from_buffer_copy(function)
    found.of.func.__private = ctypes.addressof(described)  # type: ignore[assignment]
    return found, described


def memory(extern: Extern) -> wasmtime.Memory:
    """An exported memory."""
    return wasmtime.Memory._from_raw(extern.of.memory)


_madvise = ctypes.CDLL(None).madvise
_madvise.argtypes = (_pointer, _size, ctypes.c_int)
_DONT_NEED = 4  # Linux's MADV_DONTNEED


def empty(store: wasmtime.Store, of: wasmtime.Memory) -> None:
    """Give a memory's pages back to the system. Its instance must not be entered again."""
    _madvise(address_of(of.data_ptr(store)), of.data_len(store), _DONT_NEED)


_mincore = ctypes.CDLL(None).mincore
_mincore.argtypes = (_pointer, _size, ctypes.c_char_p)
_SYSTEMS_PAGE = resource.getpagesize()


def resident(store: wasmtime.Store, of: wasmtime.Memory, first: int) -> int:
    """How many of the first bytes of a memory are in pages that the system has given it."""
    size = min(first, of.data_len(store))
    pages = ctypes.create_string_buffer(-(-size // _SYSTEMS_PAGE))
    if _mincore(address_of(of.data_ptr(store)), size, pages):
        return size
    return pages.raw.count(b"\1") * _SYSTEMS_PAGE


_CONSTANT = wasmtime.GlobalType(wasmtime.ValType.i32(), False)
_ADDRESS_OF_CONSTANT = ctypes.addressof(_CONSTANT.ptr().contents)


def global_variable(extern: Extern) -> wasmtime.Global:
    """An exported global, as the binding has it."""
    return wasmtime.Global._from_raw(extern.of.global_)


def constant(context: int, value: int) -> Extern:
    """A global of 32 bits that keeps its value."""
    found, content = Extern(), ffi.wasmtime_val_t()
    found.kind, content.kind, content.of.i32 = _VARIABLE, _INTEGER, value  # its lower half
    place = ctypes.addressof(found.of)
    _raise(_new_variable(context, _ADDRESS_OF_CONSTANT, ctypes.addressof(content), place), _NO_TRAP)
    return found


def memory_handle(extern: Extern) -> bytes:
    """An exported memory as the runtime's functions take it."""
    return bytes(extern.of.memory)


def variable_handle(extern: Extern) -> bytes:
    """An exported global as the runtime's functions take it."""
    return bytes(extern.of.global_)


def handle_of(function: Extern) -> bytes:
    """A function as `wasmtime_func_call_unchecked` takes it."""
    return bytes(function.of.func)


def failure(error: int, trap: int) -> wasmtime.Trap | wasmtime.WasmtimeError | None:
    """The failure from the address of an error or a trap (0: none), which it owns."""
    if trap:
        return wasmtime.Trap._from_ptr(ctypes.cast(trap, ctypes.POINTER(ffi.wasm_trap_t)))
    if error:
        return wasmtime.WasmtimeError._from_ptr(ctypes.cast(error, ctypes.POINTER(ffi.wasmtime_error_t)))
    return None


def signed(number: int, bits: int) -> int:
    """The lowest bits of a number, as a signed one."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def _raise(error: ctypes._Pointer[ffi.wasmtime_error_t], trap: ctypes._Pointer[ffi.wasm_trap_t]) -> None:
    if error:
        failed = wasmtime.WasmtimeError._from_ptr(error)
        blame_machine(failed)
        raise failed
    if trap:
        raise wasmtime.Trap._from_ptr(trap)
