"""The authors who may submit bots, each with a token of which the file has the hash alone."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tournament.errors import InputError, RunError
from tournament.names import LETTERS
from tournament.small_files import read_small_file, write_whole

# As logins are: dots and spaces within. A token ends in a dot and its secret, which has none.
_NAME = re.compile(r"[A-Za-z0-9_-]+(?:[. ][A-Za-z0-9_-]+)*")
_MOST_LETTERS = 32
_MOST_BYTES = 1 << 20
# Of no author: who is unknown takes as long to refuse as who is known.
_NOBODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True)
class Author:
    """A person who may submit bots.

    Attributes:
        hashed: Hexadecimal sha256 of the token, "" once it is revoked.
        organiser: Whether the token shows the whole class.
    """

    name: str
    hashed: str
    banned: bool = False
    organiser: bool = False


def read_authors(path: Path) -> dict[str, Author]:
    """The authors of a file by name, none where there is no file yet. Raises InputError."""
    if not path.exists():
        return {}
    try:
        document = tomllib.loads(read_small_file(path, _MOST_BYTES).decode())
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    authors = {}
    for name, table in document.items():
        known = {"token": str, "banned": bool, "organiser": bool}
        if not isinstance(table, dict) or any(not isinstance(table[key], known.get(key, ())) for key in table):
            raise InputError(f"{path}: [{name}] may have token, a hash, and banned and organiser, true or false")
        _check_name(name)
        authors[name] = Author(name, table.get("token", ""), table.get("banned", False), table.get("organiser", False))
    return authors


def add_author(path: Path, name: str, *, organiser: bool = False) -> str:
    """Add an author and return the token, which isn't stored.

    Raises:
        InputError: The name is bad, exists already, or differs from another's in case only.
        RunError: The file can't be written.
    """
    _check_name(name)
    with _locked(path):
        authors = read_authors(path)
        if name in authors:
            if authors[name].banned:
                raise InputError(
                    f"{name}: is banned; to lift that, remove the line banned = true below [{name}] in {path}"
                )
            raise InputError(
                f"{name}: is there already; for another token: tournament author token {shlex.quote(name)}"
            )
        if other := next((one for one in authors if one.lower() == name.lower()), None):
            raise InputError(f"{name}: there is {other} already, and names that differ in case only look alike")
        return _give_token(path, authors, Author(name, "", organiser=organiser))


def renew_token(path: Path, name: str) -> str:
    """Give an author, who stays banned if banned, another token; the one before opens nothing any more. Raises as
    `add_author`."""
    with _locked(path):
        return _give_token(path, *_known(path, name))


def revoke_token(path: Path, name: str, *, ban: bool) -> None:
    """Have an author's token open nothing any more; with `ban` the author's bots leave, too. Raises as `add_author`."""
    with _locked(path):
        authors, author = _known(path, name)
        _write(path, authors | {name: replace(author, banned=True) if ban else replace(author, hashed="")})


class AuthorsFile:
    """The authors of a file, as it was when it was last right: an organiser edits it while people submit."""

    def __init__(self, path: Path, tell: Callable[[str], None] = lambda what: None) -> None:
        """Raises InputError."""
        self.path, self._tell = path, tell
        self._read = self._state()
        self._authors = read_authors(path)

    def __call__(self) -> Mapping[str, Author]:
        """The authors of now; `tell` is told once of an edit that is wrong."""
        if (now := self._state()) != self._read:
            self._read = now
            try:
                if not now:
                    raise InputError(f"{self.path} is gone")
                self._authors = read_authors(self.path)
            except InputError as wrong:
                self._tell(f"{wrong}; the authors before stay")
        return self._authors

    def _state(self) -> tuple[int, ...]:
        try:
            state = os.stat(self.path)
        except OSError:
            return ()
        return state.st_mtime_ns, state.st_size, state.st_ino


def author_of(token: str, authors: Mapping[str, Author]) -> Author | None:
    """Whose token this is; None where it is no one's, or a banned author's."""
    name, _, secret = token.rpartition(".")
    author = authors.get(name)
    expected = author.hashed if author and author.hashed else _NOBODY
    fits = hmac.compare_digest(_hash(secret), expected)
    return author if author and fits and secret and not author.banned else None


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let no other process change the file during the block. The lock is its folder's, so that no file is left.

    Raises:
        RunError: The folder can't be opened.
    """
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise RunError(f"{path} can't be written: {error.strerror}") from None
    try:
        with contextlib.suppress(OSError):  # A file system without locks has none to offer.
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _check_name(name: str) -> None:
    if len(name) > _MOST_LETTERS or not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r}: an author's name has {LETTERS}, digits, _ and -, and one dot or space between these,"
            f" {_MOST_LETTERS} at most"
        )


def _known(path: Path, name: str) -> tuple[dict[str, Author], Author]:
    authors = read_authors(path)
    if name not in authors:
        raise InputError(f"{name}: {path} has no such author")
    return authors, authors[name]


def _give_token(path: Path, authors: dict[str, Author], author: Author) -> str:
    secret = secrets.token_urlsafe(24)
    _write(path, authors | {author.name: replace(author, hashed=_hash(secret))})
    return f"{author.name}.{secret}"


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _write(path: Path, authors: dict[str, Author]) -> None:
    lines = []
    for author in authors.values():
        lines += [f"[{_as_key(author.name)}]", f"token = {json.dumps(author.hashed)}"]
        lines += ["banned = true"] if author.banned else []
        lines += ["organiser = true", ""] if author.organiser else [""]
    try:
        write_whole(path, "\n".join(lines).encode(), 0o600)
    except OSError as error:
        raise RunError(f"{path} can't be written: {error.strerror}") from None


def _as_key(name: str) -> str:
    """A name as TOML has it."""
    return name if name.replace("_", "").replace("-", "").isalnum() else json.dumps(name)
