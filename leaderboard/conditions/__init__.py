"""The kinds of rules that an attempt must meet to stand on a board, one per file.

A new kind is one file with a `CONDITION`; no list has to be edited. A challenge has a list of such
rules with their settings. Pure: no database, no framework.
"""

from leaderboard.conditions.condition import Condition, JudgedAttempt
from leaderboard.conditions.presets import PRESETS
from leaderboard.conditions.registry import (
    MAX_RULES,
    judged,
    known_conditions,
    parse_rules,
    prints_needed,
    rules_schema,
)

__all__ = [
    "MAX_RULES",
    "PRESETS",
    "Condition",
    "JudgedAttempt",
    "judged",
    "known_conditions",
    "parse_rules",
    "prints_needed",
    "rules_schema",
]
