"""Refusals of an open contest."""

from __future__ import annotations


class Refused(Exception):
    """Raised when a request of an author is refused.

    Attributes:
        status: HTTP status, such as 404.
        why: Reason for the author, which is the message.
        retry_after: Seconds after which another attempt makes sense; None if it doesn't.
    """

    def __init__(self, status: int, why: str, retry_after: int | None = None) -> None:
        super().__init__(why)
        self.status, self.why, self.retry_after = status, why, retry_after
