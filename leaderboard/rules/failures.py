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
]
"""`worker_lost` is the host's own; the others say what a scorer did."""

FAILURE_CODES: tuple[FailureCode, ...] = get_args(FailureCode)
