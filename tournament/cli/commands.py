"""The command `tournament`."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Annotated, NoReturn

import typer

from tournament.cli.groups import PLAIN, Commands
from tournament.errors import TournamentError, printable

app = typer.Typer(cls=Commands, no_args_is_help=True, **PLAIN)
# Python's messages if the system starts no thread, and no process.
_NO_MORE = ("can't start new thread", str(OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))))
_PLAYS_WITH = ("wasmtime", "ziglang", "ray", "pyarrow")


def _print_versions(wanted: bool) -> None:
    """Print the versions of all that plays, and end. They are looked up, not imported: Ray alone takes a second.

    Args:
        wanted: Whether the option is given. Otherwise nothing happens.

    Raises:
        typer.Exit: They are wanted, and printed.
    """
    if not wanted:
        return
    import platform
    from importlib import metadata

    import tournament

    print(f"tournament {tournament.__version__}")
    print(f"Python {platform.python_version()}")
    for name in _PLAYS_WITH:
        try:
            print(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            print(f"{name} is missing")
    raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_versions, is_eager=True, help="print versions and exit")
    ] = False,
) -> None:
    """Bot contests: drop one file per bot into a folder, run, watch the leaderboard, read every game in pandas."""


def main() -> None:
    """Run the command, and end with an exit code. A problem is shown on standard error, without a stack trace.

    Raises:
        SystemExit: Always, with the exit code. It is 1 if the output can't be written, or no more threads or processes
            can be started.
        Exception: An error of our own, which isn't a TournamentError or an OSError.
    """
    for name in ("stdout", "stderr"):  # closed: a file that we open must not take its number
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))
        if isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console without a sign shows a ? for it
    if "_TOURNAMENT_COMPLETE" in os.environ:  # a shell asks for completions
        from typer import completion

        completion.completion_init()  # type: ignore[attr-defined]
    output = sys.stdout
    try:
        try:
            app(standalone_mode=True)
        except SystemExit:
            if sys.stdout is not output:  # Typer has met a closed output, and has replaced it.
                raise BrokenPipeError from None
            raise
        finally:
            sys.stdout.flush()  # a failed write is reported here, not by the interpreter's end
    except TournamentError as problem:
        for line in str(problem).splitlines():
            print(f"tournament: {printable(line)}", file=sys.stderr)
        sys.exit(problem.exit_code)
    except BrokenPipeError:
        print("tournament: the output was closed before all of it was written", file=sys.stderr)
        _abandon_output()
    except (OSError, RuntimeError) as error:
        if str(error) in _NO_MORE:
            more = "stop other processes, or raise the limit (ulimit -u, or a container's number of pids)"
            print(f"tournament: the system starts no more threads or processes; {more}", file=sys.stderr)
            sys.exit(1)
        if isinstance(error, RuntimeError):
            raise
        print(f"tournament: {error.filename or 'the output'}: {error.strerror or error}", file=sys.stderr)
        _abandon_output()


def _abandon_output() -> NoReturn:
    """End with exit code 1, dropping what can't be written to a closed or full output.

    Raises:
        SystemExit: Always.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(1)
