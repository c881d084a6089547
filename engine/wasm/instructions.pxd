# The instructions that bots may use, as rows of a table.

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
    I32_CONST = 0x41
    I64_CONST = 0x42
    F32_CONST = 0x43
    F64_CONST = 0x44
    F32_EQ = 0x5B
    F64_EQ = 0x61
    # Prefixes: the instruction's number follows.
    BULK = 0xFC
    VECTOR = 0xFD

cdef enum:
    # Where in the table the instructions of a prefix begin, and where it ends.
    BULK_ROWS = 0x100
    VECTOR_ROWS = 0x200
    ROWS = 0x300

cdef enum Kind:
    REFUSED         # bots may not use it
    STRAIGHT        # takes and gives values, as its row says
    CONTROL         # control flow, variables, and where two values become one

cdef enum Gives:
    NO_VALUE
    NUMBER          # not a float
    GIVEN_BITS      # a float whose bits are right as they are
    CONSTANT        # the float that stands in the instruction
    RESULT          # of an operation on floats: a NaN with any bits
    ABSOLUTE        # a float of the stack, without its sign
    SIGNED          # a float of the stack, with a sign that was set
    RESULT_LANES    # a vector of results

cdef struct Instruction:
    unsigned char kind
    bint is_bounded         # its cost doesn't depend on its operands
    unsigned char numbers   # LEB128 numbers that follow it, and how long each may be
    unsigned char longest
    unsigned char bytes     # that follow these
    unsigned char takes     # values, without the float that an ABSOLUTE or SIGNED one is made of
    bint shows              # whether the bits of what it takes show
    unsigned char gives
    unsigned char width     # bytes of the float that it gives, or of each in a vector

cdef Instruction[ROWS] INSTRUCTIONS
