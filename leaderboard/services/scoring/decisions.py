"""Every decision about an attempt that people send, by its kind."""

from __future__ import annotations

from django.utils.translation import gettext as _

from leaderboard.models import Attempt, Decision, User
from leaderboard.schemas.decisions import DecisionBody
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring.rulings import rule_on_sample, undo
from leaderboard.services.standing.review import answer, appeal, receive_again, review


def decide_about(attempt: Attempt, body: DecisionBody, *, by: User) -> Decision:
    """Decide about an attempt, or answer a decision about one's own. Raises ServiceError."""
    if attempt.withdrawn_at is not None:
        raise ServiceError("conflict", _("The attempt is withdrawn."))
    match body.kind:
        case "accepted" | "returned":
            return review(attempt, body, by=by)
        case "received":
            return receive_again(attempt, body, by=by)
        case "appealed":
            return appeal(attempt, body, by=by)
        case "answered":
            return answer(attempt, body, by=by)
        case "undone":
            return undo(attempt, body, by=by)
        case _:
            return rule_on_sample(attempt, body, by=by)
