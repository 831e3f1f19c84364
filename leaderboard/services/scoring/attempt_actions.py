"""Cancel, withdraw, restore and retry attempts, and who may do that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

from django.utils.translation import gettext as _

from leaderboard.models import Attempt, Challenge, User
from leaderboard.services.attempts.retry import (
    FINISHED,
    restore_attempt,
    retry_attempt,
    withdraw_attempt,
    withdraw_own_attempt,
)
from leaderboard.services.competition.participants.ownership import is_own
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation.attempts_to_score import attempt_to_score
from leaderboard.services.scoring.claims import Claim, take_over
from leaderboard.services.scoring.log import log_ended
from leaderboard.services.scoring.single import CANCELLED, save_unscored
from leaderboard.services.transactions import retried

Action = Literal["cancel", "withdraw", "restore", "retry"]


def allowed_actions(attempt: Attempt, user: User | None, *, organiser: bool) -> Sequence[Action]:
    """What the user may do with the attempt now.

    Its participant may cancel it while it waits or is being scored, and withdraw it afterwards.
    Organisers may also withdraw it before it is scored, restore it, and retry a failed one.
    """
    if user is None or not (organiser or is_own(attempt, user)):
        return ()
    if attempt.withdrawn_at is not None:
        return ("restore",) if organiser else ()
    if attempt.status not in FINISHED:
        return ("cancel", "withdraw") if organiser else ("cancel",)
    can_retry = organiser and attempt.status == Attempt.Status.FAILED
    return ("withdraw", "retry") if can_retry else ("withdraw",)


def act(
    attempt: Attempt, action: Action, *, user: User | None, organiser: bool, reason: str = ""
) -> None:
    """Perform an action on an attempt for a user.

    reason: why the attempt is cancelled or withdrawn; required if an organiser withdraws it. Raises
    ServiceError: `permission_denied`, `conflict` (its status does not allow it), `invalid`.
    """
    if action not in allowed_actions(attempt, user, organiser=organiser):
        raise _refused(attempt, action, user, organiser=organiser)
    match action:
        case "cancel":
            cancel_attempt(attempt, reason=reason, by=user)
        case "withdraw" if organiser:
            withdraw_attempt(attempt, reason=reason, by=user)
        case "withdraw":
            withdraw_own_attempt(attempt, reason=reason, by=user)
        case "restore":
            restore_attempt(attempt, by=user)
        case "retry":
            retry_attempt(attempt, by=user)


def cancel_attempt(attempt: Attempt, *, reason: str = "", by: User | None = None) -> None:
    """End an attempt without a score, and withdraw it. It counts towards no quota.

    A worker that is scoring it stops before the next block of an evaluation, and drops its result.
    What was computed so far is deleted. One that had ended before and was retried counts, and so
    does one whose code has begun to run, because its participant reads what that prints.
    Everything or nothing of this happens, even if the disk is full. Raises ServiceError
    (`conflict`) if the attempt has ended.
    """
    log_ended(retried(partial(_cancel, attempt, reason, by)), CANCELLED)
    attempt.refresh_from_db()


def _cancel(attempt: Attempt, reason: str, by: User | None) -> Claim:
    Challenge.objects.lock_challenge(attempt.challenge_id)
    claimed = take_over(attempt.pk)
    if claimed is None:
        raise _has_ended()
    withdraw_own_attempt(attempt, reason=reason, by=by)
    save_unscored(claimed, (attempt_to_score(claimed.attempt), CANCELLED))
    return claimed


def _refused(
    attempt: Attempt, action: Action, user: User | None, *, organiser: bool
) -> ServiceError:
    if user is None or not (organiser or is_own(attempt, user)):
        text = _("Only its participant and organisers may do this with an attempt.")
        return ServiceError("permission_denied", text)
    if action in ("restore", "retry") and not organiser:
        return ServiceError("permission_denied", _("Only organisers may do this."))
    if attempt.withdrawn_at is not None:
        return ServiceError("conflict", _("The attempt is withdrawn."))
    match action:
        case "cancel":
            return _has_ended()
        case "withdraw":
            return ServiceError("conflict", _("The attempt is not scored yet. Cancel it."))
        case "restore":
            return ServiceError("conflict", _("The attempt is not withdrawn."))
        case "retry":
            text = _("Only an attempt that has failed can be tried again.")
            return ServiceError("conflict", text)


def _has_ended() -> ServiceError:
    return ServiceError("conflict", _("The attempt has ended. Withdraw it."))
