# What a question may hold. A Python bot's process needs these, but no module of the core.

cdef enum:
    C_PACKED_VALUES = 3     # that carry all arguments, two in each, where these have 32 bits
    MOST_ARGUMENTS = 2 * C_PACKED_VALUES
    MOST_VIEW_BYTES = 128
