"""Reads a WebAssembly module in one pass: refuses what bots may not have, gathers facts, makes its NaNs canonical.

Nothing is compiled. Only the runtime can say whether a module is valid; if it is, all facts found here are right. A
pass takes time and memory that grow with the module's bytes: limits on counts are checked before the counted things
are read, variables are looked up when they are used, and calls and blocks can't move more values than the module has
bytes for (MOVES_PER_BYTE).

This file is long because sections and functions are read at one position, in one pass.

Format: WebAssembly Core Specification 3.0, chapter 5, of which only exceptions are read beside 2.0.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

from engine.kernel.memory cimport grown
from engine.wasm.canonical_nans cimport EXACT, GIVEN, LANES, MADE, MENDS, NOT_READ, PLAIN, SEEN, WIDE
from engine.wasm.canonical_nans cimport CANONICAL_INSTRUCTIONS, MOST_TEXT, Numbers, Parts, Rewriter, append
from engine.wasm.canonical_nans cimport canonical_text, is_another_nan
from engine.wasm.instructions cimport *

from collections import namedtuple


class Refused(ValueError):
    """A module that can't be a bot; the message says why, to its author."""


class Unreadable(Refused):
    """Bytes that aren't a WebAssembly module, or have something in them that is unknown here."""


# The most that a call takes: instructions, and bytes of the runtime's stack.
Bound = namedtuple("Bound", ("instructions", "stack"))

cdef enum:
    MOST_BYTES = 64 << 20
    MOST_BODY = 7654321         # bytes of a function: the runtime takes no more
    MOST_VARIABLES = 10000      # of a function
    MOST_THROWN = 8             # values. What is thrown is kept outside the bot's memory as long as it is referred to.
    MOST_HANDLERS = 4           # of a block: a throw looks at each for no fuel; compilers write one or two
    # Values that calls and blocks take and give, in all.
    MOVES_PER_BYTE = 16
    MOVES_MORE = 1000000

cdef enum:
    FUNCTION_TYPE = 0x60
    NO_RESULT = 0x40
    F32 = 0x7D
    F64 = 0x7C
    V128 = 0x7B

cdef enum Section:
    TYPES = 1
    IMPORTS = 2
    FUNCTIONS = 3
    TABLES = 4
    MEMORIES = 5
    GLOBALS = 6
    EXPORTS = 7
    START = 8
    CODE = 10
    TAGS = 13
    SECTIONS = 14

# Each section's place in a module; custom ones, with 0, may stand anywhere.
cdef uint8_t[SECTIONS] PLACES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 11, 6]

# What each section has, and how many at most: far more than compilers write, and still quick to read.
cdef dict MOST_OF = {
    TYPES: ("types", 10_000),
    IMPORTS: ("imports", 100),
    FUNCTIONS: ("functions", 50_000),
    TABLES: ("tables", 1),
    MEMORIES: ("memories", 1),
    GLOBALS: ("globals", 10_000),
    EXPORTS: ("exports", 1_000),
    9: ("element segments", 10_000),
    11: ("data segments", 10_000),
    TAGS: ("tags", 100),
}

# Instructions that are refused by name; others by number.
cdef dict NAMES = {
    0x12: "return_call", 0x13: "return_call_indirect", 0x25: "table.get", 0x26: "table.set", 0xD0: "ref.null",
    0xD1: "ref.is_null", 0xD2: "ref.func", BULK_ROWS + 12: "table.init", BULK_ROWS + 13: "elem.drop",
    BULK_ROWS + 14: "table.copy", BULK_ROWS + 15: "table.grow", BULK_ROWS + 16: "table.size",
    BULK_ROWS + 17: "table.fill",
}

# For the bound on what a call takes.
cdef enum:
    IMPORTED_INSTRUCTIONS = 32      # of an imported function: stand-ins are short
    IMPORTED_STACK = 512
    # The compiler keeps on the stack at most each value that is computed, and each variable where control flow meets.
    FRAME = 256
    SLOT = 16

# More than any limit. Sums stop here: they can double with each function of a module.
cdef uint64_t ENDLESS = <uint64_t>1 << 62


cdef struct Function:
    uint32_t instructions
    uint32_t blocks             # and targets of branch tables
    uint32_t variables
    uint32_t first_call         # where its calls begin in the list of all
    uint32_t end_call
    bint is_bounded             # no instruction runs twice, or costs by its operands
    bint is_constant            # it gives a constant and does nothing else


cdef enum Visit:
    UNSEEN
    ENTERED
    KNOWN


cdef struct Known:
    int visit
    uint64_t instructions
    uint64_t stack


@cython.final
cdef class Module:
    """What a module consists of. Indices of functions begin with the imported ones."""

    cdef readonly bytes canonical
    cdef readonly dict exports
    cdef readonly list imported
    cdef readonly uint32_t tags, exported
    cdef readonly uint64_t table_elements, memory_pages
    cdef readonly bint has_start
    cdef Function* own
    cdef size_t own_count
    cdef Numbers callees

    def __dealloc__(self):
        free(self.own)
        free(self.callees.at)

    @property
    def functions(self):
        return self.own_count

    def constant_functions(self, names):
        """Those of these exported functions that do nothing but give a constant."""
        return frozenset(name for name in names if name in self.exports and self.is_constant(self.exports[name]))

    cdef bint is_constant(self, uint32_t function):
        return function >= len(self.imported) and self.own[function - len(self.imported)].is_constant

    def most_taken(self, names, without_bound):
        """The most that one call of any of these exported functions can take, if its shape alone tells, else None.

        A function without loops runs each of its instructions at most once; if it calls only such functions, and none
        that leads back to itself, its longest run can be added up, and so can its deepest stack. Names that aren't
        exported take nothing. Imported functions named `without_bound` have none.
        """
        cdef uint64_t instructions = 0
        cdef uint64_t stack = 0
        cdef uint32_t function, i
        cdef Known* known = <Known*>calloc(len(self.imported) + self.own_count + 1, sizeof(Known))
        if known == NULL:
            raise MemoryError
        try:
            for i, name in enumerate(self.imported):
                if name not in without_bound:
                    known[i] = Known(KNOWN, IMPORTED_INSTRUCTIONS, IMPORTED_STACK)
            for name in names:
                if name in self.exports:
                    function = self.exports[name]
                    if not self.look_at(function, known):
                        return None
                    instructions = max(instructions, known[function].instructions)
                    stack = max(stack, known[function].stack)
        finally:
            free(known)
        return Bound(instructions, stack)

    cdef bint look_at(self, uint32_t function, Known* known) except -1:
        """Work out the bound of a function, callees first; false where it has none."""
        cdef Numbers waiting
        memset(&waiting, 0, sizeof(Numbers))
        try:
            append(&waiting, function)
            while waiting.count:
                if not self.step(waiting.at[waiting.count - 1], known, &waiting):
                    return False
        finally:
            free(waiting.at)
        return True

    cdef bint step(self, uint32_t function, Known* known, Numbers* waiting) except -1:
        cdef uint32_t imported = <uint32_t>len(self.imported)
        cdef const Function* own
        cdef uint32_t i, callee
        if known[function].visit == KNOWN:
            waiting.count -= 1
            return True
        if function < imported:
            return False
        own = &self.own[function - imported]
        if not own.is_bounded:
            return False
        if known[function].visit == ENTERED:
            return self.add_up(own, known, &known[function])
        known[function].visit = ENTERED
        for i in range(own.first_call, own.end_call):
            callee = self.callees.at[i]
            if known[callee].visit == ENTERED:
                return False
            if known[callee].visit == UNSEEN:
                append(waiting, callee)
        return True

    cdef bint add_up(self, const Function* own, const Known* known, Known* into) noexcept:
        cdef uint64_t deepest = 0
        cdef uint32_t i
        into.instructions = own.instructions
        for i in range(own.first_call, own.end_call):
            into.instructions = min(into.instructions + known[self.callees.at[i]].instructions, ENDLESS)
            deepest = max(deepest, known[self.callees.at[i]].stack)
        into.stack = FRAME + SLOT * (own.instructions + <uint64_t>own.variables * (own.blocks + 1)) + deepest
        into.visit = KNOWN
        return into.instructions < ENDLESS and into.stack < ENDLESS


cdef struct Frame:
    int opcode              # BLOCK, LOOP, IF_BLOCK, ELSE_BLOCK
    size_t height           # of the stack where it begins, its parameters taken off
    uint32_t parameters
    uint32_t results
    bint dead               # what comes next in it is never run


cdef struct Variable:
    uint32_t used_in        # the number of the function, from 1, that the rest is about
    uint32_t value          # in the graph
    uint8_t kind


@cython.final
@cython.internal
cdef class Reader:
    """Reads a module, tells a rewriter which float may become which, and notes facts."""

    cdef const uint8_t* data
    cdef size_t position, end
    cdef Module module
    cdef Rewriter rewriter
    # Of function types.
    cdef Numbers parameters, results
    cdef Numbers texts      # where their parameters stand
    # The types of all functions, imported ones first; and of what is thrown.
    cdef Numbers functions
    cdef Numbers tags
    cdef uint32_t imported
    cdef size_t moved, most_moved
    # Of the function at hand.
    cdef uint32_t number    # from 1
    cdef Function* function
    cdef uint32_t given, given_text     # how many parameters it has, and where their types stand
    cdef Numbers group_ends, group_kinds
    cdef Variable* variables
    cdef Numbers stack      # values
    cdef Frame* frames
    cdef size_t depth, frames_capacity

    def __dealloc__(self):
        free(self.parameters.at)
        free(self.results.at)
        free(self.texts.at)
        free(self.functions.at)
        free(self.tags.at)
        free(self.group_ends.at)
        free(self.group_kinds.at)
        free(self.variables)
        free(self.stack.at)
        free(self.frames)

    # Bytes.

    cdef int unreadable(self, const char* why) except -1 with gil:
        raise Unreadable(why.decode())

    cdef int refuse_function(self, what) except -1:
        raise Refused(f"its function {self.imported + self.number - 1} has {what}")

    cdef int byte(self) except -1 nogil:
        if self.position >= self.end:
            self.unreadable(b"ends too early")
        self.position += 1
        return self.data[self.position - 1]

    cdef int skip(self, size_t count) except -1 nogil:
        if count > self.end - self.position:
            self.unreadable(b"ends too early")
        self.position += count
        return 0

    cdef uint32_t read_number(self) except? 0xFFFFFFFF nogil:
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
        self.unreadable(b"a number of more than 32 bits")
        return 0

    cdef int skip_number(self, int longest) except -1 nogil:
        """A LEB128 number of at most so many bytes."""
        cdef int _i
        for _i in range(longest):
            if self.byte() < 0x80:
                return 0
        return self.unreadable(b"a number that is too long")

    cdef size_t piece(self) except? 0 nogil:
        """The end of a piece that begins with its size."""
        cdef size_t size = self.read_number()
        if size > self.end - self.position:
            self.unreadable(b"ends too early")
        return self.position + size

    cdef str text(self):
        """A name."""
        cdef size_t start
        cdef size_t end = self.piece()
        start, self.position = self.position, end
        return (<const char*>self.data)[start:end].decode("utf-8", "replace")

    # The module.

    cdef Module read(self, bytes code):
        cdef size_t start, end
        cdef size_t whole = PyBytes_GET_SIZE(code)
        cdef int kind
        cdef int last = 0
        if whole > MOST_BYTES:
            raise Refused(f"has {whole >> 20} MB; at most {MOST_BYTES >> 20} are allowed")
        self.data = <const uint8_t*>PyBytes_AS_STRING(code)
        self.end = whole
        if whole < 8 or memcmp(self.data, b"\0asm\1\0\0\0", 8) != 0:
            self.unreadable(b"not a WebAssembly module")
        self.most_moved = MOVES_MORE + MOVES_PER_BYTE * whole
        self.rewriter.data = self.data
        self.rewriter.copy(0, 8)
        self.position = 8
        while self.position < whole:
            start = self.position
            kind = self.byte()
            end = self.piece()
            if kind >= SECTIONS or (kind and PLACES[kind] <= last):
                self.unreadable(b"a section that is unknown or out of place")
            last = max(last, PLACES[kind])
            self.end = end
            self.section(kind)
            self.module.has_start |= kind == START
            if kind != CODE:
                self.rewriter.copy(start, end)
            self.position = end
            self.end = whole
        if self.module.own_count != self.functions.count - self.imported:
            self.unreadable(b"not as much code as functions")
        if any(function >= self.functions.count for function in self.module.exports.values()):
            self.unreadable(b"an export of no function")
        self.module.canonical = PyBytes_FromStringAndSize(<char*>self.rewriter.content, self.rewriter.size)
        return self.module

    cdef int section(self, int kind) except -1:
        cdef uint32_t count, _i
        if kind == CODE:
            return self.code()
        if kind not in MOST_OF:
            return 0
        count = self.read_number()
        what, most = MOST_OF[kind]
        if count > most:
            raise Refused(f"has {count:,} {what}; at most {most:,} are allowed")
        for _i in range(count):
            if kind == TYPES:
                self.function_type()
            elif kind == IMPORTS:
                self.import_()
            elif kind == FUNCTIONS:
                self.add_function()
            elif kind == TABLES:
                if self.byte() not in (0x70, 0x6F):     # funcref, externref
                    self.unreadable(b"a table of something unknown")
                self.module.table_elements += self.least()
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
        cdef uint32_t values
        if self.byte() != FUNCTION_TYPE:
            self.unreadable(b"a type that isn't a plain function's")
        values = self.read_number()
        append(&self.parameters, values)
        append(&self.texts, <uint32_t>self.position)
        self.skip(values)
        values = self.read_number()
        append(&self.results, values)
        return self.skip(values)

    cdef int import_(self) except -1:
        cdef int kind
        self.position = self.piece()
        name = self.text()
        kind = self.byte()
        if kind == 0:
            self.add_function()
            self.imported += 1
            self.module.imported.append(name)
        elif kind == 1 or kind == 2:
            if kind == 1:
                self.byte()
            self.least()
        elif kind == 3:
            self.skip(2)
        else:
            self.unreadable(b"an import of an unknown kind")
        return 0

    cdef int add_function(self) except -1:
        cdef uint32_t of_type = self.read_number()
        if of_type >= self.parameters.count:
            self.unreadable(b"a function of no type")
        return append(&self.functions, of_type)

    cdef uint32_t least(self) except? 0xFFFFFFFF:
        """The least of a table's or a memory's limits."""
        cdef int flags = self.byte()
        cdef uint32_t least = self.read_number()
        if flags & 1:
            self.read_number()
        if flags & 8:       # a page size of its own
            self.read_number()
        return least

    cdef int tag(self) except -1:
        cdef uint32_t of_type, i
        self.byte()
        of_type = self.read_number()
        if of_type >= self.parameters.count:
            self.unreadable(b"a tag of no type")
        for i in range(self.parameters.at[of_type]):
            if i == MOST_THROWN or not V128 <= self.data[self.texts.at[of_type] + i] <= 0x7F:
                raise Refused(f"throws other things than up to {MOST_THROWN} numbers")
        self.module.tags += 1
        return append(&self.tags, of_type)

    cdef int global_(self) except -1:
        """Read a global. One of an exception's type is refused: it would outlive the decision."""
        cdef int kind = self.byte()
        if not V128 <= kind <= 0x7F and kind != 0x70 and kind != 0x6F:
            self.unreadable(b"a global of an unknown type")
        self.byte()
        while True:
            kind = self.byte()
            if kind == END:
                return 0
            if kind == VECTOR and self.read_number() == 12:
                self.skip(16)
            elif kind == F32_CONST or kind == F64_CONST:
                self.skip(4 if kind == F32_CONST else 8)
            elif kind == 0xD0:                          # ref.null
                self.byte()
            elif kind in (0x23, I32_CONST, I64_CONST, 0xD2):    # global.get, ref.func
                self.skip_number(10)
            elif kind not in (0x6A, 0x6B, 0x6C, 0x7C, 0x7D, 0x7E):  # sums, differences, products
                self.unreadable(b"a global's value that is unknown")

    cdef int export(self) except -1:
        name = self.text()
        cdef int kind = self.byte()
        cdef uint32_t index = self.read_number()
        self.module.exported += 1
        if kind == 0:
            self.module.exports[name] = index
        return 0

    cdef int code(self) except -1:
        cdef uint32_t count = self.read_number()
        cdef size_t start
        cdef uint32_t i
        if count != self.functions.count - self.imported:
            self.unreadable(b"not as much code as functions")
        self.module.own = <Function*>calloc(count + 1, sizeof(Function))
        if self.module.own == NULL:
            raise MemoryError
        self.module.own_count = count
        self.variables = <Variable*>calloc(MOST_VARIABLES, sizeof(Variable))
        if self.variables == NULL:
            raise MemoryError
        self.rewriter.write(CODE)
        start = self.rewriter.size
        self.rewriter.write_number(count)
        with nogil:     # so that Ctrl-C and other threads get their turn
            for i in range(count):
                self.number = i + 1
                self.function = &self.module.own[i]
                self.function_code(self.functions.at[self.imported + i])
        if self.position != self.end:
            self.unreadable(b"more code than functions")
        return self.rewriter.insert_size(start)

    # A function.

    cdef int function_code(self, uint32_t of_type) except -1 nogil:
        cdef Parts parts
        cdef uint32_t groups
        cdef size_t whole = self.end
        parts.start = self.position
        parts.end = self.end = self.piece()
        if self.end - self.position > MOST_BODY:
            self.unreadable(b"a function that is too long")
        groups = self.read_number()
        parts.declared = self.position
        self.declare(of_type, groups)
        parts.instructions = self.position
        self.function.first_call = <uint32_t>self.module.callees.count
        self.function.is_bounded = True
        self.rewriter.begin_function()
        self.stack.count = self.depth = 0
        self.open(BLOCK, 0, self.results.at[of_type])
        self.follow()
        self.function.end_call = <uint32_t>self.module.callees.count
        self.function.is_constant = self.function.instructions == 2 and (
            self.data[parts.instructions] == I32_CONST or self.data[parts.instructions] == I64_CONST
        )
        self.rewriter.end_function(&parts, groups, self.function.variables)
        self.position = self.end
        self.end = whole
        return 0

    cdef int declare(self, uint32_t of_type, uint32_t groups) except -1 nogil:
        """Read a function's variables: parameters, and groups of one type each."""
        cdef uint64_t total = self.parameters.at[of_type]
        cdef uint32_t count, _i
        cdef int kind
        self.given = self.parameters.at[of_type]
        self.given_text = self.texts.at[of_type]
        self.group_ends.count = self.group_kinds.count = 0
        for _i in range(groups):
            count = self.read_number()
            kind = self.byte()
            total += count
            if count and total <= MOST_VARIABLES:
                append(&self.group_ends, <uint32_t>total)
                append(&self.group_kinds, kind)
        if total > MOST_VARIABLES:
            self.refuse_variables(total)
        self.function.variables = <uint32_t>total
        return 0

    cdef int refuse_variables(self, uint64_t count) except -1 with gil:
        return self.refuse_function(f"{count:,} variables; at most {MOST_VARIABLES:,} are allowed")

    cdef Variable* variable(self, uint32_t index) except NULL nogil:
        """What is known of a variable, looked up when it is first used in the function."""
        cdef Variable* variable
        if index >= self.function.variables:
            self.unreadable(b"a variable that isn't there")
        variable = &self.variables[index]
        if variable.used_in != self.number:
            variable.used_in = self.number
            variable.kind = self.kind_of(index)
            variable.value = PLAIN
            if variable.kind == F32 or variable.kind == F64:
                variable.value = self.rewriter.add_value(EXACT if index < self.given else 0, 0, NOT_READ)
        return variable

    cdef uint8_t kind_of(self, uint32_t index) noexcept nogil:
        cdef size_t first = 0
        cdef size_t last = self.group_ends.count - 1
        cdef size_t middle
        if index < self.given:
            return self.data[self.given_text + index]
        while first < last:
            middle = (first + last) // 2
            if index < self.group_ends.at[middle]:
                last = middle
            else:
                first = middle + 1
        return <uint8_t>self.group_kinds.at[first]

    # The stack of a function, with a value's number in each place.

    cdef int push(self, uint32_t value) except -1 nogil:
        return append(&self.stack, value)

    cdef uint32_t pop(self) except? 0xFFFFFFFF nogil:
        cdef const Frame* frame = &self.frames[self.depth - 1]
        if self.stack.count > frame.height:
            self.stack.count -= 1
            return self.stack.at[self.stack.count]
        if not frame.dead:
            self.unreadable(b"an instruction without what it takes")
        return PLAIN

    cdef int move(self, uint32_t count) except -1 nogil:
        """Count the values that instructions take or give: few bytes could ask for many."""
        self.moved += count
        if self.moved > self.most_moved:
            self.refuse_moves()
        return 0

    cdef int refuse_moves(self) except -1 with gil:
        raise Refused("not a WebAssembly module that can run here: too many values in calls and blocks")

    cdef int see(self, uint32_t count) except -1 nogil:
        """Take values off the stack whose bits show."""
        cdef uint32_t _i
        self.move(count)
        for _i in range(count):
            self.rewriter.see(self.pop())
        return 0

    cdef int see_below(self, uint32_t count) except -1 nogil:
        """Likewise for values that stay there."""
        cdef const Frame* frame = &self.frames[self.depth - 1]
        cdef uint32_t i
        self.move(count)
        for i in range(count):
            if self.stack.count - i <= frame.height:
                if not frame.dead:
                    self.unreadable(b"a branch without what it takes")
                return 0
            self.rewriter.see(self.stack.at[self.stack.count - 1 - i])
        return 0

    cdef int give(self, uint32_t count) except -1 nogil:
        """Push values of which only one thing is known: their bits are right."""
        cdef uint32_t _i
        self.move(count)
        for _i in range(count):
            self.push(GIVEN)
        return 0

    # Instructions.

    cdef int follow(self) except -1 nogil:
        """Read a function's instructions, and note which value may become which."""
        cdef const Instruction* instruction
        cdef int row
        while self.depth:
            row = self.read_row()
            instruction = &INSTRUCTIONS[row]
            self.function.instructions += 1
            self.function.is_bounded &= instruction.is_bounded
            if instruction.kind == STRAIGHT:
                self.straight(instruction)
            else:
                self.control(row)
        if self.position != self.end:
            self.unreadable(b"instructions after a function's end")
        return 0

    cdef int read_row(self) except -1 nogil:
        """Where the next instruction stands in the table."""
        cdef int opcode = self.byte()
        cdef int row = opcode
        cdef uint32_t number = 0
        if opcode == BULK or opcode == VECTOR:
            number = self.read_number()
            row = (BULK_ROWS if opcode == BULK else VECTOR_ROWS) + min(number, <uint32_t>0xFF)
        if INSTRUCTIONS[row].kind == REFUSED or number > 0xFF:
            self.refuse_instruction(opcode, row, number)
        return row

    cdef int refuse_instruction(self, int opcode, int row, uint32_t number) except -1 with gil:
        name = NAMES.get(row) or (f"{opcode:#x}" if row == opcode else f"{opcode:#x} {number}")
        if opcode == TRY_TABLE:
            name = f"try_table with {number} handlers"
        return self.refuse_function(f"the instruction {name}, which bots may not use")

    cdef int straight(self, const Instruction* instruction) except -1 nogil:
        """An instruction that takes and gives values as its row says."""
        cdef int width = instruction.width
        cdef int wide = WIDE if width == 8 else 0
        cdef uint32_t value
        cdef int _i
        for _i in range(instruction.numbers):
            self.skip_number(instruction.longest)
        self.skip(instruction.bytes)
        for _i in range(instruction.takes):
            value = self.pop()
            if instruction.shows:
                self.rewriter.see(value)
        if instruction.gives == NUMBER:
            return self.push(PLAIN)
        if instruction.gives == GIVEN_BITS:
            return self.push(GIVEN)
        if instruction.gives == CONSTANT:
            return self.push(GIVEN if is_another_nan(self.data + self.position - width, width) else PLAIN)
        if instruction.gives == RESULT:
            return self.push(self.rewriter.add_value(MADE | MENDS | wide, self.position, NOT_READ))
        if instruction.gives == ABSOLUTE:
            return self.derive(MENDS, wide)
        if instruction.gives == SIGNED:
            return self.derive(EXACT, wide)
        if instruction.gives == RESULT_LANES:
            if not self.is_vector_made_canonical(wide):
                self.rewriter.add_value(MADE | MENDS | SEEN | LANES | wide, self.position, NOT_READ)
            return self.push(GIVEN)
        return 0

    cdef int derive(self, int what, int wide) except -1 nogil:
        """Replace the float on the stack by one of the same bits but for the sign."""
        cdef uint32_t of = self.pop()
        cdef uint32_t value
        if of == PLAIN or of == GIVEN:
            return self.push(of if what == MENDS else GIVEN)
        value = self.rewriter.add_value(what | wide, self.position, NOT_READ)
        self.rewriter.add_edge(of, value)
        return self.push(value)

    cdef int control(self, int opcode) except -1 nogil:
        if opcode == LOCAL_GET or opcode == LOCAL_SET or opcode == LOCAL_TEE:
            return self.use_variable(opcode)
        if opcode == SELECT or opcode == SELECT_TYPED:
            return self.choose(opcode)
        if opcode == CALL or opcode == CALL_INDIRECT:
            return self.call(opcode)
        if opcode in (BLOCK, LOOP, IF_BLOCK, ELSE_BLOCK, END, TRY_TABLE):
            return self.block(opcode)
        return self.leave(opcode)

    cdef int use_variable(self, int opcode) except -1 nogil:
        cdef uint32_t index = self.read_number()
        cdef const Variable* variable = self.variable(index)
        cdef int wide = WIDE if variable.kind == F64 else 0
        cdef uint32_t value
        if opcode == LOCAL_GET:
            value = PLAIN
            if variable.value != PLAIN and not self.is_made_canonical(index, wide):
                value = self.rewriter.add_value(MENDS | wide, self.position, index)
                self.rewriter.add_edge(variable.value, value)
            return self.push(value)
        value = self.pop()
        if variable.value != PLAIN:
            self.rewriter.add_edge(value, variable.value)
        if opcode == LOCAL_SET:
            return 0
        if variable.value != PLAIN and self.is_made_canonical(index, wide):
            value = PLAIN
        return self.push(value)

    cdef int choose(self, int opcode) except -1 nogil:
        """A select."""
        cdef uint32_t value, one, other
        if opcode == SELECT_TYPED:
            self.skip(self.read_number())
        self.pop()
        one = self.pop()
        other = self.pop()
        if one <= GIVEN and other <= GIVEN:
            return self.push(one | other)
        value = one if one > GIVEN else other
        value = self.rewriter.add_value(MENDS | (self.rewriter.values[value].what & WIDE), self.position, NOT_READ)
        self.rewriter.add_edge(one, value)
        self.rewriter.add_edge(other, value)
        return self.push(value)

    cdef int call(self, int opcode) except -1 nogil:
        cdef uint32_t number = self.read_number()
        cdef uint32_t of_type = number
        if opcode == CALL:
            if number >= self.functions.count:
                self.unreadable(b"a call of no function")
            append(&self.module.callees, number)
            of_type = self.functions.at[number]
        else:
            self.read_number()
            self.pop()
            if number >= self.parameters.count:
                self.unreadable(b"a call of no type")
        self.function.is_bounded &= self.results.at[of_type] <= 1
        self.see(self.parameters.at[of_type])
        return self.give(self.results.at[of_type])

    cdef int block(self, int opcode) except -1 nogil:
        """Where a block begins or ends."""
        cdef Frame* frame = &self.frames[self.depth - 1]
        cdef uint32_t results = frame.results
        if opcode == END or opcode == ELSE_BLOCK:
            if opcode == ELSE_BLOCK and frame.opcode != IF_BLOCK:
                self.unreadable(b"an else without an if")
            self.see(results)
            self.stack.count = frame.height
            if opcode == END:
                self.depth -= 1
                return self.give(results) if self.depth else 0
            frame.opcode = ELSE_BLOCK
            frame.dead = False
            return self.give(frame.parameters)
        if opcode == IF_BLOCK:
            self.pop()
        if opcode == TRY_TABLE:
            self.open_typed(BLOCK)
            return self.handlers()
        self.function.blocks += 1
        return self.open_typed(opcode)

    cdef int open_typed(self, int opcode) except -1 nogil:
        """Read a block's type, and open it."""
        cdef size_t before = self.position
        cdef int first = self.byte()
        cdef uint32_t kind
        if NO_RESULT <= first < 0x80:
            return self.open(opcode, 0, first != NO_RESULT)
        self.position = before
        kind = self.read_number()
        if kind >= self.parameters.count:
            self.unreadable(b"a block of no type")
        self.function.is_bounded = False
        return self.open(opcode, self.parameters.at[kind], self.results.at[kind])

    cdef int open(self, int opcode, uint32_t parameters, uint32_t results) except -1 nogil:
        if parameters:
            self.see(parameters)
        if not grown(<void**>&self.frames, &self.frames_capacity, self.depth + 1, sizeof(Frame)):
            raise MemoryError
        self.frames[self.depth] = Frame(opcode, self.stack.count, parameters, results, False)
        self.depth += 1
        return self.give(parameters)

    cdef int handlers(self) except -1 nogil:
        """Read where a block's exceptions go. They arrive as values of branches do: their bits are right."""
        cdef uint32_t count = self.read_number()
        cdef uint32_t _i
        cdef int kind
        if count > MOST_HANDLERS:
            self.refuse_instruction(TRY_TABLE, TRY_TABLE, count)
        for _i in range(count):
            kind = self.byte()
            if kind > 3:
                self.unreadable(b"a handler of an unknown kind")
            if kind < 2 and self.read_number() >= self.tags.count:
                self.unreadable(b"a handler of no tag")
            if self.read_number() >= self.depth - 1:
                self.unreadable(b"a handler that leads nowhere")
        return 0

    cdef int leave(self, int opcode) except -1 nogil:
        """A branch or the like. What comes next isn't run, except after one with a condition."""
        cdef uint32_t number, _i
        if opcode == BRANCH_IF:
            number = self.read_number()
            self.pop()
            return self.see_below(self.arity(number))
        if opcode == BRANCH:
            self.see(self.arity(self.read_number()))
        elif opcode == BRANCH_TABLE:
            number = self.read_number()
            if number > self.end - self.position:
                self.unreadable(b"ends too early")
            self.function.blocks += number
            for _i in range(number):
                self.read_number()
            self.pop()
            self.see(self.arity(self.read_number()))
        elif opcode == RETURN:
            self.see(self.frames[0].results)
        elif opcode == THROW:
            number = self.read_number()
            if number >= self.tags.count:
                self.unreadable(b"a throw of no tag")
            self.see(self.parameters.at[self.tags.at[number]])
        elif opcode == THROW_REF:
            self.pop()
        self.stack.count = self.frames[self.depth - 1].height
        self.frames[self.depth - 1].dead = True
        return 0

    cdef uint32_t arity(self, uint32_t label) except? 0xFFFFFFFF nogil:
        """How many values a branch takes."""
        cdef const Frame* frame
        if label >= self.depth:
            self.unreadable(b"a branch to nowhere")
        frame = &self.frames[self.depth - 1 - label]
        return frame.parameters if frame.opcode == LOOP else frame.results

    # Instructions that the rewriter put into a module before.

    cdef bint is_made_canonical(self, uint32_t variable, int what) except -1 nogil:
        """Skip instructions that make a float canonical, just read from a variable or put there, if they come next."""
        cdef unsigned char[MOST_TEXT] wanted
        cdef size_t size = canonical_text(wanted, variable, what)
        if self.end - self.position < size or memcmp(self.data + self.position, wanted, size) != 0:
            return False
        self.position += size
        self.function.instructions += CANONICAL_INSTRUCTIONS
        return True

    cdef bint is_vector_made_canonical(self, int wide) except -1 nogil:
        """Likewise for a vector."""
        cdef size_t here = self.position
        cdef uint32_t variable
        if here < self.end and self.data[here] == LOCAL_TEE:
            self.position += 1
            variable = self.read_number()
            if variable < self.function.variables and self.variable(variable).kind == V128:
                if self.is_made_canonical(variable, LANES | wide):
                    self.function.instructions += 1
                    return True
        self.position = here
        return False


def read_module(code: bytes) -> Module:
    """Read a module. Raises Unreadable, and Refused where it has too much, or something that bots may not have."""
    reader = Reader()
    reader.module = Module()
    reader.module.exports, reader.module.imported = {}, []
    reader.rewriter = Rewriter()
    return reader.read(code)
