"""Who submits: participants are created on first use and belong to who used them first."""

from __future__ import annotations

import hashlib

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.text import slugify

from leaderboard.models import Challenge, Participant, Standing, Tenant, User
from leaderboard.rules.names import clean_name, name_key, plain_name
from leaderboard.rules.skeletons import skeleton
from leaderboard.services.refused import Refused, invalid


def participant_named(
    *, tenant: Tenant, handle: str, user: User, organiser: bool, name: str = "", kind: str = ""
) -> Participant:
    """The participant with this handle, made when it is new.

    Raises Refused: `invalid` for a handle that cannot be a name, `permission_denied` when the
    participant belongs to another user and `organiser` is false.
    """
    participant = _known(tenant, handle) or _create(
        tenant=tenant,
        handle=clean_name(handle),
        name=clean_display_name(name),
        kind=kind or Participant.Kind.SYSTEM,
        owner=user,
    )
    if not organiser and participant.owner_id != user.pk:
        raise Refused(
            "permission_denied",
            f"The participant “{participant.handle}” belongs to another user.",
            {"participant": ["belongs to another user"]},
        )
    return participant


def change_participant(
    participant: Participant, *, name: str, kind: str, owner: User | None
) -> None:
    """Change how a participant is shown and whose it is.

    Every board that it stands on is told, as pages of boards hold names. Raises Refused.
    """
    participant.name, participant.kind = clean_display_name(name), kind
    participant.owner = owner
    participant.skeleton = skeleton(participant.shown_name)
    with transaction.atomic():
        participant.save(update_fields=["name", "kind", "owner", "skeleton"])
        boards = Standing.objects.filter(participant=participant).values("config__challenge")
        Challenge.objects.filter(pk__in=boards).update(board_version=F("board_version") + 1)


def clean_display_name(name: str) -> str:
    if not name:
        return ""
    try:
        return clean_name(name)
    except ValueError as error:
        raise invalid("name", str(error)) from None


def _known(tenant: Tenant, handle: str) -> Participant | None:
    """The participant of that name, if there is one; names that new ones may not have, too.

    Raises Refused for what no participant can be called.
    """
    try:
        found = Participant.objects.filter(tenant=tenant, handle_key=name_key(plain_name(handle)))
        if (participant := found.first()) is None:
            clean_name(handle)
    except ValueError as error:
        raise invalid("participant", str(error)) from None
    return participant


def _create(*, tenant: Tenant, handle: str, name: str, kind: str, owner: User) -> Participant:
    key = name_key(handle)
    for slug in _slugs(handle):
        try:
            with transaction.atomic():
                return Participant.objects.create(
                    tenant=tenant,
                    handle=handle,
                    handle_key=key,
                    slug=slug,
                    name=name,
                    skeleton=skeleton(name or handle),
                    kind=kind,
                    owner=owner,
                )
        except IntegrityError:
            if found := Participant.objects.filter(tenant=tenant, handle_key=key).first():
                return found
    raise Refused("conflict", "This participant could not be created; try again.")


def _slugs(handle: str) -> list[str]:
    """The plain slug, then one that no other handle has."""
    plain = slugify(handle)[:100].rstrip("-_")
    digest = hashlib.sha256(name_key(handle).encode()).hexdigest()
    return [plain, f"{plain}-{digest[:8]}", digest[:32]] if plain else [f"p-{digest[:12]}"]
