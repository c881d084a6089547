"""The names that authors of contests import.

A contest is a subclass of Rules. Its generator `play` plays one session. It yields questions, which are decisions
called with a position and values, one or a list of them. It receives the answer, or a dict of answers by position,
and records games.
"""

from __future__ import annotations

from engine.kernel.chance import Rng
from engine.rules.decisions import Illegal
from engine.rules.session_core import Session
from tournament.contests.bots import Sdk
from tournament.contests.contest import Core, Luck
from tournament.contests.presentation import Presentation
from tournament.contests.scoring import House, HousePlayer, HouseScoring
from tournament.decisions.decision import Decision, News
from tournament.decisions.value_types import Bool, Choice, Float, Int, LegalAction, List, Maybe, Struct, Text, ValueType
from tournament.rules.protocol import Protocol, Talk
from tournament.rules.rules import Questions, Rules, Settings
from tournament.store.columns import Column

__all__ = [
    "Bool",
    "Choice",
    "Column",
    "Core",
    "Decision",
    "Float",
    "House",
    "HousePlayer",
    "HouseScoring",
    "Illegal",
    "Int",
    "LegalAction",
    "List",
    "Luck",
    "Maybe",
    "News",
    "Presentation",
    "Protocol",
    "Questions",
    "Rng",
    "Rules",
    "Sdk",
    "Session",
    "Settings",
    "Struct",
    "Talk",
    "Text",
    "ValueType",
]
