"""A challenge as one document: everything that its organisers have decided, and nothing else."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter

from leaderboard.rules.json.canonical import same_value
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.admission import AdmissionRules
from leaderboard.schemas.announcements import NewAnnouncement
from leaderboard.schemas.base import Items
from leaderboard.schemas.challenges import NewChallenge
from leaderboard.schemas.phase_fields import PhaseFields
from leaderboard.schemas.registration import RegistrationRulesBody

MOST_ANNOUNCEMENTS: Final = 1_000
STATE: Final = frozenset({"slug", "is_draft"})
"""Fields that the address and publishing decide, not the document."""


class ChallengeFolder(NewChallenge):
    """A challenge with its rules of registration and admission, and its announcements.

    A field that is absent has its default. Phases and rules have only what differs from theirs.
    """

    registration: Annotated[
        RegistrationRulesBody | None,
        Field(description="Who may take part; null: everyone, without registering."),
    ] = None
    admission: Annotated[
        AdmissionRules | None,
        Field(description="What attempts must meet to stand on the board; null: nothing."),
    ] = None
    announcements: Annotated[
        tuple[NewAnnouncement, ...],
        Items(MOST_ANNOUNCEMENTS),
        Field(description="What organisers have announced, the oldest first."),
    ] = ()


CHALLENGE_FOLDER: Final = TypeAdapter(ChallengeFolder)


def _defaults(model: Any) -> JsonObject:
    fields = model.model_fields
    empty = {name: None for name, field in fields.items() if field.is_required()}
    dumped: JsonObject = model.model_construct(**empty).model_dump(mode="json", warnings=False)
    return dumped


DEFAULTS: Final = {
    name: value for name, value in _defaults(ChallengeFolder).items() if name not in STATE
}
"""The fields of a document, and their values where they are absent."""
PHASE_DEFAULTS: Final = _defaults(PhaseFields)
RULES_DEFAULTS: Final = _defaults(RegistrationRulesBody)


def sparse(fields: JsonObject, defaults: JsonObject) -> JsonObject:
    """The fields that differ from their defaults."""
    return {
        name: value
        for name, value in fields.items()
        if name not in defaults or not same_value(value, defaults[name])
    }


def sparse_phases(phases: list[JsonObject]) -> list[JsonObject]:
    """Phases without what is their default; none for the single one that every challenge has."""
    kept = [
        {"slug": phase.get("slug", PHASE_DEFAULTS["slug"]), **sparse(phase, PHASE_DEFAULTS)}
        for phase in phases
    ]
    return [] if kept == [{"slug": PHASE_DEFAULTS["slug"]}] else kept
