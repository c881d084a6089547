"""The process that asks a bot's native library for the decisions of a tape: `python -m … FOLDER`.

It ends with 0 if all answers are as recorded, and with 1 at the first that isn't. The sanitizers end it with 99.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tournament.contests.bots import Import, NewHelpers
from tournament.debugging.tape import SECONDS_PER_DECISION, TapedDecision
from tournament.keys import helpers_key
from tournament.worker.wasm import calls as _calls  # noqa: F401  # loads the runtime, by whose traps helpers refuse

_TYPES: dict[str, Any] = {"i32": ctypes.c_int32, "i64": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double}


def ask_bot(
    folder: Path,
    decisions: Sequence[TapedDecision],
    texts: Sequence[str],
    first: int,
    memory_bytes: int,
    random_seed: int,
    imports: Sequence[Import],
    new_helpers: NewHelpers | None,
) -> int:
    """Ask a bot for decisions, print those of the game, and return the exit status.

    A timer's signal ends the process if a decision takes more than SECONDS_PER_DECISION of processor time. If the bot
    passes an import arguments that it refuses, a message is printed and the process ends with 1.

    Args:
        folder: Folder of its native library.
        decisions: The decisions since the bot's start, in order.
        texts: The decisions as text, in the same order, for messages.
        first: Index of the game's first decision. gdb can stop at this one and later ones.
        memory_bytes: Size of the bot's struct.
        random_seed: The start of the bot's rand().
        imports: The contest's functions that bots import.
        new_helpers: Called with a key; returns what is behind the imports. None if there are none.

    Returns:
        0 if all answers are as recorded. 1 at the first answer with another number or with other bytes in the struct.
        It is 1, too, at a decision in which the bot was at fault or ended in the contest.

    Raises:
        OSError: The library can't be loaded.
    """
    library = ctypes.CDLL(str(folder / "bot.so"))
    library.tournament_ask.restype = ctypes.c_int64
    library.tournament_ask.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
    library.tournament_begin.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    behind_imports = _join_helpers(library, random_seed, imports, new_helpers)
    size = max(8, memory_bytes)
    here = np.zeros(-(-size // 8), np.uint64).view(np.uint8)  # Aligned for any struct.
    memory = here.ctypes.data
    recorded = here.copy()
    library.tournament_begin(memory, random_seed)
    for number, (decision, text) in enumerate(zip(decisions, texts)):
        if number >= first:
            print(f"{text} …", flush=True)
        recorded[decision.before[0]] = decision.before[1]
        here[:] = recorded
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_PER_DECISION)  # the signal ends the process
        answer = library.tournament_ask(decision.kind, memory, number >= first)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        recorded[decision.after[0]] = decision.after[1]
        if decision.number is None:
            print(f"{text}: returned {answer} here; in the contest the bot ended in this decision", flush=True)
            return 1
        if answer != decision.number or (here != recorded).any():
            comparison = f"{answer} here, {decision.number} in the contest"
            if answer == decision.number:
                comparison = "an answer with other bytes than in the contest"
            print(f"{text}: returned {comparison}", flush=True)
            return 1
        if decision.is_fault:
            print(f"{text}: returned {answer} as in the contest, which is a fault there", flush=True)
            return 1
    print(f"all {len(decisions):,} answers are as in the contest", flush=True)
    del behind_imports
    return 0


def _join_helpers(
    library: ctypes.CDLL, random_seed: int, imports: Sequence[Import], new_helpers: NewHelpers | None
) -> list[object]:
    """Put the contest's helpers behind a library's imports.

    Returns:
        Objects that must stay alive while the library is called. Empty if `new_helpers` is None.
    """
    if new_helpers is None:
        return []
    helpers = new_helpers(helpers_key(random_seed))
    alive: list[object] = [helpers]
    for one in imports:
        function = _called_by_values(one, *helpers.functions[one.name])
        alive.append(function)
        ctypes.c_void_p.in_dll(library, f"tournament_pointer_{one.name}").value = ctypes.cast(
            function, ctypes.c_void_p
        ).value
    return alive


def _called_by_values(function: Import, address: int, helpers: int) -> Any:
    """Return a C function, of the import's own types, that calls the contest's function of that name.

    The contest's function has the WebAssembly runtime's form. It reads the arguments from an array of 16-byte values,
    and writes its result into the first value. If it refuses the arguments, the C function prints a message and returns
    an undefined value.

    Args:
        function: The import.
        address: C address of the contest's function.
        helpers: First argument of the contest's function, a C address.

    Returns:
        The C function. Callers must keep this object while it can be called.
    """
    native = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)(
        address
    )
    result = _TYPES[function.result]

    def call(*arguments: Any) -> Any:
        """Call the function with these values, and return its result, or end the process with 1 if it refuses them.

        An exception wouldn't end the process, because ctypes prints and ignores those that are raised below C.
        """
        values = (ctypes.c_char * (16 * max(1, len(arguments))))()
        for place, (kind, argument) in enumerate(zip(function.parameters, arguments)):
            _TYPES[kind].from_buffer(values, 16 * place).value = argument
        if native(helpers, None, ctypes.addressof(values), len(arguments)):
            print(f"{function.name} was called with arguments that it refuses", flush=True)
            os._exit(1)
        return result.from_buffer(values).value

    make: Callable[..., Any] = ctypes.CFUNCTYPE(result, *(_TYPES[kind] for kind in function.parameters))
    return make(call)


if __name__ == "__main__":
    place = Path(sys.argv[1])
    raise SystemExit(ask_bot(place, **pickle.loads((place / "orders").read_bytes())))
