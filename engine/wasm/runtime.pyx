"""The WebAssembly runtime's C functions, found once in its library."""

from libc.stdint cimport uintptr_t
from posix.dlfcn cimport dlsym

# In the order of `Functions`.
cdef tuple NAMES = (
    b"wasmtime_store_new",
    b"wasmtime_store_context",
    b"wasmtime_store_delete",
    b"wasmtime_context_set_epoch_deadline",
    b"wasmtime_store_epoch_deadline_callback",
    b"wasmtime_store_limiter",
    b"wasmtime_instance_new",
    b"wasmtime_instance_export_get",
    b"wasmtime_caller_export_get",
    b"wasmtime_func_call_unchecked",
    b"wasmtime_func_new_unchecked",
    b"wasmtime_global_new",
    b"wasmtime_global_get",
    b"wasmtime_global_set",
    b"wasmtime_memory_grow",
    b"wasmtime_memory_data",
    b"wasmtime_memory_data_size",
    b"wasmtime_error_new",
    b"wasmtime_trap_new",
    b"wasm_valtype_new",
    b"wasm_globaltype_new",
)
_raise = None


def find_functions(uintptr_t library, raise_failure):
    """Find them in the runtime's library, by the handle that loading it gave.

    `raise_failure` raises what the addresses of an error and of a trap, 0 for none, mean. Raises ImportError where a
    function isn't there.
    """
    global _raise
    cdef const char* name
    cdef void* found
    cdef int i
    assert sizeof(runtime) == len(NAMES) * sizeof(void*)
    for i in range(<int>len(NAMES)):
        name = NAMES[i]
        found = dlsym(<void*>library, name)
        if found == NULL:
            raise ImportError(f"the WebAssembly runtime has no function {NAMES[i].decode()}")
        (<void**>&runtime)[i] = found
    _raise = raise_failure


cdef int check(void* error, void* trap) except -1:
    if error or trap:
        _raise(<uintptr_t>error, <uintptr_t>trap)
    return 0
