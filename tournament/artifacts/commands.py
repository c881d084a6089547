"""Finds the file that a program's command executes, and the paths that its interpreter reads."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from tournament.leg import Unfit

PATH = "/usr/local/bin:/usr/bin:/bin"


def find_command(word: str, folder: Path) -> str:
    """Return the path of a command: in the program's folder if the word has a slash, otherwise one of the system's.

    For the system's, the folders in PATH of this module come before those of the environment.

    Args:
        word: The command's first word.
        folder: The program's folder.

    Raises:
        Unfit: The command is missing, outside of its folder, or can't be executed. It is permanent except for a command
            that isn't installed.
    """
    if "/" in word:
        path = folder / word
        if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            raise Unfit(f"{word} is not in its folder")
        if not os.access(path, os.X_OK):
            raise Unfit(f"{word} can't be executed; chmod +x it")
        return str(path)
    installed = shutil.which(word, path=PATH) or shutil.which(word)
    if installed is None:
        raise Unfit(
            f"{word} is not installed on this machine; in its own folder it would be ./{word}", is_permanent=False
        )
    return installed


_ENV = re.compile(r"#!\s*\S*/env\s+(?:-S\s+(?P<words>\S.*)|(?P<word>[^\s=-]+))\n")


def executed(command: str) -> list[str]:
    """Return the words that start a file. An env in its first line is resolved here, because bots have no PATH.

    They are the interpreter's path, its words in the first line, and the file. Without an env, or if the interpreter
    that it names isn't installed, the only word is the file.

    Args:
        command: Path of the file.

    Raises:
        OSError: The file can't be read.
    """
    with open(command, "rb") as file:
        named = _ENV.fullmatch(file.readline(256).decode(errors="replace"))
    arguments = (named["words"] or named["word"]).split() if named else []
    interpreter = shutil.which(arguments[0], path=PATH) if arguments else None
    return [interpreter, *arguments[1:], command] if interpreter else [command]


def read_by(command: str, *, seen: bool = False) -> list[str]:
    """Return the existing paths that a command reads in addition to the system's libraries, sorted.

    They are the file, the interpreter in its first line, and that one's own library. An interpreter that isn't one of
    the system's programs is left out.

    Args:
        command: Path of the command.
        seen: Whether the command is the interpreter of another file.

    Raises:
        OSError: A file is missing, or can't be read.
    """
    path = os.path.realpath(command)
    paths = {command, path}
    with open(path, "rb") as file:
        first = file.readline(256)
    if first.startswith(b"#!"):
        arguments = first[2:].decode(errors="replace").split()
        if arguments and Path(arguments[0]).name == "env":
            arguments = arguments[2:] if arguments[1:2] == ["-S"] else arguments[1:]
        # Only one of the system's programs, because naming another file must not make it readable.
        interpreter = shutil.which(Path(arguments[0]).name, path=PATH) if arguments else None
        if interpreter is not None and not (seen and command == interpreter):
            paths.update(read_by(interpreter, seen=True))
            if os.path.realpath(arguments[0]) == os.path.realpath(interpreter):
                paths.add(arguments[0])  # the kernel looks it up by this name
    prefix = Path(path).parent.parent
    name = Path(path).name
    # A virtual environment's interpreter reads the path of its base there.
    own = Path(command).parent.parent / "pyvenv.cfg"
    for folder in (prefix / "lib" / name, _COMPILED / name, own, *_LIBRARIES.get(re.sub(r"[\d.]+$", "", name), ())):
        paths.add(str(folder))
    return sorted(path for path in paths if os.path.exists(path))


# Settings of each version of Java, which it needs to start.
OF_JAVA = tuple(sorted(Path("/etc").glob("java-*-openjdk")))
# Node's library of ciphers doesn't start if its settings exist but can't be read.
OF_NODE = (Path("/usr/share/nodejs"), Path("/etc/ssl/openssl.cnf"))
# Folders of common interpreters' libraries on Debian.
_COMPILED = Path(f"/usr/lib/{os.uname().machine}-linux-gnu")
_LIBRARIES: dict[str, tuple[Path, ...]] = {
    "python": (Path("/usr/lib/python3"),),
    "perl": (
        Path("/usr/share/perl"),
        Path("/usr/share/perl5"),
        *(_COMPILED / name for name in ("perl", "perl-base", "perl5")),
    ),
    "ruby": (Path("/usr/lib/ruby"), Path("/var/lib/gems"), _COMPILED / "ruby"),
    "node": (*OF_NODE, Path("/usr/lib/node_modules")),
    "nodejs": OF_NODE,
    "lua": (Path("/usr/share/lua"), _COMPILED / "lua"),
    "java": (Path("/usr/lib/jvm"), *OF_JAVA),
    "guile": (Path("/usr/share/guile"), _COMPILED / "guile"),
}
