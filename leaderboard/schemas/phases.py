"""The phases of a challenge: in which order they may follow one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, Final

from pydantic import AfterValidator

from leaderboard.rules.texts.messages import Message, message
from leaderboard.schemas.base import Items
from leaderboard.schemas.choices import Counting
from leaderboard.schemas.errors import WrongPart
from leaderboard.schemas.phase_fields import PhaseFields

MAX_PHASES: Final = 20


def _in_order(phases: tuple[PhaseFields, ...]) -> tuple[PhaseFields, ...]:
    """Refuse phases that share a slug, that close before they open, or that overlap.

    In a phase with a least improvement the best attempt counts, whatever the challenge says.
    """
    for place, wrong in _faults(phases):
        raise WrongPart(place, wrong)
    return tuple(
        phase.model_copy(update={"counting": Counting.BEST}) if phase.least_improvement else phase
        for phase in phases
    )


def _faults(phases: Sequence[PhaseFields]) -> Iterator[tuple[str, Message]]:
    slugs: set[str] = set()
    for at, phase in enumerate(phases):
        if phase.slug in slugs:
            yield (
                f"{at}.slug",
                message("must be one that no other phase has; got {slug}", slug=phase.slug),
            )
        slugs.add(phase.slug)
        if phase.opens_at and phase.closes_at and phase.opens_at >= phase.closes_at:
            wrong = message("must be after opens_at; got {moment}", moment=written(phase.closes_at))
            yield f"{at}.closes_at", wrong
        if phase.scores_delayed and phase.closes_at is None:
            yield (
                f"{at}.scores_delayed",
                message("must be false in a phase that never closes; got true"),
            )
        if phase.least_improvement and phase.counting not in (None, Counting.BEST):
            yield (
                f"{at}.least_improvement",
                message(
                    "must be null unless the best attempt counts; got {sent}",
                    sent=phase.least_improvement,
                ),
            )
        if phase.significant_improvement and not phase.least_improvement:
            wrong = message("must be false without a least_improvement; got true")
            yield f"{at}.significant_improvement", wrong
        yield from _freeze(at, phase)
    plain = [(at, phase) for at, phase in enumerate(phases) if not phase.overlaps]
    for before, after in pairwise(plain):
        yield from _overlap(*before, *after)


def _freeze(at: int, phase: PhaseFields) -> Iterator[tuple[str, Message]]:
    """Why a phase cannot freeze then, or be revealed then."""
    frozen, revealed = phase.freezes_at, phase.reveals_at
    if frozen and phase.opens_at and frozen <= phase.opens_at:
        wrong = message("must be after opens_at; got {moment}", moment=written(frozen))
        yield f"{at}.freezes_at", wrong
    if frozen and phase.closes_at and frozen > phase.closes_at:
        wrong = message("must not be after closes_at; got {moment}", moment=written(frozen))
        yield f"{at}.freezes_at", wrong
    if revealed and (frozen is None or revealed <= frozen):
        wrong = message("must be after freezes_at; got {moment}", moment=written(revealed))
        yield f"{at}.reveals_at", wrong


def _overlap(
    earlier: int, before: PhaseFields, at: int, phase: PhaseFields
) -> Iterator[tuple[str, Message]]:
    """Why two phases, of which none may overlap others, cannot follow one another."""
    if before.closes_at is None:
        yield (
            f"{earlier}.closes_at",
            message("must be a date, because another phase follows; got null"),
        )
    elif phase.opens_at is None or phase.opens_at < before.closes_at:
        yield (
            f"{at}.opens_at",
            message(
                "must not be before {moment}, when the phase before it closes; got {sent}",
                moment=written(before.closes_at),
                sent=written(phase.opens_at) if phase.opens_at else "null",
            ),
        )


def written(moment: datetime) -> str:
    """A time in the form of the API."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


Phases = Annotated[tuple[PhaseFields, ...], Items(MAX_PHASES), AfterValidator(_in_order)]
