"""The instructions of WebAssembly that bots may use: what follows each in a module, what it takes, and what it gives.

Source: WebAssembly Core Specification 3.0, 5.4. Others are refused: no compiler of C, C++, Rust or the
like needs them, or they take long for their fuel.
"""


def lay(
    rows, int kind=STRAIGHT, *, bint is_bounded=True, int numbers=0, int longest=5, int immediate=0, int takes=0,
    bint shows=False, int gives=NO_VALUE, int width=0, int prefix=0,
):
    """Write the same into these rows of the table."""
    cdef int row
    for row in rows:
        INSTRUCTIONS[prefix + row] = Instruction(
            kind, is_bounded, numbers, longest, immediate, takes, shows, gives, width
        )


def lay_table():
    lay((UNREACHABLE, BLOCK, IF_BLOCK, ELSE_BLOCK, END, BRANCH, BRANCH_IF, BRANCH_TABLE, RETURN, CALL), CONTROL)
    lay((SELECT, SELECT_TYPED, LOCAL_GET, LOCAL_SET, LOCAL_TEE), CONTROL)
    lay((LOOP, THROW, THROW_REF, CALL_INDIRECT, TRY_TABLE), CONTROL, is_bounded=False)
    lay((NOP,))
    lay((DROP,), takes=1)
    lay((0x23,), numbers=1, gives=GIVEN_BITS)                               # global.get
    lay((0x24,), numbers=1, takes=1, shows=True)                            # global.set
    lay(range(0x28, 0x36), numbers=2, takes=1, gives=NUMBER)                # loads
    lay((0x2A, 0x2B), numbers=2, takes=1, gives=GIVEN_BITS)                 # of floats
    lay(range(0x36, 0x3F), numbers=2, takes=2, shows=True)                  # stores
    lay((0x3F,), numbers=1, gives=NUMBER)                                   # memory.size
    lay((0x40,), numbers=1, takes=1, gives=NUMBER, is_bounded=False)        # memory.grow
    lay((I32_CONST,), numbers=1, gives=NUMBER)
    lay((I64_CONST,), numbers=1, longest=10, gives=NUMBER)
    lay(range(0x45, 0xC5), takes=2, gives=NUMBER)                           # comparisons, arithmetic
    for first, last in ((0x45, 0x45), (0x50, 0x50), (0x67, 0x69), (0x79, 0x7B), (0xA7, 0xC4)):
        lay(range(first, last + 1), takes=1, gives=NUMBER)                  # tests, counts of bits, conversions
    for constant, absolute, width in ((F32_CONST, 0x8B, 4), (F64_CONST, 0x99, 8)):
        lay((constant,), immediate=width, gives=CONSTANT, width=width)
        lay((absolute,), gives=ABSOLUTE, width=width)
        lay((absolute + 1,), gives=SIGNED, width=width)                     # neg
        lay(range(absolute + 2, absolute + 7), takes=1, gives=RESULT, width=width)      # ceil to sqrt
        lay(range(absolute + 7, absolute + 13), takes=2, gives=RESULT, width=width)     # add to max
        lay((absolute + 13,), takes=1, shows=True, gives=SIGNED, width=width)           # copysign
    lay((0xB6,), takes=1, gives=RESULT, width=4)                            # f32.demote_f64
    lay((0xBB,), takes=1, gives=RESULT, width=8)                            # f64.promote_f32
    lay((0xBC, 0xBD), takes=1, shows=True, gives=NUMBER)                    # reinterpretations of floats
    lay((0xBE, 0xBF), takes=1, gives=GIVEN_BITS)                            # and as floats
    lay(range(8), prefix=BULK_ROWS, takes=1, gives=NUMBER)                     # conversions that saturate
    lay((8, 10), prefix=BULK_ROWS, is_bounded=False, numbers=2, takes=3)       # memory.init, memory.copy
    lay((9,), prefix=BULK_ROWS, is_bounded=False, numbers=1)                   # data.drop
    lay((11,), prefix=BULK_ROWS, is_bounded=False, numbers=1, takes=3)         # memory.fill


def lay_vectors():
    """The last value that each takes may be a float, which becomes a lane."""
    # Those that take two, one and three vectors.
    lay_vector(range(0x100), takes=2)
    for first, last in (
        (15, 20), (77, 77), (83, 83), (94, 100), (103, 106), (116, 117), (122, 122), (124, 129), (131, 132),
        (135, 138), (148, 148), (160, 161), (163, 164), (167, 170), (192, 193), (195, 196), (199, 202), (224, 225),
        (227, 227), (236, 237), (239, 239), (248, 255),
    ):
        lay_vector(range(first, last + 1), takes=1)
    lay_vector((82,), takes=3)                                              # bitselect
    # Loads, stores, constants, lanes.
    lay_vector((*range(11), 92, 93), numbers=2, takes=1)
    lay_vector((11,), numbers=2, takes=2, gives=NO_VALUE)
    lay_vector((12,), immediate=16)
    lay_vector((13,), immediate=16, takes=2)                                # shuffle
    lay_vector((21, 22, 24, 25, 27, 29, 31, 33), immediate=1, takes=1)
    lay_vector((23, 26, 28, 30, 32, 34), immediate=1, takes=2)
    lay_vector(range(84, 88), numbers=2, immediate=1, takes=2)
    lay_vector(range(88, 92), numbers=2, immediate=1, takes=2, gives=NO_VALUE)
    # Operations on floats, of one and two vectors.
    lay_vector((94, *range(103, 107), 227), takes=1, gives=RESULT_LANES, width=4)
    lay_vector(range(228, 234), takes=2, gives=RESULT_LANES, width=4)
    lay_vector((95, 116, 117, 122, 148, 239), takes=1, gives=RESULT_LANES, width=8)
    lay_vector(range(240, 246), takes=2, gives=RESULT_LANES, width=8)


def lay_vector(rows, *, gives=GIVEN_BITS, **more):
    lay(rows, prefix=VECTOR_ROWS, is_bounded=False, shows=True, gives=gives, **more)


lay_table()
lay_vectors()
