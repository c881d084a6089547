"""The WebAssembly runtime's C functions, found once in its library."""

import ctypes

from libc.stdint cimport uintptr_t

# Names, with the addresses of their pointers.
cdef tuple FUNCTIONS = (
    ("wasmtime_store_new", <uintptr_t>&runtime.new_store),
    ("wasmtime_store_context", <uintptr_t>&runtime.get_context),
    ("wasmtime_store_delete", <uintptr_t>&runtime.delete_store),
    ("wasmtime_context_set_epoch_deadline", <uintptr_t>&runtime.set_deadline),
    ("wasmtime_store_epoch_deadline_callback", <uintptr_t>&runtime.call_at_ticks),
    ("wasmtime_store_limiter", <uintptr_t>&runtime.set_limits),
    ("wasmtime_instance_new", <uintptr_t>&runtime.new_instance),
    ("wasmtime_instance_export_get", <uintptr_t>&runtime.get_export),
    ("wasmtime_caller_export_get", <uintptr_t>&runtime.get_callers_export),
    ("wasmtime_func_call_unchecked", <uintptr_t>&runtime.call_unchecked),
    ("wasmtime_func_new_unchecked", <uintptr_t>&runtime.new_function),
    ("wasmtime_global_new", <uintptr_t>&runtime.new_variable),
    ("wasmtime_global_get", <uintptr_t>&runtime.get_variable),
    ("wasmtime_global_set", <uintptr_t>&runtime.set_variable),
    ("wasmtime_memory_grow", <uintptr_t>&runtime.grow_memory),
    ("wasmtime_memory_data", <uintptr_t>&runtime.memory_data),
    ("wasmtime_memory_data_size", <uintptr_t>&runtime.memory_size),
    ("wasmtime_error_new", <uintptr_t>&runtime.new_error),
    ("wasmtime_trap_new", <uintptr_t>&runtime.new_trap),
    ("wasm_valtype_new", <uintptr_t>&runtime.new_number_type),
    ("wasm_globaltype_new", <uintptr_t>&runtime.new_variable_type),
)
_raise = None


def find_functions(library, raise_failure):
    """Find the functions in the runtime's library, a `ctypes.CDLL`. A call of `dlsym` in C would need a glibc of 2021.

    Args:
        raise_failure: Called with the addresses of an error and of a trap, 0 for none; raises what they describe.

    Raises:
        ImportError: A function is missing.
    """
    global _raise
    cdef uintptr_t found, place
    assert sizeof(runtime) == len({each for _, each in FUNCTIONS}) * sizeof(void*)
    for name, place in FUNCTIONS:
        try:
            found = ctypes.cast(library[name], ctypes.c_void_p).value
        except AttributeError:
            raise ImportError(f"the WebAssembly runtime has no function {name}") from None
        (<void**>place)[0] = <void*>found
    _raise = raise_failure


cdef int check(void* error, void* trap) except -1:
    """Raise what an error or a trap of the runtime describes, if one isn't NULL. Both are then freed."""
    if error or trap:
        _raise(<uintptr_t>error, <uintptr_t>trap)
    return 0
