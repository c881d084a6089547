"""The authors who are allowed to submit bots. Each has a token, of which the file has only the hash."""

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
from tournament.small_files import read_small_file, write_atomically

# Names are like logins, with dots and spaces inside. A token ends in a dot and its secret, which has no dot.
_NAME = re.compile(r"[A-Za-z0-9_-]+(?:[. ][A-Za-z0-9_-]+)*")
_MAX_LETTERS = 32
_MAX_BYTES = 1 << 20
# Hash of no author's token, so that refusing an unknown author takes as long as refusing a known one.
_NO_TOKEN = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True)
class Author:
    """A person who is allowed to submit bots.

    Attributes:
        name: Name of the author.
        hashed: Hexadecimal sha256 of the token; "" once it is revoked.
        banned: Whether the author is banned.
        organiser: Whether the token shows every author's state and sources.
    """

    name: str
    hashed: str
    banned: bool = False
    organiser: bool = False


def read_authors(path: Path) -> dict[str, Author]:
    """Return the authors of a file by name, in its order. Empty if there is no file yet.

    Raises:
        InputError: The file can't be read, is larger than 1 MiB, or is invalid.
    """
    if not path.exists():
        return {}
    try:
        document = tomllib.loads(read_small_file(path, _MAX_BYTES).decode())
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    authors = {}
    for name, table in document.items():
        types = {"token": str, "banned": bool, "organiser": bool}
        if not isinstance(table, dict) or any(not isinstance(table[key], types.get(key, ())) for key in table):
            raise InputError(f"{path}: [{name}] can have token (a hash), banned and organiser (true or false)")
        _check_name(name)
        authors[name] = Author(name, table.get("token", ""), table.get("banned", False), table.get("organiser", False))
    return authors


def add_author(path: Path, name: str, *, organiser: bool = False) -> str:
    """Add an author and return the token, which isn't stored. The file is made if it doesn't exist.

    Args:
        path: Path of the authors' file.
        name: Name of the author.
        organiser: Whether the token shows every author's state and sources.

    Raises:
        InputError: The name is invalid, exists already, or differs from another only in case, or the file is invalid.
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
            raise InputError(f"{name}: exists already; for another token: tournament author token {shlex.quote(name)}")
        if other := next((one for one in authors if one.lower() == name.lower()), None):
            raise InputError(f"{name}: {other} exists already, and names must not differ only in case")
        return _renew_token(path, authors, Author(name, "", organiser=organiser))


def renew_token(path: Path, name: str) -> str:
    """Give an author another token, and return it. The previous one becomes invalid, and a ban stays.

    Raises:
        InputError: There is no such author, or the file can't be read or is invalid.
        RunError: The file can't be written.
    """
    with _locked(path):
        return _renew_token(path, *_read_author(path, name))


def revoke_token(path: Path, name: str, *, ban: bool) -> None:
    """Make an author's token invalid. A ban can be lifted in the file, and the token is then valid again.

    Args:
        path: Path of the authors' file.
        name: Name of the author.
        ban: Whether to ban the author, whose bots then leave, instead of removing the token's hash.

    Raises:
        InputError: There is no such author, or the file is invalid.
        RunError: The file can't be written.
    """
    with _locked(path):
        authors, author = _read_author(path, name)
        _write(path, authors | {name: replace(author, banned=True) if ban else replace(author, hashed="")})


class AuthorsFile:
    """The authors of a file in its last valid state, because an organiser edits it while people submit."""

    def __init__(self, path: Path, on_message: Callable[[str], None] = lambda what: None) -> None:
        """Read the file.

        Args:
            path: Path of the file.
            on_message: Called once with the problem of each invalid edit.

        Raises:
            InputError: The file can't be read or is invalid. A missing one has no authors.
        """
        self.path, self._tell = path, on_message
        self._read = self._state()
        self._authors = read_authors(path)

    def __call__(self) -> Mapping[str, Author]:
        """Return the authors now by name, or those before an invalid edit or the removal of the file."""
        if (now := self._state()) != self._read:
            self._read = now
            try:
                if not now:
                    raise InputError(f"{self.path} is missing")
                self._authors = read_authors(self.path)
            except InputError as wrong:
                self._tell(f"{wrong}; the previous authors stay")
        return self._authors

    def _state(self) -> tuple[int, ...]:
        """Return time, size and inode of the file, or () if it is missing or can't be read."""
        try:
            state = os.stat(self.path)
        except OSError:
            return ()
        return state.st_mtime_ns, state.st_size, state.st_ino


def find_author(token: str, authors: Mapping[str, Author]) -> Author | None:
    """Return the author with this token, or None if it is invalid or revoked, or the author is banned."""
    name, _, secret = token.rpartition(".")
    author = authors.get(name)
    expected = author.hashed if author and author.hashed else _NO_TOKEN
    fits = hmac.compare_digest(_hash(secret), expected)
    return author if author and fits and secret and not author.banned else None


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let no other process change the file during the block.

    The lock is that of its folder, so that no extra file is left.

    Raises:
        RunError: The folder can't be opened.
    """
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise RunError(f"{path} can't be written: {error.strerror}") from None
    try:
        # Some file systems have no locks.
        with contextlib.suppress(OSError):
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _check_name(name: str) -> None:
    """Check that an author can have a name.

    Raises:
        InputError: No author can: the name has other characters, or more than 32.
    """
    if len(name) > _MAX_LETTERS or not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r}: an author's name has {LETTERS}, digits, _ and -, and one dot or space between these,"
            f" {_MAX_LETTERS} at most"
        )


def _read_author(path: Path, name: str) -> tuple[dict[str, Author], Author]:
    """Return all authors of a file, and the one of this name.

    Raises:
        InputError: There is none, or the file is invalid.
    """
    authors = read_authors(path)
    if name not in authors:
        raise InputError(f"{name}: {path} has no such author")
    return authors, authors[name]


def _renew_token(path: Path, authors: dict[str, Author], author: Author) -> str:
    """Store the hash of a new token for an author, and return the token: the name, a dot and a secret.

    Raises:
        RunError: The file can't be written.
    """
    secret = secrets.token_urlsafe(24)
    _write(path, authors | {author.name: replace(author, hashed=_hash(secret))})
    return f"{author.name}.{secret}"


def _hash(secret: str) -> str:
    """Return the sha256 of a token's secret in hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _write(path: Path, authors: dict[str, Author]) -> None:
    """Write the authors' file in place of the previous one, readable by its owner only. Comments are lost.

    Raises:
        RunError: It can't be written.
    """
    lines = []
    for author in authors.values():
        lines += [f"[{_as_key(author.name)}]", f"token = {json.dumps(author.hashed)}"]
        lines += ["banned = true"] if author.banned else []
        lines += ["organiser = true", ""] if author.organiser else [""]
    try:
        write_atomically(path, "\n".join(lines).encode(), 0o600)
    except OSError as error:
        raise RunError(f"{path} can't be written: {error.strerror}") from None


def _as_key(name: str) -> str:
    """Return a name as a key of TOML, in quotes if it has a dot or a space."""
    return name if name.replace("_", "").replace("-", "").isalnum() else json.dumps(name)
