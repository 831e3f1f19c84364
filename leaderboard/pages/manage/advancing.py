"""The part of the page of phases that moves the best of a phase into the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.forms.schema_fields import whole_number
from leaderboard.languages.translation import count_text
from leaderboard.models import Challenge, Phase, User
from leaderboard.pages.labels.rank_ranges import RankRange, rank_range_of
from leaderboard.schemas.advances import ADVANCE
from leaderboard.schemas.errors import SchemaError, checked
from leaderboard.services.attempts.advance import Advance, Moved, advance
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainties_in
from leaderboard.services.errors import ServiceError, refused


@dataclass(frozen=True, slots=True)
class Candidates:
    """The participants who would advance, or the error. best: the number as it was typed.

    certain: how certain the order of the phase is, None if nothing is known."""

    phase: Phase
    best: str
    advance: Advance | None
    error: str
    certain: VisibleCertainty | None = None

    @property
    def count(self) -> str:
        """How many would move, in words."""
        return moved_text(len(self.advance.moved) if self.advance else 0)

    @property
    def moved(self) -> list[tuple[Moved, RankRange]]:
        """Those who would move, with their rank intervals."""
        moved = self.advance.moved if self.advance else ()
        return [(one, rank_range_of(self.certain, one.attempt)) for one in moved]


def candidates(challenge: Challenge, access: Access, phase: Phase, best: str) -> Candidates:
    """The participants who would advance with this number; none if it is empty."""
    if not best:
        return Candidates(phase, "", None, "")
    try:
        moving = move_best(phase, best, user=None, dry_run=True)
    except ServiceError as error:
        return Candidates(phase, best, None, error.message)
    certain = certainties_in(challenge, access).get(phase.pk)
    return Candidates(phase, best, moving, "", certain)


def move_best(phase: Phase, best: str, *, user: User | None, dry_run: bool = False) -> Advance:
    """Move the best into the next phase. best: a number as text. Raises ServiceError."""
    fields: Mapping[str, object] = {"best": whole_number(best)}
    try:
        asked = checked(ADVANCE, fields)
    except SchemaError as error:
        raise refused(error) from None
    return advance(phase, asked, user=user, dry_run=dry_run)


def to_advance(phases: Sequence[Phase], now: datetime) -> set[str]:
    """The slugs of the phases whose best can be moved into the next one now."""
    return {
        phase.slug
        for phase, into in pairwise(phases)
        if phase.advanced_at is None
        and phase.has_ended(now)
        and (into.closes_at is None or now < into.closes_at)
    }


def moved_text(count: int) -> str:
    text = ngettext("{count} attempt", "{count} attempts", count)
    return text.format(count=count_text(count))


def done_text(done: Advance) -> str:
    return _("Moved into {phase}: {count}.").format(
        phase=done.into, count=moved_text(len(done.moved))
    )
