# Limits of a question. A Python bot's process needs these, but no module of the core.

cdef enum:
    MAX_VIEW_BYTES = 128
    MAX_QUESTIONS = 255    # kinds of questions in a contest
    MAX_CHANGING = 16      # variables of a module that are exported and restored
