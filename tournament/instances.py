"""WebAssembly instances made and entered with few calls.

The binding's own classes look at every export of an instance and at the types
of every call, which costs more than a short leg. Who comes here knows the
types: nothing is checked.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache

import wasmtime
from wasmtime import _ffi as ffi

_call = ffi.dll.wasmtime_func_call_unchecked
_new_function = ffi.dll.wasmtime_func_new_unchecked
_new_function.restype = None
_new_function.argtypes = [ctypes.c_void_p] * 6


class Instance:
    """An instance of a module in a store; the imports come in the module's order.

    Raises Trap and WasmtimeError.
    """

    def __init__(
        self, store: wasmtime.Store, module: wasmtime.Module, imports: Sequence[wasmtime.Func | wasmtime.Global]
    ) -> None:
        self._context = store._context()
        self._instance = ffi.wasmtime_instance_t()
        externs = (ffi.wasmtime_extern_t * len(imports))(*[item._as_extern() for item in imports])
        trap = ctypes.POINTER(ffi.wasm_trap_t)()
        error = ffi.wasmtime_instance_new(
            self._context, module.ptr(), externs, len(imports), ctypes.byref(self._instance), ctypes.byref(trap)
        )
        _raise(error, trap)

    def function(self, name: str) -> wasmtime.Func:
        """The exported function of that name, which must be there."""
        return wasmtime.Func._from_raw(self._export(name).of.func)

    def memory(self, name: str) -> wasmtime.Memory:
        """The exported memory of that name, which must be there."""
        return wasmtime.Memory._from_raw(self._export(name).of.memory)

    def call(self, name: str, *arguments: int) -> None:
        """Call an exported function that takes so many integers and returns nothing."""
        values = (ffi.wasmtime_val_raw_t * max(1, len(arguments)))()
        for value, argument in zip(values, arguments):
            value.i64 = argument  # an i32 is its lower half
        trap = ctypes.POINTER(ffi.wasm_trap_t)()
        function = self._export(name).of.func
        error = _call(self._context, ctypes.byref(function), values, len(values), ctypes.byref(trap))
        _raise(error, trap)

    def _export(self, name: str) -> ffi.wasmtime_extern_t:
        found = ffi.wasmtime_extern_t()
        there = ffi.wasmtime_instance_export_get(
            self._context, ctypes.byref(self._instance), _buffer(name), len(name.encode()), ctypes.byref(found)
        )
        assert there, name
        return found


@cache
def _buffer(name: str) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(name.encode())


def native_function(store: wasmtime.Store, kind: wasmtime.FuncType, function: int, argument: int) -> wasmtime.Func:
    """A C function at an address, called with this first argument, as one of WebAssembly."""
    raw = ffi.wasmtime_func_t()
    _new_function(
        ctypes.cast(store._context(), ctypes.c_void_p),
        ctypes.cast(kind.ptr(), ctypes.c_void_p),
        function,
        argument,
        None,
        ctypes.addressof(raw),
    )
    return wasmtime.Func._from_raw(raw)


def _raise(error: ctypes._Pointer[ffi.wasmtime_error_t], trap: ctypes._Pointer[ffi.wasm_trap_t]) -> None:
    if error:
        raise wasmtime.WasmtimeError._from_ptr(error)
    if trap:
        raise wasmtime.Trap._from_ptr(trap)
