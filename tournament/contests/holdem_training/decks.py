"""Files of fixed hands: one a line, eighteen integers, suit and value of nine cards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tournament.errors import InputError
from tournament.small_files import read_small_file

CARDS = 9
_MAX_BYTES = 16 << 20  # 400,000 hands
_ORDER = "suit and value of Alice's two cards, Bob's two, the flop's three, the turn and the river"


def read_decks(path: Path) -> NDArray[np.uint8]:
    """Return the hands of a file as card numbers (13 · suit + value − 1), shape (hands, 9), in the file's order.

    The cards of a hand are Alice's two, Bob's two, the flop's three, the turn and the river. `#` begins a comment.
    Lines without words are ignored.

    Raises:
        InputError: The file is missing, can't be read, isn't a regular file, or is larger than 16 MiB. Or it isn't
            UTF-8, has no hands, or a line isn't nine different cards. The message about a line names its number.
    """
    try:
        text = read_small_file(path, _MAX_BYTES).decode()
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file") from None
    hands = []
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split("#", 1)[0].split()
        if fields:
            hands.append(_hand(fields, f"{path}, line {number}"))
    if not hands:
        raise InputError(f"{path}: has no hands; write one a line, eighteen integers: {_ORDER}")
    return np.array(hands, dtype=np.uint8)


def _hand(fields: list[str], where: str) -> list[int]:
    """Return the card numbers of a line's words, in their order.

    Args:
        fields: The words: suit and value of each card.
        where: File and line, for messages.

    Raises:
        InputError: There aren't eighteen words, a word isn't a suit or a value, or a card is there twice.
    """
    if len(fields) != 2 * CARDS:
        raise InputError(f"{where}: has {len(fields)} words instead of {2 * CARDS} integers: {_ORDER}")
    for word in fields:
        if not (word.isascii() and word.isdigit()) or len(word) > 2:
            raise InputError(f"{where}: {word} is neither a suit, 0 to 3, nor a value, 1 to 13")
    cards = []
    for suit, value in zip(map(int, fields[::2]), map(int, fields[1::2])):
        if suit > 3 or not 1 <= value <= 13:
            raise InputError(f"{where}: unknown card {suit} {value}; suits are 0 to 3, values 1 to 13 for 2 to A")
        if 13 * suit + value - 1 in cards:
            raise InputError(f"{where}: the card {suit} {value} is there twice")
        cards.append(13 * suit + value - 1)
    return cards
