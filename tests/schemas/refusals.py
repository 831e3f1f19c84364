"""What a schema says of a value that it refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from leaderboard.schemas.errors import SchemaError


def refused(parse: Callable[..., object], *given: object) -> SchemaError:
    """Return the error of a call that must be refused."""
    try:
        parse(*given)
    except SchemaError as error:
        return error
    pytest.fail(f"was accepted: {given!r:.300}")
