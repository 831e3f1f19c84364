from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

Code = Literal[
    "invalid",
    "permission_denied",
    "not_found",
    "conflict",
    "closed",
    "too_large",
    "throttled",
    "unavailable",
]


class ServiceError(Exception):
    """A verb will not do what it was asked to, and says why in words fit for the user.

    `fields` names what is wrong by its path in the request (`metrics.tokens_total`); `more` is how
    many places are wrong beside those. `map` is, of a table that was not imported, what its columns
    would be used for. `retry_after`: seconds after which the same may be taken.
    """

    map: Sequence[Any] = ()
    retry_after: int | None = None

    def __init__(
        self, code: Code, message: str, fields: Mapping[str, list[str]] | None = None, more: int = 0
    ) -> None:
        super().__init__(message)
        self.code: Code = code
        self.message = message
        self.fields = dict(fields or {})
        self.more = more


def invalid(field: str, message: str) -> ServiceError:
    """One wrong field."""
    return ServiceError("invalid", f"{field}: {message}", {field: [message]})
