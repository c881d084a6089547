# What more than one module uses of the WebAssembly runtime's C interface: values, handles, and its functions' types.

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

ctypedef void* (*CallUnchecked)(
    void* context, const RuntimeFunction* function, RuntimeValue* arguments_and_results, size_t count, void** trap
) noexcept nogil
ctypedef void (*SetDeadline)(void* context, uint64_t ticks) noexcept nogil
ctypedef void (*GetVariable)(void* context, const void* variable, RuntimeNumber* value) noexcept nogil
ctypedef void* (*SetVariable)(void* context, const void* variable, const RuntimeNumber* value) noexcept nogil
ctypedef uint8_t* (*MemoryData)(void* context, const void* memory) noexcept nogil
ctypedef size_t (*MemorySize)(void* context, const void* memory) noexcept nogil
ctypedef void* (*NewTrap)(const char* message, size_t length) noexcept nogil
