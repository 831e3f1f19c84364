"""What became of each draft of a bulk, by its position in the request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from leaderboard.services.attempts.drafts import Draft
from leaderboard.services.attempts.new_attempts import Accepted, BulkResult, Renamed
from leaderboard.services.errors import ServiceError

Refusals = dict[int, ServiceError]
"""Errors by the position of the draft."""


@dataclass(slots=True)
class Outcomes:
    """The accepted attempts and the errors; a draft that has neither is pending."""

    accepted: dict[int, Accepted] = field(default_factory=dict)
    refusals: dict[int, ServiceError] = field(default_factory=dict)

    def accept(self, attempts: Mapping[int, Accepted]) -> None:
        self.accepted.update(attempts)

    def refuse(self, refusals: Mapping[int, ServiceError]) -> None:
        self.refusals.update(refusals)

    def pending(self, drafts: Iterable[Draft]) -> list[Draft]:
        decided = self.accepted.keys() | self.refusals.keys()
        return [draft for draft in drafts if draft.position not in decided]

    def result(self, drafts: Sequence[Draft]) -> BulkResult:
        """The result for the one who sent the drafts, in their order; errors by position."""
        attempts = [
            (draft, self.accepted[draft.position])
            for draft in drafts
            if draft.position in self.accepted
        ]
        renamed = [
            Renamed(draft.position, draft.new.participant, attempt.handle)
            for draft, attempt in attempts
            if draft.new.participant != attempt.handle
        ]
        return BulkResult(
            [attempt for _draft, attempt in attempts], sorted(self.refusals.items()), renamed
        )
