"""Which of several phases a moment belongs to, by their dates."""

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


P = TypeVar("P", bound=Dated)


def open_phase(phases: Sequence[P], moment: datetime) -> P | None:
    """The first phase that the moment belongs to."""
    return next((each for each in phases if each.is_open(moment)), None)


def open_phases(phases: Sequence[P], moment: datetime) -> list[P]:
    """The phases that the moment belongs to; several only if they overlap."""
    return [each for each in phases if each.is_open(moment)]


def next_phase(phases: Sequence[P], moment: datetime) -> P | None:
    """The phase that opens next after the moment."""
    later = [each for each in phases if each.opens_at is not None and each.opens_at > moment]
    return min(later, key=lambda each: each.opens_at or moment, default=None)


def last_phase(phases: Sequence[P], moment: datetime) -> P | None:
    """The phase that closed last before the moment."""
    past = [each for each in phases if each.closes_at is not None and each.closes_at <= moment]
    return max(past, key=lambda each: each.closes_at or moment, default=None)


def nearest_phase(phases: Sequence[P], moment: datetime) -> P:
    """The open phase, else the one that closed last, else the one that opens next."""
    return (
        open_phase(phases, moment)
        or last_phase(phases, moment)
        or next_phase(phases, moment)
        or phases[0]
    )
