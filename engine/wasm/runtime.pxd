# The WebAssembly runtime's C interface: values, handles, and its functions.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef struct RuntimeFunction:    # wasmtime_func_t
    uint64_t store
    void* private_data

cdef union RuntimeValue:        # wasmtime_val_raw_t
    int32_t i32
    int64_t i64
    unsigned char bytes[16]

cdef struct RuntimeNumber:      # wasmtime_val_t
    uint8_t kind
    int64_t number
    uint64_t[2] unused

cdef union RuntimeVariable:     # wasmtime_global_t
    uint64_t aligned
    unsigned char bytes[24]

cdef struct Extern:             # wasmtime_extern_t: a function, memory or variable
    uint8_t kind
    uint64_t[3] of

cdef enum:
    I32 = 0                     # kinds of numbers
    I64 = 1
    FUNCTION = 0                # kinds of externs
    VARIABLE = 1
    MEMORY = 3

cdef struct RuntimeInstance:    # wasmtime_instance_t
    uint64_t[2] parts

cdef struct Functions:          # called without the GIL; the runtime's header has their parameters
    void* (*new_store)(void* engine, void* data, void* finalizer) noexcept nogil
    void* (*get_context)(void* store) noexcept nogil
    void (*delete_store)(void* store) noexcept nogil
    void (*set_deadline)(void* context, uint64_t ticks) noexcept nogil
    void (*call_at_ticks)(void* store, void* function, void* argument, void* finalizer) noexcept nogil
    void (*set_limits)(
        void* store, int64_t memory, int64_t elements, int64_t instances, int64_t tables, int64_t memories
    ) noexcept nogil
    void* (*new_instance)(
        void* context, const void* module, const Extern* imports, size_t count, RuntimeInstance* found, void** trap
    ) noexcept nogil
    bint (*get_export)(
        void* context, const RuntimeInstance* instance, const char* name, size_t length, Extern* found
    ) noexcept nogil
    bint (*get_callers_export)(void* caller, const char* name, size_t length, Extern* found) noexcept nogil
    void* (*call_unchecked)(
        void* context, const RuntimeFunction* function, RuntimeValue* arguments_and_results, size_t count, void** trap
    ) noexcept nogil
    void (*new_function)(
        void* context, const void* kind, void* function, void* argument, void* finalizer, void* found
    ) noexcept nogil
    void* (*new_variable)(void* context, const void* kind, const RuntimeNumber* value, void* found) noexcept nogil
    void (*get_variable)(void* context, const void* variable, RuntimeNumber* value) noexcept nogil
    void* (*set_variable)(void* context, const void* variable, const RuntimeNumber* value) noexcept nogil
    void* (*grow_memory)(void* context, const void* memory, uint64_t pages, uint64_t* before) noexcept nogil
    uint8_t* (*memory_data)(void* context, const void* memory) noexcept nogil
    size_t (*memory_size)(void* context, const void* memory) noexcept nogil
    void* (*new_error)(const char* message) noexcept nogil
    void* (*new_trap)(const char* message, size_t length) noexcept nogil
    void* (*new_number_type)(uint8_t kind) noexcept nogil
    void* (*new_variable_type)(void* number_type, uint8_t changes) noexcept nogil

cdef Functions runtime          # found by `find_functions`

cdef int check(void* error, void* trap) except -1   # raises the failure that they describe, if any
