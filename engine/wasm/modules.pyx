"""Reads a WebAssembly module, refuses what bots must not have, and adds fuel and canonical NaNs.

Fuel is a counter that a module's code decreases, with a trap when none is left. So the place where a bot is stopped
follows from its bytes alone, under any runtime. Each instruction that does something costs one unit. Only what takes
longer than docs/explanation/sandbox.md promises for a unit costs more. These are growth of memory, throws, filling and
copying memory (a unit per four bytes), and calls that return several values. Each piece of code without branches pays
for all of it at its beginning. A function without loops, of at most MAX_FLAT units, pays for everything at its
beginning, also for what is then skipped. The code checks the fuel where loops repeat, and at the beginning of functions
that have loops or call others. The code in between is short.

The counter is a variable of the module, exported as FUEL, so that the worker can fill and read it. It is right at every
moment, so a function can be left by a return, a branch, a throw or a trap. A function with loops has a copy of it,
which is faster to read. A module's start function would run before the counter is filled, so it is exported as BEGIN
instead. Variables that change are exported, too, so that the worker can give them their first values again.

The NaN that an operation on floats returns depends on the processor (2.0, 4.3.3, "NaN Propagation"). Everything else is
the same everywhere. So a result is made canonical if its bits could show: if it is used by anything but operations on
floats, which don't distinguish NaNs. The runtime could do this for every result, but then bots that compute with floats
would take up to twice as long. Results are followed along straight code and into variables. A variable shows if its
value is ever used otherwise. Everything that is put into it is then made canonical. Bits that were loaded or passed in
stay.

Custom sections are omitted. Their names and tables would only cost the runtime time and memory, outside every limit.

The runtime has validated the module before, so its form is known, and the result is valid, too. A pass takes time and
memory in proportion to the module's bytes, whatever they are. Limits are checked before what they limit is read.

Format: WebAssembly Core Specification 3.0, chapter 5. Of the additions to 2.0 only exceptions are accepted.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memmove

from engine.kernel.limits cimport MAX_CHANGING
from engine.kernel.memory cimport grown

FUEL = "tournament fuel"
BEGIN = "tournament begin"


class Refused(ValueError):
    """Raised for a module that can't be a bot. The message tells its author why."""


cdef enum:
    MAX_BYTES = 64 << 20
    MAX_VARIABLES = 10000      # maximum variables of a function
    MAX_THROWN = 8             # maximum thrown values, which are kept outside the bot's memory
    MAX_HANDLERS = 4           # maximum handlers of a block; compilers write one or two
    MAX_FLAT = 256             # units of fuel
    NONE = 0xFFFFFFFF
    BYTES_PER_FUEL = 2          # binary logarithm of the bytes that are filled or copied per unit
    # Prices, in units, of instructions that take longer than 25 ns.
    OF_GROWTH = 400             # growth of memory: 4,300 ns, because the system maps pages
    OF_THROW = 400              # 220 to 830 ns, because the runtime walks up the stack; calls paid for its frames

cdef enum:
    FUNCTION_TYPE = 0x60
    NO_RESULT = 0x40
    EXCEPTION_REFERENCE = 0x69
    FUNCTION_REFERENCE = 0x70
    OUTER_REFERENCE = 0x6F
    V128 = 0x7B
    F64 = 0x7C
    F32 = 0x7D
    I64 = 0x7E
    I32 = 0x7F

# Kinds of imports and exports.
cdef enum:
    A_FUNCTION = 0
    A_TABLE = 1
    A_MEMORY = 2
    A_VARIABLE = 3

cdef enum Section:
    CUSTOM = 0
    TYPES = 1
    IMPORTS = 2
    FUNCTIONS = 3
    TABLES = 4
    MEMORIES = 5
    GLOBALS = 6
    EXPORTS = 7
    START = 8
    ELEMENTS = 9
    CODE = 10
    DATA = 11
    COUNT_OF_DATA = 12
    TAGS = 13

# Each section's entries and their maximum number: far more than compilers write, and still fast to read.
cdef dict MAX_OF = {
    TYPES: ("types", 10_000),
    IMPORTS: ("imports", 100),
    FUNCTIONS: ("functions", 50_000),
    TABLES: ("tables", 1),
    MEMORIES: ("memories", 1),
    GLOBALS: ("globals", 10_000),
    EXPORTS: ("exports", 1_000),
    ELEMENTS: ("element segments", 10_000),
    DATA: ("data segments", 10_000),
    TAGS: ("tags", 100),
}

# Code that is added to a function.
cdef enum Deed:
    PAY
    PAY_AND_LOOK
    PAY_LENGTH
    TAKE_UP                     # the counter
    # These make a float canonical, of 32 or 64 bits, or a vector of floats.
    MEND
    MEND_WIDE
    MEND_LANES
    MEND_WIDE_LANES

# Instructions.

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
    I32_CONST = 0x41
    I64_CONST = 0x42
    F32_CONST = 0x43
    F64_CONST = 0x44
    I64_LESS = 0x53
    F32_EQUAL = 0x5B
    F64_EQUAL = 0x61
    I64_SUBTRACT = 0x7D
    I32_SHIFT_RIGHT = 0x76
    I64_EXTEND = 0xAD
    REFERENCE_NULL = 0xD0
    REFERENCE_FUNCTION = 0xD2
    # Prefixes: the instruction's number follows.
    BULK = 0xFC
    VECTOR = 0xFD

cdef enum:
    # First row of each prefix in the table, and the table's length.
    BULK_ROWS = 0x100
    VECTOR_ROWS = 0x200
    ROWS = 0x300
    # Instructions of vectors.
    V128_CONST = 12
    F32X4_EQUAL = 65
    F64X2_EQUAL = 71
    V128_BITSELECT = 82

cdef enum:
    ALL = 0xFF                  # all values on the stack

cdef struct Instruction:
    bint is_allowed
    uint16_t pays               # units of fuel
    bint leaves                 # whether a new piece begins after it
    bint hands_over             # whether other functions use the counter before it returns
    bint by_length              # whether it also pays for the bytes whose number is on the stack
    uint8_t numbers             # LEB128 numbers that follow it
    uint8_t bytes               # bytes that follow these numbers
    uint8_t takes               # values that it takes
    bint hides                  # whether it doesn't distinguish NaNs
    bint gives                  # whether it returns a value
    Deed makes                  # code that makes this value canonical, or PAY if it is canonical

cdef Instruction[ROWS] INSTRUCTIONS

# Names of refused instructions. Others are named by number.
cdef dict NAMES = {
    0x25: "table.get", 0x26: "table.set", REFERENCE_NULL: "ref.null", 0xD1: "ref.is_null",
    REFERENCE_FUNCTION: "ref.func", BULK_ROWS + 12: "table.init", BULK_ROWS + 13: "elem.drop",
    BULK_ROWS + 14: "table.copy", BULK_ROWS + 15: "table.grow", BULK_ROWS + 16: "table.size",
    BULK_ROWS + 17: "table.fill",
}


def lay(
    rows, int numbers=0, int bytes=0, *, int pays=1, bint leaves=False, bint hands_over=False, bint by_length=False,
    int takes=0, bint hides=False, bint gives=False, int makes=PAY, int prefix=0,
):
    """Write one instruction into these rows of the table."""
    for row in rows:
        INSTRUCTIONS[prefix + row] = Instruction(
            True, pays, leaves, hands_over, by_length, numbers, bytes, takes, hides, gives, <Deed>makes
        )


def lay_table():
    """Fill the table of instructions (specification, 5.4). Those that only shape the code cost nothing."""
    lay((NOP,), pays=0)
    lay((DROP,), pays=0, takes=1, hides=True)
    lay((BLOCK,), 1, pays=0, takes=ALL)
    lay((LOOP,), 1, pays=0, takes=ALL, leaves=True)
    lay((UNREACHABLE, ELSE_BLOCK, END, RETURN), pays=0, takes=ALL, leaves=True)
    lay((IF_BLOCK, BRANCH, BRANCH_IF, TRY_TABLE), 1, takes=ALL, leaves=True)
    lay((BRANCH_TABLE,), takes=ALL, leaves=True)
    lay((THROW,), 1, pays=OF_THROW, takes=ALL, leaves=True)
    lay((THROW_REF,), pays=OF_THROW, takes=ALL, leaves=True)
    lay((CALL,), 1, takes=ALL, hands_over=True)
    lay((CALL_INDIRECT,), 2, takes=ALL, hands_over=True)
    lay((SELECT, SELECT_TYPED), takes=3, gives=True)
    lay((LOCAL_GET, GLOBAL_GET), 1, gives=True)
    lay((LOCAL_SET, GLOBAL_SET), 1, takes=1)
    lay((LOCAL_TEE,), 1, takes=1, gives=True)
    lay(range(0x28, 0x36), 2, takes=1, gives=True)      # loads
    lay(range(0x36, 0x3F), 2, takes=2)                  # stores
    lay((0x3F, I32_CONST, I64_CONST), 1, gives=True)    # memory.size
    lay((0x40,), 1, pays=OF_GROWTH, takes=1, gives=True)    # memory.grow
    lay((F32_CONST,), bytes=4, gives=True)
    lay((F64_CONST,), bytes=8, gives=True)
    lay(range(0x45, 0xC5), takes=2, gives=True)         # arithmetic; of two, but for tests, counts, signs, conversions
    lay((0x45, 0x50, *range(0x67, 0x6A), *range(0x79, 0x7C), 0x8B, 0x8C, 0x99, 0x9A), takes=1, gives=True)
    lay(range(0xA7, 0xC5), takes=1, gives=True)
    lay(range(0x5B, 0x67), takes=2, hides=True, gives=True)     # comparisons of floats
    lay((*range(0xA8, 0xAC), *range(0xAE, 0xB2)), takes=1, hides=True, gives=True)  # whole numbers of floats
    for first, other, makes in ((0x8D, 0xB6, MEND), (0x9B, 0xBB, MEND_WIDE)):
        lay((*range(first, first + 5), other), takes=1, hides=True, gives=True, makes=makes)    # ceil to sqrt; demote
        lay(range(first + 5, first + 11), takes=2, hides=True, gives=True, makes=makes)         # add to max
    lay(range(8), takes=1, hides=True, gives=True, prefix=BULK_ROWS)    # conversions that saturate
    lay((8, 10), 2, takes=3, by_length=True, prefix=BULK_ROWS)          # memory.init, memory.copy
    lay((9,), 1, prefix=BULK_ROWS)                                      # data.drop
    lay((11,), 1, takes=3, by_length=True, prefix=BULK_ROWS)            # memory.fill
    lay(range(0x100), takes=ALL, prefix=VECTOR_ROWS)
    lay((*range(12), 92, 93), 2, takes=ALL, prefix=VECTOR_ROWS)         # loads, stores
    lay((12, 13), bytes=16, takes=ALL, prefix=VECTOR_ROWS)              # a constant, a shuffle
    lay(range(21, 35), bytes=1, takes=ALL, prefix=VECTOR_ROWS)          # lanes
    lay(range(84, 92), 2, 1, takes=ALL, prefix=VECTOR_ROWS)             # loads and stores of lanes
    for rows, makes in (
        ((94, *range(103, 107), *range(227, 234)), MEND_LANES),
        ((95, 116, 117, 122, 148, *range(239, 246)), MEND_WIDE_LANES),
    ):
        lay(rows, takes=ALL, makes=makes, prefix=VECTOR_ROWS)


lay_table()


cdef struct Numbers:
    uint32_t* at
    size_t count
    size_t capacity


cdef int append(Numbers* numbers, uint32_t number) except -1 nogil:
    """Add a number."""
    if not grown(<void**>&numbers.at, &numbers.capacity, numbers.count + 1, sizeof(uint32_t)):
        raise MemoryError
    numbers.at[numbers.count] = number
    numbers.count += 1
    return 0


cdef struct Mark:
    size_t place
    Deed deed
    uint32_t cost               # cost of a PAY; for others whether the code is needed


cdef struct Function:
    size_t declared             # offset of its variables, which are in groups
    uint32_t groups
    uint32_t variables          # number of variables, including parameters
    size_t instructions
    size_t end
    size_t first_mark, end_mark
    # Numbers of added variables, or NONE: a copy of the counter, a length, and floats that are made canonical.
    uint32_t held, length, single, wide, lanes
    uint32_t more               # number of added variables
    bint is_constant            # whether it only returns a constant


@cython.final
cdef class Module:
    """The parts of a module. Imported functions have the first indices.

    Attributes:
        code: The module's bytes.
        exports: Index of each exported function by name.
        imported: Names of the imported functions.
        table_elements: Minimum number of elements of its tables.
        memory_pages: Minimum number of pages of its memories.
    """

    cdef readonly bytes code
    cdef readonly dict exports
    cdef readonly list imported
    cdef readonly uint64_t table_elements, memory_pages
    cdef bint can_throw             # whether it has tags
    cdef list changing              # indices of the variables that change, None among them for references
    cdef int64_t start              # index of the start function, -1 for none
    cdef list sections              # (kind, start, start of the content, end)
    cdef uint32_t variables         # number of the module's variables, after which the counter follows
    cdef Function* own
    cdef size_t own_count, own_capacity
    cdef Mark* marks
    cdef size_t mark_count, marks_capacity

    def __dealloc__(self):
        free(self.own)
        free(self.marks)

    @property
    def has_start(self):
        """True if the module has a start function."""
        return self.start >= 0

    def constant_functions(self, names):
        """Return those of these exported functions that only return a constant."""
        return frozenset(name for name in names if name in self.exports and self.is_constant(self.exports[name]))

    cdef bint is_constant(self, uint32_t function):
        """Return whether a function of the module only returns a constant."""
        return function >= len(self.imported) and self.own[function - len(self.imported)].is_constant

    @property
    def changing_variables(self):
        """Names, as exports, of the variables that change, or None if more than these and its memory can change.

        No instruction that changes a table is allowed. Segments that can be dropped need a count of data. An exception
        is an object of the runtime.
        """
        has_segments = any(kind == COUNT_OF_DATA for kind, *_ in self.sections)
        if self.can_throw or has_segments or None in self.changing or len(self.changing) > MAX_CHANGING:
            return None
        return tuple([f"{FUEL} {index}" for index in self.changing])

    def metered(self):
        """Return the module's bytes with fuel.

        Raises:
            Refused: It has an export of one of our names.
        """
        for name in (FUEL, BEGIN):
            if name in self.exports:
                raise Refused(f"exports {name}, which is the tournament's")
        return Writer(self).write_all()

    def origins(self, places):
        """Return the offsets in the module of these offsets in its bytes with fuel, -1 for what was added."""
        cdef Writer writer = Writer(self)
        writer.write_all()
        return [writer.origin(place) if 0 <= place < <int64_t>writer.size else -1 for place in places]

    cdef void pay(self, size_t mark, uint32_t cost) noexcept nogil:
        """Raise the cost at a mark, up to the largest number."""
        self.marks[mark].cost += min(cost, <uint32_t>0xFFFFFFFF - self.marks[mark].cost)

    cdef int mark(self, size_t place, Deed deed, uint32_t cost) except -1 nogil:
        """Mark a place at which the writer adds code."""
        if not grown(<void**>&self.marks, &self.marks_capacity, self.mark_count + 1, sizeof(Mark)):
            raise MemoryError
        self.marks[self.mark_count] = Mark(place, deed, cost)
        self.mark_count += 1
        return 0


@cython.final
@cython.internal
cdef class Reader:
    """A reader of a module, which marks where the writer must add something.

    What bots must not have is refused by each method, with a Refused.
    """

    cdef const uint8_t* data
    cdef size_t position, end
    cdef Module module
    cdef Numbers parameters, results        # their numbers, by type
    cdef Numbers texts                      # offsets of the types' parameters
    cdef Numbers functions                  # types of all functions, imported ones first
    cdef uint32_t imported
    # For the present function: the origin of each value on the stack or its variable, pairs of an
    # origin and the variable that the value was put into, and the last function, from 1, in which a variable showed.
    cdef Numbers stack, put
    cdef uint32_t[MAX_VARIABLES] shown_in
    cdef uint32_t number

    def __dealloc__(self):
        free(self.parameters.at)
        free(self.results.at)
        free(self.texts.at)
        free(self.functions.at)
        free(self.stack.at)
        free(self.put.at)

    # Bytes. Nothing is read beyond the end, although the module was validated.

    cdef int refuse(self, const char* why) except -1 with gil:
        """Raise Refused."""
        raise Refused(why.decode())

    cdef int byte(self) except -1 nogil:
        """Return the next byte."""
        if self.position >= self.end:
            self.refuse(b"ends too early")
        self.position += 1
        return self.data[self.position - 1]

    cdef int skip(self, size_t count) except -1 nogil:
        """Skip bytes."""
        if count > self.end - self.position:
            self.refuse(b"ends too early")
        self.position += count
        return 0

    cdef uint32_t read_number(self) except? 0xFFFFFFFF nogil:
        """Return an unsigned LEB128 number of 32 bits."""
        cdef uint32_t result = 0
        cdef int byte = 0x80
        cdef int shift = 0
        while byte & 0x80:
            byte = self.byte()
            result |= <uint32_t>(byte & 0x7F) << (shift & 31)
            shift += 7
        return result

    cdef int skip_number(self) except -1 nogil:
        """Skip an LEB128 number."""
        while self.byte() & 0x80:
            pass
        return 0

    cdef size_t piece(self) except? 0 nogil:
        """Return the end of a piece that begins with its size, which is skipped."""
        cdef size_t size = self.read_number()
        self.skip(size)
        self.position -= size
        return self.position + size

    cdef str text(self):
        """Return a name."""
        cdef size_t start
        cdef size_t end = self.piece()
        start, self.position = self.position, end
        return (<const char*>self.data)[start:end].decode("utf-8", "replace")

    # The module.

    cdef Module read(self, bytes code):
        """Return the parts of a module."""
        cdef size_t start, end
        cdef size_t whole = PyBytes_GET_SIZE(code)
        cdef int kind
        if whole > MAX_BYTES:
            raise Refused(f"has {whole >> 20} MB; at most {MAX_BYTES >> 20} are allowed")
        self.data = <const uint8_t*>PyBytes_AS_STRING(code)
        self.end = whole
        if whole < 8 or memcmp(self.data, b"\0asm\1\0\0\0", 8) != 0:
            self.refuse(b"not a WebAssembly module")
        self.module = Module()
        self.module.code = code
        self.module.exports, self.module.imported, self.module.sections, self.module.changing = {}, [], [], []
        self.module.start = -1
        self.position = 8
        while self.position < whole:
            start = self.position
            kind = self.byte()
            end = self.piece()
            self.module.sections.append((kind, start, self.position, end))
            self.end = end
            self.section(kind)
            self.position = end
            self.end = whole
        return self.module

    cdef int section(self, int kind) except -1:
        """Read a section's entries, if they matter."""
        cdef uint32_t count, i, _i
        if kind == START:
            self.module.start = self.read_number()
        if kind not in MAX_OF and kind != CODE:
            return 0
        count = self.read_number()
        if kind == CODE:
            with nogil:     # lets other threads run, and Ctrl-C arrive
                for i in range(count):
                    self.function(self.imported + i)
            return 0
        what, most = MAX_OF[kind]
        if count > most:
            raise Refused(f"has {count:,} {what}; at most {most:,} are allowed")
        for _i in range(count):
            if kind == TYPES:
                self.function_type()
            elif kind == IMPORTS:
                self.import_()
            elif kind == FUNCTIONS:
                append(&self.functions, self.read_number())
            elif kind == TABLES:
                self.table()
            elif kind == MEMORIES:
                self.module.memory_pages += self.least()
            elif kind == TAGS:
                self.tag()
            elif kind == GLOBALS:
                self.global_()
            elif kind == EXPORTS:
                self.export()
        return 0

    cdef int function_type(self) except -1:
        """Read the type of functions."""
        cdef uint32_t values
        if self.byte() != FUNCTION_TYPE:
            self.refuse(b"has a type that isn't a plain function's")
        values = self.read_number()
        append(&self.parameters, values)
        append(&self.texts, <uint32_t>self.position)
        self.types(values)
        values = self.read_number()
        append(&self.results, values)
        return self.types(values)

    cdef int types(self, uint32_t count) except -1 nogil:
        """Read `count` types of values, each of one byte. No compiler writes the long form of a reference."""
        cdef uint32_t _i
        cdef int kind
        for _i in range(count):
            kind = self.byte()
            if not (
                V128 <= kind <= I32 or kind == FUNCTION_REFERENCE or kind == OUTER_REFERENCE
                or kind == EXCEPTION_REFERENCE
            ):
                self.refuse(b"has a type of values that bots may not use")
        return 0

    cdef int block_type(self) except -1 nogil:
        """Skip the type of a block."""
        cdef int first = self.byte()
        self.position -= 1
        # A negative number of one byte is a type of values, or no type. Other numbers are indices of types.
        if first & 0xC0 == 0x40 and first != NO_RESULT:
            return self.types(1)
        return self.skip_number()

    cdef int import_(self) except -1:
        """Read an import."""
        cdef int kind
        self.text()
        name = self.text()
        kind = self.byte()
        if kind == A_FUNCTION:
            append(&self.functions, self.read_number())
            self.imported += 1
            self.module.imported.append(name)
        elif kind == A_VARIABLE:
            self.types(1)
            self.skip(1)
            self.module.variables += 1
        elif kind == A_TABLE or kind == A_MEMORY:
            self.types(kind == A_TABLE)
            self.least()
        else:
            self.refuse(b"has an import of an unknown kind")
        return 0

    cdef int table(self) except -1:
        """Read a table."""
        cdef int kind = self.byte()
        if kind != FUNCTION_REFERENCE and kind != OUTER_REFERENCE:
            self.refuse(b"has a table of something unknown")
        self.module.table_elements += self.least()
        return 0

    cdef uint32_t least(self) except? 0xFFFFFFFF:
        """Return the minimum of a table's or a memory's limits."""
        cdef int flags = self.byte()
        cdef uint32_t least = self.read_number()
        if flags & 1:
            self.skip_number()
        return least

    cdef int tag(self) except -1:
        """Read a tag, which can have up to 8 numbers."""
        cdef uint32_t of_type, i
        self.module.can_throw = True
        self.byte()
        of_type = self.read_number()
        for i in range(self.parameters.at[self.checked(of_type, self.parameters.count)]):
            if i == MAX_THROWN or not V128 <= self.data[self.texts.at[of_type] + i] <= I32:
                self.refuse(b"throws other things than up to 8 numbers")
        return 0

    cdef int global_(self) except -1:
        """Read a global. One with an exception's type is refused, because it would outlive the decision."""
        cdef int kind = self.byte()
        if not V128 <= kind <= I32 and kind != FUNCTION_REFERENCE and kind != OUTER_REFERENCE:
            self.refuse(b"has a global of an unknown type")
        if self.byte():
            self.module.changing.append(self.module.variables if V128 <= kind <= I32 else None)
        self.module.variables += 1
        while True:
            kind = self.byte()
            if kind == END:
                return 0
            if kind == VECTOR:
                self.skip_number()
                self.skip(16)
            elif kind == REFERENCE_NULL or kind == REFERENCE_FUNCTION:
                self.skip_number()
            else:
                self.skip_operands(kind)

    cdef int export(self) except -1:
        """Read an export, of which only functions matter."""
        name = self.text()
        cdef int kind = self.byte()
        cdef uint32_t index = self.read_number()
        if kind == A_FUNCTION:
            self.module.exports[name] = index
        return 0

    cdef uint32_t checked(self, uint32_t index, size_t count) except? 0xFFFFFFFF nogil:
        """Return an index that is below the number of entries."""
        if index >= count:
            self.refuse(b"refers to what isn't there")
        return index

    # A function.

    cdef int function(self, uint32_t index) except -1 nogil:
        """Read a function's variables and instructions."""
        cdef size_t whole = self.end
        cdef uint32_t of_type = self.functions.at[self.checked(index, self.functions.count)]
        cdef Function function
        cdef uint32_t _i
        cdef uint64_t variables = self.parameters.at[self.checked(of_type, self.parameters.count)]
        function.end = self.end = self.piece()
        function.groups = self.read_number()
        function.declared = self.position
        for _i in range(function.groups):
            variables += self.read_number()
            self.types(1)
            if variables > MAX_VARIABLES:
                self.refuse_variables(index, variables)
        function.variables = <uint32_t>variables
        function.instructions = self.position
        self.divide(&function, index)
        if not grown(<void**>&self.module.own, &self.module.own_capacity, self.module.own_count + 1, sizeof(Function)):
            raise MemoryError
        self.module.own[self.module.own_count] = function
        self.module.own_count += 1
        self.end = whole
        return 0

    cdef int divide(self, Function* function, uint32_t index) except -1 nogil:
        """Read a function's instructions. Divide it into pieces, and add up the cost of each."""
        cdef const Instruction* instruction
        cdef size_t piece = self.module.mark_count       # the mark at which the present piece pays
        cdef size_t start
        cdef uint64_t whole = 0
        cdef uint32_t count = 0
        cdef uint32_t cost
        cdef bint loops = False, calls = False, catches = False, copies = False
        cdef int row
        function.first_mark = piece
        self.number = index + 1
        self.stack.count = self.put.count = 0
        self.module.mark(self.position, PAY, 0)
        while self.position < self.end:
            start = self.position
            row = self.row(index)
            instruction = &INSTRUCTIONS[row]
            cost = instruction.pays
            count += 1
            if LOCAL_GET <= row <= LOCAL_TEE:
                self.use_variable(row, function)
            else:
                self.follow(instruction)
                if instruction.hands_over:
                    cost += self.call(row)
                    calls = True
                    self.module.mark(self.position, TAKE_UP, 0)
                elif row == TRY_TABLE:
                    self.skip_handlers(index)
                    catches = True
                else:
                    self.skip_operands(row)
            if instruction.by_length:
                copies = True
                self.module.mark(start, PAY_LENGTH, 0)
            if instruction.makes != PAY:
                self.make(instruction)
            loops |= row == LOOP
            self.module.pay(piece, cost)
            whole += cost
            if instruction.leaves and self.position < self.end:
                piece = self.module.mark_count
                self.module.mark(self.position, PAY_AND_LOOK if row == LOOP else PAY, 0)
        self.settle(function, <uint32_t>min(whole, <uint64_t>MAX_FLAT + 1) if not loops else MAX_FLAT + 1)
        if loops or calls:
            self.module.marks[function.first_mark].deed = PAY_AND_LOOK
        # A handler doesn't know how much fuel was used before.
        self.declare(function, loops and not catches, copies)
        function.is_constant = count == 2 and (
            self.data[function.instructions] == I32_CONST or self.data[function.instructions] == I64_CONST
        )
        return 0

    cdef int settle(self, Function* function, uint32_t whole) except -1 nogil:
        """Have a short function pay its `whole` cost at the beginning, and mark floats to make canonical."""
        cdef Mark* marks = self.module.marks
        cdef size_t i
        function.end_mark = self.module.mark_count
        if whole <= MAX_FLAT:
            for i in range(function.first_mark, function.end_mark):
                if marks[i].deed <= PAY_AND_LOOK:
                    marks[i].cost = 0
            marks[function.first_mark].cost = whole
        for i in range(0, self.put.count, 2):
            if self.shown_in[self.put.at[i + 1]] == self.number:
                marks[self.put.at[i]].cost = 1
        return 0

    cdef int declare(self, Function* function, bint holds, bint copies) except -1 nogil:
        """Number the variables that a function gets."""
        cdef bint[3] mends
        cdef size_t i
        cdef Deed deed
        mends[0] = mends[1] = mends[2] = False
        for i in range(function.first_mark, function.end_mark):
            deed = self.module.marks[i].deed
            if deed >= MEND and self.module.marks[i].cost:
                mends[min(<int>deed - MEND, 2)] = True
        function.more = 0
        function.held = self.next_variable(function, holds)
        function.length = self.next_variable(function, copies)
        function.single = self.next_variable(function, mends[0])
        function.wide = self.next_variable(function, mends[1])
        function.lanes = self.next_variable(function, mends[2])
        return 0

    cdef uint32_t next_variable(self, Function* function, bint is_wanted) noexcept nogil:
        """Return the number of a new variable of a function, or NONE if it isn't wanted."""
        function.more += is_wanted
        return function.variables + function.more - 1 if is_wanted else NONE

    # Which results show.

    cdef int show(self, uint32_t value) noexcept nogil:
        """Record that the bits of a value on the stack show: those of its origin, or of its variable."""
        if value & 1:
            self.module.marks[value >> 1].cost = 1
        elif value:
            self.shown_in[(value >> 1) - 1] = self.number
        return 0

    cdef uint32_t pop(self) noexcept nogil:
        """Return the origin of the top value. Values that control flow left have none, and were recorded to show."""
        if self.stack.count == 0:
            return 0
        self.stack.count -= 1
        return self.stack.at[self.stack.count]

    cdef int follow(self, const Instruction* instruction) except -1 nogil:
        """Take an instruction's values off the stack, record which show, and put there what it gives."""
        cdef size_t takes = instruction.takes
        cdef size_t _i
        cdef uint32_t value
        for _i in range(self.stack.count if takes == ALL else takes):
            value = self.pop()
            if not instruction.hides:
                self.show(value)
        if instruction.gives and instruction.makes == PAY:
            append(&self.stack, 0)
        return 0

    cdef int make(self, const Instruction* instruction) except -1 nogil:
        """Record where a value was made. Vectors' bits are always assumed to show."""
        self.module.mark(self.position, instruction.makes, instruction.makes >= MEND_LANES)
        if instruction.gives:
            append(&self.stack, <uint32_t>((self.module.mark_count - 1) << 1 | 1))
        return 0

    cdef int use_variable(self, int row, const Function* function) except -1 nogil:
        """Follow a value out of a variable, or into one."""
        cdef uint32_t variable = self.checked(self.read_number(), function.variables)
        cdef uint32_t value
        if row == LOCAL_GET:
            return append(&self.stack, (variable + 1) << 1)
        value = self.pop()
        if value & 1:
            append(&self.put, value >> 1)
            append(&self.put, variable)
        else:
            self.show(value)
        return append(&self.stack, value) if row == LOCAL_TEE else 0

    cdef int row(self, uint32_t index) except -1 nogil:
        """Return the next instruction's row in the table."""
        cdef int opcode = self.byte()
        cdef int row = opcode
        cdef uint32_t number = 0
        if opcode == BULK or opcode == VECTOR:
            number = self.read_number()
            row = (BULK_ROWS if opcode == BULK else VECTOR_ROWS) + min(number, <uint32_t>0xFF)
        if number > 0xFF or not INSTRUCTIONS[row].is_allowed:
            self.refuse_instruction(index, opcode, row, number)
        return row

    cdef int skip_operands(self, int row) except -1 nogil:
        """Skip the operands of an instruction, except of a call and of a block with handlers."""
        cdef uint32_t _i
        cdef uint32_t count = INSTRUCTIONS[row].numbers
        if row == BRANCH_TABLE:
            count = self.read_number()
            count += 1
        elif row == SELECT_TYPED:
            return self.types(self.read_number())
        elif BLOCK <= row <= IF_BLOCK:
            return self.block_type()
        for _i in range(count):
            self.skip_number()
        return self.skip(INSTRUCTIONS[row].bytes)

    cdef uint32_t call(self, int row) except? 0xFFFFFFFF nogil:
        """Return the cost of a call's results, because few instructions could pass on many."""
        cdef uint32_t of_type = self.read_number()
        if row == CALL:
            of_type = self.functions.at[self.checked(of_type, self.functions.count)]
        else:
            self.skip_number()
        return max(self.results.at[self.checked(of_type, self.results.count)], <uint32_t>1) - 1

    cdef int skip_handlers(self, uint32_t index) except -1 nogil:
        """Skip a block's handlers."""
        cdef uint32_t count, _i
        self.block_type()
        count = self.read_number()
        if count > MAX_HANDLERS:
            self.refuse_instruction(index, TRY_TABLE, TRY_TABLE, count)
        for _i in range(count):
            if self.byte() < 2:     # the handler has one tag
                self.skip_number()
            self.skip_number()
        return 0

    cdef int refuse_variables(self, uint32_t index, uint64_t count) except -1 with gil:
        """Raise Refused for a function with too many variables."""
        raise Refused(
            f"its function {index} has {count:,} variables; at most {MAX_VARIABLES:,} are allowed"
        )

    cdef int refuse_instruction(self, uint32_t index, int opcode, int row, uint32_t number) except -1 with gil:
        """Raise Refused for an instruction that isn't allowed."""
        name = NAMES.get(row) or (f"{opcode:#x}" if row == opcode else f"{opcode:#x} {number}")
        if row == TRY_TABLE:
            name = f"try_table with {number} handlers"
        raise Refused(f"its function {index} has the instruction {name}, which bots may not use")


@cython.final
@cython.internal
cdef class Writer:
    """A writer of a module with fuel."""

    cdef Module module
    cdef const uint8_t* data
    cdef uint8_t* content
    cdef size_t size, capacity
    cdef Numbers copied     # triples: start and end of each copied part in the module, and its new offset

    def __init__(self, Module module):
        self.module = module
        self.data = <const uint8_t*>PyBytes_AS_STRING(module.code)

    def __dealloc__(self):
        free(self.content)
        free(self.copied.at)

    cdef bytes write_all(self):
        """Return the module's bytes with fuel."""
        cdef Module module = self.module
        cdef bint wants_globals = True
        cdef bint wants_exports = True
        self.copy(0, 8)
        for kind, start, content, end in module.sections:
            if wants_globals and kind in (EXPORTS, START, ELEMENTS, COUNT_OF_DATA, CODE, DATA):
                self.globals(0, 0)
                wants_globals = False
            if wants_exports and kind in (START, ELEMENTS, COUNT_OF_DATA, CODE, DATA):
                self.exports(0, 0)
                wants_exports = False
            if kind == GLOBALS:
                self.globals(content, end)
                wants_globals = False
            elif kind == EXPORTS:
                self.exports(content, end)
                wants_exports = False
            elif kind == CODE:
                self.code()
            elif kind != START and kind != CUSTOM:
                self.copy(start, end)
        return PyBytes_FromStringAndSize(<char*>self.content, self.size)

    # Bytes.

    cdef int room(self, size_t more) except -1 nogil:
        """Make room for more bytes."""
        if not grown(<void**>&self.content, &self.capacity, self.size + more, 1):
            raise MemoryError
        return 0

    cdef int write(self, int byte) except -1 nogil:
        """Write a byte."""
        self.room(1)
        self.content[self.size] = <uint8_t>byte
        self.size += 1
        return 0

    cdef int number(self, uint32_t number) except -1 nogil:
        """Write an unsigned LEB128 number."""
        self.room(5)
        self.size += encode(self.content + self.size, number)
        return 0

    cdef int copy(self, size_t first, size_t end) except -1 nogil:
        """Copy this part of the module."""
        append(&self.copied, <uint32_t>first)
        append(&self.copied, <uint32_t>end)
        append(&self.copied, <uint32_t>self.size)
        self.room(end - first)
        memcpy(self.content + self.size, self.data + first, end - first)
        self.size += end - first
        return 0

    cdef int insert_size(self, size_t start) except -1 nogil:
        """Insert the size of what was written since `start`, which moves it."""
        cdef uint8_t[5] head
        cdef size_t size = self.size - start
        cdef size_t length = encode(head, <uint32_t>size)
        cdef size_t i = self.copied.count
        self.room(length)
        memmove(self.content + start + length, self.content + start, size)
        memcpy(self.content + start, head, length)
        self.size += length
        while i and self.copied.at[i - 1] >= start:
            self.copied.at[i - 1] += <uint32_t>length
            i -= 3
        return 0

    cdef int64_t origin(self, uint32_t place):
        """Return the offset in the module of an offset in what was written, -1 for what was added."""
        cdef size_t i
        for i in range(0, self.copied.count, 3):
            if 0 <= <int64_t>place - self.copied.at[i + 2] < self.copied.at[i + 1] - self.copied.at[i]:
                return self.copied.at[i] + place - self.copied.at[i + 2]
        return -1

    # Sections.

    cdef size_t head(self, int kind, size_t content, size_t end, uint32_t more) except 0:
        """Begin a section with this many more entries. Return the start of its content."""
        cdef size_t start
        cdef size_t position = content
        cdef uint32_t count = 0
        cdef int shift = 0
        self.write(kind)
        start = self.size
        while position < end:
            count |= <uint32_t>(self.data[position] & 0x7F) << (shift & 31)
            shift += 7
            position += 1
            if self.data[position - 1] < 0x80:
                break
        self.number(count + more)
        self.copy(position, end)
        return start

    cdef int globals(self, size_t content, size_t end) except -1:
        """Write the module's variables, and the counter."""
        cdef size_t start = self.head(GLOBALS, content, end, 1)
        self.write(I64)
        self.write(1)
        self.constant(0)
        self.write(END)
        return self.insert_size(start)

    cdef int exports(self, size_t content, size_t end) except -1:
        """Write the module's exports, and those of the counter, of variables that change, and of the start function."""
        changing = self.module.changing_variables or ()
        cdef size_t start = self.head(EXPORTS, content, end, 1 + len(changing) + (self.module.start >= 0))
        self.export(FUEL, A_VARIABLE, self.module.variables)
        for name, index in zip(changing, self.module.changing):
            self.export(name, A_VARIABLE, index)
        if self.module.start >= 0:
            self.export(BEGIN, A_FUNCTION, <uint32_t>self.module.start)
        return self.insert_size(start)

    cdef int export(self, str name, int kind, uint32_t index) except -1:
        """Write an export."""
        encoded = name.encode()
        self.number(len(encoded))
        for byte in encoded:
            self.write(byte)
        self.write(kind)
        return self.number(index)

    cdef int code(self) except -1:
        """Write all functions with the code that is added to them."""
        cdef size_t start, i
        self.write(CODE)
        start = self.size
        with nogil:
            self.number(<uint32_t>self.module.own_count)
            for i in range(self.module.own_count):
                self.function(&self.module.own[i])
        return self.insert_size(start)

    # A function.

    cdef int function(self, const Function* function) except -1 nogil:
        """Write a function with the code that is added to it."""
        cdef size_t start = self.size
        cdef size_t copied = function.instructions
        cdef const Mark* mark
        cdef size_t i
        self.number(function.groups + function.more)
        self.copy(function.declared, function.instructions)
        self.declare(function.held, I64)
        self.declare(function.length, I32)
        self.declare(function.single, F32)
        self.declare(function.wide, F64)
        self.declare(function.lanes, V128)
        self.take_up(function)
        for i in range(function.first_mark, function.end_mark):
            mark = &self.module.marks[i]
            self.copy(copied, mark.place)
            copied = mark.place
            if mark.deed == TAKE_UP:
                self.take_up(function)
            elif mark.deed == PAY_LENGTH:
                self.pay_length(function)
            elif mark.deed >= MEND:
                if mark.cost:
                    self.mend(function, mark.deed)
            else:
                self.pay(function, mark)
        self.copy(copied, function.end)
        return self.insert_size(start)

    cdef int declare(self, uint32_t variable, int kind) except -1 nogil:
        """Declare an added variable of this type, unless it is NONE."""
        if variable != NONE:
            self.write(1)
            self.write(kind)
        return 0

    cdef int with_index(self, int opcode, uint32_t index) except -1 nogil:
        """Write an instruction with an index."""
        self.write(opcode)
        return self.number(index)

    cdef int pay(self, const Function* function, const Mark* mark) except -1 nogil:
        """Write code that takes a mark's cost from the fuel, and traps if the mark wants that."""
        if mark.cost:
            self.get(function)
            self.constant(mark.cost)
            self.write(I64_SUBTRACT)
            self.set(function)
        return self.look(function) if mark.deed == PAY_AND_LOOK else 0

    cdef int pay_length(self, const Function* function) except -1 nogil:
        """Take a unit for every four bytes. Their number is on the stack, and stays there."""
        self.with_index(LOCAL_TEE, function.length)
        self.get(function)
        self.with_index(LOCAL_GET, function.length)
        self.with_index(I32_CONST, BYTES_PER_FUEL)
        self.write(I32_SHIFT_RIGHT)
        self.write(I64_EXTEND)
        self.write(I64_SUBTRACT)
        self.set(function)
        return self.look(function)

    cdef int look(self, const Function* function) except -1 nogil:
        """Trap if no fuel is left."""
        self.get(function)
        self.constant(0)
        self.write(I64_LESS)
        self.write(IF_BLOCK)
        self.write(NO_RESULT)
        self.write(UNREACHABLE)
        return self.write(END)

    cdef int get(self, const Function* function) except -1 nogil:
        """Write code that puts the fuel on the stack."""
        if function.held != NONE:
            return self.with_index(LOCAL_GET, function.held)
        return self.with_index(GLOBAL_GET, self.module.variables)

    cdef int set(self, const Function* function) except -1 nogil:
        """Write code that takes the fuel from the stack, and stores it."""
        if function.held != NONE:
            self.with_index(LOCAL_TEE, function.held)
        return self.with_index(GLOBAL_SET, self.module.variables)

    cdef int take_up(self, const Function* function) except -1 nogil:
        """Write code that copies the counter, if the function has a copy of it."""
        if function.held == NONE:
            return 0
        self.with_index(GLOBAL_GET, self.module.variables)
        return self.with_index(LOCAL_SET, function.held)

    cdef int constant(self, uint32_t number) except -1 nogil:
        """Write a number as a constant of 64 bits. A last byte with its sign's bit set needs another one."""
        self.write(I64_CONST)
        while number >= 0x40:
            self.write(number & 0x7F | 0x80)
            number >>= 7
        return self.write(number)

    cdef int mend(self, const Function* function, Deed deed) except -1 nogil:
        """Replace a float on the stack by the canonical NaN if it doesn't equal itself, lane by lane."""
        cdef bint wide = deed == MEND_WIDE or deed == MEND_WIDE_LANES
        cdef bint lanes = deed >= MEND_LANES
        cdef uint32_t variable = function.lanes if lanes else function.wide if wide else function.single
        cdef int _i, _j
        self.with_index(LOCAL_TEE, variable)
        if lanes:
            self.with_index(VECTOR, V128_CONST)
        else:
            self.write(F64_CONST if wide else F32_CONST)
        for _i in range((2 if wide else 4) if lanes else 1):
            for _j in range(6 if wide else 2):
                self.write(0)
            self.write(0xF8 if wide else 0xC0)
            self.write(0x7F)
        self.with_index(LOCAL_GET, variable)
        self.with_index(LOCAL_GET, variable)
        if lanes:
            self.with_index(VECTOR, F64X2_EQUAL if wide else F32X4_EQUAL)
            return self.with_index(VECTOR, V128_BITSELECT)
        self.write(F64_EQUAL if wide else F32_EQUAL)
        return self.write(SELECT)


cdef size_t encode(uint8_t* target, uint32_t number) noexcept nogil:
    """Write an unsigned LEB128 number. Return the number of its bytes, at most 5."""
    cdef size_t length = 0
    while number >= 0x80:
        target[length] = <uint8_t>(number & 0x7F | 0x80)
        number >>= 7
        length += 1
    target[length] = <uint8_t>number
    return length + 1


def read_module(code: bytes):
    """Return the parts of a module that the runtime has validated.

    Raises:
        Refused: It is too large, or has too many of some part, or something that bots must not have.
        MemoryError: There isn't enough memory.
    """
    return Reader().read(code)
