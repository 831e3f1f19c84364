"""Submit an example attempt to a draft challenge, to test its whole configuration.

It is deleted when the draft is published: a withdrawn one would stay in every list.
"""

from __future__ import annotations

from uuid import uuid4

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import Attempt, Challenge, Participant, Registration, User
from leaderboard.rules.texts.names import name_key
from leaderboard.schemas.attempts import parse_attempt
from leaderboard.services.attempts.new_attempts import NewAttempt, SentFile
from leaderboard.services.attempts.submit import submit_attempt
from leaderboard.services.challenges.samples import hold_sample, remove_sample
from leaderboard.services.errors import ServiceError
from leaderboard.services.imports.examples import example_of, phase_of


def send_sample(challenge: Challenge, *, user: User, file: SentFile | None = None) -> Attempt:
    """Submit the example of a draft as its sample attempt, which replaces an earlier one.

    file: what it submits, where the challenge scores files. A worker scores it like any other
    attempt. Its participant is created for it and has no
    registration. Raises ServiceError: `conflict` if the challenge is no draft, and those of
    `submit_attempt`.
    """
    example = phase_of(challenge) if file else example_of(challenge)
    with transaction.atomic():
        hold_sample(challenge)
        locked = Challenge.objects.lock_challenge(challenge.pk)
        if not locked.is_draft:
            raise ServiceError("conflict", _("Only a draft has a sample attempt."))
        remove_sample(locked)
        participant = _participant(locked)
        attempt, _is_new = submit_attempt(
            challenge=challenge,
            user=user,
            new=NewAttempt(
                **parse_attempt(
                    {**example, "participant": participant.handle}, has_file=file is not None
                )
            ),
            organiser=True,
            only_as=participant.pk,
            file=file,
        )
        Registration.objects.filter(challenge=locked, participant=participant).delete()
        # Without a submitter, it is not listed among the attempts that the organiser has submitted.
        Attempt.objects.filter(pk=attempt.pk).update(submitted_by=None)
        Challenge.objects.filter(pk=locked.pk).update(sample=attempt)
    attempt.submitted_by, challenge.sample = None, attempt
    return attempt


def _participant(challenge: Challenge) -> Participant:
    """Create a participant without an owner, under a random name that is still free."""
    handle = f"sample-{uuid4().hex}"
    return Participant.objects.create(
        tenant_id=challenge.tenant_id,
        handle=handle,
        handle_key=name_key(handle),
        slug=handle,
        name=_("Sample attempt"),
        is_private=True,
    )
