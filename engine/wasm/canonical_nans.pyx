"""Makes a WebAssembly module give the same bits on every processor: NaNs made canonical where their bits could be seen.

Which NaN an operation on floats gives, its sign and its payload, depends on the processor (WebAssembly Core
Specification 2.0, 4.3.3, "NaN Propagation"); all else that a module computes is the same everywhere. A runtime can
make the result of every such operation canonical, at a price for each. Most results only go into other operations,
which don't tell one NaN from another. So here they are made canonical only where their bits show: in memory, whole
numbers, signs, globals, calls, thrown values, and where branches meet. There every bit is as if the runtime made all
results canonical.

A value can be these. *Exact*: its bits are those that the runtime's way would give; it comes from memory, from
outside, or from a constant. *Made*: by an operation; the runtime's way would make it canonical at once, but doing so
later gives the same bits. *Seen*: used where bits show. An exact value may be any NaN, and so must be left alone;
where it meets a made one (in a variable, in a select), the made one is made canonical before.

For each function a graph tells which value may become which. Exact and made are followed along it, seen against it,
each in time that grows with the function. All values of one variable count as one.

Format: the same specification, chapter 5, and exceptions as version 3.0 has them. An invalid module stays invalid.
"""

cimport cython
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memmove, memset

from engine.kernel.memory cimport grown
from engine.wasm.instructions cimport (
    F32_CONST, F32_EQ, F64_CONST, F64_EQ, LOCAL_GET, LOCAL_TEE, SELECT, VECTOR,
)

cdef enum:
    # Types of variables.
    F32 = 0x7D
    F64 = 0x7C
    V128 = 0x7B
    # Instructions on vectors.
    V128_CONST = 12
    F32X4_EQ = 65
    F64X2_EQ = 71
    V128_BITSELECT = 82


@cython.final
cdef class Rewriter:
    """Writes a module anew, function by function."""

    def __dealloc__(self):
        free(self.content)
        free(self.values)
        free(self.edges)
        free(self.waiting.at)
        free(self.mended.at)

    # Writing.

    cdef int room(self, size_t more) except -1 nogil:
        if not grown(<void**>&self.content, &self.capacity, self.size + more, 1):
            raise MemoryError
        return 0

    cdef int copy(self, size_t first, size_t end) except -1 nogil:
        """Copy this part of the module."""
        self.room(end - first)
        memcpy(self.content + self.size, self.data + first, end - first)
        self.size += end - first
        return 0

    cdef int write(self, int byte) except -1 nogil:
        self.room(1)
        self.content[self.size] = <unsigned char>byte
        self.size += 1
        return 0

    cdef int write_number(self, uint32_t number) except -1 nogil:
        self.room(5)
        self.size += encode(self.content + self.size, number)
        return 0

    cdef int insert_size(self, size_t start) except -1 nogil:
        """Insert at `start` the size of what was written from there on."""
        cdef unsigned char[5] head
        cdef size_t size = self.size - start
        cdef size_t length
        length = encode(head, <uint32_t>size)
        self.room(length)
        memmove(self.content + start + length, self.content + start, size)
        memcpy(self.content + start, head, length)
        self.size += length
        return 0

    # The graph.

    cdef int begin_function(self) except -1 nogil:
        """Forget the function before."""
        self.value_count = 0
        self.edge_count = 1
        self.add_value(PLAIN, 0, NOT_READ)
        self.add_value(EXACT, 0, NOT_READ)
        return 0

    cdef uint32_t add_value(self, int what, size_t place, uint32_t variable) except? 0xFFFFFFFF nogil:
        if not grown(<void**>&self.values, &self.values_capacity, self.value_count + 1, sizeof(Value)):
            raise MemoryError
        self.values[self.value_count] = Value(0, 0, <uint32_t>place, variable, <uint8_t>what)
        self.value_count += 1
        return <uint32_t>(self.value_count - 1)

    cdef int add_edge(self, uint32_t source, uint32_t target) except -1 nogil:
        if source == PLAIN:
            return 0
        if source == GIVEN:
            self.values[target].what |= EXACT
            return 0
        if not grown(<void**>&self.edges, &self.edges_capacity, self.edge_count + 1, sizeof(Edge)):
            raise MemoryError
        self.edges[self.edge_count] = Edge(
            source, target, self.values[source].first_out, self.values[target].first_in
        )
        self.values[source].first_out = self.values[target].first_in = <uint32_t>self.edge_count
        self.edge_count += 1
        return 0

    # What must be made canonical.

    cdef int settle(self) except -1 nogil:
        """Find the values that must be made canonical, in the order of their places."""
        cdef uint32_t i
        cdef unsigned char what
        self.follow_forwards()
        self.follow_backwards()
        self.mended.count = 0
        for i in range(2, <uint32_t>self.value_count):
            what = self.values[i].what
            if what & SEEN and what & MADE and what & MENDS and not what & EXACT:
                append(&self.mended, i)
        return 0

    cdef int follow_forwards(self) except -1 nogil:
        """Pass EXACT and MADE on to all that a value may become."""
        cdef uint32_t i, edge, value, to
        cdef unsigned char what
        for i in range(2, <uint32_t>self.value_count):
            if self.values[i].what & (EXACT | MADE):
                append(&self.waiting, i)
        while self.waiting.count:
            self.waiting.count -= 1
            value = self.waiting.at[self.waiting.count]
            what = self.values[value].what & (EXACT | MADE)
            edge = self.values[value].first_out
            while edge:
                to = self.edges[edge].target
                if what & ~self.values[to].what:
                    self.values[to].what |= what
                    append(&self.waiting, to)
                edge = self.edges[edge].next_out
        return 0

    cdef int follow_backwards(self) except -1 nogil:
        """Pass SEEN from exact values back to all that may become them."""
        cdef uint32_t i, edge, value, source
        for i in range(2, <uint32_t>self.value_count):
            if self.values[i].what & SEEN:
                append(&self.waiting, i)
        while self.waiting.count:
            self.waiting.count -= 1
            value = self.waiting.at[self.waiting.count]
            if not self.values[value].what & EXACT:
                continue
            edge = self.values[value].first_in
            while edge:
                source = self.edges[edge].source
                if not self.values[source].what & SEEN:
                    self.values[source].what |= SEEN
                    append(&self.waiting, source)
                edge = self.edges[edge].next_in
        return 0

    cdef int end_function(self, const Parts* parts, uint32_t groups, uint32_t variables) except -1 nogil:
        """Write the function, which has so many variables, declared in so many groups."""
        cdef const Value* value
        cdef size_t begin = self.size
        cdef uint32_t[3] scratch
        cdef bint[3] is_needed
        cdef size_t i
        cdef int kind
        self.settle()
        if self.mended.count == 0:
            return self.copy(parts.start, parts.end)
        for kind in range(3):
            is_needed[kind] = False
        for i in range(self.mended.count):
            value = &self.values[self.mended.at[i]]
            if value.variable == NOT_READ:
                is_needed[scratch_kind(value.what)] = True
        self.write_number(groups + is_needed[0] + is_needed[1] + is_needed[2])
        self.copy(parts.declared, parts.instructions)
        for kind in range(3):
            if is_needed[kind]:
                scratch[kind] = variables
                variables += 1
                self.write(1)
                self.write(V128 if kind == 2 else F64 if kind == 1 else F32)
        self.write_mended(parts, scratch)
        return self.insert_size(begin)

    cdef int write_mended(self, const Parts* parts, const uint32_t* scratch) except -1 nogil:
        """Write the instructions, and after each whose value must be made canonical those that do it."""
        cdef const Value* value
        cdef size_t written = parts.instructions
        cdef size_t i
        cdef uint32_t variable
        for i in range(self.mended.count):
            value = &self.values[self.mended.at[i]]
            self.copy(written, value.place)
            written = value.place
            self.room(5 + MOST_TEXT)
            variable = value.variable
            if variable == NOT_READ:
                variable = scratch[scratch_kind(value.what)]
                self.write(LOCAL_TEE)
                self.write_number(variable)
            self.size += canonical_text(self.content + self.size, variable, value.what)
        return self.copy(written, parts.end)


cdef int scratch_kind(int what) noexcept nogil:
    """Which of three variables serves to make it canonical: of floats of 32 bits, of 64, of vectors."""
    return 2 if what & LANES else 1 if what & WIDE else 0


cdef size_t encode(unsigned char* target, uint32_t number) noexcept nogil:
    """Write an unsigned LEB128 number; returns its bytes, at most 5."""
    cdef size_t length = 0
    while number >= 0x80:
        target[length] = <unsigned char>(number & 0x7F | 0x80)
        number >>= 7
        length += 1
    target[length] = <unsigned char>number
    return length + 1


cdef void write_canonical(unsigned char* target, int width) noexcept nogil:
    """The canonical NaN."""
    memset(target, 0, width)
    target[width - 1] = 0x7F
    target[width - 2] = 0xF8 if width == 8 else 0xC0


cdef bint is_another_nan(const unsigned char* constant, int width) noexcept nogil:
    """Whether a constant is a NaN, and not the canonical one."""
    cdef unsigned char[8] canonical
    cdef float single
    cdef double number
    if width == 4:
        memcpy(&single, constant, 4)
        number = single
    else:
        memcpy(&number, constant, 8)
    write_canonical(canonical, width)
    return number != number and memcmp(constant, canonical, width) != 0


cdef size_t canonical_text(unsigned char* target, uint32_t variable, int what) noexcept nogil:
    """Write instructions that make the float on the stack, also in a variable, canonical; returns their bytes.

    It keeps its bits if it equals itself, else gets the canonical NaN's; a vector lane by lane. At most MOST_TEXT.
    """
    cdef int width = 8 if what & WIDE else 4
    cdef size_t size = 0
    cdef int _i
    if what & LANES:
        target[0] = VECTOR
        target[1] = V128_CONST
        size = 2
    else:
        target[0] = F64_CONST if width == 8 else F32_CONST
        size = 1
    for _i in range(16 // width if what & LANES else 1):
        write_canonical(target + size, width)
        size += width
    for _i in range(2):
        target[size] = LOCAL_GET
        size += 1 + encode(target + size + 1, variable)
    if what & LANES:
        target[size] = target[size + 2] = VECTOR
        target[size + 1] = F64X2_EQ if width == 8 else F32X4_EQ
        target[size + 3] = V128_BITSELECT
        return size + 4
    target[size] = F64_EQ if width == 8 else F32_EQ
    target[size + 1] = SELECT
    return size + 2
