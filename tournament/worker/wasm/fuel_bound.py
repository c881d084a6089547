"""How much a WebAssembly function can take at most, where its shape alone tells.

A function without loops runs each of its instructions at most once; if it calls
only such functions, and none that leads back to itself, its longest run can be
added up, and so can its deepest stack. Most simple bots are like that. For them the limits are
proved before the first game, and counting can be left out while they play.

Where the shape doesn't tell, the answer is None, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tournament.worker.wasm.module_outline import Body, Outline
from tournament.worker.wasm.stand_ins import SURROUNDINGS

# More than any limit. Sums stop here: they can double with each function of a module.
_ENDLESS = 1 << 62
# A call of a function that the module imports: stand-ins are a few instructions.
_IMPORTED_INSTRUCTIONS = 32
_IMPORTED_STACK = 512
# The compiler keeps on the stack at most each value that is computed, and each variable where control flow meets.
_FRAME, _SLOT = 256, 16


@dataclass(frozen=True)
class Bound:
    """The most that a call takes: instructions, and bytes of the runtime's stack."""

    instructions: int
    stack: int


_NOTHING = Bound(0, 0)
_IMPORTED = Bound(_IMPORTED_INSTRUCTIONS, _IMPORTED_STACK)


def most_taken(outline: Outline, exports: Iterable[str]) -> Bound | None:
    """The most that one call of any of these exported functions can take; names that aren't exported take nothing."""
    known: dict[int, Bound] = {}
    taken = [_taken(outline, outline.exports[name], known) for name in exports if name in outline.exports]
    most = _NOTHING
    for bound in taken:
        if bound is None:
            return None
        most = Bound(max(most.instructions, bound.instructions), max(most.stack, bound.stack))
    return most


def constant_functions(outline: Outline, exports: Iterable[str]) -> frozenset[str]:
    """Those of the exported functions that do nothing but give a constant."""
    own = {name: outline.body(outline.exports[name]) for name in exports if name in outline.exports}
    return frozenset(name for name, body in own.items() if body is not None and body.is_constant)


def _taken(outline: Outline, function: int, known: dict[int, Bound]) -> Bound | None:
    """What a function takes, callees first; `known` has those that were looked at before."""
    waiting = [function]
    callers: set[int] = set()  # functions of the chain of calls that is being looked at
    while waiting:
        this = waiting[-1]
        if this in known:
            waiting.pop()
            continue
        body = outline.body(this)
        if body is None:
            if outline.imported_names[this] in SURROUNDINGS:
                return None  # the time that it is told is the fuel that was counted
            known[this] = _IMPORTED
        elif not body.is_bounded or body.refused:
            return None
        elif this in callers:
            bound = _sum(body, known)
            if bound is None:
                return None
            known[this] = bound
            callers.discard(this)
        else:
            callers.add(this)
            for callee in body.calls:
                if callee in callers:
                    return None
                if callee not in known:
                    waiting.append(callee)
    return known[function]


def _sum(body: Body, known: dict[int, Bound]) -> Bound | None:
    instructions = body.instructions
    deepest = 0
    for callee, times in body.calls.items():
        instructions += times * known[callee].instructions
        deepest = max(deepest, known[callee].stack)
    stack = _FRAME + _SLOT * (body.instructions + body.variables * (body.blocks + 1)) + deepest
    return Bound(instructions, stack) if max(instructions, stack) < _ENDLESS else None
