# What a question may hold. A Python bot's process needs these and no module of the core.

cdef enum:
    C_PACKED_VALUES = 3     # that hand all arguments over, two in each, where they are of 32 bits
    MOST_ARGUMENTS = 2 * C_PACKED_VALUES
    MOST_VIEW_BYTES = 128
