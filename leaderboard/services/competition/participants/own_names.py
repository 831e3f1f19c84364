"""The name under which a user submits to a challenge if a submission names no participant."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.models import Challenge, Entry, Participant, User
from leaderboard.rules.texts.names import MAX_LENGTH, clean_name, name_key


class OwnName(NamedTuple):
    """The name of a participant. is_sole: whether the user may submit under no other name."""

    handle: str
    is_sole: bool


def own_name(challenge: Challenge, user: User, only_as: int | None = None) -> OwnName | None:
    """The only participant as which a user takes part in a challenge; None for none or several.

    only_as: the participant that the token is bound to, which is then the answer.
    """
    if only_as is not None:
        bound = Participant.objects.filter(pk=only_as, tenant=challenge.tenant_id).first()
        return OwnName(bound.handle, is_sole=True) if bound else None
    entries = list(Entry.objects.of(user, challenge).select_related("participant")[:2])
    if len(entries) != 1:
        return None
    return OwnName(entries[0].participant.handle, entries[0].is_sole)


def suggested_name(challenge: Challenge, user: User, only_as: int | None = None) -> str:
    """A name that the user may submit under: that of a participant of theirs, else a free one."""
    if own := own_name(challenge, user, only_as):
        return own.handle
    mine = Participant.objects.named_at(challenge)
    entered = Entry.objects.of(user, challenge).order_by("-joined_at")
    here = entered.values_list("participant__handle", flat=True).first()
    owned = mine.filter(owner=user).order_by("pk").values_list("handle", flat=True).first()
    return here or owned or _free_name(challenge, user)


def _free_name(challenge: Challenge, user: User) -> str:
    """The username, without what follows the @ of an address; with a number if it is taken."""
    plain = user.username.partition("@")[0]
    try:
        stem = clean_name(plain)[: MAX_LENGTH - 10].strip()
    except ValueError:
        stem = _("participant")
    taken = set(
        Participant.objects.named_at(challenge)
        .filter(handle_key__startswith=name_key(stem))
        .values_list("handle_key", flat=True)
    )
    names = [stem, *(f"{stem}-{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name_key(name) not in taken)
