"""Contests whose rules are written in Python: what their authors import.

A contest is a subclass of PythonContest. `play` is a generator that plays one session: it yields calls of its
decisions, is sent the answers, and records games.
"""

from __future__ import annotations

from engine.kernel.chance import Chance
from engine.rules.session_core import Session
from tournament.contests.contest import Contest
from tournament.contests.python_contest.declaring import Decision, Told, fraction, fractions, text, texts, whole, wholes
from tournament.contests.python_contest.rules import Play, PythonContest, PythonSettings
from tournament.store.columns import Column

__all__ = [
    "Chance",
    "Column",
    "Contest",
    "Decision",
    "Play",
    "PythonContest",
    "PythonSettings",
    "Session",
    "Told",
    "fraction",
    "fractions",
    "text",
    "texts",
    "whole",
    "wholes",
]
