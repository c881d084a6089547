cimport cython
from libc.stdint cimport uint8_t, uint32_t

from engine.kernel.memory cimport grown

# What a value is.
cdef enum:
    EXACT = 1       # its bits may be those of any NaN, and are right
    MADE = 2        # by an operation, here or further up
    SEEN = 4
    WIDE = 8        # a float of 64 bits; otherwise of 32
    MENDS = 16      # it can be made canonical where it comes from
    LANES = 32      # a vector of floats

# Two values that are not followed: one that can only be the canonical NaN, if any; and one whose bits are right.
cdef enum:
    PLAIN = 0
    GIVEN = 1

cdef enum:
    NOT_READ = 0xFFFFFFFF
    MOST_TEXT = 48          # bytes of the instructions that make a value canonical
    CANONICAL_INSTRUCTIONS = 5


cdef struct Numbers:
    uint32_t* at
    size_t count
    size_t capacity


cdef inline int append(Numbers* numbers, uint32_t number) except -1 nogil:
    if not grown(<void**>&numbers.at, &numbers.capacity, numbers.count + 1, sizeof(uint32_t)):
        raise MemoryError
    numbers.at[numbers.count] = number
    numbers.count += 1
    return 0


# The source may become the target.
cdef struct Edge:
    uint32_t source
    uint32_t target
    uint32_t next_out       # of the same source; 0 is none
    uint32_t next_in        # of the same target


cdef struct Value:
    uint32_t first_out      # its edges
    uint32_t first_in
    uint32_t place          # where it can be made canonical: after the instruction that gives it
    uint32_t variable       # from which that instruction reads it, or NOT_READ
    uint8_t what


# Where the parts of a function's code stand in the module.
cdef struct Parts:
    size_t start            # its size, then the number of its groups of variables
    size_t declared         # these groups
    size_t instructions
    size_t end


@cython.final
cdef class Rewriter:
    cdef const unsigned char* data
    # What is written.
    cdef unsigned char* content
    cdef size_t size, capacity
    # The graph of the function at hand.
    cdef Value* values
    cdef size_t value_count, values_capacity
    cdef Edge* edges
    cdef size_t edge_count, edges_capacity
    cdef Numbers waiting
    cdef Numbers mended     # values to be made canonical, in the order of their places

    cdef inline void see(self, uint32_t value) noexcept nogil:
        """Note that the value's bits show."""
        self.values[value].what |= SEEN

    cdef int room(self, size_t more) except -1 nogil
    cdef int copy(self, size_t first, size_t end) except -1 nogil
    cdef int write(self, int byte) except -1 nogil
    cdef int write_number(self, uint32_t number) except -1 nogil
    cdef int insert_size(self, size_t start) except -1 nogil
    cdef int begin_function(self) except -1 nogil
    cdef uint32_t add_value(self, int what, size_t place, uint32_t variable) except? 0xFFFFFFFF nogil
    cdef int add_edge(self, uint32_t source, uint32_t target) except -1 nogil
    cdef int settle(self) except -1 nogil
    cdef int follow_forwards(self) except -1 nogil
    cdef int follow_backwards(self) except -1 nogil
    cdef int end_function(self, const Parts* parts, uint32_t groups, uint32_t variables) except -1 nogil
    cdef int write_mended(self, const Parts* parts, const uint32_t* scratch) except -1 nogil

cdef bint is_another_nan(const unsigned char* constant, int width) noexcept nogil
cdef size_t canonical_text(unsigned char* target, uint32_t variable, int what) noexcept nogil
