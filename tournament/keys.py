"""The keys of all that is random in a contest, from its seed.

A chosen seed passes through scrypt (C. Percival, RFC 7914), so that a guess at it takes a tenth of a second and 32 MB
instead of a microsecond. A drawn seed can't be guessed. The result is the master key. Every use has a sub-key of its
own by a keyed hash (BLAKE2b, RFC 7693), which reveals neither the master key nor other sub-keys.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from functools import cache, lru_cache
from json.encoder import encode_basestring_ascii as _quoted
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

KEY_BYTES = 32
# Changing any of these changes every game of every seed.
_SALT = b"tournament"
_COST, _BLOCK_SIZE, _PARALLEL = 1 << 15, 8, 1  # scrypt's n, r and p: 32 MB
_MAX_MEMORY = 64 << 20  # bytes

_DRAWN_BITS = 128
_DRAWN = re.compile(f"[0-9a-f]{{{_DRAWN_BITS // 4}}}")
_GUESSABLE_BELOW = 1 << 64
_GUESSABLE_LETTERS = 16
_MAX_LETTERS = 1000


def _seed_text(value: object) -> str:
    """Return a seed as text: an integer in decimal without leading zeros, or any other text unchanged.

    Raises:
        PydanticCustomError: It is neither, negative or above 2²⁵⁶ − 1, empty, longer than 1,000 characters, or has
            characters that can't be printed.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value < 1 << 256:
            raise PydanticCustomError("seed", "must be 0 to 2²⁵⁶ − 1")
        return str(value)
    if not isinstance(value, str):
        raise PydanticCustomError("seed", "must be a whole number or a text")
    if re.fullmatch(r"-[0-9]+", value):
        raise PydanticCustomError("seed", "must be 0 to 2²⁵⁶ − 1")
    if not 0 < len(value) <= _MAX_LETTERS or not value.isprintable():
        raise PydanticCustomError("seed", "must be 1 to 1000 printable characters")
    # The same number is the same seed, on the command line and in a file.
    return value.lstrip("0") or "0" if re.fullmatch(r"[0-9]+", value) else value


Seed = Annotated[str, BeforeValidator(_seed_text), WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string"}]})]


def drawn_seed() -> str:
    """Draw a new seed that can't be guessed, and return it: 128 random bits as 32 hexadecimal digits."""
    return secrets.token_hex(_DRAWN_BITS // 8)


def guessable(seed: str) -> bool:
    """Return whether all seeds of this kind could be tried: numbers below 2⁶⁴, and texts of fewer than 16 letters."""
    if seed.isascii() and seed.isdigit():
        return int(seed) < _GUESSABLE_BELOW
    return len(seed) < _GUESSABLE_LETTERS


@cache
def master_key(seed: str) -> bytes:
    """Return the master key of a seed, 32 bytes.

    Unless the seed has the form of one by `drawn_seed`, the first call takes a tenth of a second and 32 MB.
    """
    if _DRAWN.fullmatch(seed):
        return hashlib.blake2b(seed.encode(), digest_size=KEY_BYTES, person=_SALT).digest()
    costs = {"n": _COST, "r": _BLOCK_SIZE, "p": _PARALLEL, "maxmem": _MAX_MEMORY}
    return hashlib.scrypt(seed.encode(), salt=_SALT, dklen=KEY_BYTES, **costs)


def sub_key(key: bytes, *label: str | int) -> bytes:
    """Return the key of 32 bytes for the use that a label names.

    Labels are hashed as JSON lists, so that none are confused: 1 and "1" give different keys.
    """
    return hashlib.blake2b(f"[{_written(label)}]".encode(), key=key, digest_size=KEY_BYTES).digest()


class SubKeys:
    """The keys for several uses whose labels begin with the same parts, which are hashed once.

    Args:
        key: Key from which they are derived.
        label: The first parts of the labels, at least one.
    """

    def __init__(self, key: bytes, *label: str | int) -> None:
        self._begun = _begun(key, label[:-1]).copy()
        self._begun.update(_written(label[-1:]).encode())

    def of(self, *more: str | int) -> bytes:
        """Return the `sub_key` whose label ends with these parts, of which there is at least one."""
        digest = self._begun.copy()
        digest.update(_label_end(more))
        return digest.digest()


@lru_cache
def _begun(key: bytes, label: tuple[str | int, ...]) -> hashlib.blake2b:
    """Return the hash of a key and of a label without its last part, which follows.

    The object is shared, so callers copy it before they add to it.
    """
    start = "".join([f"{_written((part,))}," for part in label])
    return hashlib.blake2b(f"[{start}".encode(), key=key, digest_size=KEY_BYTES)


@cache
def _label_end(label: tuple[str | int, ...]) -> bytes:
    """Return the last parts of a label as they are hashed."""
    return f",{_written(label)}]".encode()


def _written(label: tuple[str | int, ...]) -> str:
    """Return the parts of a label as JSON, with commas between them."""
    # Part by part, in a third of the encoder's time, because each leg has several.
    return ",".join([_quoted(part) if isinstance(part, str) else str(part) for part in label])


def trial_key(seed: str) -> bytes:
    """Return the master key for trying a bot: none of its deals occurs in the contest of this seed."""
    return sub_key(master_key(seed), "trial")


def to_number(key: bytes) -> int:
    """Return a number from 0 to 2⁶⁴ − 1 from a key that has no other use."""
    return int.from_bytes(key[:8], "little")


def helpers_key(random_seed: int) -> bytes:
    """Return the key of 32 bytes for a bot's draws by a contest's helpers, from the start of the bot's own rand().

    A process receives only that number, and all kinds of bots must get the same samples (sdk/texas.py
    has the same line). It lets a bot foresee its own samples, and nothing else.
    """
    return hashlib.blake2b(random_seed.to_bytes(8, "little"), digest_size=KEY_BYTES, person=b"samples").digest()


def random_bytes_key(random_seed: int) -> bytes:
    """Return the key of 32 bytes for a WebAssembly bot's random bytes from its system, separate from rand()."""
    return hashlib.blake2b(random_seed.to_bytes(8, "little"), digest_size=KEY_BYTES, person=b"random bytes").digest()


def seed_after_faults(random_seed: int, faults: int) -> int:
    """Return the 64-bit start of a bot's rand() after a restart with this many faults. Nothing repeats, by a hash."""
    content = random_seed.to_bytes(8, "little") + faults.to_bytes(8, "little")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8, person=b"starts again").digest(), "little")


def partner_seed(random_seed: int, index: int) -> int:
    """Return the 64-bit start of the rand() of an entrant's bot at a place of its team, from 0.

    The first bot has the entrant's own, and each other one a hash.
    """
    if index == 0:
        return random_seed
    content = random_seed.to_bytes(8, "little") + index.to_bytes(8, "little")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8, person=b"partner").digest(), "little")


def seed_fingerprint(key: bytes) -> str:
    """Return 128 bits, in hex, that represent a master key's seed in public. They let a guess be checked."""
    return sub_key(key, "fingerprint")[:16].hex()
