"""Stores and instances of modules, by the runtime's own functions. Its Python binding takes longer than a short leg."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from engine.kernel.limits cimport MAX_CHANGING
from engine.kernel.memory cimport grown
from engine.wasm.fuel cimport Fuel
from engine.wasm.runtime cimport *

cdef enum:
    MAX_ARGUMENTS = 4      # limit of functions that are called from here
    PAGE = 65536            # bytes, of a memory

# Type of a variable of 32 bits that keeps its value.
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
    """Return the runtime's description of an import or export as bytes."""
    return PyBytes_FromStringAndSize(<const char*>found, sizeof(Extern))


cdef const Extern* as_extern(bytes extern) except NULL:
    """Return the runtime's description of an import or export, which lives as long as the bytes.

    Raises:
        ValueError: The bytes have another size.
    """
    if len(extern) != sizeof(Extern):
        raise ValueError("what is imported or exported has 32 bytes")
    return <const Extern*>PyBytes_AS_STRING(extern)


def handle_of(bytes extern):
    """Return a memory or a variable as an argument of the runtime's functions.

    Raises:
        ValueError: The bytes don't describe an import or export.
    """
    return PyBytes_FromStringAndSize(<const char*>as_extern(extern).of, sizeof(RuntimeVariable))


def handle_of_function(bytes function):
    """Return a function as an argument of the runtime's functions.

    Raises:
        ValueError: The bytes don't describe an import or export.
    """
    return PyBytes_FromStringAndSize(<const char*>as_extern(function).of, sizeof(RuntimeFunction))


@cython.final
cdef class Store:
    """A store of an engine. Its contents end with it, and then its `places` in the pool become free.

    Failures of the runtime raise its own exceptions.

    Args:
        engine: Address of the engine.
        places: Places in the pool that the caller has taken for this store.
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
        """Limit all later creation and growth.

        Args:
            memory: Bytes of each memory.
            elements: Elements of each table.
            instances: Numbers of instances, of tables and of memories.
        """
        self.memory, self.elements, self.instances = memory, elements, instances
        self.limit_memory(memory)

    cdef void limit_memory(self, int64_t memory) noexcept:
        """Change the limit of memories, in bytes."""
        runtime.set_limits(self.store, memory, self.elements, self.instances, self.instances, self.instances)

    def call_at_ticks(self, uintptr_t function, uintptr_t argument):
        """Have a C function called with this argument when the engine's clock ticks while code runs."""
        runtime.call_at_ticks(self.store, <void*>function, <void*>argument, NULL)
        runtime.set_deadline(self.of, 1)

    def function(self, uintptr_t kind, uintptr_t function, uintptr_t argument):
        """Return a C function as a WebAssembly function, in the form in which instances take imports.

        Args:
            kind: Address of the runtime's function type.
            function: Address of the C function.
            argument: Address that the function gets as its first argument. It must live as long as the store.

        Returns:
            The bytes of the runtime's description of the function, which is the store's.
        """
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
        """Return the number in a variable of 32 bits, as a signed one."""
        cdef const Extern* extern = as_extern(variable)
        cdef RuntimeNumber value
        runtime.get_variable(self.of, &extern.of, &value)
        return <int32_t>value.number

    def grow(self, bytes memory, uint64_t pages):
        """Grow a memory by this many pages, and return how many it had.

        A limit that forbids it raises the runtime's exception.
        """
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
        """Return the address of a memory in this process, and its size in bytes."""
        cdef const Extern* extern = as_extern(memory)
        return (
            <uintptr_t>runtime.memory_data(self.of, &extern.of),
            runtime.memory_size(self.of, &extern.of),
        )


@cython.final
cdef class Instance:
    """An instance of a module in a store.

    Making it and calling it raise the runtime's own exceptions, such as that of a trap.

    Args:
        store: The store.
        module: Address of the compiled module.
        imports: The imports in the module's order.

    Raises:
        ValueError: An import has another size.
    """

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
        """Return the exports of these names, which are bytes.

        Raises:
            KeyError: One doesn't exist.
        """
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
        """Call an exported function that takes these integers and returns nothing.

        A trap raises the runtime's exception.

        Raises:
            KeyError: There is no such export.
            ValueError: There are more than MAX_ARGUMENTS.
        """
        cdef RuntimeValue values[MAX_ARGUMENTS]
        cdef Extern function
        cdef void* trap = NULL
        cdef void* error
        cdef Py_ssize_t number
        if len(arguments) > MAX_ARGUMENTS:
            raise ValueError("too many arguments")
        if not runtime.get_export(self.store.of, &self.instance, PyBytes_AS_STRING(name), len(name), &function):
            raise KeyError(name)
        for number in range(len(arguments)):
            values[number].i64 = arguments[number]     # an i32 is its lower half
        with nogil:
            error = runtime.call_unchecked(
                self.store.of, <const RuntimeFunction*>&function.of, values, MAX_ARGUMENTS, &trap
            )
        check(error, trap)


@cython.final
cdef class StartedBot:
    """A bot that can be asked.

    Attributes:
        functions: The functions that answer.
        memory: The memory.
        counter: The counter of its fuel.
        address: The address of its struct in its memory, a constant for the loop.
        window: The address of the struct in this process.
    """

    cdef readonly Instance instance
    cdef readonly list functions
    cdef readonly bytes memory, counter, address
    cdef readonly uintptr_t window
    cdef uint64_t at            # the address, as a number


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
        """Start a bot. A trap or a limit raises the runtime's own exception.

        Args:
            store: Its limits leave room for the bot's memory.
            imports: The module's imports, in its order.
            seed_random: Called with the seed, unless it is None.
            seed: The start of all that is random for the bot.
            fuel: Counts what the bot uses of `given`.
            given: The fuel to start with.
        """
        cdef StartedBot bot = self.prepare(store, imports, fuel, given)
        self.begin(bot, seed_random, seed)
        return bot

    cdef StartedBot prepare(self, Store store, list imports, Fuel fuel, uint64_t given):
        """Start a bot up to the point at which its seed matters."""
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
        bot.at = address
        bot.address = store.constant(address)
        return bot

    cdef int begin(self, StartedBot bot, seed_random, uint64_t seed) except -1:
        """Seed a started bot, and call tournament_start if it has that."""
        if seed_random is not None:
            seed_random(<int64_t>seed)
        if self.is_told:
            bot.instance.call(b"tournament_start", bot.at, <int64_t>seed)
        return 0


cdef enum:
    SYSTEMS_PAGE = 4096     # bytes
    MAX_PAGES = 120        # copied pages of a kept bot: copying more takes as long as a start
    MAX_RANGES = 32        # ranges of pages in one answer
    IN_MEMORY = 8           # the system's kinds of pages
    SWAPPED = 16

cdef extern from "<sys/ioctl.h>" nogil:
    int ioctl(int file, unsigned long request, ...)

cdef extern from "<sys/mman.h>" nogil:
    int madvise(void* start, size_t length, int advice)
    int MADV_DONTNEED

cdef struct Range:          # Linux's struct page_region
    uint64_t start, end, kinds

cdef struct Question:       # Linux's struct pm_scan_arg
    uint64_t size, flags, start, end, walked, found, room, most, inverted, all_of, any_of, wanted

cdef unsigned long SCAN = 3 << 30 | sizeof(Question) << 16 | 0x66 << 8 | 16     # Linux's PAGEMAP_SCAN


@cython.final
cdef class KeptBot:
    """A bot that is started once and brought back to its start for each leg: its memory, and its variables.

    Nothing else of it changes: see `Module.changing_variables`. The system knows which pages of the memory were ever
    used. Pages that were used at the start are copied then. Any other used page is first given back to the system. So
    it has its first content again, and is copied.

    Args:
        program: The bot's program.
        store: Its limits leave room for the bot's memory.
        imports: The module's imports, in its order.
        seed_random: Called with the seed of each leg, unless it is None. It sets all that changes in the imports.
        variables: Names of the exported variables that change.
        fuel: Counts the fuel of the start.
        given: The fuel to start with, in each leg.
        pages: Descriptor of the open file /proc/self/pagemap.

    Raises:
        ValueError: The bot can't be brought back.
    """

    cdef Program program
    cdef readonly StartedBot started
    cdef readonly uintptr_t window
    cdef object seed_random
    cdef uint64_t given, fuel_of_start
    cdef bytes counter
    cdef int file
    cdef RuntimeVariable[MAX_CHANGING] variables
    cdef RuntimeNumber[MAX_CHANGING] values
    cdef int variable_count
    cdef RuntimeVariable memory
    cdef void* store
    cdef char* place
    cdef size_t size            # bytes of the memory at the start
    cdef int8_t* copies         # number of each page's copy, -1 for none
    cdef char* content
    cdef size_t count, room     # pages of content

    def __init__(
        self, Program program, Store store, list imports, seed_random, tuple variables, Fuel fuel, uint64_t given,
        int pages
    ):
        cdef bytes variable
        self.program, self.seed_random, self.given, self.file = program, seed_random, given, pages
        self.started = program.prepare(store, imports, fuel, given)
        self.window = self.started.window
        self.fuel_of_start = fuel.settle()
        self.counter = handle_of(self.started.counter)
        self.store = store.of
        for variable in self.started.instance.exports(variables):
            if self.variable_count == MAX_CHANGING:
                raise ValueError("too many variables change")
            self.variables[self.variable_count] = (<const RuntimeVariable*>as_extern(variable).of)[0]
            runtime.get_variable(
                self.store, &self.variables[self.variable_count], &self.values[self.variable_count]
            )
            self.variable_count += 1
        self.memory = (<const RuntimeVariable*>as_extern(self.started.memory).of)[0]
        self.place = <char*>runtime.memory_data(self.store, &self.memory)
        self.size = runtime.memory_size(self.store, &self.memory)
        self.copies = <int8_t*>malloc(self.size // SYSTEMS_PAGE)
        if self.copies == NULL:
            raise MemoryError
        memset(self.copies, -1, self.size // SYSTEMS_PAGE)
        if not self.restore_pages(True):
            raise ValueError("the bot's memory can't be brought back")

    def __dealloc__(self):
        free(self.copies)
        free(self.content)

    @property
    def memory_bytes(self):
        """Size of its memory."""
        return runtime.memory_size(self.store, &self.memory)

    def begin(self, Fuel fuel, uint64_t seed):
        """Start the bot for a leg. A trap raises the runtime's own exception.

        Args:
            fuel: Counts what the bot uses in the leg. Its start always takes the same.
            seed: The start of all that is random for the bot.

        Returns:
            False if the bot can't be brought back, and is of no use any more.
        """
        cdef bint is_back
        cdef int i
        with nogil:
            is_back = self.restore_pages(False)
            for i in range(self.variable_count):
                runtime.set_variable(self.store, &self.variables[i], &self.values[i])
        if not is_back:
            return False
        fuel.count_by(self.counter)
        fuel.put(0)     # the rest of an earlier leg
        fuel.give_more(self.given)
        fuel.put(<int64_t>(self.given - self.fuel_of_start))
        self.program.begin(self.started, self.seed_random, seed)
        return True

    cdef bint restore_pages(self, bint is_start) noexcept nogil:
        """Give all used pages the content that they had at the start, or copy it if this is the start.

        Returns:
            False if the memory has grown, too many pages were used, or the system doesn't report or give back pages.
        """
        cdef Range[MAX_RANGES] used
        cdef Question asked
        cdef size_t page
        cdef int found, i
        if runtime.memory_size(self.store, &self.memory) != self.size:
            return False
        memset(&asked, 0, sizeof(asked))
        asked.size, asked.found, asked.room = sizeof(asked), <uint64_t><uintptr_t>used, MAX_RANGES
        asked.start, asked.end = <uint64_t><uintptr_t>self.place, <uint64_t><uintptr_t>self.place + self.size
        asked.any_of = asked.wanted = IN_MEMORY | SWAPPED
        while asked.start < asked.end:
            found = ioctl(self.file, SCAN, &asked)
            if found < 0:
                return False
            for i in range(found):
                for page in range(
                    (used[i].start - <uint64_t><uintptr_t>self.place) // SYSTEMS_PAGE,
                    (used[i].end - <uint64_t><uintptr_t>self.place) // SYSTEMS_PAGE,
                ):
                    if not self.restore_page(page, is_start):
                        return False
            asked.start = asked.walked
        return True

    cdef inline bint restore_page(self, size_t page, bint is_start) noexcept nogil:
        """Give a page the content that it had at the start, or copy it if there is no copy.

        Return whether that worked.
        """
        cdef char* at = self.place + page * SYSTEMS_PAGE
        if self.copies[page] >= 0:
            memcpy(at, self.content + self.copies[page] * SYSTEMS_PAGE, SYSTEMS_PAGE)
            return True
        if self.count == MAX_PAGES or not grown(<void**>&self.content, &self.room, self.count + 1, SYSTEMS_PAGE):
            return False
        if not is_start and madvise(at, SYSTEMS_PAGE, MADV_DONTNEED):
            return False
        memcpy(self.content + self.count * SYSTEMS_PAGE, at, SYSTEMS_PAGE)
        self.copies[page] = <int8_t>self.count
        self.count += 1
        return True
