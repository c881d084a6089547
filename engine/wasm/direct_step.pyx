"""Calls of a core's step by compiled WebAssembly without the runtime in between: machine code of our own.

This is the only place that relies on what the runtime keeps private: how it describes a function to compiled code
(`Described`), and how compiled code passes and takes values (direct_step.h). The public way changes twice from one
way of calling to another, which takes as long as the step itself. All of play in memory takes 30% less time so
(statement's bots, wasmtime 50).

It is used only with RUNTIMES, with which it was tried, on x86_64, and while `is_on`. Otherwise the runtime calls the
core's step itself, and the games are the same (tests/worker/test_steps.py).
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

RUNTIMES = ("wasmtime 50.",)    # beginnings of versions
is_on = True            # the switch

cdef const char* MARK = b"ACHF"     # of the first argument of a function of C

# A function of C has no code for compiled callers, and its argument begins with MARK.
cdef struct Described:
    void* from_outside
    void* itself
    void* kind
    const char* argument


@cython.final
cdef class DirectStep:
    """A referee's step for compiled callers, to be kept as long as it is called; its `function` is imported.

    The code doesn't enter the runtime, look at its caller, or fail.
    """

    cdef Described described
    cdef readonly bytes function

    def __init__(self, bytes function, Referee referee):
        cdef Extern extern = as_extern(function)[0]
        cdef const Described* former = <const Described*>extern.of[1]
        if former.itself or memcmp(former.argument, MARK, 4) != 0:
            raise ValueError("no function of C")
        referee.direct.core = <void*>referee.core
        referee.direct.step = <void*>referee.core.step
        referee.direct.decision = &referee.core.decision
        self.described = former[0]
        self.described.itself = <void*>DIRECT_STEP
        self.described.argument = <const char*>&referee.direct
        extern.of[1] = <uint64_t><uintptr_t>&self.described
        self.function = as_bytes(&extern)


def direct_step(bytes function, Referee referee, str version):
    """Return the step of a referee whose `function` the runtime of this version calls; None if only that can."""
    if not is_on or not version.startswith(RUNTIMES) or DIRECT_STEP == NULL:
        return None
    if referee.core.seats > SEATS or referee.measures or referee.watch.apart or referee.watch.times_core:
        return None
    return DirectStep(function, referee)
