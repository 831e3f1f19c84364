"""What a verdict and the decisions about an attempt mean for its standing."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, Literal, NamedTuple

from leaderboard.rules.admission.verdicts import AdmissionVerdict

ReviewMode = Literal["none", "flagged", "all"]
"""Which attempts reviewers look at before they count."""


class AttemptStanding(IntEnum):
    """Whether an attempt counts, and if not, why: it may not stand on the board (yet)."""

    COUNTS = 0
    IN_REVIEW = 1
    RETURNED = 2
    NOT_ADMITTED = 3


REVIEWED: Final = ("received", "accepted", "returned")
"""The kinds of decisions that a review consists of."""


class ReviewDecision(NamedTuple):
    """A decision of a review: its kind, and who made it (None: nobody, or an erased account)."""

    kind: str
    by: int | None


def standing_of(
    verdict: AdmissionVerdict,
    review: ReviewMode,
    decisions: Iterable[ReviewDecision],
    needed: int = 1,
) -> AttemptStanding:
    """Whether an attempt counts.

    decisions: those of its review that are not undone, the oldest first. needed: how many reviewers
    must have accepted it since it was last received or returned. A refused attempt counts if
    reviewers have accepted it all the same; it waits for them if its participant has asked for a
    review, or the first of two has accepted it.
    """
    accepted: list[int | None] = []
    last, by = "", None
    for decision in decisions:
        last, by = decision
        if last == "accepted":
            accepted.append(decision.by)
        else:
            accepted = []
    if last == "accepted" and _reviewers(accepted) >= needed:
        return AttemptStanding.COUNTS
    if last == "returned":
        return AttemptStanding.RETURNED
    if last == "accepted" or by is not None:
        return AttemptStanding.IN_REVIEW
    if verdict == "refused":
        return AttemptStanding.NOT_ADMITTED
    if last:
        return AttemptStanding.IN_REVIEW
    is_reviewed = review == "all" or (review == "flagged" and verdict == "flagged")
    return AttemptStanding.IN_REVIEW if is_reviewed else AttemptStanding.COUNTS


def _reviewers(accepted: Iterable[int | None]) -> int:
    """How many different people; each acceptance of an erased account is one of its own."""
    people = list(accepted)
    return len({by for by in people if by is not None}) + people.count(None)
