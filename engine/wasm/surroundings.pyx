"""The functions that a WebAssembly bot's libc imports: time, random bytes, environment, and printing.

The time is a fixed date plus the fuel that this bot has used in its leg, including its starts. So it is the same
wherever a leg is played, and reveals nothing about other bots. The end of the output is kept. Every write reports
success, because no bot expects a printf to fail. Each call costs fuel according to its work.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcpy, memmove, memset, strlen

from engine.kernel.chance cimport Rng
from engine.wasm.fuel cimport Fuel
from engine.wasm.runtime cimport MEMORY, Extern, RuntimeValue, runtime

cdef enum:
    FUEL_PER_NANOSECOND = 4
    # WASI's error numbers.
    SUCCESS = 0
    BAD_ADDRESS = 21
    INVALID = 28
    NOT_SUPPORTED = 58
    CLOCKS = 4              # realtime, monotonic, process and thread clocks, which are equal here
    RESOLUTION = 1          # nanoseconds
    # Limits of the output.
    KEPT = 4096             # bytes
    MAX_PIECES = 64        # maximum pieces of a call; libc passes two
    STANDARD_OUTPUT = 1
    STANDARD_ERROR = 2
    TERMINAL = 2            # WASI's file type of a character device
    MAY_WRITE = 1 << 6      # WASI's right to fd_write
    STATUS_BYTES = 24       # bytes of WASI's fdstat
    # Approximate cost of a call, a random byte, a printed piece, and the number of its bytes per unit.
    FUEL_OF_CALL = 400
    FUEL_OF_RANDOM_BYTE = 8
    FUEL_OF_PIECE = 400
    BYTES_PER_FUEL = 4

# Fuel per second, for bots' clocks and for limits in seconds.
FUEL_PER_SECOND = <uint64_t>FUEL_PER_NANOSECOND * 1_000_000_000

# Nanoseconds from 1970 to the beginning of 2026 (UTC), when every leg begins.
cdef uint64_t BEGINNING = 1_767_225_600 * <uint64_t>1_000_000_000

cdef const char* NO_FUEL = b"ran out of fuel: it loops or is too slow"
cdef const char* NO_FUEL_FOR_RANDOM = b"ran out of fuel (too many random bytes?)"
cdef const char* NO_FUEL_TO_PRINT = b"ran out of fuel (too much printed?)"

cdef struct Piece:          # WASI's ciovec
    uint32_t address
    uint32_t length


cdef void* on_time(void* surroundings, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """Answer clock_time_get: (clock, precision, address for nanoseconds) -> error number."""
    return (<Surroundings>surroundings).tell_time(caller, values)


cdef void* on_resolution(void* surroundings, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """Answer clock_res_get: (clock, address for nanoseconds) -> error number."""
    return (<Surroundings>surroundings).tell_resolution(caller, values)


cdef void* on_random(void* surroundings, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """Answer random_get: (address, number of bytes) -> error number."""
    return (<Surroundings>surroundings).give_random(caller, values)


cdef void* on_environment(void* surroundings, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """Answer environ_sizes_get: (address for the number of variables, address for their bytes) -> error number."""
    return (<Surroundings>surroundings).tell_environment(caller, values)


cdef void* on_write(void* surroundings, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """Answer fd_write: (descriptor, address of the pieces, their number, address for the bytes) -> error number."""
    return (<Surroundings>surroundings).write(caller, values)


cdef void* on_status(void* surroundings, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """Answer fd_fdstat_get: (descriptor, address) -> error number."""
    (<Surroundings>surroundings).show_terminal(caller, values)
    return NULL


@cython.final
cdef class Surroundings:
    """The functions for one start of a bot, and the end of its output.

    Args:
        key: Key of the random bytes, 32 bytes.
        fuel: The seat's fuel.
        context: Address of the store's context.
    """

    cdef Fuel fuel
    cdef Rng chance
    cdef void* context
    cdef Extern memory
    cdef bint has_memory
    cdef int size
    cdef char kept[KEPT]

    def __init__(self, bytes key, *, Fuel fuel, uintptr_t context):
        self.chance = Rng(key)
        self.fuel = fuel
        self.context = <void*>context

    @property
    def functions(self):
        """C functions by name: the address of each, and its first argument."""
        return {
            "clock_time_get": (<uintptr_t>&on_time, <uintptr_t><void*>self),
            "clock_res_get": (<uintptr_t>&on_resolution, <uintptr_t><void*>self),
            "random_get": (<uintptr_t>&on_random, <uintptr_t><void*>self),
            "environ_sizes_get": (<uintptr_t>&on_environment, <uintptr_t><void*>self),
            "fd_write": (<uintptr_t>&on_write, <uintptr_t><void*>self),
        }

    @property
    def terminal(self):
        """An fd_fdstat_get that makes libc write line by line, as to a terminal: address and first argument."""
        return <uintptr_t>&on_status, <uintptr_t><void*>self

    @property
    def printed(self):
        """End of the bot's output since `take_printed`, as at most KEPT bytes."""
        return self.kept[:self.size]

    def take_printed(self):
        """Return the end of the bot's output since the last call, as at most KEPT bytes."""
        cdef bytes taken = self.kept[:self.size]
        self.size = 0
        return taken

    cdef void* tell_time(self, void* caller, RuntimeValue* values) noexcept nogil:
        """Write the time, and return a trap if the fuel runs out."""
        cdef uint32_t clock = <uint32_t>values[0].i32
        cdef uint8_t* target = self.room(caller, <uint32_t>values[2].i32, sizeof(uint64_t))
        cdef uint64_t time
        if not self.pay(FUEL_OF_CALL):
            return self.refusal(NO_FUEL)
        if clock >= CLOCKS:
            values[0].i32 = INVALID
        elif target == NULL:
            values[0].i32 = BAD_ADDRESS
        else:
            time = self.fuel.settle() // FUEL_PER_NANOSECOND
            if clock == 0:
                time += BEGINNING
            memcpy(target, &time, sizeof(uint64_t))
            values[0].i32 = SUCCESS
        return NULL

    cdef void* tell_resolution(self, void* caller, RuntimeValue* values) noexcept nogil:
        """Write the clocks' resolution, and return a trap if the fuel runs out."""
        cdef uint8_t* target = self.room(caller, <uint32_t>values[1].i32, sizeof(uint64_t))
        cdef uint64_t resolution = RESOLUTION
        if not self.pay(FUEL_OF_CALL):
            return self.refusal(NO_FUEL)
        if <uint32_t>values[0].i32 >= CLOCKS:
            values[0].i32 = INVALID
        elif target == NULL:
            values[0].i32 = BAD_ADDRESS
        else:
            memcpy(target, &resolution, sizeof(uint64_t))
            values[0].i32 = SUCCESS
        return NULL

    cdef void* give_random(self, void* caller, RuntimeValue* values) noexcept nogil:
        """Write random bytes, and return a trap if the fuel runs out."""
        cdef uint64_t size = <uint32_t>values[1].i32
        cdef uint8_t* target = self.room(caller, <uint32_t>values[0].i32, size)
        cdef uint64_t word
        if not self.pay(FUEL_OF_CALL + (FUEL_OF_RANDOM_BYTE * size if target else 0)):
            return self.refusal(NO_FUEL_FOR_RANDOM)
        if target == NULL:
            values[0].i32 = BAD_ADDRESS
            return NULL
        while size:
            word = self.chance.word()
            memcpy(target, &word, min(size, <uint64_t>sizeof(uint64_t)))
            target += min(size, <uint64_t>sizeof(uint64_t))
            size -= min(size, <uint64_t>sizeof(uint64_t))
        values[0].i32 = SUCCESS
        return NULL

    cdef void* tell_environment(self, void* caller, RuntimeValue* values) noexcept nogil:
        """Write that there are no variables, and return a trap if the fuel runs out."""
        cdef uint8_t* count = self.room(caller, <uint32_t>values[0].i32, sizeof(uint32_t))
        cdef uint8_t* size = self.room(caller, <uint32_t>values[1].i32, sizeof(uint32_t))
        if not self.pay(FUEL_OF_CALL):
            return self.refusal(NO_FUEL)
        if count == NULL or size == NULL:
            values[0].i32 = BAD_ADDRESS
        else:
            memset(count, 0, sizeof(uint32_t))
            memset(size, 0, sizeof(uint32_t))
            values[0].i32 = SUCCESS
        return NULL

    cdef void* write(self, void* caller, RuntimeValue* values) noexcept nogil:
        """Keep what is written, and report its size. Return a trap if the fuel runs out.

        Unreadable memory gives NOT_SUPPORTED.
        """
        cdef int32_t descriptor = values[0].i32
        cdef uint64_t place = <uint32_t>values[1].i32
        cdef uint64_t pieces = min(<uint64_t><uint32_t>values[2].i32, <uint64_t>MAX_PIECES)
        cdef uint8_t* told = self.room(caller, <uint32_t>values[3].i32, sizeof(uint32_t))
        cdef uint8_t* content
        cdef uint32_t written = 0
        cdef uint64_t i
        cdef Piece piece
        values[0].i32 = NOT_SUPPORTED
        if not self.pay(FUEL_OF_CALL):
            return self.refusal(NO_FUEL_TO_PRINT)
        if descriptor != STANDARD_OUTPUT and descriptor != STANDARD_ERROR:
            return NULL
        for i in range(pieces):
            content = self.room(caller, place + i * sizeof(Piece), sizeof(Piece))
            if content == NULL:
                return NULL
            memcpy(&piece, content, sizeof(Piece))
            content = self.room(caller, piece.address, piece.length)
            if content == NULL:
                return NULL
            # The price depends on the length alone, because what is kept depends on the reader.
            if not self.pay(FUEL_OF_PIECE + min(piece.length, <uint32_t>KEPT) // BYTES_PER_FUEL):
                return self.refusal(NO_FUEL_TO_PRINT)
            self.keep(content, piece.length)
            written += piece.length
        if told != NULL:
            memcpy(told, &written, sizeof(written))
            values[0].i32 = SUCCESS
        return NULL

    cdef void keep(self, const uint8_t* content, uint64_t length) noexcept nogil:
        """Append to the output, of which only the last KEPT bytes stay."""
        cdef int stays
        if length > KEPT:
            content += length - KEPT
            length = KEPT
        stays = min(self.size, KEPT - <int>length)
        memmove(self.kept, self.kept + self.size - stays, stays)
        memcpy(self.kept + stays, content, length)
        self.size = stays + <int>length

    cdef void show_terminal(self, void* caller, RuntimeValue* values) noexcept nogil:
        """Describe a terminal. This costs no fuel, like the function that replaces it when nothing is read."""
        cdef int32_t descriptor = values[0].i32
        cdef uint8_t* status = self.room(caller, <uint32_t>values[1].i32, STATUS_BYTES)
        values[0].i32 = NOT_SUPPORTED
        if status == NULL or not (descriptor == STANDARD_OUTPUT or descriptor == STANDARD_ERROR):
            return
        memset(status, 0, STATUS_BYTES)
        status[0] = TERMINAL
        status[8] = MAY_WRITE
        values[0].i32 = SUCCESS

    cdef bint pay(self, uint64_t price) noexcept nogil:
        """Take fuel. Return whether some is left."""
        return self.fuel.pay(price) > 0

    cdef void* refusal(self, const char* why) noexcept nogil:
        """Return a trap with this message."""
        return runtime.new_trap(why, strlen(why))

    cdef uint8_t* room(self, void* caller, uint64_t place, uint64_t size) noexcept nogil:
        """Return the address of `size` bytes of the bot's memory, NULL if they are outside it."""
        if not self.has_memory:     # calls can come while the instance is being made
            if not runtime.get_callers_export(caller, b"memory", 6, &self.memory) or self.memory.kind != MEMORY:
                return NULL
            self.has_memory = True
        if place + size > runtime.memory_size(self.context, &self.memory.of):
            return NULL
        return runtime.memory_data(self.context, &self.memory.of) + place
