"""Who submits: participants are created on first use and belong to their first user."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from leaderboard.models import Attempt, Board, Challenge, Participant, Standing, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.skeletons import skeleton
from leaderboard.services.board.standings.versions import bump_versions_of_phases, first_submissions
from leaderboard.services.competition.audit import record_participant
from leaderboard.services.competition.participants.participant_batch import (
    clean_display_name,
    slugs_of,
)
from leaderboard.services.competition.participants.reserved_names import reserved_among
from leaderboard.services.competition.participants.succession import hand_over_places
from leaderboard.services.events.record import EventKind, record_event


def make_public(challenge: Challenge) -> None:
    """Make the participants of a challenge public when it is no longer private or a draft.

    From now on their names and slugs stand among those of all public participants. If a public
    participant has the same name, the private one stays unchanged, for the attempts it has made; if
    one has the same slug, the private one gets another slug.
    """
    here = Q(attempts__challenge=challenge) | Q(registrations__challenge=challenge)
    mine = Participant.objects.filter(here, is_private=True).distinct()
    for participant in mine:
        public_participants = Participant.objects.filter(
            tenant=challenge.tenant_id, is_private=False
        )
        if public_participants.filter(handle_key=participant.handle_key).exists():
            continue
        slugs = list(slugs_of(participant.handle))
        taken = set(public_participants.filter(slug__in=slugs).values_list("slug", flat=True))
        taken |= reserved_among(challenge.tenant_id, slugs)
        if free := next((slug for slug in slugs if slug not in taken), ""):
            participant.slug = participant.slug if participant.slug not in taken else free
            participant.is_private = False
            participant.save(update_fields=["slug", "is_private"])
            bump_versions_of_participant(participant)
            # Its former names may be those of public participants.
            participant.former_names.all().delete()


def change_participant(
    participant: Participant,
    *,
    name: str,
    kind: str,
    owner: User | None,
    organiser: User | None = None,
) -> None:
    """Change how a participant is shown, and its owner.

    Another owner also takes the former owner's place in challenges: see `hand_over_places`.

    organiser: who does it, if it is an organiser: then it is in the audit log.

    Updates the version of every board that lists it, because pages of boards hold names. Raises
    ServiceError.
    """
    participant.name, participant.kind = clean_display_name(name), kind
    participant.owner = owner
    participant.skeleton = skeleton(participant.shown_name)
    with transaction.atomic():
        before = Participant.objects.select_related("owner").get(pk=participant.pk)
        participant.save(update_fields=["name", "kind", "owner", "skeleton"])
        if organiser is not None:
            record_participant(
                participant, _fields_for_log(before), _fields_for_log(participant), by=organiser
            )
        if owner and before.owner and owner != before.owner:
            hand_over_places(participant, before.owner, owner)
        bump_versions_of_participant(participant)
        if (before.name, before.kind) != (participant.name, participant.kind):
            names: JsonObject = {"name": participant.name}
            record_of_participant(participant, EventKind.RENAMED, {"kind": kind}, secret=names)


def record_of_participant(
    participant: Participant,
    kind: EventKind,
    body: JsonObject | None = None,
    *,
    secret: JsonObject | None = None,
) -> None:
    """Add an event about a participant to the log of each challenge in which it takes part."""
    challenges = participant.registrations.order_by("challenge")
    for challenge in challenges.values_list("challenge", flat=True):
        record_event(challenge, kind, body or {}, participant=participant.pk, secret=secret)


def lock_boards_of(participant: Participant) -> None:
    """Lock the boards that list a participant, as everybody does before the participant."""
    listed = Standing.objects.filter(participant=participant).values("board__config__challenge")
    boards = Challenge.objects.filter(pk__in=listed).order_by("pk")
    list(boards.select_for_update(no_key=True).values_list("pk"))


def bump_versions_of_participant(participant: Participant) -> None:
    """Raise the version of every board that lists a participant whose name or slug changes.

    Where a freeze hides the participant, only that of the boards that the public does not see. Call
    it in the transaction that changes them.
    """
    listed = Standing.objects.filter(participant=participant)
    boards = Board.objects.filter(pk__in=listed.values("board"))
    hidden = boards.behind_freezes(timezone.now())
    visible = boards.exclude(pk__in=hidden.values("pk")).values("config__challenge")
    Challenge.objects.filter(pk__in=visible).update(board_version=F("board_version") + 1)
    if phases := set(hidden.values_list("phase", flat=True)):
        Board.objects.filter(phase__in=phases, until=None).update(version=F("version") + 1)
        # Cached pages keep lines whose rows have not changed, so these are written again.
        listed.filter(board__in=hidden.values("pk")).update(attempts=F("attempts"))


def bump_versions_of_held(attempts: Collection[UUID]) -> None:
    """Raise the versions for those of some attempts that are held, before they are deleted.

    Boards show how many attempts are held.
    """
    held = Attempt.objects.held().filter(pk__in=attempts)
    for challenge in sorted(set(held.values_list("challenge", flat=True))):
        bump_versions_of_phases(challenge, first_submissions(held.filter(challenge=challenge)))


def _fields_for_log(participant: Participant) -> dict[str, str]:
    owner = participant.owner.username if participant.owner else ""
    return {"name": participant.name, "kind": participant.kind, "owner": owner}
