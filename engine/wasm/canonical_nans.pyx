"""Makes a WebAssembly module give the same bits on every processor: NaNs made canonical where their bits could be seen.

Which NaN an operation on floats gives, its sign and its payload, is the processor's affair (WebAssembly Core
Specification 2.0, 4.3.3, "NaN Propagation"); all else that a module computes is the same everywhere. A runtime can
make the result of every such operation canonical, at a price for each. Most results only go into other operations,
which don't tell one NaN from another. So here they are made canonical only where their bits go on: into memory, whole
numbers, signs, globals, calls, what is thrown, and where branches meet. What is seen is to the last bit what the
runtime would show that makes every result canonical.

A value is one of these. *Exact*: its bits are those that the runtime's way would give; what comes from memory, from
outside, or from a constant. *Made*: by an operation, so that the runtime's way would have it canonical; making it
canonical gives the same bits at any later time. *Seen*: used where bits show. An exact value may be any NaN, and so
must be left alone; where it meets a made one (in a variable, in a select), the made one is made canonical before.

For each function a graph tells which value may become which. Values that are exact, and those that are made, are
followed along it; those that are seen, against it; each in time that grows with the function. Values of a function's
variables are told apart by variable only.

Format: the same specification, chapter 5, and exceptions as version 3.0 has them. The module need not be valid: then
neither is what is made of it.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint32_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memmove

from engine.kernel.memory cimport grown


class Unreadable(ValueError):
    """Bytes that aren't a WebAssembly module, or have something in them that is unknown here."""


cdef enum:
    MOST_BODY = 7654321         # bytes of a function: the runtime takes no more
    MOST_VARIABLES = 50000      # of a function, likewise
    MOST_TYPES = 1000000
    MOST_TEXT = 48              # bytes of what makes a value canonical

cdef enum ValueType:
    I32 = 0x7F
    F64 = 0x7C
    F32 = 0x7D
    V128 = 0x7B
    FUNCTION = 0x60

cdef enum Section:
    TYPES = 1
    IMPORTS = 2
    FUNCTIONS = 3
    CODE = 10
    TAGS = 13

# What a value is.
cdef enum:
    EXACT = 1       # its bits may be those of any NaN, and are right
    MADE = 2        # by an operation, here or further up
    SEEN = 4
    WIDE = 8        # a float of 64 bits; otherwise of 32
    MENDS = 16      # what it is can be made canonical where it comes from

# The two values of which there is nothing to know: never a NaN but the canonical one; and one whose bits are right.
cdef enum:
    PLAIN = 0
    GIVEN = 1

cdef enum Opcode:
    UNREACHABLE = 0x00
    NOP = 0x01
    BLOCK = 0x02
    LOOP = 0x03
    IF_BLOCK = 0x04
    ELSE_BLOCK = 0x05
    THROW = 0x08
    THROW_REF = 0x0A
    END = 0x0B
    BRANCH = 0x0C
    BRANCH_IF = 0x0D
    BRANCH_TABLE = 0x0E
    RETURN = 0x0F
    CALL = 0x10
    CALL_INDIRECT = 0x11
    DROP = 0x1A
    SELECT = 0x1B
    SELECT_TYPED = 0x1C
    TRY_TABLE = 0x1F
    LOCAL_GET = 0x20
    LOCAL_SET = 0x21
    LOCAL_TEE = 0x22
    GLOBAL_GET = 0x23
    GLOBAL_SET = 0x24
    I32_LOAD = 0x28
    F32_LOAD = 0x2A
    F64_LOAD = 0x2B
    I32_STORE = 0x36
    F32_STORE = 0x38
    F64_STORE = 0x39
    MEMORY_SIZE = 0x3F
    MEMORY_GROW = 0x40
    I32_CONST = 0x41
    I64_CONST = 0x42
    F32_CONST = 0x43
    F64_CONST = 0x44
    I32_EQZ = 0x45
    F32_EQ = 0x5B
    F64_EQ = 0x61
    F32_ABS = 0x8B
    F32_NEG = 0x8C
    F32_COPYSIGN = 0x98
    F64_ABS = 0x99
    F64_NEG = 0x9A
    F64_COPYSIGN = 0xA6
    F32_DEMOTE = 0xB6
    F64_PROMOTE = 0xBB
    I32_REINTERPRET = 0xBC
    I64_REINTERPRET = 0xBD
    F32_REINTERPRET = 0xBE
    F64_REINTERPRET = 0xBF
    LAST_PLAIN = 0xC4
    BULK = 0xFC
    VECTOR = 0xFD

cdef enum:
    V128_STORE = 11
    V128_CONST = 12
    V128_SHUFFLE = 13
    F32X4_SPLAT = 19
    F64X2_SPLAT = 20
    FIRST_LANE = 21
    F32X4_REPLACE = 32
    F64X2_REPLACE = 34
    F32X4_EQ = 65
    F64X2_EQ = 71
    V128_BITSELECT = 82
    FIRST_LANE_LOAD = 84
    FIRST_LANE_STORE = 88
    LOAD_ZERO = 92
    LAST_VECTOR = 255

# How many values instructions take.
cdef unsigned char[256] TAKES
cdef unsigned char[256] VECTOR_TAKES
# Whether they are operations that give NaNs, and of which width: 4, 8 bytes; of vectors likewise.
cdef unsigned char[256] MAKES
cdef unsigned char[256] VECTOR_MAKES


cdef int lay_tables() except -1:
    for opcode in range(I32_EQZ, LAST_PLAIN + 1):
        TAKES[opcode] = 2
        MAKES[opcode] = 0
    for first, last in (
        (0x45, 0x45), (0x50, 0x50), (0x67, 0x69), (0x79, 0x7B), (0x8B, 0x91), (0x99, 0x9F), (0xA7, LAST_PLAIN),
    ):
        for opcode in range(first, last + 1):
            TAKES[opcode] = 1
    for opcode in range(0x8D, 0x98):
        MAKES[opcode] = 4
    for opcode in range(0x9B, 0xA6):
        MAKES[opcode] = 8
    MAKES[<int>F32_DEMOTE] = 4
    MAKES[<int>F64_PROMOTE] = 8
    for opcode in range(LAST_VECTOR + 1):
        VECTOR_TAKES[opcode] = 2
        VECTOR_MAKES[opcode] = 0
    for first, last in (
        (0, 10), (15, 22), (24, 25), (27, 27), (29, 29), (31, 31), (33, 33), (77, 77), (83, 83), (92, 100), (103, 106),
        (116, 117), (122, 122), (124, 129), (131, 132), (135, 138), (148, 148), (160, 161), (163, 164), (167, 170),
        (192, 193), (195, 196), (199, 202), (224, 225), (227, 227), (236, 237), (239, 239), (248, 255),
    ):
        for opcode in range(first, last + 1):
            VECTOR_TAKES[opcode] = 1
    VECTOR_TAKES[V128_CONST] = 0
    VECTOR_TAKES[V128_BITSELECT] = 3
    for opcode in (94, 103, 104, 105, 106, *range(227, 234)):
        VECTOR_MAKES[opcode] = 4
    for opcode in (95, 116, 117, 122, 148, *range(239, 246)):
        VECTOR_MAKES[opcode] = 8
    return 0


lay_tables()


cdef struct Frame:
    int opcode              # BLOCK, LOOP, IF_BLOCK, ELSE_BLOCK
    size_t height           # of the stack where it begins, its parameters taken off
    uint32_t parameters
    uint32_t results
    bint dead               # what comes next in it is never run


# What one value is, another may be.
cdef struct Edge:
    uint32_t source
    uint32_t target
    uint32_t next_out       # of the same source; 0 is none
    uint32_t next_in        # of the same target


cdef struct Value:
    uint32_t first_out      # its edges
    uint32_t first_in
    uint32_t place          # where it can be made canonical: after the instruction that gives it
    uint32_t variable       # from which that instruction reads it, if `is_read`
    bint is_read
    unsigned char what
    unsigned char lanes     # of a vector: bytes of each float in it


@cython.final
@cython.internal
cdef class Rewriter:
    """Reads a module, and writes it anew."""

    cdef const unsigned char* data
    cdef size_t position, end
    # What is written.
    cdef unsigned char* content
    cdef size_t size, content_capacity
    # Function types: where their text begins, and how many values they take and give.
    cdef uint32_t* parameters
    cdef uint32_t* results
    cdef size_t* type_texts
    cdef size_t type_count, parameters_capacity, results_capacity, texts_capacity
    # The types of all functions, imported ones first.
    cdef uint32_t* functions
    cdef size_t function_count, imported_count, functions_capacity
    # The types of what is thrown.
    cdef uint32_t* tags
    cdef size_t tag_count, tags_capacity
    # Of the function at hand.
    cdef unsigned char* variable_types
    cdef uint32_t* variable_values
    cdef size_t variable_count, types_capacity, variables_capacity
    cdef uint32_t* stack
    cdef size_t height, stack_capacity
    cdef Frame* frames
    cdef size_t depth, frames_capacity
    cdef Value* values
    cdef size_t value_count, values_capacity
    cdef Edge* edges
    cdef size_t edge_count, edges_capacity
    cdef uint32_t* waiting
    cdef size_t waiting_count, waiting_capacity
    cdef uint32_t* mended       # values to be made canonical, in the order of their places
    cdef size_t mended_count, mended_capacity
    cdef size_t moved, most_moved

    def __dealloc__(self):
        free(self.content)
        free(self.parameters)
        free(self.results)
        free(self.type_texts)
        free(self.functions)
        free(self.tags)
        free(self.variable_types)
        free(self.variable_values)
        free(self.stack)
        free(self.frames)
        free(self.values)
        free(self.edges)
        free(self.waiting)
        free(self.mended)

    # Reading.

    cdef int byte(self) except -1:
        if self.position >= self.end:
            raise Unreadable("ends too early")
        self.position += 1
        return self.data[self.position - 1]

    cdef int peek(self) except -1:
        if self.position >= self.end:
            raise Unreadable("ends too early")
        return self.data[self.position]

    cdef int skip(self, size_t count) except -1:
        if count > self.end - self.position:
            raise Unreadable("ends too early")
        self.position += count
        return 0

    cdef uint32_t number(self) except? 0xFFFFFFFF:
        """An unsigned LEB128 number of at most 32 bits."""
        cdef uint32_t result = 0
        cdef uint32_t byte
        cdef int shift
        for shift in range(0, 35, 7):
            byte = self.byte()
            if shift == 28 and byte > 0x0F:
                break
            result |= (byte & 0x7F) << shift
            if byte < 0x80:
                return result
        raise Unreadable("a number of more than 32 bits")

    cdef int skip_number(self, int longest) except -1:
        """A LEB128 number of at most so many bytes."""
        cdef int _i
        for _i in range(longest):
            if self.byte() < 0x80:
                return 0
        raise Unreadable("a number that is too long")

    cdef size_t piece(self) except? 0:
        """The end of a piece that begins with its size."""
        cdef size_t size = self.number()
        if size > self.end - self.position:
            raise Unreadable("ends too early")
        return self.position + size

    # Writing.

    cdef int room(self, size_t more) except -1:
        if not grown(<void**>&self.content, &self.content_capacity, self.size + more, 1):
            raise MemoryError
        return 0

    cdef int copy(self, size_t first, size_t end) except -1:
        """What stands there in the module."""
        self.room(end - first)
        memcpy(self.content + self.size, self.data + first, end - first)
        self.size += end - first
        return 0

    cdef int write(self, int byte) except -1:
        self.room(1)
        self.content[self.size] = <unsigned char>byte
        self.size += 1
        return 0

    cdef int write_number(self, uint32_t number) except -1:
        self.room(5)
        self.size += encode(self.content + self.size, number)
        return 0

    cdef int insert_size(self, size_t start) except -1:
        """Put before what was written from `start` on its size."""
        cdef unsigned char[5] head
        cdef size_t size = self.size - start
        cdef size_t length
        if size > 0x7FFFFFFF:
            raise Unreadable("becomes too large")
        length = encode(head, <uint32_t>size)
        self.room(length)
        memmove(self.content + start + length, self.content + start, size)
        memcpy(self.content + start, head, length)
        self.size += length
        return 0

    # The module.

    cdef bytes rewritten(self, bytes module):
        cdef size_t start, end, whole = PyBytes_GET_SIZE(module)
        cdef int kind
        self.data = <const unsigned char*>PyBytes_AS_STRING(module)
        self.end = whole
        if whole < 8 or whole > 0x7FFFFFFF or memcmp(self.data, b"\0asm\1\0\0\0", 8) != 0:
            raise Unreadable("not a WebAssembly module")
        self.position = 8
        self.room(whole + whole // 8)
        self.copy(0, 8)
        while self.position < whole:
            start = self.position
            kind = self.byte()
            end = self.piece()
            self.end = end
            if kind == CODE:
                self.write(CODE)
                self.code()
            else:
                if kind == TYPES:
                    self.types()
                elif kind == IMPORTS:
                    self.imports()
                elif kind == FUNCTIONS:
                    self.declared()
                elif kind == TAGS:
                    self.thrown()
                self.copy(start, end)
            self.position = end
            self.end = whole
        return PyBytes_FromStringAndSize(<char*>self.content, self.size)

    cdef int types(self) except -1:
        cdef uint32_t count = self.number()
        cdef uint32_t i, values
        if count > MOST_TYPES:
            raise Unreadable("too many types")
        if not (
            grown(<void**>&self.parameters, &self.parameters_capacity, count, sizeof(uint32_t))
            and grown(<void**>&self.results, &self.results_capacity, count, sizeof(uint32_t))
            and grown(<void**>&self.type_texts, &self.texts_capacity, count, sizeof(size_t))
        ):
            raise MemoryError
        for i in range(count):
            if self.byte() != FUNCTION:
                raise Unreadable("a type that isn't a plain function's")
            values = self.number()
            self.parameters[i] = values
            self.type_texts[i] = self.position
            self.skip(values)
            values = self.number()
            self.results[i] = values
            self.skip(values)
        self.type_count = count
        return 0

    cdef int add_function(self, uint32_t of_type) except -1:
        if of_type >= self.type_count:
            raise Unreadable("a function of no type")
        if not grown(
            <void**>&self.functions, &self.functions_capacity, self.function_count + 1, sizeof(uint32_t)
        ):
            raise MemoryError
        self.functions[self.function_count] = of_type
        self.function_count += 1
        return 0

    cdef int imports(self) except -1:
        cdef uint32_t _i
        cdef int kind, flags
        for _i in range(self.number()):
            self.position = self.piece()
            self.position = self.piece()
            kind = self.byte()
            if kind == 0:
                self.add_function(self.number())
            elif kind == 1 or kind == 2:
                if kind == 1:
                    self.byte()
                flags = self.byte()
                if flags > 1:
                    raise Unreadable("limits of an unknown kind")
                self.number()
                if flags:
                    self.number()
            elif kind == 3:
                self.skip(2)
            else:
                raise Unreadable("an import of an unknown kind")
        self.imported_count = self.function_count
        return 0

    cdef int declared(self) except -1:
        cdef uint32_t _i
        for _i in range(self.number()):
            self.add_function(self.number())
        return 0

    cdef int thrown(self) except -1:
        cdef uint32_t _i, of_type
        for _i in range(self.number()):
            self.byte()
            of_type = self.number()
            if of_type >= self.type_count:
                raise Unreadable("a tag of no type")
            if not grown(<void**>&self.tags, &self.tags_capacity, self.tag_count + 1, sizeof(uint32_t)):
                raise MemoryError
            self.tags[self.tag_count] = of_type
            self.tag_count += 1
        return 0

    cdef int code(self) except -1:
        """The functions' code."""
        cdef uint32_t count = self.number()
        cdef size_t start = self.size
        cdef size_t whole = self.end
        cdef size_t body, end
        cdef uint32_t i
        if count != self.function_count - self.imported_count:
            raise Unreadable("not as much code as functions")
        self.write_number(count)
        for i in range(count):
            body = self.position
            end = self.piece()
            self.end = end
            if end - self.position > MOST_BODY:
                raise Unreadable("a function that is too long")
            self.function(self.functions[self.imported_count + i], body)
            self.position = end
            self.end = whole
        if self.position != whole:
            raise Unreadable("more code than functions")
        self.insert_size(start)
        return 0

    # A function.

    cdef int function(self, uint32_t kind, size_t whole) except -1:
        """Write a function's code, which stands at `whole` with its size."""
        cdef size_t start = self.position
        cdef size_t instructions
        self.variables(kind)
        instructions = self.position
        self.follow(kind)
        self.settle()
        if self.mended_count == 0:
            return self.copy(whole, self.end)
        return self.mend(start, instructions)

    cdef int variables(self, uint32_t kind) except -1:
        """Read a function's variables: its parameters and what it declares."""
        cdef uint32_t groups, count, i, _i
        self.variable_count = 0
        for i in range(self.parameters[kind]):
            self.add_variables(1, self.data[self.type_texts[kind] + i])
        groups = self.number()
        for _i in range(groups):
            count = self.number()
            self.add_variables(count, self.byte())
        # Values: the two of which nothing is known, then those of the variables.
        self.value_count = 0
        self.edge_count = 1
        self.add_value(PLAIN, 0)
        self.add_value(EXACT, 0)
        if not grown(
            <void**>&self.variable_values, &self.variables_capacity, self.variable_count, sizeof(uint32_t)
        ):
            raise MemoryError
        for i in range(self.variable_count):
            self.variable_values[i] = PLAIN
            if self.variable_types[i] == F32 or self.variable_types[i] == F64:
                self.variable_values[i] = self.add_value(EXACT if i < self.parameters[kind] else 0, 0)
        return 0

    cdef int add_variables(self, uint32_t count, int of_type) except -1:
        cdef uint32_t i
        if count > MOST_VARIABLES - self.variable_count:
            raise Unreadable("a function of too many variables")
        if not grown(<void**>&self.variable_types, &self.types_capacity, self.variable_count + count, 1):
            raise MemoryError
        for i in range(count):
            self.variable_types[self.variable_count + i] = <unsigned char>of_type
        self.variable_count += count
        return 0

    cdef uint32_t add_value(self, int what, size_t place) except? 0xFFFFFFFF:
        cdef Value* value
        if not grown(<void**>&self.values, &self.values_capacity, self.value_count + 1, sizeof(Value)):
            raise MemoryError
        value = &self.values[self.value_count]
        value.first_out = value.first_in = 0
        value.place = <uint32_t>place
        value.variable = 0
        value.is_read = False
        value.lanes = 0
        value.what = <unsigned char>what
        self.value_count += 1
        return <uint32_t>(self.value_count - 1)

    cdef int add_edge(self, uint32_t source, uint32_t target) except -1:
        cdef Edge* edge
        if source == PLAIN:
            return 0
        if source == GIVEN:
            self.values[target].what |= EXACT
            return 0
        if not grown(<void**>&self.edges, &self.edges_capacity, self.edge_count + 1, sizeof(Edge)):
            raise MemoryError
        edge = &self.edges[self.edge_count]
        edge.source = source
        edge.target = target
        edge.next_out = self.values[source].first_out
        edge.next_in = self.values[target].first_in
        self.values[source].first_out = self.values[target].first_in = <uint32_t>self.edge_count
        self.edge_count += 1
        return 0

    # The stack of a function, with a value's number in each place.

    cdef int push(self, uint32_t value) except -1:
        if not grown(<void**>&self.stack, &self.stack_capacity, self.height + 1, sizeof(uint32_t)):
            raise MemoryError
        self.stack[self.height] = value
        self.height += 1
        return 0

    cdef uint32_t pop(self) except? 0xFFFFFFFF:
        cdef Frame* frame = &self.frames[self.depth - 1]
        if self.height > frame.height:
            self.height -= 1
            return self.stack[self.height]
        if frame.dead:
            return PLAIN
        raise Unreadable("an instruction without what it takes")

    cdef int move(self, uint32_t count) except -1:
        """Keep account of the values that single instructions take or give: few bytes could ask for much."""
        self.moved += count
        if self.moved > self.most_moved:
            raise Unreadable("too many values in calls and blocks")
        return 0

    cdef int see(self, uint32_t count) except -1:
        """Take values off the stack whose bits go on."""
        cdef uint32_t _i
        self.move(count)
        for _i in range(count):
            self.values[self.pop()].what |= SEEN
        return 0

    cdef int see_below(self, uint32_t count) except -1:
        """Likewise, but they stay there."""
        cdef size_t base = self.frames[self.depth - 1].height
        cdef uint32_t i
        self.move(count)
        for i in range(count):
            if self.height - i <= base:
                if self.frames[self.depth - 1].dead:
                    return 0
                raise Unreadable("a branch without what it takes")
            self.values[self.stack[self.height - 1 - i]].what |= SEEN
        return 0

    cdef int give(self, uint32_t count) except -1:
        """Put values onto the stack of which nothing is known but that their bits are right."""
        cdef uint32_t _i
        self.move(count)
        for _i in range(count):
            self.push(GIVEN)
        return 0

    cdef int open(self, int opcode, uint32_t parameters, uint32_t results) except -1:
        cdef Frame* frame
        self.see(parameters)
        if not grown(<void**>&self.frames, &self.frames_capacity, self.depth + 1, sizeof(Frame)):
            raise MemoryError
        frame = &self.frames[self.depth]
        frame.opcode = opcode
        frame.height = self.height
        frame.parameters = parameters
        frame.results = results
        frame.dead = False
        self.depth += 1
        return self.give(parameters)

    cdef int open_typed(self, int opcode) except -1:
        """Read a block's type, and open it."""
        cdef int first = self.peek()
        cdef uint32_t kind
        if first == 0x40:
            self.byte()
            return self.open(opcode, 0, 0)
        if 0x40 < first < 0x80:
            self.byte()
            return self.open(opcode, 0, 1)
        kind = self.number()
        if kind >= self.type_count:
            raise Unreadable("a block of no type")
        return self.open(opcode, self.parameters[kind], self.results[kind])

    cdef int handlers(self) except -1:
        """Read where a block's exceptions go. There they come as all values do from branches: their bits are right."""
        cdef uint32_t _i
        cdef int kind
        for _i in range(self.number()):
            kind = self.byte()
            if kind > 3:
                raise Unreadable("a handler of an unknown kind")
            if kind < 2 and self.number() >= self.tag_count:
                raise Unreadable("a handler of no tag")
            if self.number() >= self.depth - 1:
                raise Unreadable("a handler that leads nowhere")
        return 0

    cdef int close(self) except -1:
        """Take off what a block leaves."""
        self.see(self.frames[self.depth - 1].results)
        self.height = self.frames[self.depth - 1].height
        return 0

    cdef int die(self) except -1:
        """What comes next isn't run."""
        self.height = self.frames[self.depth - 1].height
        self.frames[self.depth - 1].dead = True
        return 0

    cdef uint32_t arity(self, uint32_t label) except? 0xFFFFFFFF:
        """How many values a branch takes."""
        cdef Frame* frame
        if label >= self.depth:
            raise Unreadable("a branch to nowhere")
        frame = &self.frames[self.depth - 1 - label]
        return frame.parameters if frame.opcode == LOOP else frame.results

    cdef int apply(self, uint32_t of_type) except -1:
        """A call of a function of that type."""
        if of_type >= self.type_count:
            raise Unreadable("a call of no type")
        self.see(self.parameters[of_type])
        return self.give(self.results[of_type])

    cdef bint is_made_canonical(self, uint32_t variable) except -1:
        """Pass over what makes a float canonical that was just read from a variable, or put there, if it comes next."""
        cdef unsigned char[MOST_TEXT] wanted
        cdef size_t size = canonical_text(wanted, variable, 8 if self.width_of(variable) else 4)
        return self.skip_text(wanted, size)

    cdef bint is_vector_made_canonical(self, unsigned char lanes) except -1:
        """Likewise for a vector."""
        cdef unsigned char[MOST_TEXT] wanted
        cdef size_t here = self.position
        cdef uint32_t variable
        if here >= self.end or self.data[here] != LOCAL_TEE:
            return False
        self.position += 1
        variable = self.number()
        if variable >= self.variable_count or self.variable_types[variable] != V128:
            self.position = here
            return False
        if self.skip_text(wanted, vector_text(wanted, variable, lanes)):
            return True
        self.position = here
        return False

    cdef bint skip_text(self, const unsigned char* wanted, size_t size) except -1:
        """Pass over a text, if it comes next."""
        if self.end - self.position < size or memcmp(self.data + self.position, wanted, size) != 0:
            return False
        self.position += size
        return True

    cdef int follow(self, uint32_t kind) except -1:
        """Read a function's instructions, and lay down which value may become which."""
        cdef int opcode, width
        cdef uint32_t number, count, _i, value, other
        cdef uint32_t variable
        self.height = self.depth = 0
        self.moved = 0
        self.most_moved = 1000000 + 8 * (self.end - self.position)
        self.open(BLOCK, 0, self.results[kind])
        while self.depth:
            opcode = self.byte()
            if I32_EQZ <= opcode <= LAST_PLAIN:
                self.number_instruction(opcode)
            elif opcode == LOCAL_GET or opcode == LOCAL_SET or opcode == LOCAL_TEE:
                number = self.number()
                if number >= self.variable_count:
                    raise Unreadable("a variable that isn't there")
                variable = self.variable_values[number]
                if opcode == LOCAL_GET:
                    value = PLAIN
                    if variable != PLAIN and not self.is_made_canonical(number):
                        value = self.add_value(MENDS | self.width_of(number), self.position)
                        self.values[value].is_read = True
                        self.values[value].variable = number
                        self.add_edge(variable, value)
                    self.push(value)
                    continue
                value = self.pop()
                if variable != PLAIN:
                    self.add_edge(value, variable)
                if opcode == LOCAL_TEE:
                    if variable != PLAIN and self.is_made_canonical(number):
                        value = PLAIN
                    self.push(value)
            elif I32_LOAD <= opcode < I32_STORE:
                self.skip_number(5)
                self.skip_number(5)
                self.pop()
                self.push(GIVEN if opcode == F32_LOAD or opcode == F64_LOAD else PLAIN)
            elif I32_STORE <= opcode < MEMORY_SIZE:
                self.skip_number(5)
                self.skip_number(5)
                self.see(1)
                self.pop()
            elif opcode == I32_CONST:
                self.skip_number(5)
                self.push(PLAIN)
            elif opcode == I64_CONST:
                self.skip_number(10)
                self.push(PLAIN)
            elif opcode == F32_CONST or opcode == F64_CONST:
                width = 4 if opcode == F32_CONST else 8
                self.skip(width)
                self.push(GIVEN if is_another_nan(self.data + self.position - width, width) else PLAIN)
            elif opcode == UNREACHABLE:
                self.die()
            elif opcode == NOP:
                pass
            elif opcode == BLOCK or opcode == LOOP:
                self.open_typed(opcode)
            elif opcode == IF_BLOCK:
                self.pop()
                self.open_typed(opcode)
            elif opcode == ELSE_BLOCK:
                if self.frames[self.depth - 1].opcode != IF_BLOCK:
                    raise Unreadable("an else without an if")
                self.close()
                self.frames[self.depth - 1].opcode = ELSE_BLOCK
                self.frames[self.depth - 1].dead = False
                self.give(self.frames[self.depth - 1].parameters)
            elif opcode == END:
                self.close()
                count = self.frames[self.depth - 1].results
                self.depth -= 1
                if self.depth:
                    self.give(count)
            elif opcode == BRANCH:
                self.see(self.arity(self.number()))
                self.die()
            elif opcode == BRANCH_IF:
                number = self.number()
                self.pop()
                self.see_below(self.arity(number))
            elif opcode == BRANCH_TABLE:
                count = self.number()
                if count > self.end - self.position:
                    raise Unreadable("ends too early")
                for _i in range(count):
                    self.number()
                self.pop()
                self.see(self.arity(self.number()))
                self.die()
            elif opcode == RETURN:
                self.see(self.frames[0].results)
                self.die()
            elif opcode == CALL:
                number = self.number()
                if number >= self.function_count:
                    raise Unreadable("a call of no function")
                self.apply(self.functions[number])
            elif opcode == CALL_INDIRECT:
                number = self.number()
                self.number()
                self.pop()
                self.apply(number)
            elif opcode == TRY_TABLE:
                self.open_typed(BLOCK)
                self.handlers()
            elif opcode == THROW:
                number = self.number()
                if number >= self.tag_count:
                    raise Unreadable("a throw of no tag")
                self.see(self.parameters[self.tags[number]])
                self.die()
            elif opcode == THROW_REF:
                self.pop()
                self.die()
            elif opcode == DROP:
                self.pop()
            elif opcode == SELECT or opcode == SELECT_TYPED:
                if opcode == SELECT_TYPED:
                    count = self.number()
                    self.skip(count)
                self.pop()
                value = self.pop()
                other = self.pop()
                self.choose(value, other)
            elif opcode == GLOBAL_GET:
                self.number()
                self.push(GIVEN)
            elif opcode == GLOBAL_SET:
                self.number()
                self.see(1)
            elif opcode == MEMORY_SIZE or opcode == MEMORY_GROW:
                self.number()
                if opcode == MEMORY_GROW:
                    self.pop()
                self.push(PLAIN)
            elif opcode == BULK:
                self.bulk_instruction(self.number())
            elif opcode == VECTOR:
                number = self.number()
                if number > LAST_VECTOR:
                    raise Unreadable("an instruction that is unknown here")
                self.vector_instruction(number)
                width = VECTOR_MAKES[number]
                if width and not self.is_vector_made_canonical(<unsigned char>width):
                    value = self.add_value(MADE | MENDS | SEEN, self.position)
                    self.values[value].lanes = <unsigned char>width
            else:
                raise Unreadable("an instruction that is unknown here")
        if self.position != self.end:
            raise Unreadable("instructions after a function's end")
        return 0

    cdef unsigned char width_of(self, uint32_t variable) noexcept:
        return WIDE if self.variable_types[variable] == F64 else 0

    cdef int number_instruction(self, int opcode) except -1:
        """Tests, arithmetic and conversions of numbers."""
        cdef uint32_t value
        if MAKES[opcode]:
            self.pop()
            if TAKES[opcode] == 2:
                self.pop()
            value = self.add_value(MADE | MENDS | (WIDE if MAKES[opcode] == 8 else 0), self.position)
            return self.push(value)
        if opcode == F32_ABS or opcode == F64_ABS:
            return self.derive(MENDS, opcode == F64_ABS)
        if opcode == F32_NEG or opcode == F64_NEG:
            return self.derive(EXACT, opcode == F64_NEG)
        if opcode == F32_COPYSIGN or opcode == F64_COPYSIGN:
            self.see(1)
            return self.derive(EXACT, opcode == F64_COPYSIGN)
        if opcode == I32_REINTERPRET or opcode == I64_REINTERPRET:
            self.see(1)
            return self.push(PLAIN)
        self.pop()
        if opcode == F32_REINTERPRET or opcode == F64_REINTERPRET:
            return self.push(GIVEN)
        if TAKES[opcode] == 2:
            self.pop()
        return self.push(PLAIN)

    cdef int derive(self, int what, bint is_wide) except -1:
        """Another float of the same bits but for its sign."""
        cdef uint32_t of = self.pop()
        cdef uint32_t value
        if of == PLAIN or of == GIVEN:
            return self.push(of if what == MENDS else GIVEN)
        value = self.add_value(what | (WIDE if is_wide else 0), self.position)
        self.add_edge(of, value)
        return self.push(value)

    cdef int choose(self, uint32_t one, uint32_t other) except -1:
        """One of two values."""
        cdef uint32_t value
        if one <= GIVEN and other <= GIVEN:
            return self.push(one | other)
        value = self.add_value(MENDS | (self.values[one if one > GIVEN else other].what & WIDE), self.position)
        self.add_edge(one, value)
        self.add_edge(other, value)
        return self.push(value)

    cdef int bulk_instruction(self, uint32_t which) except -1:
        """Conversions that saturate, and what copies and fills memory."""
        cdef uint32_t _i
        if which <= 7:
            self.pop()
            return self.push(PLAIN)
        if which > 11:
            raise Unreadable("an instruction that is unknown here")
        self.number()
        if which == 8 or which == 10:
            self.number()
        if which != 9:
            for _i in range(3):
                self.pop()
        return 0

    cdef int vector_instruction(self, uint32_t which) except -1:
        cdef uint32_t _i
        if which <= V128_STORE or which == LOAD_ZERO or which == LOAD_ZERO + 1:
            self.skip_number(5)
            self.skip_number(5)
        elif which == V128_CONST or which == V128_SHUFFLE:
            self.skip(16)
        elif FIRST_LANE <= which <= F64X2_REPLACE:
            self.skip(1)
        elif FIRST_LANE_LOAD <= which < LOAD_ZERO:
            self.skip_number(5)
            self.skip_number(5)
            self.skip(1)
        # The last that it takes may be a float, which becomes a lane.
        for _i in range(VECTOR_TAKES[which]):
            self.see(1)
        if which != V128_STORE and not FIRST_LANE_STORE <= which < LOAD_ZERO:
            self.push(GIVEN)
        return 0

    # What is to be done.

    cdef int wait(self, uint32_t value) except -1:
        if not grown(
            <void**>&self.waiting, &self.waiting_capacity, self.waiting_count + 1, sizeof(uint32_t)
        ):
            raise MemoryError
        self.waiting[self.waiting_count] = value
        self.waiting_count += 1
        return 0

    cdef int settle(self) except -1:
        """Find the values that must be made canonical, in the order of their places."""
        cdef uint32_t i, edge, value, to
        cdef unsigned char what
        # Forwards: what may be exact, or made, in whatever these may become.
        self.waiting_count = 0
        for i in range(2, <uint32_t>self.value_count):
            if self.values[i].what & (EXACT | MADE):
                self.wait(i)
        while self.waiting_count:
            self.waiting_count -= 1
            value = self.waiting[self.waiting_count]
            what = self.values[value].what & (EXACT | MADE)
            edge = self.values[value].first_out
            while edge:
                to = self.edges[edge].target
                if what & ~self.values[to].what:
                    self.values[to].what |= what
                    self.wait(to)
                edge = self.edges[edge].next_out
        # Backwards: what may become an exact value that is seen is seen itself.
        for i in range(2, <uint32_t>self.value_count):
            if self.values[i].what & SEEN:
                self.wait(i)
        while self.waiting_count:
            self.waiting_count -= 1
            value = self.waiting[self.waiting_count]
            if not self.values[value].what & EXACT:
                continue
            edge = self.values[value].first_in
            while edge:
                to = self.edges[edge].source
                if not self.values[to].what & SEEN:
                    self.values[to].what |= SEEN
                    self.wait(to)
                edge = self.edges[edge].next_in
        self.mended_count = 0
        for i in range(2, <uint32_t>self.value_count):
            what = self.values[i].what
            if what & SEEN and what & MADE and what & MENDS and not what & EXACT:
                if not grown(
                    <void**>&self.mended, &self.mended_capacity, self.mended_count + 1, sizeof(uint32_t)
                ):
                    raise MemoryError
                self.mended[self.mended_count] = i
                self.mended_count += 1
        return 0

    cdef int mend(self, size_t start, size_t instructions) except -1:
        """Write the function whose variables stand at `start`, and whose code at `instructions`."""
        cdef const Value* value
        cdef size_t begin = self.size
        cdef size_t written = instructions
        cdef uint32_t groups, variable
        cdef uint32_t[3] scratch
        cdef bint[3] is_needed
        cdef size_t i
        cdef int kind
        for kind in range(3):
            is_needed[kind] = False
        for i in range(self.mended_count):
            value = &self.values[self.mended[i]]
            if not value.is_read:
                is_needed[scratch_kind(value)] = True
        self.position = start
        groups = self.number()
        start = self.position
        self.write_number(groups + is_needed[0] + is_needed[1] + is_needed[2])
        self.copy(start, instructions)
        variable = <uint32_t>self.variable_count
        for kind in range(3):
            if is_needed[kind]:
                scratch[kind] = variable
                variable += 1
                self.write(1)
                self.write(V128 if kind == 2 else F64 if kind == 1 else F32)
        for i in range(self.mended_count):
            value = &self.values[self.mended[i]]
            self.copy(written, value.place)
            written = value.place
            self.room(5 + MOST_TEXT)
            if value.is_read:
                variable = value.variable
            else:
                variable = scratch[scratch_kind(value)]
                self.write(LOCAL_TEE)
                self.write_number(variable)
            if value.lanes:
                self.size += vector_text(self.content + self.size, variable, value.lanes)
            else:
                self.size += canonical_text(self.content + self.size, variable, 8 if value.what & WIDE else 4)
        self.copy(written, self.end)
        return self.insert_size(begin)


cdef int scratch_kind(const Value* value) noexcept:
    """Which of three variables serves to make it canonical: of floats of 32 bits, of 64, of vectors."""
    if value.lanes:
        return 2
    return 1 if value.what & WIDE else 0


cdef size_t encode(unsigned char* target, uint32_t number) noexcept:
    """Write an unsigned LEB128 number; how many bytes, at most 5, it takes."""
    cdef size_t length = 0
    while number >= 0x80:
        target[length] = <unsigned char>(number & 0x7F | 0x80)
        number >>= 7
        length += 1
    target[length] = <unsigned char>number
    return length + 1


cdef void write_canonical(unsigned char* target, int width) noexcept:
    """The canonical NaN."""
    cdef int i
    for i in range(width):
        target[i] = 0
    target[width - 1] = 0x7F
    target[width - 2] = 0xF8 if width == 8 else 0xC0


cdef bint is_another_nan(const unsigned char* constant, int width) noexcept:
    """Whether a constant is a NaN, and not the canonical one."""
    cdef unsigned char[8] canonical
    cdef int i
    cdef bint has_payload = False
    for i in range(width - 2):
        has_payload |= constant[i] != 0
    if width == 8:
        if constant[7] & 0x7F != 0x7F or constant[6] & 0xF0 != 0xF0 or not (has_payload or constant[6] & 0x0F):
            return False
    elif constant[3] & 0x7F != 0x7F or constant[2] & 0x80 != 0x80 or not (has_payload or constant[2] & 0x7F):
        return False
    write_canonical(canonical, width)
    return memcmp(constant, canonical, width) != 0


cdef size_t read_twice(unsigned char* target, uint32_t variable) noexcept:
    """local.get, local.get; how many bytes."""
    cdef size_t size = 0
    cdef int _i
    for _i in range(2):
        target[size] = LOCAL_GET
        size += 1 + encode(target + size + 1, variable)
    return size


cdef size_t canonical_text(unsigned char* target, uint32_t variable, int width) noexcept:
    """Instructions that make the float on the stack canonical, which a variable has, too; how many bytes.

    Its own bits if it is equal to itself, else those of the canonical NaN. At most MOST_TEXT.
    """
    cdef size_t size = 1 + width
    target[0] = F64_CONST if width == 8 else F32_CONST
    write_canonical(target + 1, width)
    size += read_twice(target + size, variable)
    target[size] = F64_EQ if width == 8 else F32_EQ
    target[size + 1] = SELECT
    return size + 2


cdef size_t vector_text(unsigned char* target, uint32_t variable, int lanes) noexcept:
    """The same for a vector of floats of so many bytes, lane by lane."""
    cdef size_t size = 18
    cdef int i
    target[0] = VECTOR
    target[1] = V128_CONST
    for i in range(0, 16, lanes):
        write_canonical(target + 2 + i, lanes)
    size += read_twice(target + size, variable)
    target[size] = VECTOR
    target[size + 1] = F64X2_EQ if lanes == 8 else F32X4_EQ
    target[size + 2] = VECTOR
    target[size + 3] = V128_BITSELECT
    return size + 4


def with_canonical_nans(module: bytes) -> bytes:
    """A WebAssembly module that shows only canonical NaNs, as the docstring above says. Raises Unreadable.

    It takes the fuel of five or six instructions more at each place where bits go on. Done twice, it is as done once.
    """
    return Rewriter().rewritten(module)
