"""What an open contest refuses to do for an author."""

from __future__ import annotations


class Refused(Exception):
    """A request that isn't met: an HTTP status, why, and after how many seconds another try makes sense."""

    def __init__(self, status: int, why: str, retry_after: int | None = None) -> None:
        super().__init__(why)
        self.status, self.why, self.retry_after = status, why, retry_after
