"""Which of several phases a moment belongs to, by their dates.

Phases do not overlap unless their organisers allow it (`overlaps`), so that an attempt usually need
not name its phase and a wrong date is refused. If several phases are open, an attempt without a
name is refused with the list of them: a guess could use up an attempt of the wrong limit, and an
attempt never changes its phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, TypeVar


class Dated(Protocol):
    """What has a first moment and a first moment after it; None is no bound."""

    @property
    def opens_at(self) -> datetime | None: ...

    @property
    def closes_at(self) -> datetime | None: ...

    def is_open(self, moment: datetime) -> bool: ...


class FacePhase(Dated, Protocol):
    """A phase that its organisers may name as the face of their challenge."""

    @property
    def face(self) -> bool: ...

    @property
    def overlaps(self) -> bool: ...


P = TypeVar("P", bound=Dated)
F = TypeVar("F", bound=FacePhase)


def open_phase(phases: Sequence[P], moment: datetime) -> P | None:
    """The first phase that the moment belongs to."""
    return next((phase for phase in phases if phase.is_open(moment)), None)


def open_phases(phases: Sequence[P], moment: datetime) -> list[P]:
    """The phases that the moment belongs to; several only if they overlap."""
    return [phase for phase in phases if phase.is_open(moment)]


def next_phase(phases: Sequence[P], moment: datetime) -> P | None:
    """The phase that opens next after the moment."""
    later = [phase for phase in phases if phase.opens_at is not None and phase.opens_at > moment]
    return min(later, key=lambda other: other.opens_at or moment, default=None)


def last_phase(phases: Sequence[P], moment: datetime) -> P | None:
    """The phase that closed last before the moment."""
    past = [phase for phase in phases if phase.closes_at is not None and phase.closes_at <= moment]
    return max(past, key=lambda other: other.closes_at or moment, default=None)


def nearest_phase(phases: Sequence[P], moment: datetime) -> P:
    """The open phase, else the one that closed last, else the one that opens next."""
    return (
        open_phase(phases, moment)
        or last_phase(phases, moment)
        or next_phase(phases, moment)
        or phases[0]
    )


def face_phase(phases: Sequence[F], moment: datetime) -> F:
    """The phase that a challenge shows where none is named.

    Among the phases that organisers have named as its face and that have opened: the open one, else
    the one that closed last. If there are none: the one that closed last, so that a phase for late
    attempts does not replace the final board; before the first end, the nearest. Side tracks, which
    overlap others, then only count if there is nothing else.
    """
    named = [
        phase
        for phase in phases
        if phase.face and (phase.opens_at is None or phase.opens_at <= moment)
    ]
    if named:
        return nearest_phase(named, moment)
    main = [phase for phase in phases if not phase.overlaps] or phases
    return last_phase(main, moment) or nearest_phase(main, moment)
