"""The process that asks a Python bot for the decisions of a tape: `python -m … FOLDER`, under pdb at a terminal.

It makes the bot as the sandbox's interpreter does (`sandbox.inside.python_host`), without the sandbox. It ends with 0
if all answers are as recorded, and with 1 at the first that isn't or at an exception.
"""

from __future__ import annotations

import math
import pdb
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tournament.debugging.tape import SECONDS_PER_DECISION, TapedDecision
from tournament.library import Library
from tournament.sandbox.inside import python_host


class View(SimpleNamespace):
    """A bot's observation, with each value as an attribute."""


def ask_bot(
    file: str,
    settings: dict[str, Any],
    adapter: bytes,
    modules: Mapping[str, str],
    random_seed: int,
    decisions: Sequence[TapedDecision],
    texts: Sequence[str],
    parameters: Sequence[Sequence[str]],
    histories: tuple[str, Mapping[str, str]] | None,
    names: Sequence[Mapping[int, str]],
    first: int,
    steps: bool,
) -> int:
    """Ask a bot for decisions, print those of the game, and return the exit status.

    This changes the process for good: imports are restricted, as in the sandbox.

    Args:
        file: The bot's file.
        settings: The orders of the sandbox's interpreter for the contest and the bot.
        adapter: The organiser's adapter.
        modules: Sources of the organiser's modules, by path.
        random_seed: The start of the bot's own randomness.
        decisions: The decisions since the bot's start, in order. Those without a function of the bot are skipped.
        texts: The decisions as text, in the same order, for messages.
        parameters: Names of the values that a decision's function takes one by one, by kind of decision.
        histories: Name of the value with the length of the lists of moves, and the lists' names, each with the name of
            the value that is added; None if there are none.
        names: Names of some answers, by kind of decision.
        first: Index of the game's first decision.
        steps: Whether pdb stops at each decision of the game. Otherwise a decision is limited to SECONDS_PER_DECISION
            of processor time.

    Returns:
        0 if all answers are as recorded. 1 at the first that isn't, at an exception or the limit, and at a decision in
        which the bot was at fault in the contest. It is 1, too, if the bot can't start.

    Raises:
        SystemExit: The bot raises it.
        KeyboardInterrupt: The user or the bot interrupts the process.
    """
    python_host.FILE_NAME = file
    python_host.prepare(settings)
    library = Library(modules)
    sys.meta_path.insert(0, library)
    debugger = pdb.Pdb()
    try:
        bot = python_host._Bot(Path(file).read_bytes(), adapter, library)
        _, functions = bot.new_leg(random_seed)
    except Exception:
        return _failed("the bot can't start", debugger if steps else None)
    if not steps:
        signal.signal(signal.SIGVTALRM, _raise_timeout)
    view = View(f=[0] * settings["state_size"])
    for number, (decision, text) in enumerate(zip(decisions, texts)):
        _update_view(view, decision.values, histories)
        function = functions[decision.kind]
        if function is None:
            continue
        is_here = number >= first
        if is_here:
            print(f"{text} …", flush=True)
        arguments: list[object] = [view] if settings["passes_view"] or settings["told_names"] else []
        arguments += [decision.values[name] for name in parameters[decision.kind]]
        signal.setitimer(signal.ITIMER_VIRTUAL, 0 if steps else SECONDS_PER_DECISION)
        try:
            answer = debugger.runcall(function, *arguments) if is_here and steps else function(*arguments)
        except Exception:
            return _failed(text, debugger if steps else None)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if not decision.is_fault and not _is_equal(answer, decision, names[decision.kind]):
            print(f"{text}: returned {answer!r} here, {decision.answer!r} in the contest", flush=True)
            return 1
        if decision.is_fault:
            print(f"{text}: returned {answer!r} here; in the contest the bot was at fault in this decision", flush=True)
            return 1
    print(f"all {len(decisions):,} answers are as in the contest", flush=True)
    return 0


def _update_view(view: View, values: Mapping[str, object], histories: tuple[str, Mapping[str, str]] | None) -> None:
    """Set a view's attributes, and add the last move to its lists of moves. An empty history starts new lists.

    Args:
        view: The view, which is changed. Its lists grow, so bots can see them change.
        values: The observation by name.
        histories: Names of values as in `ask_bot`, or None.
    """
    vars(view).update(values)
    if histories:
        length, lists = histories
        for name, value in lists.items():
            moves = [] if values[length] == 0 else vars(view).get(name, [])
            if len(moves) < int(values[length]):  # type: ignore[call-overload]
                moves.append(values[value])
            setattr(view, name, moves)


def _is_equal(answer: object, decision: TapedDecision, names: Mapping[int, str]) -> bool:
    """Return whether an answer is the recorded one, as its number, value or name. Fractions of a float are ignored."""
    recorded: Callable[[object], bool] = (decision.answer, decision.number).__contains__
    if isinstance(answer, float) and math.isfinite(answer) and recorded(int(answer)):
        return True
    return recorded(answer) or any(recorded(number) for number, name in names.items() if name == answer)


def _raise_timeout(_number: int, _frame: object) -> None:
    """End the bot's decision at the signal of the timer.

    Raises:
        TimeoutError: The decision takes too long.
    """
    raise TimeoutError(f"no answer after {SECONDS_PER_DECISION:g} s of processor time: it loops or is too slow")


def _failed(text: str, debugger: pdb.Pdb | None) -> int:
    """Print the exception that is being handled, without the stack frames before the bot's, and return 1.

    Args:
        text: What failed.
        debugger: Examines the exception if standard input is a terminal. None for no debugger.
    """
    kind, error, trace = sys.exc_info()
    assert error is not None
    own = __file__
    while trace and trace.tb_next and trace.tb_frame.f_code.co_filename in (own, python_host.__file__, pdb.__file__):
        trace = trace.tb_next
    print(f"{text}: {kind.__name__ if kind else ''}", flush=True)
    traceback.print_exception(kind, error, trace)
    if debugger and sys.stdin.isatty():
        debugger.reset()
        debugger.interaction(None, trace)
    return 1


if __name__ == "__main__":
    raise SystemExit(ask_bot(**pickle.loads((Path(sys.argv[1]) / "orders").read_bytes())))
