"""Errors of services, and tables of what a service refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from leaderboard.services.errors import ServiceError


def refusal(act: Callable[[], object]) -> ServiceError:
    """The error that an action ends with."""
    with pytest.raises(ServiceError) as caught:
        act()
    return caught.value


def check_refusals(
    act: Callable[[Any], object], cases: Iterable[tuple[Any, ...]], code: str = "invalid"
) -> None:
    """Check that each case is refused: an input, the only field of its error, parts of its text."""
    for given, field, *parts in cases:
        case = f"{given!r:.200}"
        error = _error_of(act, given)
        assert error, f"{case} was not refused"
        assert (error.code, list(error.fields)) == (code, [field]), case
        text = error.fields[field][0]
        assert [part for part in parts if part not in text] == [], f"{case}: {text}"


def _error_of(act: Callable[[Any], object], given: Any) -> ServiceError | None:
    try:
        act(given)
    except ServiceError as error:
        return error
    return None
