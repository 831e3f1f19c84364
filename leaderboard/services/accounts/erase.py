"""Deletes an account, with all personal data and texts. The scores of its attempts stay."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import partial
from typing import Final
from uuid import UUID

from axes.models import AccessAttempt, AccessFailureLog
from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils.translation import gettext as _

from leaderboard.models import (
    Annotation,
    ApiToken,
    Attempt,
    AttemptVerdict,
    AuditEntry,
    Board,
    Challenge,
    Evaluation,
    Evidence,
    EvidenceFile,
    HumanLabel,
    Membership,
    Participant,
    RunFacts,
    SamplePrint,
    Score,
    Standing,
    SubmittedFile,
    TeamMerge,
    User,
)
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.models.attempt_indexes import WAITING
from leaderboard.rules.texts.names import name_key
from leaderboard.rules.texts.skeletons import skeleton
from leaderboard.services.competition.audit import forget_reasons
from leaderboard.services.competition.decisions import forget_texts
from leaderboard.services.competition.participants.creating import (
    bump_versions_of_held,
    bump_versions_of_participant,
    record_of_participant,
)
from leaderboard.services.competition.participants.reserved_names import reserve_names
from leaderboard.services.competition.participants.succession import hand_over_teams
from leaderboard.services.events.record import EventKind, forget_secrets
from leaderboard.services.files.store import delete_after_commit
from leaderboard.services.programs.erasing import erase_runs
from leaderboard.services.transactions import retried

UNFINISHED: Final = (*WAITING, Attempt.Status.HELD)
CHUNK: Final = 200
"""Attempts per transaction, so that other writers wait only for a fraction of a second."""
MOST_AT_ONCE: Final = 5_000
"""The most attempts that a request erases; for more, operators run a command."""


def why_not_erased(user: User) -> str:
    """A sentence why the user cannot delete their own account; "" if they can."""
    if user.is_staff or user.is_superuser:
        return _("This account has rights in the admin: an operator has to take them away first.")
    if user.memberships.filter(role=Membership.Role.ORGANISER).exists():
        return _("This account organises challenges: somebody has to take the role over first.")
    if _attempts_of(user).count() > MOST_AT_ONCE:
        return _("This account has too many attempts to delete here: ask the operator.")
    return ""


def erase_account(user: User) -> None:
    """Delete an account. Its participants become *withdrawn participant n*.

    Teams with other members keep their names and attempts, and get another captain.

    Texts, samples, outputs, files and what plugins wrote about them are deleted, and so are
    attempts without a result; scores, facts and metric values stay. An interrupted call can be
    repeated: the account is closed first, and the next call continues. The caller checks
    `why_not_erased`.
    """
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(is_active=False)
        ApiToken.objects.filter(user=user).delete()
    hand_over_teams(user)
    erased: set[UUID | int] = set()
    _erase_stored(user, erased)
    # Requests that began before the account was closed may have saved more meanwhile.
    while not retried(partial(_delete, user, erased)):
        _erase_stored(user, erased)


def _erase_stored(user: User, erased: set[UUID | int]) -> None:
    """Erase the participants, and the attempts that were not erased before.

    erased: gets the ids of both.
    """
    mine = list(Participant.objects.filter(owner=user))
    for participant in mine:
        _withdraw(participant)
        forget_reasons(participant)
        forget_texts(participant)
        erased.add(participant.pk)
    # Rescores that store results after this see the new names, and store no texts with them.
    _wait_for_rescores(user)
    for ids in _chunks(user):
        if fresh := [pk for pk in ids if pk not in erased]:
            retried(partial(_erase, fresh))
            erased.update(fresh)
    for participant in mine:
        retried(partial(_forget_orders, participant))
        _forget_registrations(participant)


def _delete(user: User, erased: Set[UUID | int]) -> bool:
    """Delete the user; False if there are participants or attempts that have to be erased first.

    While the user is locked, no other transaction saves anything that refers to it.
    """
    User.objects.select_for_update().filter(pk=user.pk).first()
    stored = Participant.objects.filter(owner=user), _attempts_of(user)
    if any(set(rows.values_list("pk", flat=True)) - erased for rows in stored):
        return False
    about_people = (AuditEntry.Kind.ROLE, AuditEntry.Kind.REGISTRATION)
    AuditEntry.objects.filter(kind__in=about_people, object=user.username).update(object="")
    for log in (AccessAttempt, AccessFailureLog):
        log.objects.filter(username=user.username).delete()
    user.delete()
    return True


def _attempts_of(user: User) -> AttemptQuerySet:
    return Attempt.objects.filter(participant__owner=user)


def _chunks(user: User) -> Iterator[list[UUID]]:
    """The user's attempts, some at a time, in the order of their ids."""
    rows = _attempts_of(user).order_by("pk").values_list("pk", flat=True)
    ids = list(rows[:CHUNK])
    while ids:
        yield ids
        ids = list(rows.filter(pk__gt=ids[-1])[:CHUNK])


def _wait_for_rescores(user: User) -> None:
    """Wait until no transaction is storing scores of the user's challenges that began earlier."""
    for challenge in _attempts_of(user).values_list("challenge", flat=True).distinct():
        with transaction.atomic():
            Challenge.objects.lock_challenge(challenge)


def _erase(ids: list[UUID]) -> None:
    bump_versions_of_held(ids)
    for files in (
        SubmittedFile.objects.filter(attempt__in=ids),
        EvidenceFile.objects.filter(attempt__in=ids),
    ):
        delete_after_commit(filter(None, files.values_list("path", flat=True)))
        files.delete()
    erase_runs(ids)
    unfinished = Attempt.objects.filter(pk__in=ids, status__in=UNFINISHED).order_by("pk")
    # Locked, because a worker may be saving the score of one, which then stays.
    locked = unfinished.select_for_update().values_list("pk", flat=True)
    Attempt.objects.filter(pk__in=[*locked]).delete()
    Evidence.objects.filter(attempt__in=ids).delete()
    RunFacts.objects.filter(attempt__in=ids).delete()
    SamplePrint.objects.filter(attempt__in=ids).delete()
    HumanLabel.objects.filter(attempt__in=ids).delete()
    AttemptVerdict.objects.filter(attempt__in=ids).update(findings=[])
    Annotation.objects.filter(attempt__in=ids).delete()
    Evaluation.objects.filter(attempt__in=ids).delete()
    Score.objects.filter(attempt__in=ids).update(
        details=None, details_note="", error_message="", error_detail="", output=""
    )
    Attempt.objects.filter(pk__in=ids).update(
        note="",
        meta={},
        withdrawn_reason="",
        sample_count=None,
        instance_count=None,
        idempotency_key="",
        body_hash="",
        request_id="",
    )
    Standing.objects.filter(attempt__in=ids).update(family="")


def _forget_orders(participant: Participant) -> None:
    """Raise the versions of the participant's boards, so that no cached order tells the erased
    meta."""
    boards = Standing.objects.filter(participant=participant).values("board")
    Board.objects.filter(pk__in=boards).update(version=F("version") + 1)


def _forget_registrations(participant: Participant) -> None:
    """Delete those in challenges where no attempt is left: nobody takes part there any more."""
    attempts = Attempt.objects.filter(challenge=OuterRef("challenge"), participant=participant)
    participant.registrations.filter(~Exists(attempts)).delete()


def _withdraw(participant: Participant) -> None:
    """Replace the participant's name. Boards show names, so their versions change.

    The owner stays until the user is deleted, so that an interrupted call can be repeated.
    """
    reserve_names(participant)
    name = f"withdrawn participant {participant.pk}"
    other_participants = Participant.objects.filter(tenant=participant.tenant_id).exclude(
        pk=participant.pk
    )
    while other_participants.filter(
        handle_key=name_key(name)
    ).exists():  # another participant has this name
        name += "-2"
    participant.handle, participant.handle_key, participant.name = name, name_key(name), ""
    participant.slug = name.replace(" ", "-")
    participant.skeleton = skeleton(name)
    with transaction.atomic():
        participant.save()
        participant.former_names.all().delete()
        participant.registrations.update(answers={}, appeal="")
        # Nobody is left to give its attempts to another team, or to answer.
        requests = TeamMerge.objects.waiting()
        requests.filter(team=participant).delete()
        requests.filter(into=participant).update(into=None)
        AuditEntry.objects.filter(participant=participant).update(before=None, after=None)
        bump_versions_of_participant(participant)
        forget_secrets(participant.pk)
        record_of_participant(participant, EventKind.ERASED)
