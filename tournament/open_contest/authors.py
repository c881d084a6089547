"""The authors who may submit bots, each with a token of which the file has the hash alone."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from tournament.errors import BadInput, RunFailed
from tournament.names import LETTERS
from tournament.small_files import read_small_file, write_whole

_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")
_MOST_BYTES = 1 << 20
# Of no author: who is unknown takes as long to refuse as who is known.
_NOBODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True)
class Author:
    """Somebody who may submit bots. `hashed` is the token's sha256, as hexadecimal digits; "" once it is revoked."""

    name: str
    hashed: str
    banned: bool = False


def read_authors(path: Path) -> dict[str, Author]:
    """The authors of a file by name, none where there is no file yet. Raises BadInput."""
    if not path.exists():
        return {}
    try:
        document = tomllib.loads(read_small_file(path, _MOST_BYTES).decode())
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None
    authors = {}
    for name, table in document.items():
        known = {"token": str, "banned": bool}
        if not isinstance(table, dict) or any(not isinstance(table[key], known.get(key, ())) for key in table):
            raise BadInput(f"{path}: [{name}] may have token, a hash, and banned, true or false")
        _check_name(name)
        authors[name] = Author(name, table.get("token", ""), table.get("banned", False))
    return authors


def add_author(path: Path, name: str) -> str:
    """Give an author, who may be there already, a new token, which is returned and kept nowhere. Raises BadInput for a
    bad name, or one that differs from another's in case only, and RunFailed where the file can't be written."""
    _check_name(name)
    authors = read_authors(path)
    if other := next((one for one in authors if one.lower() == name.lower() and one != name), None):
        raise BadInput(f"{name}: there is {other} already, and names that differ in case only look alike")
    secret = secrets.token_urlsafe(24)
    _write(path, authors | {name: Author(name, _hash(secret))})
    return f"{name}.{secret}"


def revoke_token(path: Path, name: str, *, ban: bool) -> None:
    """Have an author's token open nothing any more; with `ban` the author's bots leave, too. Raises as `add_author`."""
    authors = read_authors(path)
    if name not in authors:
        raise BadInput(f"{name}: {path} has no such author")
    changed = replace(authors[name], banned=True) if ban else replace(authors[name], hashed="")
    _write(path, authors | {name: changed})


def author_of(token: str, authors: dict[str, Author]) -> Author | None:
    """Whose token this is; None where it is nobody's, or a banned author's."""
    name, _, secret = token.partition(".")
    author = authors.get(name)
    expected = author.hashed if author and author.hashed else _NOBODY
    fits = hmac.compare_digest(_hash(secret), expected)
    return author if author and fits and secret and not author.banned else None


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise BadInput(f"{name!r}: an author's name has {LETTERS}, digits, _ and - only, 32 at most")


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _write(path: Path, authors: dict[str, Author]) -> None:
    lines = []
    for author in authors.values():
        lines += [f"[{author.name}]", f"token = {json.dumps(author.hashed)}"]
        lines += ["banned = true", ""] if author.banned else [""]
    try:
        write_whole(path, "\n".join(lines).encode(), 0o600)
    except OSError as error:
        raise RunFailed(f"{path} can't be written: {error.strerror}") from None
