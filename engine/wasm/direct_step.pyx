"""Machine code of our own, by which compiled WebAssembly calls a core's step without the runtime in between.

No other module relies on private parts of the runtime. These are its description of a function for compiled code
(`Described`), and its calling convention (direct_step.h). The public way changes the calling convention twice, which
takes as long as the step itself. Play in memory takes 30% less time with this code (statement's bots, wasmtime 50).

It is used only with RUNTIMES, with which it was tested, on x86_64, and while `is_on`. Otherwise the runtime calls the
core's step itself, and the games are the same (tests/worker/test_same_games.py).
"""

cimport cython
from libc.stdint cimport uint64_t, uintptr_t
from libc.string cimport memcmp

from engine.kernel.game_core cimport SEATS
from engine.wasm.instances cimport as_bytes, as_extern
from engine.wasm.referee cimport Referee
from engine.wasm.runtime cimport Extern

cdef extern from "direct_step.h":
    const void* DIRECT_STEP     # NULL if there is none

RUNTIMES = ("wasmtime 50.",)    # prefixes of versions
is_on = True            # the switch

cdef const char* MARK = b"ACHF"     # start of the first argument of a C function

# The runtime's description of a C function, which has no code for compiled callers. Its argument begins with MARK.
cdef struct Described:
    void* from_outside
    void* itself
    void* kind
    const char* argument


@cython.final
cdef class DirectStep:
    """A referee's step for compiled callers, which import its `function`. Keep it as long as they can call it.

    The code doesn't enter the runtime, doesn't read its caller, and can't fail.

    Args:
        function: The step as a C function, as `Store.function` returns it.
        referee: The referee, which must live as long as this.

    Raises:
        ValueError: The function is no plain C function.
    """

    cdef Described described
    cdef readonly bytes function

    def __init__(self, bytes function, Referee referee):
        cdef Extern extern = as_extern(function)[0]
        cdef const Described* former = <const Described*>extern.of[1]
        if former.itself or memcmp(former.argument, MARK, 4) != 0:
            raise ValueError("no function of C")
        self.described = former[0]
        self.described.itself = <void*>DIRECT_STEP
        self.described.argument = <const char*>&referee.direct
        extern.of[1] = <uint64_t><uintptr_t>&self.described
        self.function = as_bytes(&extern)


def direct_step(bytes function, Referee referee, str version):
    """Return the direct step of a referee, or None if only the runtime can call its `function`.

    That is so with another version of the runtime, more than two seats, or measurements of fuel or time.

    Args:
        function: The step as a C function, as `Store.function` returns it.
        referee: The referee.
        version: Name and version of the runtime, such as "wasmtime 50.0.0".

    Raises:
        ValueError: The function is no plain C function.
    """
    if not is_on or not version.startswith(RUNTIMES) or DIRECT_STEP == NULL:
        return None
    if referee.core.seats > SEATS or referee.measures or referee.watch.measures_bots or referee.watch.times_core:
        return None
    return DirectStep(function, referee)
