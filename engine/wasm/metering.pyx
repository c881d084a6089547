"""Writes fuel into a WebAssembly module: a counter that its code takes down, and a trap where none is left.

So where a bot is cut off follows from its bytes alone, under any runtime. An instruction takes a unit of fuel; those
that only shape the code take none, and what fills or copies memory takes one more for each byte. Each piece of code
without branches pays at its beginning for all of it. A function without loops, of MOST_FLAT units at most, pays for
the whole at its beginning, also for what is then skipped. Whether fuel is left is looked at where loops begin again,
and where functions begin that have loops or call others: what is between is short.

The counter is a variable of the module, exported as FUEL, so that what plays the bot can fill and read it. It is right
at every moment, so a function can be left in any way: by a return, a branch, a throw, a trap. A function with loops has
a copy of it, which is quicker to read. A module's start function would run before the counter is filled, so it is
exported as BEGIN instead.

Format: WebAssembly Core Specification 3.0, chapter 5.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free

from engine.kernel.memory cimport grown
from engine.wasm.canonical_nans cimport Numbers, Rewriter, append
from engine.wasm.instructions cimport *

from engine.wasm.module_reader import Refused

FUEL = "tournament fuel"
BEGIN = "tournament begin"

cdef enum:
    MOST_FLAT = 256
    NO_RESULT = 0x40
    I64 = 0x7E
    I32 = 0x7F
    GLOBAL_GET = 0x23
    GLOBAL_SET = 0x24
    I64_LESS = 0x53
    I64_SUBTRACT = 0x7D
    I64_EXTEND = 0xAD
    FUNCTION = 0                # kinds of exports
    VARIABLE = 3

cdef enum Section:
    TYPES = 1
    IMPORTS = 2
    FUNCTIONS = 3
    GLOBALS = 6
    EXPORTS = 7
    START = 8
    CODE = 10
    TAGS = 13


cdef struct Piece:              # of code, without branches
    size_t place                # where it begins
    uint32_t cost
    bint looks                  # whether fuel is left


cdef struct Type:
    uint32_t parameters
    uint32_t results


@cython.final
@cython.internal
cdef class Meter:
    """Writes one module anew. It was read before (`module_reader`), so its form isn't checked again."""

    cdef const uint8_t* data
    cdef size_t position
    cdef Rewriter rewriter
    cdef Type* types
    cdef size_t type_count, types_capacity
    cdef Numbers functions      # types of own functions
    cdef uint32_t variables     # of the module: the counter is the next
    cdef bint has_globals, has_exports
    cdef int64_t start          # the start function, -1 for none
    cdef Numbers copied         # threes: what was copied from where to where in the module, and to where
    # Of the function at hand.
    cdef Piece* pieces
    cdef size_t piece_count, pieces_capacity
    cdef bint loops, calls, catches, copies
    cdef bint holds             # it has a copy of the counter in `held`
    cdef uint32_t held, scratch

    def __dealloc__(self):
        free(self.types)
        free(self.functions.at)
        free(self.copied.at)
        free(self.pieces)

    # Reading.

    cdef uint32_t number(self) noexcept nogil:
        cdef uint32_t result = 0
        cdef int shift = 0
        while True:
            result |= <uint32_t>(self.data[self.position] & 0x7F) << shift
            shift += 7
            self.position += 1
            if self.data[self.position - 1] < 0x80:
                return result

    cdef void skip_numbers(self, uint32_t count) noexcept nogil:
        cdef uint32_t _i
        for _i in range(count):
            while self.data[self.position] >= 0x80:
                self.position += 1
            self.position += 1

    cdef int next_row(self) noexcept nogil:
        """Go behind the next instruction; returns its place in the table."""
        cdef int opcode = self.data[self.position]
        cdef int row = opcode
        cdef const Instruction* instruction
        cdef uint32_t count, _i
        cdef int kind
        self.position += 1
        if opcode == BULK or opcode == VECTOR:
            row = BULK_ROWS if opcode == BULK else VECTOR_ROWS
            row += self.number()
        instruction = &INSTRUCTIONS[row]
        if instruction.kind == STRAIGHT:
            self.skip_numbers(instruction.numbers)
            self.position += instruction.bytes
        elif opcode in (BLOCK, LOOP, IF_BLOCK, BRANCH, BRANCH_IF, CALL, THROW, LOCAL_GET, LOCAL_SET, LOCAL_TEE):
            self.skip_numbers(1)
        elif opcode == CALL_INDIRECT:
            self.skip_numbers(2)
        elif opcode == BRANCH_TABLE:
            count = self.number()
            self.skip_numbers(count + 1)
        elif opcode == SELECT_TYPED:
            count = self.number()
            self.skip_numbers(count)
        elif opcode == TRY_TABLE:
            self.skip_numbers(1)
            count = self.number()
            for _i in range(count):
                kind = self.data[self.position]
                self.position += 1
                self.skip_numbers(2 if kind < 2 else 1)
        return row

    # The module.

    cdef bytes read(self, bytes code):
        cdef size_t whole = PyBytes_GET_SIZE(code)
        cdef size_t start, end
        cdef uint32_t count
        cdef int kind
        self.data = <const uint8_t*>PyBytes_AS_STRING(code)
        self.rewriter = Rewriter()
        self.rewriter.data = self.data
        self.start = -1
        self.look_ahead(whole)
        self.copy(0, 8)
        self.position = 8
        while self.position < whole:
            start = self.position
            kind = self.data[start]
            self.position += 1
            end = self.number()
            end += self.position
            if kind not in (0, TYPES, IMPORTS, FUNCTIONS, 4, 5, TAGS, GLOBALS) and not self.has_globals:
                self.globals(0, 0, 0)
            if kind not in (0, TYPES, IMPORTS, FUNCTIONS, 4, 5, TAGS, GLOBALS, EXPORTS) and not self.has_exports:
                self.exports(0, 0, 0)
            if kind == GLOBALS:
                count = self.number()
                self.globals(count, self.position, end)
            elif kind == EXPORTS:
                count = self.number()
                self.exports(count, self.position, end)
            elif kind == CODE:
                self.code()
            elif kind != START:
                self.copy(start, end)
            self.position = end
        return PyBytes_FromStringAndSize(<char*>self.rewriter.content, self.rewriter.size)

    cdef int look_ahead(self, size_t whole) except -1:
        """Read what must be known before the first section is written."""
        cdef size_t end
        cdef int kind
        self.position = 8
        while self.position < whole:
            kind = self.data[self.position]
            self.position += 1
            end = self.number()
            end += self.position
            if kind == TYPES:
                self.read_types()
            elif kind == IMPORTS:
                self.read_imports()
            elif kind == FUNCTIONS:
                for _i in range(self.number()):
                    append(&self.functions, self.number())
            elif kind == GLOBALS:
                self.variables += self.number()
            elif kind == START:
                self.start = self.number()
            self.position = end
        return 0

    cdef int read_types(self) except -1:
        cdef uint32_t _i
        cdef Type* made
        for _i in range(self.number()):
            if not grown(<void**>&self.types, &self.types_capacity, self.type_count + 1, sizeof(Type)):
                raise MemoryError
            made = &self.types[self.type_count]
            self.type_count += 1
            self.position += 1
            made.parameters = self.number()
            self.position += made.parameters
            made.results = self.number()
            self.position += made.results
        return 0

    cdef int read_imports(self) except -1:
        cdef uint32_t _i, _j, length
        cdef int kind
        for _i in range(self.number()):
            for _j in range(2):
                length = self.number()
                self.position += length
            kind = self.data[self.position]
            self.position += 1
            if kind == FUNCTION:
                self.number()
            elif kind == VARIABLE:
                self.position += 2
                self.variables += 1
            else:
                self.position += kind == 1
                self.skip_numbers(1 + (self.data[self.position] & 1) + 1)
        return 0

    cdef int copy(self, size_t first, size_t end) except -1 nogil:
        append(&self.copied, <uint32_t>first)
        append(&self.copied, <uint32_t>end)
        append(&self.copied, <uint32_t>self.rewriter.size)
        return self.rewriter.copy(first, end)

    cdef int insert_size(self, size_t start) except -1 nogil:
        """Insert the size of what was written from `start` on, which moves it."""
        cdef size_t before = self.rewriter.size
        cdef size_t i = self.copied.count
        self.rewriter.insert_size(start)
        while i and self.copied.at[i - 1] >= start:
            self.copied.at[i - 1] += <uint32_t>(self.rewriter.size - before)
            i -= 3
        return 0

    cdef int64_t origin(self, uint32_t place):
        """Where stood what is now at a place, -1 for what was written in."""
        cdef size_t i
        for i in range(0, self.copied.count, 3):
            if 0 <= <int64_t>place - self.copied.at[i + 2] < self.copied.at[i + 1] - self.copied.at[i]:
                return self.copied.at[i] + place - self.copied.at[i + 2]
        return -1

    cdef int globals(self, uint32_t count, size_t first, size_t end) except -1:
        """Write the module's variables, and the counter."""
        cdef size_t size
        self.has_globals = True
        self.rewriter.write(GLOBALS)
        size = self.rewriter.size
        self.rewriter.write_number(count + 1)
        self.copy(first, end)
        self.rewriter.write(I64)
        self.rewriter.write(1)
        self.constant(0)
        self.rewriter.write(END)
        return self.insert_size(size)

    cdef int exports(self, uint32_t count, size_t first, size_t end) except -1:
        cdef size_t size
        self.has_exports = True
        self.rewriter.write(EXPORTS)
        size = self.rewriter.size
        self.rewriter.write_number(count + 1 + (self.start >= 0))
        self.copy(first, end)
        self.export(FUEL, VARIABLE, self.variables)
        if self.start >= 0:
            self.export(BEGIN, FUNCTION, <uint32_t>self.start)
        return self.insert_size(size)

    cdef int export(self, str name, int kind, uint32_t index) except -1:
        encoded = name.encode()
        self.rewriter.write_number(len(encoded))
        for byte in encoded:
            self.rewriter.write(byte)
        self.rewriter.write(kind)
        return self.rewriter.write_number(index)

    cdef int code(self) except -1:
        cdef uint32_t count = self.number()
        cdef uint32_t i
        cdef size_t size
        self.rewriter.write(CODE)
        size = self.rewriter.size
        self.rewriter.write_number(count)
        with nogil:
            for i in range(count):
                self.function(&self.types[self.functions.at[i]])
        return self.insert_size(size)

    # A function.

    cdef int function(self, const Type* of) except -1 nogil:
        cdef size_t size, declared, instructions
        cdef uint32_t groups, _i
        cdef uint32_t variables = of.parameters
        cdef size_t end = self.number()
        end += self.position
        groups = self.number()
        declared = self.position
        for _i in range(groups):
            variables += self.number()
            self.position += 1
        instructions = self.position
        self.divide(end)
        # A handler doesn't know what was used before it was reached.
        self.holds = self.loops and not self.catches
        self.held = variables
        self.scratch = variables + self.holds
        size = self.rewriter.size
        self.rewriter.write_number(groups + self.holds + self.copies)
        self.copy(declared, instructions)
        if self.holds:
            self.rewriter.write(1)
            self.rewriter.write(I64)
        if self.copies:
            self.rewriter.write(1)
            self.rewriter.write(I32)
        if self.holds:
            self.take_up()
        self.write_pieces(instructions, end)
        self.position = end
        return self.insert_size(size)

    cdef int divide(self, size_t end) except -1 nogil:
        """Divide the function into pieces, and add up what each costs."""
        cdef uint32_t whole = 0
        cdef uint32_t cost
        cdef size_t i
        cdef int row
        self.piece_count = 0
        self.loops = self.calls = self.catches = self.copies = False
        self.add_piece(False)
        while self.position < end:
            row = self.next_row()
            cost = row not in (UNREACHABLE, NOP, BLOCK, LOOP, ELSE_BLOCK, END, RETURN, DROP)
            self.pieces[self.piece_count - 1].cost += cost
            whole += cost
            self.loops |= row == LOOP
            self.calls |= row == CALL or row == CALL_INDIRECT
            self.catches |= row == TRY_TABLE
            self.copies |= takes_by_length(row)
            if self.position < end and row in (
                UNREACHABLE, LOOP, IF_BLOCK, ELSE_BLOCK, THROW, THROW_REF, END, BRANCH, BRANCH_IF, BRANCH_TABLE,
                RETURN, TRY_TABLE,
            ):
                self.add_piece(row == LOOP)
        if not self.loops and whole <= MOST_FLAT:
            for i in range(1, self.piece_count):
                self.pieces[i].cost = 0
            self.pieces[0].cost = whole
        self.pieces[0].looks = self.loops or self.calls
        return 0

    cdef int add_piece(self, bint looks) except -1 nogil:
        if not grown(<void**>&self.pieces, &self.pieces_capacity, self.piece_count + 1, sizeof(Piece)):
            raise MemoryError
        self.pieces[self.piece_count] = Piece(self.position, 0, looks)
        self.piece_count += 1
        return 0

    cdef int write_pieces(self, size_t start, size_t end) except -1 nogil:
        """Write the instructions, before each piece what takes its cost, and after calls what takes up the counter."""
        cdef size_t copied = start
        cdef size_t piece = 0
        cdef size_t here
        cdef int row
        self.position = start
        while self.position < end:
            here = self.position
            if piece < self.piece_count and self.pieces[piece].place == here:
                self.copy(copied, here)
                copied = here
                self.pay(&self.pieces[piece])
                piece += 1
            row = self.next_row()
            if takes_by_length(row):
                self.copy(copied, here)
                copied = here
                self.pay_length()
            elif self.holds and (row == CALL or row == CALL_INDIRECT):
                self.copy(copied, self.position)
                copied = self.position
                self.take_up()
        return self.copy(copied, end)

    cdef int pay(self, const Piece* piece) except -1 nogil:
        if piece.cost:
            self.get()
            self.constant(piece.cost)
            self.rewriter.write(I64_SUBTRACT)
            self.set()
        if piece.looks:
            self.look()
        return 0

    cdef int pay_length(self) except -1 nogil:
        """Take a unit for each byte; their number is on the stack, and stays there."""
        self.rewriter.write(LOCAL_TEE)
        self.rewriter.write_number(self.scratch)
        self.get()
        self.rewriter.write(LOCAL_GET)
        self.rewriter.write_number(self.scratch)
        self.rewriter.write(I64_EXTEND)
        self.rewriter.write(I64_SUBTRACT)
        self.set()
        return self.look()

    cdef int look(self) except -1 nogil:
        """Trap if no fuel is left."""
        self.get()
        self.constant(0)
        self.rewriter.write(I64_LESS)
        self.rewriter.write(IF_BLOCK)
        self.rewriter.write(NO_RESULT)
        self.rewriter.write(UNREACHABLE)
        return self.rewriter.write(END)

    cdef int get(self) except -1 nogil:
        self.rewriter.write(LOCAL_GET if self.holds else GLOBAL_GET)
        return self.rewriter.write_number(self.held if self.holds else self.variables)

    cdef int set(self) except -1 nogil:
        if self.holds:
            self.rewriter.write(LOCAL_TEE)
            self.rewriter.write_number(self.held)
        self.rewriter.write(GLOBAL_SET)
        return self.rewriter.write_number(self.variables)

    cdef int take_up(self) except -1 nogil:
        self.rewriter.write(GLOBAL_GET)
        self.rewriter.write_number(self.variables)
        self.rewriter.write(LOCAL_SET)
        return self.rewriter.write_number(self.held)

    cdef int constant(self, uint32_t number) except -1 nogil:
        """Write a number as a constant of 64 bits. A last byte with its sign's bit set needs another one."""
        self.rewriter.write(I64_CONST)
        while number >= 0x40:
            self.rewriter.write(number & 0x7F | 0x80)
            number >>= 7
        return self.rewriter.write(number)


cdef inline bint takes_by_length(int row) noexcept nogil:
    """memory.init, memory.copy, memory.fill."""
    return row in (BULK_ROWS + 8, BULK_ROWS + 10, BULK_ROWS + 11)


def metered(bytes code, exports):
    """A module that was read, with fuel; `exports` are its exported functions.

    Raises Refused where it has an export of ours.
    """
    for name in (FUEL, BEGIN):
        if name in exports:
            raise Refused(f"exports {name}, which is the tournament's")
    cdef Meter meter = Meter()
    return meter.read(code)


def origin(bytes code, uint32_t place):
    """Where in a module's bytes stands what is at this place in `metered` of it; -1 for what was written in."""
    cdef Meter meter = Meter()
    meter.read(code)
    return meter.origin(place)
