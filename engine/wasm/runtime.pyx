"""The WebAssembly runtime's C functions, found once in its library."""

import ctypes

from libc.stdint cimport uintptr_t

# In the order of `Functions`.
cdef tuple NAMES = (
    "wasmtime_store_new",
    "wasmtime_store_context",
    "wasmtime_store_delete",
    "wasmtime_context_set_epoch_deadline",
    "wasmtime_store_epoch_deadline_callback",
    "wasmtime_store_limiter",
    "wasmtime_instance_new",
    "wasmtime_instance_export_get",
    "wasmtime_caller_export_get",
    "wasmtime_func_call_unchecked",
    "wasmtime_func_new_unchecked",
    "wasmtime_global_new",
    "wasmtime_global_get",
    "wasmtime_global_set",
    "wasmtime_memory_grow",
    "wasmtime_memory_data",
    "wasmtime_memory_data_size",
    "wasmtime_error_new",
    "wasmtime_trap_new",
    "wasm_valtype_new",
    "wasm_globaltype_new",
)
_raise = None


def find_functions(library, raise_failure):
    """Find them in the runtime's library, a `ctypes.CDLL`: a call of `dlsym` in C would need a glibc of 2021.

    `raise_failure` raises what the addresses of an error and of a trap, 0 for none, mean. Raises ImportError where a
    function isn't there.
    """
    global _raise
    cdef uintptr_t found
    cdef int i
    assert sizeof(runtime) == len(NAMES) * sizeof(void*)
    for i, name in enumerate(NAMES):
        try:
            found = ctypes.cast(library[name], ctypes.c_void_p).value
        except AttributeError:
            raise ImportError(f"the WebAssembly runtime has no function {name}") from None
        (<void**>&runtime)[i] = <void*>found
    _raise = raise_failure


cdef int check(void* error, void* trap) except -1:
    if error or trap:
        _raise(<uintptr_t>error, <uintptr_t>trap)
    return 0
