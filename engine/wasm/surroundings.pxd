# See surroundings.pyx for details.

cdef enum:
    FUEL_PER_NANOSECOND = 4
