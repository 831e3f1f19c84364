"""Why an attempt has no score: the codes that the API, the pages and the admin know."""

from __future__ import annotations

from typing import Literal, get_args

FailureCode = Literal[
    "timeout",
    "exception",
    "invalid_result",
    "load_error",
    "crashed",
    "out_of_memory",
    "not_installed",
    "worker_lost",
    "cancelled",
]

FAILURE_CODES: tuple[FailureCode, ...] = get_args(FailureCode)
OF_THE_HOST: frozenset[FailureCode] = frozenset(("timeout", "crashed", "out_of_memory"))
"""Failures of a description that an overfull host may have caused."""
FROM_OUTSIDE: frozenset[FailureCode] = frozenset(("worker_lost", "cancelled"))
"""Failures of an attempt whose plugin gave no answer; the others say what a plugin did."""
