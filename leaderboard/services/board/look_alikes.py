"""Participants whose names look alike: organisers see a warning, and no name is refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from django.db.models import Count, Exists, OuterRef, QuerySet

from leaderboard.models import Participant

MAX_NAMED = 3
"""The most similar names that are listed for a participant."""


def looking_alike(participants: QuerySet[Participant]) -> QuerySet[Participant]:
    """Those of the participants whose shown name looks like that of another in their tenant.

    An index alone finds the duplicate names first, because most names are unique.
    """
    everyone = Participant.objects.exclude(skeleton="")
    twice = everyone.values("tenant", "skeleton").annotate(n=Count("pk")).filter(n__gt=1)
    same = Participant.objects.filter(tenant=OuterRef("tenant"), skeleton=OuterRef("skeleton"))
    return participants.exclude(skeleton="").filter(
        Exists(same.exclude(pk=OuterRef("pk"))), skeleton__in=twice.values("skeleton")
    )


def look_alikes(participants: Iterable[Participant]) -> Mapping[int, list[str]]:
    """The names of others that each participant looks like, by its id; up to three.

    One query, however many participants there are.
    """
    asked = [participant for participant in participants if participant.skeleton]
    rows = Participant.objects.filter(
        tenant__in={participant.tenant_id for participant in asked},
        skeleton__in={participant.skeleton for participant in asked},
    ).order_by("pk")
    groups: defaultdict[tuple[int, str], list[Participant]] = defaultdict(list)
    for row in rows[: 100 * max(1, len(asked))]:
        groups[row.tenant_id, row.skeleton].append(row)
    return {
        participant.pk: [
            other.shown_name
            for other in groups[participant.tenant_id, participant.skeleton]
            if other.pk != participant.pk
        ][:MAX_NAMED]
        for participant in asked
    }
