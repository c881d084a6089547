"""What a WebAssembly bot prints, by its libc's fd_write. The last of it is kept.

The bot is told that all was written, since no bot expects a printf to fail. The function that its import would
otherwise have is called as well, for the fuel that it takes.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcpy, memmove, memset

from engine.wasm.referee cimport CallUnchecked, RuntimeFunction, RuntimeValue

ctypedef uint8_t* (*MemoryData)(void* context, const void* memory) noexcept nogil
ctypedef size_t (*MemorySize)(void* context, const void* memory) noexcept nogil

cdef enum:
    KEPT = 4096             # bytes
    MOST_PIECES = 64        # of a call; libc passes two
    HANDLE = 32             # bytes, at most, of the runtime's wasmtime_memory_t
    STANDARD_OUTPUT = 1
    STANDARD_ERROR = 2
    TERMINAL = 2            # WASI's file type of a character device
    MAY_WRITE = 1 << 6      # WASI's right to fd_write
    STATUS_BYTES = 24       # of WASI's fdstat

cdef struct Piece:          # WASI's ciovec
    uint32_t address
    uint32_t length


cdef void* on_write(void* printing, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """fd_write: (descriptor, address of the pieces, how many, where to say how much) -> an error's number."""
    return (<Printing>printing).write(values, count)


cdef void* on_status(void* printing, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """fd_fdstat_get: (descriptor, where to write it) -> an error's number."""
    (<Printing>printing).show_terminal(values)
    return NULL


@cython.final
cdef class Printing:
    """Stands behind a bot's fd_write, and keeps the last bytes that it wrote to standard output and standard error.

    Addresses are of the runtime's functions and of the store's context. `behind`: handle of the function that takes
    the fuel; `read_from` says which memory is the bot's. To get each step's output there is also an fd_fdstat_get
    that has libc take both for a terminal: then it writes line by line instead of full buffers.
    """
    cdef CallUnchecked call_unchecked
    cdef MemoryData memory_data
    cdef MemorySize memory_size
    cdef void* context
    cdef RuntimeFunction behind
    cdef uint8_t memory[HANDLE]
    cdef bint has_memory
    cdef int size
    cdef char kept[KEPT]

    def __init__(
        self, bytes behind, *, uintptr_t call_unchecked, uintptr_t memory_data, uintptr_t memory_size, uintptr_t context
    ):
        if len(behind) != sizeof(RuntimeFunction):
            raise ValueError("a function handle has 16 bytes")
        self.behind = (<RuntimeFunction*><const char*>behind)[0]
        self.call_unchecked = <CallUnchecked>call_unchecked
        self.memory_data = <MemoryData>memory_data
        self.memory_size = <MemorySize>memory_size
        self.context = <void*>context

    def read_from(self, bytes memory):
        """Take the handle of the bot's memory. Raises ValueError for one that is too long."""
        if len(memory) > HANDLE:
            raise ValueError("a memory's handle is longer than there is room for")
        memcpy(self.memory, <const char*>memory, len(memory))
        self.has_memory = True

    @property
    def functions(self):
        """By name: (address of the C function, its first argument)."""
        return {
            "fd_write": (<uintptr_t>&on_write, <uintptr_t><void*>self),
            "fd_fdstat_get": (<uintptr_t>&on_status, <uintptr_t><void*>self),
        }

    @property
    def tail(self):
        """The last that it printed, as bytes."""
        return self.kept[:self.size]

    def take(self):
        """The last that it printed since this was last called."""
        cdef bytes taken = self.kept[:self.size]
        self.size = 0
        return taken

    cdef void* write(self, RuntimeValue* values, size_t count) noexcept nogil:
        """Keep what is written and report it; for what can't be read `behind` answers. Returns a trap, or NULL."""
        cdef void* trap = NULL
        cdef int32_t descriptor = values[0].i32
        cdef uint64_t place = <uint32_t>values[1].i32
        cdef uint64_t pieces = <uint32_t>values[2].i32
        cdef uint64_t told = <uint32_t>values[3].i32
        cdef uint64_t size, i
        cdef uint8_t* content
        cdef uint32_t written = 0
        cdef bint all_read = False
        cdef Piece piece
        if self.has_memory and (descriptor == STANDARD_OUTPUT or descriptor == STANDARD_ERROR):
            content = self.memory_data(self.context, self.memory)
            size = self.memory_size(self.context, self.memory)
            for i in range(min(pieces, <uint64_t>MOST_PIECES)):
                if place + (i + 1) * sizeof(Piece) > size:
                    break
                memcpy(&piece, content + place + i * sizeof(Piece), sizeof(Piece))
                if <uint64_t>piece.address + piece.length > size:
                    break
                self.keep(content + piece.address, piece.length)
                written += piece.length
            else:
                all_read = told + sizeof(written) <= size
        self.call_unchecked(self.context, &self.behind, values, count, &trap)
        if all_read:
            memcpy(content + told, &written, sizeof(written))
            values[0].i32 = 0
        return trap

    cdef void keep(self, const uint8_t* content, uint64_t length) noexcept nogil:
        cdef int stays
        if length > KEPT:
            content += length - KEPT
            length = KEPT
        stays = min(self.size, KEPT - <int>length)
        memmove(self.kept, self.kept + self.size - stays, stays)
        memcpy(self.kept + stays, content, length)
        self.size = stays + <int>length

    cdef void show_terminal(self, RuntimeValue* values) noexcept nogil:
        cdef int32_t descriptor = values[0].i32
        cdef uint64_t place = <uint32_t>values[1].i32
        cdef uint8_t* status
        values[0].i32 = 58      # not supported
        if not self.has_memory or not (descriptor == STANDARD_OUTPUT or descriptor == STANDARD_ERROR):
            return
        if place + STATUS_BYTES > self.memory_size(self.context, self.memory):
            return
        status = self.memory_data(self.context, self.memory) + place
        memset(status, 0, STATUS_BYTES)
        status[0] = TERMINAL
        status[8] = MAY_WRITE
        values[0].i32 = 0
