"""Checks the fields of a challenge that organisers send, by the schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import TypeAdapter

from leaderboard.models import ScoringConfig
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.schemas.challenges import (
    CHALLENGE_CHANGE,
    NEW_CHALLENGE,
    ChallengeChange,
    NewChallenge,
)
from leaderboard.schemas.phase_fields import PhaseFields
from leaderboard.schemas.phases import Phases
from leaderboard.schemas.scoring import SCORING_ROWS, ScoringFields
from leaderboard.services.errors import validated

PHASES: Final[TypeAdapter[Sequence[PhaseFields]]] = TypeAdapter(Phases)
SCORING: Final = TypeAdapter(ScoringFields)


def checked_new(fields: object) -> NewChallenge:
    """A new challenge, by the names of the API. Raises ServiceError with every wrong field."""
    return validated(NEW_CHALLENGE, fields)


def checked_change(fields: object) -> ChallengeChange:
    """A change of a challenge: the fields that are sent. Raises ServiceError."""
    return validated(CHALLENGE_CHANGE, fields)


def checked_phases(phases: object) -> Sequence[PhaseFields]:
    """The phases of a challenge. Raises ServiceError."""
    return validated(PHASES, phases, "phases")


def checked_scoring_fields(fields: object) -> ScoringFields:
    """How a challenge is scored, by the names of the API. Raises ServiceError."""
    return validated(SCORING, fields)


def scoring_fields_of(config: ScoringConfig) -> SentFields:
    """The fields of a scoring config, by the names of the API."""
    return {name: getattr(config, row) for name, row in SCORING_ROWS.items()}
