"""Request ids, and the log lines that have them."""

from __future__ import annotations

import re

import pytest
from structlog.contextvars import bound_contextvars, get_contextvars

from leaderboard.operating.request_ids import caused_by, current_request_id, request_id_of


@pytest.mark.parametrize("given", ["from-the-proxy.1", "0123abcd", "a" * 64])
def test_a_valid_given_id_is_used(given: str) -> None:
    assert request_id_of(given) == given


def test_any_other_id_is_replaced() -> None:
    cases: list[str] = ["", "short", "a" * 65, "two words", "zwölf-zeichen", "line-end\n"]
    for given in cases:
        first, second = request_id_of(given), request_id_of(given)
        assert re.fullmatch("[0-9a-f]{16}", first), given
        assert first != second, given


def test_work_has_only_the_id_of_its_own_request() -> None:
    """A worker scores a short attempt while it evaluates a long one."""
    assert current_request_id() == ""
    with caused_by("request-1", attempt="long"):
        with caused_by("request-2", attempt="short"):
            assert get_contextvars() == {"request_id": "request-2", "attempt": "short"}
        with caused_by(""):
            assert get_contextvars() == {}
            assert current_request_id() == ""
        assert get_contextvars() == {"request_id": "request-1", "attempt": "long"}
        assert current_request_id() == "request-1"
    assert get_contextvars() == {}


def test_the_outer_id_is_restored_after_an_error() -> None:
    with bound_contextvars(request_id="request-1"):
        with pytest.raises(ValueError, match="broken"), caused_by("request-2"):
            raise ValueError("broken")
        assert current_request_id() == "request-1"
