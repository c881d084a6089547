"""Causes of the end of a confined process."""

from __future__ import annotations

import signal
from typing import Literal

import pytest

from tournament.sandbox.outside.exit_status import Blame, judge

KILL, TIME, ABORT = signal.SIGKILL, signal.SIGXCPU, signal.SIGABRT


@pytest.mark.parametrize(
    ("status", "passed_limit", "kills", "of", "blame"),
    [
        (0, False, 0, "bot", "no one"),
        (1, False, 0, "build", "the bot"),
        (1, False, 1, "build", "the machine"),
        (-KILL, False, 0, "bot", "the machine"),
        (-KILL, True, 0, "bot", "the bot"),
        (128 + KILL, False, 0, "compiler", "the machine"),
        (128 + KILL, False, 0, "bot", "the bot"),
        (-TIME, False, 0, "bot", "the machine"),
        (-TIME, True, 0, "bot", "the bot"),
        (256 - ABORT, False, 0, "compiler", "the machine"),
        (-signal.SIGSEGV, False, 0, "compiler", "the bot"),
        (-34, False, 0, "bot", "the machine"),
    ],
)
def test_ending_has_its_cause(
    status: int | None, passed_limit: bool, kills: int, of: Literal["bot", "build", "compiler"], blame: Blame
) -> None:
    assert judge(status, passed_limit=passed_limit, kills=kills, of=of) == blame
