"""Stores and instances of modules, made and entered by the runtime's own functions: its binding for Python takes longer
than a short leg."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint64_t, uintptr_t
from libc.string cimport memcmp, memset

from engine.wasm.runtime cimport *

cdef enum:
    MOST_ARGUMENTS = 4      # of a function that is called from here

cdef const char* MARK = b"ACHF"     # of the first argument of a function of C

# How the runtime describes a function to compiled code. One of C has no such code, and its argument begins with MARK.
cdef struct Described:
    void* from_outside
    void* itself
    void* kind
    const char* argument

cdef struct RuntimeInstance:    # its wasmtime_instance_t
    uint64_t[2] parts

ctypedef void* (*NewStore)(void* engine, void* data, void* finalizer) noexcept nogil
ctypedef void* (*GetContext)(void* store) noexcept nogil
ctypedef void (*DeleteStore)(void* store) noexcept nogil
ctypedef void* (*NewInstance)(
    void* context, const void* module, const Extern* imports, size_t count, RuntimeInstance* found, void** trap
) noexcept nogil
ctypedef bint (*GetExport)(
    void* context, const RuntimeInstance* instance, const char* name, size_t length, Extern* found
) noexcept nogil
ctypedef void (*NewFunction)(
    void* context, const void* kind, void* function, void* argument, void* finalizer, void* found
) noexcept nogil
ctypedef void* (*NewVariable)(void* context, const void* kind, const RuntimeNumber* value, void* found) noexcept nogil
ctypedef void (*SetLimits)(
    void* store, int64_t memory, int64_t elements, int64_t instances, int64_t tables, int64_t memories
) noexcept nogil
ctypedef void (*CallAtTicks)(void* store, void* function, void* argument, void* finalizer) noexcept nogil
ctypedef void* (*GrowMemory)(void* context, const void* memory, uint64_t pages, uint64_t* before) noexcept nogil


cdef bytes as_bytes(const Extern* found):
    return PyBytes_FromStringAndSize(<const char*>found, sizeof(Extern))


cdef const Extern* as_extern(bytes extern) except NULL:
    if len(extern) != sizeof(Extern):
        raise ValueError("what is imported or exported has 32 bytes")
    return <const Extern*>PyBytes_AS_STRING(extern)


def handle_of(bytes extern):
    """A memory or a variable as the runtime's functions take it."""
    return PyBytes_FromStringAndSize(<const char*>as_extern(extern).of, sizeof(RuntimeVariable))


def handle_of_function(bytes function):
    """A function as the runtime's functions take it."""
    return PyBytes_FromStringAndSize(<const char*>as_extern(function).of, sizeof(RuntimeFunction))


@cython.final
cdef class Runtime:
    """The runtime's functions, by address. `fail` raises what the addresses of an error and of a trap, 0 for none,
    mean; `constant` is the type of a variable of 32 bits that keeps its value."""

    cdef NewStore new_store
    cdef GetContext get_context
    cdef DeleteStore delete_store
    cdef SetDeadline set_deadline
    cdef CallAtTicks call_at_ticks
    cdef NewInstance new_instance
    cdef GetExport get_export
    cdef CallUnchecked call_unchecked
    cdef NewFunction new_function
    cdef NewVariable new_variable
    cdef GetVariable get_variable
    cdef SetLimits set_limits
    cdef GrowMemory grow_memory
    cdef MemoryData memory_data
    cdef MemorySize memory_size
    cdef const void* constant
    cdef object fail

    def __init__(
        self,
        fail,
        *,
        uintptr_t new_store,
        uintptr_t get_context,
        uintptr_t delete_store,
        uintptr_t set_deadline,
        uintptr_t call_at_ticks,
        uintptr_t new_instance,
        uintptr_t get_export,
        uintptr_t call_unchecked,
        uintptr_t new_function,
        uintptr_t new_variable,
        uintptr_t get_variable,
        uintptr_t set_limits,
        uintptr_t grow_memory,
        uintptr_t memory_data,
        uintptr_t memory_size,
        uintptr_t constant,
    ):
        self.new_store = <NewStore>new_store
        self.get_context = <GetContext>get_context
        self.delete_store = <DeleteStore>delete_store
        self.set_deadline = <SetDeadline>set_deadline
        self.call_at_ticks = <CallAtTicks>call_at_ticks
        self.new_instance = <NewInstance>new_instance
        self.get_export = <GetExport>get_export
        self.call_unchecked = <CallUnchecked>call_unchecked
        self.new_function = <NewFunction>new_function
        self.new_variable = <NewVariable>new_variable
        self.get_variable = <GetVariable>get_variable
        self.set_limits = <SetLimits>set_limits
        self.grow_memory = <GrowMemory>grow_memory
        self.memory_data = <MemoryData>memory_data
        self.memory_size = <MemorySize>memory_size
        self.constant = <const void*>constant
        self.fail = fail

    cdef int check(self, void* error, void* trap) except -1:
        if error or trap:
            self.fail(<uintptr_t>error, <uintptr_t>trap)
        return 0


@cython.final
@cython.no_gc_clear     # to delete it the runtime is needed
cdef class Store:
    """A store of an engine. What lives in it ends with it. Raises as `Runtime.fail` does."""

    cdef Runtime runtime
    cdef void* store
    cdef void* of

    def __init__(self, Runtime runtime, uintptr_t engine):
        self.runtime = runtime
        self.store = runtime.new_store(<void*>engine, NULL, NULL)
        self.of = runtime.get_context(self.store)

    def __dealloc__(self):
        if self.store:
            with nogil:
                self.runtime.delete_store(self.store)

    @property
    def context(self):
        """The address of its context, which other functions of the runtime take."""
        return <uintptr_t>self.of

    def limit(self, int64_t memory, int64_t elements, int64_t instances):
        """Limit all that is created from now on, and each growth of a memory: bytes of each memory, elements of each
        table, how many of each."""
        self.runtime.set_limits(self.store, memory, elements, instances, instances, instances)

    def call_at_ticks(self, uintptr_t function, uintptr_t argument):
        """Have a C function called with this argument, within code that runs, as the engine's clock ticks."""
        self.runtime.call_at_ticks(self.store, <void*>function, <void*>argument, NULL)
        self.runtime.set_deadline(self.of, 1)

    def function(self, uintptr_t kind, uintptr_t function, uintptr_t argument):
        """A C function, called with this first argument, as a WebAssembly function of a type."""
        cdef Extern found
        memset(&found, 0, sizeof(found))
        found.kind = FUNCTION
        self.runtime.new_function(self.of, <void*>kind, <void*>function, <void*>argument, NULL, &found.of)
        return as_bytes(&found)

    def constant(self, uint64_t value):
        """A variable of 32 bits that keeps its value."""
        cdef Extern found
        cdef RuntimeNumber content
        memset(&found, 0, sizeof(found))
        memset(&content, 0, sizeof(content))
        found.kind, content.kind = VARIABLE, I32
        content.number = <int64_t>(value & 0xFFFFFFFF)
        self.runtime.check(self.runtime.new_variable(self.of, self.runtime.constant, &content, &found.of), NULL)
        return as_bytes(&found)

    def value_of(self, bytes variable):
        """The number in a variable of 32 bits."""
        cdef const Extern* extern = as_extern(variable)
        cdef RuntimeNumber value
        self.runtime.get_variable(self.of, &extern.of, &value)
        return <int32_t>value.number

    def grow(self, bytes memory, uint64_t pages):
        """Let a memory grow: how many pages it had."""
        cdef const Extern* extern = as_extern(memory)
        cdef uint64_t before = 0
        cdef void* error
        with nogil:
            error = self.runtime.grow_memory(self.of, &extern.of, pages, &before)
        self.runtime.check(error, NULL)
        return before

    def place_of(self, bytes memory):
        """Where a memory lies in ours, and its bytes."""
        cdef const Extern* extern = as_extern(memory)
        return (
            <uintptr_t>self.runtime.memory_data(self.of, &extern.of),
            self.runtime.memory_size(self.of, &extern.of),
        )


@cython.final
cdef class Direct:
    """A function of `Store.function` with code of its own for compiled callers: to be kept as long as it is called.

    Raises ValueError for any other function. The code may not enter the runtime, look at its caller, or fail.
    """

    cdef Described described
    cdef readonly bytes function

    def __init__(self, bytes function, uintptr_t code, uintptr_t argument):
        cdef Extern extern = as_extern(function)[0]
        cdef const Described* former = <const Described*>extern.of[1]
        if former.itself or memcmp(former.argument, MARK, 4) != 0:
            raise ValueError("no function of C")
        self.described = former[0]
        self.described.itself = <void*>code
        self.described.argument = <const char*>argument
        extern.of[1] = <uint64_t><uintptr_t>&self.described
        self.function = as_bytes(&extern)


@cython.final
cdef class Instance:
    """An instance of a module in a store; the imports come in the module's order. Raises as `Runtime.fail` does."""

    cdef Runtime runtime
    cdef Store store
    cdef RuntimeInstance instance

    def __init__(self, Store store, uintptr_t module, list imports):
        cdef bytes externs = b"".join(imports)
        cdef const Extern* first = <const Extern*>PyBytes_AS_STRING(externs)
        cdef size_t count = len(imports)
        cdef void* trap = NULL
        cdef void* error
        if len(externs) != count * sizeof(Extern):
            raise ValueError("what is imported has 32 bytes")
        self.store = store
        self.runtime = store.runtime
        with nogil:
            error = self.runtime.new_instance(store.of, <void*>module, first, count, &self.instance, &trap)
        self.runtime.check(error, trap)

    def exports(self, tuple names):
        """The exports of these names, which are bytes and must all be there."""
        cdef list found = []
        cdef Extern extern
        cdef bytes name
        for name in names:
            memset(&extern, 0, sizeof(extern))
            if not self.runtime.get_export(
                self.store.of, &self.instance, PyBytes_AS_STRING(name), len(name), &extern
            ):
                raise KeyError(name)
            found.append(as_bytes(&extern))
        return found

    def call(self, bytes function, *arguments):
        """Call a function of this instance that takes so many integers and returns nothing."""
        cdef RuntimeValue values[MOST_ARGUMENTS]
        cdef const Extern* of = as_extern(function)
        cdef void* trap = NULL
        cdef void* error
        cdef Py_ssize_t number
        if len(arguments) > MOST_ARGUMENTS:
            raise ValueError("too many arguments")
        for number in range(len(arguments)):
            values[number].i64 = arguments[number]     # an i32 is its lower half
        with nogil:
            error = self.runtime.call_unchecked(
                self.store.of, <const RuntimeFunction*>&of.of, values, MOST_ARGUMENTS, &trap
            )
        self.runtime.check(error, trap)
