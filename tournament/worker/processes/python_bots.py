"""Python bots' processes, seen from outside."""

from __future__ import annotations

from tournament.artifacts.python_artifact import installed, legs_may_share, pack, sources_of
from tournament.contests.interface import Interface
from tournament.leg import TOO_SLOW, cant_start, memory_failure
from tournament.sandbox.outside import fork_server, run_command
from tournament.sandbox.outside.exit_status import KILLED, OUT_OF_TIME, how_it_ended, judge
from tournament.sandbox.outside.launch import LaunchSpec, ProcessLimits, PythonBot
from tournament.sandbox.outside.process_time import MachineBusyError, TimeBudget
from tournament.sandbox.outside.settings import SandboxSettings

# The interpreter with much of the standard library (9 without); a bot's memory comes on top.
_INTERPRETER_MEGABYTES = 24
_MORE_FOR_A_PACKAGE = 128
# More addresses: for the files of the interpreter and the library, and for those of packages.
_RESERVED_MEGABYTES = 192
_MORE_RESERVED_FOR_A_PACKAGE = 4096
_TRIAL_SECONDS = 5  # processor time, as for each start
_TRIAL_OWN_SECONDS = 2.0 * _TRIAL_SECONDS  # own time: `sandbox.outside.process_time`
_LONGEST_REASON = 4096
# numpy takes the code of the processor that it finds, which adds in another order or rounds less often. These are the
# names of all that its wheels choose from, old and new; names that one doesn't know it passes over.
_SAME_ARITHMETIC = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX F16C FMA3 AVX2 AVX512F AVX512CD AVX512_KNL AVX512_KNM AVX512_SKX"
    " AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Nehalem",
}


def most_megabytes(memory_megabytes: int, sandbox: SandboxSettings) -> int:
    """Return the memory limit of a bot's process in MiB, the same for many legs as for one.

    It is 24 more than the bot's own, and with packages in the settings 128 more than that.

    Legs whose shared process needs more are played again unshared.
    """
    return _INTERPRETER_MEGABYTES + (_MORE_FOR_A_PACKAGE if sandbox.python_packages else 0) + memory_megabytes


def launch_of(
    artifact: bytes,
    name: str,
    interface: Interface,
    sandbox: SandboxSettings,
    *,
    memory_megabytes: int,
    cpu_seconds: int,
    many_legs: bool = False,
    examine: bool = False,
    only_starts: bool = False,
) -> LaunchSpec:
    """Return the launch of a bot's process, ready for the questions of one leg or of `many_legs`.

    Args:
        artifact: The bot as `python_artifact.pack` returns it.
        name: Name of the bot.
        interface: The contest's interface.
        sandbox: Settings of the sandbox, with the packages that bots can import.
        memory_megabytes: Memory of a bot by the contest's settings, in MiB.
        cpu_seconds: Limit of the process's processor time, in seconds.
        many_legs: Whether several legs share the process.
        examine: Whether it reports why its legs must not share a process, instead of playing.
        only_starts: Whether it begins a leg and reports whether it could, instead of playing.

    Raises:
        InputError: A package of the settings isn't installed here.
        RunError: The interpreter or a package has another version than the artifact names.
    """
    adapter, source, library = sources_of(artifact, sandbox, interface.python.sdk)
    packages = installed(tuple(sorted(sandbox.python_packages)))
    sdk, observed_names = interface.python.sdk, None
    if interface.by_name:
        observed_names = [list(interface.observed(question)) for question in interface.questions]
    passes_view, parameters = _parameters(interface)
    memory = most_megabytes(memory_megabytes, sandbox)
    reserved = _RESERVED_MEGABYTES + (_MORE_RESERVED_FOR_A_PACKAGE if packages.versions else 0)
    environment = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")} | _SAME_ARITHMETIC
    return LaunchSpec(
        PythonBot(
            {
                "name": name,
                "questions": [list(dict.fromkeys((q.python_name, q.name))) for q in interface.questions],
                "class_name": interface.class_name,
                "passes_view": passes_view,
                "parameters": parameters,
                "only_tell": [question.is_news for question in interface.questions],
                "optional": [question in interface.optional for question in interface.questions],
                "most_json": interface.most_json,
                "returns": [question.returns for question in interface.questions],
                "catch_up": [question not in interface.answered for question in interface.questions],
                "histories": _histories(interface),
                "fields": _fields(interface),
                "told_names": observed_names,
                "view_size": interface.view_size,
                "state_size": interface.python.state_size,
                "sdk": str(sdk.file) if sdk else None,
                "modules": packages.modules,
                "imported": [] if examine else packages.imported_by(adapter + b"\n" + source),
                "environment": environment,
                "shares_process": legs_may_share(artifact),
                "many_legs": many_legs,
                "examine": examine,
                "only_starts": only_starts,
            }
        ),
        ProcessLimits(memory, cpu_seconds, reserved),
        readable=[*packages.readable, *([str(sdk.file)] if sdk else [])],
        modules=sdk.modules if sdk else (),
        given=(adapter, source, library),
    )


def _histories(interface: Interface) -> tuple[int, list[tuple[str, int]]]:
    """Return the byte offset in the view of the number of moves, and each list with the offset of its last move.

    Without histories these are 0 and an empty list.
    """
    if interface.python.histories is None:
        return 0, []
    offsets = {name: offset for fields in interface.fields for name, _, offset in fields}
    histories = interface.python.histories
    return offsets[histories.length], [(name, offsets[last]) for name, last in histories.lists.items()]


def _parameters(interface: Interface) -> tuple[bool, list[list[tuple[int, str]]]]:
    """Return whether functions take the view as an object, and the values that they take one by one.

    The latter are pairs of byte offset in the view and struct code, in a list for each question.
    """
    parameters = [
        [(offset, code) for name, code, offset in fields if name in interface.parameters.get(question.name, ())]
        for question, fields in zip(interface.questions, interface.fields)
    ] or [[] for _ in interface.questions]
    return [len(fields) for fields in interface.fields] != [len(one) for one in parameters], parameters


def _fields(interface: Interface) -> list[tuple[str, int, str]]:
    """Return the attributes of the view as an object: name, byte offset in the view, and struct code.

    They are in the order of the questions and their fields, each once. Values that functions take one by one are
    left out.
    """
    parameter_names = {name for names in interface.parameters.values() for name in names}
    return list(
        dict.fromkeys(
            (n, offset, code) for fields in interface.fields for n, code, offset in fields if n not in parameter_names
        )
    )


def isolation_violation(
    source: bytes, interface: Interface, sandbox: SandboxSettings, adapter: bytes = b"", library: bytes = b""
) -> str:
    """Return why legs of a bot must not share a process, with the line, or "" if they can. The bot isn't executed.

    They must not if reading its source takes too much time or memory. Then the reason is "can't be read". A reason is
    cut at 4,096 bytes.

    Args:
        source: The bot's source.
        interface: The contest's interface.
        sandbox: Settings of the sandbox.
        adapter: Source of the bot's adapter, b"" if it has none.
        library: The bot's library as it is packed, b"" if it has none.

    Raises:
        InputError: It can't be confined, or a package isn't installed.
        MachineBusyError: The process was killed from outside, or can't be started.
        OSError: Too many files are open, or the system refuses to start a server.
        CommandAborted: The thread must end.
    """
    artifact = pack(source, sandbox, interface.python.sdk, adapter=adapter, library=library)
    launch = launch_of(
        artifact, "bot", interface, sandbox, memory_megabytes=256, cpu_seconds=_TRIAL_SECONDS, examine=True
    )
    process = fork_server.start(launch, sandbox.mode)
    try:
        had = TimeBudget(process.use, _TRIAL_OWN_SECONDS)
        answer, *_ = run_command.listen(process, had, most=_LONGEST_REASON, max_bytes=_LONGEST_REASON)
        status = process.ended_by_itself()
        if status != 0:
            if judge(status, passed_limit=status in OUT_OF_TIME) == "the machine":
                raise MachineBusyError(KILLED)
            return "can't be read"
        return answer.decode(errors="replace")
    finally:
        process.end()


def try_start(
    artifact: bytes, name: str, interface: Interface, sandbox: SandboxSettings, *, memory_megabytes: int
) -> None:
    """Start a bot on a leg that isn't played, and end it.

    Args:
        artifact: The bot as `python_artifact.pack` returns it.
        name: Name of the bot.
        interface: The contest's interface.
        sandbox: Settings of the sandbox.
        memory_megabytes: Memory of a bot by the contest's settings, in MiB.

    Raises:
        Unfit: It raises an exception, ends, or takes more than five seconds or too much memory.
        InputError: It can't be confined, or a package isn't installed.
        MachineBusyError: The process was killed from outside, or can't be started.
        RunError: The interpreter or a package has another version than the artifact names.
        OSError: Too many files are open, or the system refuses to start a server.
        CommandAborted: The thread must end.
    """
    launch = launch_of(
        artifact,
        name,
        interface,
        sandbox,
        memory_megabytes=memory_megabytes,
        cpu_seconds=_TRIAL_SECONDS,
        only_starts=True,
    )
    process = fork_server.start(launch, sandbox.mode)
    try:
        had = TimeBudget(process.use, _TRIAL_OWN_SECONDS)
        answer, *_ = run_command.listen(process, had, most=_LONGEST_REASON, max_bytes=_LONGEST_REASON)
        if not answer:
            used = process.cpu_seconds()
            status = process.ended_by_itself()
            if used >= _TRIAL_SECONDS or status in OUT_OF_TIME:
                raise cant_start(f"took more than {_TRIAL_SECONDS} s of processor time: {TOO_SLOW}")
            if status is None:
                raise cant_start(f"slept or waited for more than {_TRIAL_SECONDS} s")
            if judge(status) == "the machine":
                raise MachineBusyError(KILLED)
            raise cant_start(how_it_ended(status))
        if answer.startswith(b"m"):
            raise cant_start(memory_failure(memory_megabytes).what)
        if not answer.startswith(b"s"):
            # The bot might have written this itself, so it becomes one line.
            raise cant_start(" ".join(answer[1:].decode("utf-8", "replace").split()))
    finally:
        process.end()
