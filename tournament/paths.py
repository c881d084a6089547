"""Paths as users write them."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError


def _no_nul(text: str) -> str:
    """Return a path unchanged.

    Raises:
        PydanticCustomError: It has a NUL.
    """
    if "\0" in text:
        raise PydanticCustomError("nul", "must not contain the character NUL")
    return text


# Python refuses a path with a NUL by an error that isn't OSError.
PathText = Annotated[str, AfterValidator(_no_nul)]
