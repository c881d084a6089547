"""Stores and instances of modules, by the runtime's own functions. Its Python binding takes longer than a short leg."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint64_t, uintptr_t
from libc.string cimport memset

from engine.wasm.fuel cimport Fuel
from engine.wasm.runtime cimport *

cdef enum:
    MOST_ARGUMENTS = 4      # limit of functions that are called from here
    PAGE = 65536            # bytes, of a memory

# Of a variable of 32 bits that keeps its value.
cdef void* constant_type = NULL


# Places of the pool that no store has.
cdef int64_t free_places = 0


def open_pool(int64_t places):
    """Let stores take places of the pool, of which there are this many."""
    global free_places
    free_places = places


def take_places(int64_t count):
    """Take this many places of the pool for a store, and return whether as many were free."""
    global free_places
    if free_places < count:
        return False
    free_places -= count
    return True


cdef bytes as_bytes(const Extern* found):
    return PyBytes_FromStringAndSize(<const char*>found, sizeof(Extern))


cdef const Extern* as_extern(bytes extern) except NULL:
    if len(extern) != sizeof(Extern):
        raise ValueError("what is imported or exported has 32 bytes")
    return <const Extern*>PyBytes_AS_STRING(extern)


def handle_of(bytes extern):
    """Return a memory or a variable as an argument of the runtime's functions."""
    return PyBytes_FromStringAndSize(<const char*>as_extern(extern).of, sizeof(RuntimeVariable))


def handle_of_function(bytes function):
    """Return a function as an argument of the runtime's functions."""
    return PyBytes_FromStringAndSize(<const char*>as_extern(function).of, sizeof(RuntimeFunction))


@cython.final
cdef class Store:
    """A store of an engine. Its contents end with it, and then its `places` in the pool become free.

    Failures of the runtime raise its own exceptions.
    """

    cdef void* store
    cdef void* of
    cdef int64_t places
    cdef int64_t memory, elements, instances    # limits

    def __init__(self, uintptr_t engine, int64_t places=0):
        self.places = places
        self.store = runtime.new_store(<void*>engine, NULL, NULL)
        self.of = runtime.get_context(self.store)

    def __dealloc__(self):
        global free_places
        if self.store:
            with nogil:
                runtime.delete_store(self.store)
        free_places += self.places

    @property
    def context(self):
        """The address of its context, which other functions of the runtime take."""
        return <uintptr_t>self.of

    def limit(self, int64_t memory, int64_t elements, int64_t instances):
        """Limit all later creation and growth: bytes of memories, elements of tables, and their numbers."""
        self.memory, self.elements, self.instances = memory, elements, instances
        self.limit_memory(memory)

    cdef void limit_memory(self, int64_t memory) noexcept:
        runtime.set_limits(self.store, memory, self.elements, self.instances, self.instances, self.instances)

    def call_at_ticks(self, uintptr_t function, uintptr_t argument):
        """Have a C function called with this argument, within code that runs, as the engine's clock ticks."""
        runtime.call_at_ticks(self.store, <void*>function, <void*>argument, NULL)
        runtime.set_deadline(self.of, 1)

    def function(self, uintptr_t kind, uintptr_t function, uintptr_t argument):
        """Return a C function, called with this first argument, as a WebAssembly function of a type."""
        cdef Extern found
        memset(&found, 0, sizeof(found))
        found.kind = FUNCTION
        runtime.new_function(self.of, <void*>kind, <void*>function, <void*>argument, NULL, &found.of)
        return as_bytes(&found)

    def constant(self, uint64_t value):
        """Return a variable of 32 bits that keeps its value."""
        global constant_type
        cdef Extern found
        cdef RuntimeNumber content
        if constant_type == NULL:
            constant_type = runtime.new_variable_type(runtime.new_number_type(I32), False)
        memset(&found, 0, sizeof(found))
        memset(&content, 0, sizeof(content))
        found.kind, content.kind = VARIABLE, I32
        content.number = <int64_t>(value & 0xFFFFFFFF)
        check(runtime.new_variable(self.of, constant_type, &content, &found.of), NULL)
        return as_bytes(&found)

    def value_of(self, bytes variable):
        """Return the number in a variable of 32 bits."""
        cdef const Extern* extern = as_extern(variable)
        cdef RuntimeNumber value
        runtime.get_variable(self.of, &extern.of, &value)
        return <int32_t>value.number

    def grow(self, bytes memory, uint64_t pages):
        """Let a memory grow: how many pages it had."""
        cdef const Extern* extern = as_extern(memory)
        cdef uint64_t before = 0
        cdef void* error
        with nogil:
            error = runtime.grow_memory(self.of, &extern.of, pages, &before)
        check(error, NULL)
        return before

    def size_of(self, bytes memory):
        """Return the size of a memory in bytes."""
        return runtime.memory_size(self.of, &as_extern(memory).of)

    def place_of(self, bytes memory):
        """Return the address of a memory in ours, and its bytes."""
        cdef const Extern* extern = as_extern(memory)
        return (
            <uintptr_t>runtime.memory_data(self.of, &extern.of),
            runtime.memory_size(self.of, &extern.of),
        )


@cython.final
cdef class Instance:
    """An instance of a module in a store, with imports in the module's order and the store's exceptions."""

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
        with nogil:
            error = runtime.new_instance(store.of, <void*>module, first, count, &self.instance, &trap)
        check(error, trap)

    def exports(self, tuple names):
        """Return the exports of these names, which are bytes and must all exist."""
        cdef list found = []
        cdef Extern extern
        cdef bytes name
        for name in names:
            memset(&extern, 0, sizeof(extern))
            if not runtime.get_export(
                self.store.of, &self.instance, PyBytes_AS_STRING(name), len(name), &extern
            ):
                raise KeyError(name)
            found.append(as_bytes(&extern))
        return found

    def call(self, bytes name, *arguments):
        """Call an exported function that takes these integers and returns nothing. A missing one is a KeyError."""
        cdef RuntimeValue values[MOST_ARGUMENTS]
        cdef Extern function
        cdef void* trap = NULL
        cdef void* error
        cdef Py_ssize_t number
        if len(arguments) > MOST_ARGUMENTS:
            raise ValueError("too many arguments")
        if not runtime.get_export(self.store.of, &self.instance, PyBytes_AS_STRING(name), len(name), &function):
            raise KeyError(name)
        for number in range(len(arguments)):
            values[number].i64 = arguments[number]     # an i32 is its lower half
        with nogil:
            error = runtime.call_unchecked(
                self.store.of, <const RuntimeFunction*>&function.of, values, MOST_ARGUMENTS, &trap
            )
        check(error, trap)


@cython.final
cdef class StartedBot:
    """A bot that can be asked.

    Attributes:
        functions: The functions that answer.
        memory: The memory.
        counter: The counter of its fuel.
        address: The address of its struct, a constant for the loop.
        window: The struct's place in our memory.
    """

    cdef readonly Instance instance
    cdef readonly list functions
    cdef readonly bytes memory, counter, address
    cdef readonly uintptr_t window


@cython.final
cdef class Program:
    """The constant parts of a compiled module's starts.

    Args:
        module: Owner of the compiled module, kept as long as this is.
        address: The address of the module.
        exports: The names of its memory, its counter and its functions.
        called_first: The names of the functions to be called before all else.
        is_told: Whether to call tournament_start.
        pages: The pages of the bot's struct, out of the way of its allocator.
    """

    cdef object module
    cdef uintptr_t address
    cdef tuple exports, called_first
    cdef bint is_told
    cdef uint64_t pages

    def __init__(
        self, module, uintptr_t address, tuple exports, tuple called_first, bint is_told, uint64_t pages
    ):
        self.module, self.address = module, address
        self.exports, self.called_first, self.is_told, self.pages = exports, called_first, is_told, pages

    def start(self, Store store, list imports, seed_random, uint64_t seed, Fuel fuel, uint64_t given):
        """Start a bot.

        Args:
            store: Its limits leave room for the bot's memory.
            imports: The module's imports, in its order.
            seed_random: Called with the seed, unless it is None.
            seed: The start of all that is random for the bot.
            fuel: Counts what the bot uses of `given`.
            given: The fuel to start with.
        """
        cdef StartedBot bot = StartedBot()
        cdef Extern* memory
        cdef uint64_t address
        bot.instance = Instance(store, self.address, imports)
        bot.memory, bot.counter, *bot.functions = bot.instance.exports(self.exports)
        fuel.count_by(handle_of(bot.counter))
        fuel.give_more(given)
        for name in self.called_first:
            bot.instance.call(name)
        # Room for the struct is added last, so that the bot can't take it.
        store.limit_memory(store.memory + self.pages * PAGE)
        address = store.grow(bot.memory, self.pages) * PAGE
        memory = <Extern*>as_extern(bot.memory)
        bot.window = <uintptr_t>runtime.memory_data(store.of, &memory.of) + address
        bot.address = store.constant(address)
        if seed_random is not None:
            seed_random(<int64_t>seed)
        if self.is_told:
            bot.instance.call(b"tournament_start", address, <int64_t>seed)
        return bot
