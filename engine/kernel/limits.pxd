# What a question may hold. A Python bot's process needs these, but no module of the core.

cdef enum:
    MOST_VIEW_BYTES = 128
    MOST_QUESTIONS = 255    # kinds of questions in a contest
