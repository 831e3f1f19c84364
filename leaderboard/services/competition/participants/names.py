"""Renaming participants. Former names stay reserved, and links to them redirect."""

from __future__ import annotations

from typing import Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, FormerName, Participant, TeamMerge
from leaderboard.models.participant import ParticipantQuerySet
from leaderboard.rules.texts.names import clean_name, name_key
from leaderboard.rules.texts.skeletons import skeleton
from leaderboard.services.competition.participants.creating import (
    bump_versions_of_participant,
    lock_boards_of,
    record_of_participant,
)
from leaderboard.services.competition.participants.participant_batch import slugs_of
from leaderboard.services.competition.participants.reserved_names import reserved_among
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.events.record import EventKind

MOST_FORMER: Final = 10
"""The most former names of a participant, so that renaming cannot reserve many names."""


def rename(participant: Participant, handle: str) -> Participant:
    """Give a participant another name, and with it another address.

    Attempts under the former name still count for it. Updates the version of every board that lists
    it. Raises ServiceError: `invalid`, `conflict` (another participant has the name, or this one
    has too many former names).
    """
    try:
        clean = clean_name(handle)
    except ValueError as error:
        raise invalid("participant", error.args[0]) from None
    try:
        with transaction.atomic():
            return _renamed(participant, clean)
    except IntegrityError:
        raise _taken(clean) from None


def renamed_from(challenge: Challenge, slug: str) -> Participant | None:
    """The participant that once had this slug in addresses of the challenge."""
    former_names = FormerName.objects.filter(tenant=challenge.tenant_id, slug=slug)
    name = former_names.order_by("-is_private").select_related("participant").first()
    return name.participant if name else None


def merged_into(challenge: Challenge, participant: Participant) -> Participant | None:
    """The team of which a participant has become a part in the challenge."""
    merges = TeamMerge.objects.filter(challenge=challenge, merged_at__isnull=False)
    merge = merges.filter(team=participant).select_related("into").first()
    return merge.into if merge else None


def _renamed(participant: Participant, handle: str) -> Participant:
    lock_boards_of(participant)
    locked = Participant.objects.select_for_update().get(pk=participant.pk)
    key, before, slug = name_key(handle), locked.handle_key, locked.slug
    locked.handle = handle
    if key != before:
        _check_free(locked, key, handle)
        locked.former_names.filter(handle_key=key).delete()
        if locked.former_names.count() >= MOST_FORMER:
            text = _("A participant may have at most {most} former names.")
            raise ServiceError("conflict", text.format(most=MOST_FORMER))
        locked.handle_key, locked.slug = key, _free_slug(locked, handle)
        locked.save(update_fields=["handle", "handle_key", "slug"])
        FormerName.objects.create(
            tenant_id=locked.tenant_id,
            is_private=locked.is_private,
            handle_key=before,
            slug=slug,
            participant=locked,
        )
    locked.skeleton = skeleton(locked.shown_name)
    locked.save(update_fields=["handle", "skeleton"])
    bump_versions_of_participant(locked)
    record_of_participant(locked, EventKind.RENAMED, secret={"handle": locked.handle})
    return locked


def _check_free(participant: Participant, key: str, handle: str) -> None:
    former = FormerName.objects.filter(
        tenant=participant.tenant_id, is_private=participant.is_private, handle_key=key
    )
    is_former = former.exclude(participant=participant).exists()
    is_reserved = bool(reserved_among(participant.tenant_id, [key]))
    if is_former or is_reserved or _other_participants(participant).filter(handle_key=key).exists():
        raise _taken(handle)


def _free_slug(participant: Participant, handle: str) -> str:
    """The first slug for the name that no participant has or had."""
    slugs = list(slugs_of(handle))
    taken = set(
        _other_participants(participant).filter(slug__in=slugs).values_list("slug", flat=True)
    )
    former = FormerName.objects.filter(
        tenant=participant.tenant_id, is_private=participant.is_private, slug__in=slugs
    )
    taken |= set(former.values_list("slug", flat=True))
    taken |= reserved_among(participant.tenant_id, slugs)
    free = [slug for slug in slugs if slug not in taken]
    if not free:
        raise _taken(handle)
    return free[0]


def _other_participants(participant: Participant) -> ParticipantQuerySet:
    """The participants whose names this one may not take."""
    in_tenant = Participant.objects.filter(tenant=participant.tenant_id)
    return in_tenant.filter(is_private=participant.is_private).exclude(pk=participant.pk)


def _taken(handle: str) -> ServiceError:
    text = _("must be a name that no other participant has; got {handle}").format(handle=handle)
    return ServiceError("conflict", f"participant: {text}", {"participant": [text]})
