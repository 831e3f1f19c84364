"""A participant as a row, and the queries about a single one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from leaderboard.models import Challenge, Participant
from leaderboard.models.built_once import Lookup, Values
from leaderboard.models.participant import ParticipantQuerySet
from leaderboard.schemas.choices import Visibility

FIELDS = (
    "id",
    "tenant_id",
    "handle",
    "handle_key",
    "slug",
    "name",
    "skeleton",
    "kind",
    "owner_id",
    "created_at",
    "is_private",
)
MADE = ("handle_key", "pk", "handle", "slug", "owner_id")
"""The fields that are read of a participant who was just created, perhaps by another request."""
NO_ID = 0
"""Stands for an id that the database has not assigned yet."""


@dataclass(slots=True)
class ParticipantRecord:
    """A participant as a row: making an instance of the model takes longer than inserting it."""

    id: int
    tenant_id: int
    handle: str
    handle_key: str
    slug: str
    name: str
    skeleton: str
    kind: str
    owner_id: int | None
    created_at: datetime
    is_private: bool
    is_new: bool = False

    @classmethod
    def of(cls, participant: Participant) -> ParticipantRecord:
        return cls(*(getattr(participant, name) for name in FIELDS))

    def participant(self) -> Participant:
        """The instance of the model."""
        return Participant(**{name: getattr(self, name) for name in FIELDS})


class NameQueries(NamedTuple):
    """The queries by one name or slug, used for each attempt that is submitted alone."""

    existing: Lookup[Participant]
    taken: Values
    made: Values

    @classmethod
    def at(cls, visibility: Visibility) -> NameQueries:
        """The queries for participants at private challenges, or at all others."""
        is_private = visibility == Visibility.PRIVATE

        def named(tenant: int) -> ParticipantQuerySet:
            return Participant.objects.named_at(Challenge(tenant_id=tenant, visibility=visibility))

        return cls(
            Lookup(
                lambda tenant, key: named(tenant).filter(handle_key=key).order_by("is_private"),
                tenant=int,
                key=str,
            ),
            Values(
                lambda tenant, slug: named(tenant).filter(slug=slug).values_list("slug"),
                tenant=int,
                slug=str,
            ),
            Values(
                lambda tenant, key: Participant.objects.filter(
                    tenant=tenant, is_private=is_private, handle_key=key
                ).values_list(*MADE),
                tenant=int,
                key=str,
            ),
        )


NAME_QUERIES = {
    True: NameQueries.at(Visibility.PRIVATE),
    False: NameQueries.at(Visibility.PUBLIC),
}


def row_of(record: ParticipantRecord) -> Sequence[str | int | bool | datetime | None]:
    """The values of all fields but the id."""
    texts = record.handle, record.handle_key, record.slug, record.name, record.skeleton, record.kind
    return [record.tenant_id, *texts, record.owner_id, record.created_at, record.is_private]
