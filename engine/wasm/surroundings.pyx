"""The time and random bytes for WebAssembly bots: clock_time_get, clock_res_get and random_get of their libc.

The time is a fixed date and the fuel that this bot has used in its leg, its starts included. Nothing else moves it.
So it is the same wherever a leg is played, and tells nothing of other bots.
"""

cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcpy, strlen

from engine.kernel.chance cimport Chance
from engine.wasm.fuel cimport Fuel
from engine.wasm.referee cimport RuntimeValue

ctypedef uint8_t* (*MemoryData)(void* context, const void* memory) noexcept nogil
ctypedef size_t (*MemorySize)(void* context, const void* memory) noexcept nogil
ctypedef void* (*NewTrap)(const char* message, size_t length) noexcept nogil
ctypedef bint (*GetExport)(void* caller, const char* name, size_t length, void* found) noexcept nogil

cdef struct Extern:         # the runtime's wasmtime_extern_t
    uint64_t kind
    uint8_t of[24]

cdef enum:
    MEMORY = 3              # the runtime's WASMTIME_EXTERN_MEMORY
    # WASI's error numbers.
    SUCCESS = 0
    BAD_ADDRESS = 21
    INVALID = 28
    CLOCKS = 4              # realtime, monotonic, of the process, of the thread: here all the same
    RESOLUTION = 1          # nanoseconds
    # About what a machine takes for them.
    FUEL_OF_TIME = 400
    FUEL_OF_RANDOM = 400
    FUEL_OF_RANDOM_BYTE = 8

# The one rate at which fuel is time: for bots' clocks, and for limits that a statement gives in seconds.
FUEL_PER_SECOND = <uint64_t>FUEL_PER_NANOSECOND * 1_000_000_000

# Nanoseconds from 1970 to the beginning of 2026 (UTC), when every leg begins.
cdef uint64_t BEGINNING = 1_767_225_600 * <uint64_t>1_000_000_000

cdef const char* NO_FUEL = b"ran out of fuel (too many random bytes?)"


cdef void* on_time(void* surroundings, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """clock_time_get: (clock, precision, where to write nanoseconds) -> an error's number."""
    return (<Surroundings>surroundings).tell_time(caller, values)


cdef void* on_resolution(void* surroundings, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """clock_res_get: (clock, where to write nanoseconds) -> an error's number."""
    return (<Surroundings>surroundings).tell_resolution(caller, values)


cdef void* on_random(void* surroundings, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """random_get: (where to write, how many bytes) -> an error's number."""
    return (<Surroundings>surroundings).give_random(caller, values)


@cython.final
cdef class Surroundings:
    """The time and random bytes of one start of a bot. `key`, of 32 bytes, is for the random bytes.

    `fuel` is what its seat uses. The others are addresses of the runtime's functions and of the store's context.
    """

    cdef Fuel fuel
    cdef Chance chance
    cdef NewTrap new_trap
    cdef GetExport get_export
    cdef MemoryData memory_data
    cdef MemorySize memory_size
    cdef void* context
    cdef Extern memory
    cdef bint has_memory
    cdef readonly bint was_asked    # so what the bot does may depend on more than its bytes

    def __init__(
        self,
        bytes key,
        *,
        Fuel fuel,
        uintptr_t new_trap,
        uintptr_t get_export,
        uintptr_t memory_data,
        uintptr_t memory_size,
        uintptr_t context,
    ):
        self.chance = Chance(key)
        self.fuel = fuel
        self.new_trap = <NewTrap>new_trap
        self.get_export = <GetExport>get_export
        self.memory_data = <MemoryData>memory_data
        self.memory_size = <MemorySize>memory_size
        self.context = <void*>context

    @property
    def functions(self):
        """By name: (address of the C function, its first argument)."""
        return {
            "clock_time_get": (<uintptr_t>&on_time, <uintptr_t><void*>self),
            "clock_res_get": (<uintptr_t>&on_resolution, <uintptr_t><void*>self),
            "random_get": (<uintptr_t>&on_random, <uintptr_t><void*>self),
        }

    cdef void* tell_time(self, void* caller, RuntimeValue* values) noexcept nogil:
        cdef uint32_t clock = <uint32_t>values[0].i32
        cdef uint8_t* target = self.room(caller, <uint32_t>values[2].i32, sizeof(uint64_t))
        cdef uint64_t time
        self.fuel.pay(FUEL_OF_TIME)
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
        cdef uint8_t* target = self.room(caller, <uint32_t>values[1].i32, sizeof(uint64_t))
        cdef uint64_t resolution = RESOLUTION
        if <uint32_t>values[0].i32 >= CLOCKS:
            values[0].i32 = INVALID
        elif target == NULL:
            values[0].i32 = BAD_ADDRESS
        else:
            memcpy(target, &resolution, sizeof(uint64_t))
            values[0].i32 = SUCCESS
        return NULL

    cdef void* give_random(self, void* caller, RuntimeValue* values) noexcept nogil:
        cdef uint64_t size = <uint32_t>values[1].i32
        cdef uint8_t* target = self.room(caller, <uint32_t>values[0].i32, size)
        cdef uint64_t word
        if target == NULL:
            values[0].i32 = BAD_ADDRESS
            return NULL
        if self.fuel.pay(FUEL_OF_RANDOM + FUEL_OF_RANDOM_BYTE * size) == 0:
            return self.new_trap(NO_FUEL, strlen(NO_FUEL))
        while size:
            word = self.chance.word()
            memcpy(target, &word, min(size, <uint64_t>sizeof(uint64_t)))
            target += min(size, <uint64_t>sizeof(uint64_t))
            size -= min(size, <uint64_t>sizeof(uint64_t))
        values[0].i32 = SUCCESS
        return NULL

    cdef uint8_t* room(self, void* caller, uint64_t place, uint64_t size) noexcept nogil:
        """The address of a place in the bot's memory, NULL if it lacks so many bytes."""
        self.was_asked = True
        if not self.has_memory:     # it may ask while its instance is being made
            if not self.get_export(caller, b"memory", 6, &self.memory) or self.memory.kind & 0xFF != MEMORY:
                return NULL
            self.has_memory = True
        if place + size > self.memory_size(self.context, self.memory.of):
            return NULL
        return self.memory_data(self.context, self.memory.of) + place
