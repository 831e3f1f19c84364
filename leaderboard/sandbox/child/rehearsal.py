"""Run Podium's own scorers on an attempt in the fork server, before any child is forked.

A child pays for each page of memory that it is the first to write to. Python writes when it first
looks up an attribute or runs a function: it caches the result, and replaces instructions by faster
ones. These writes happen here once for all children. Only trusted code runs here, because no right
has been dropped yet.
"""

import io
import json
import marshal
import sys
from contextlib import suppress

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.kinds import KINDS
from leaderboard.rules.plugins.shipped import SHIPPED_SCORERS
from leaderboard.sandbox.child import plugins, scoring
from leaderboard.sandbox.contract import SHIPPED_PACKAGE
from leaderboard.sandbox.jobs import SentScoreJob

TIMES = 20
"""Python replaces the instructions of a function after some eight to sixteen calls."""

_METRICS: JsonObject = {
    "succeeded": True,
    "tokens_total": 1000,
    "elapsed_ms": 1000,
    "rating": 5,
    "created_at": 0,
    "cost_usd": None,
    "values": {},
}
_CTX: JsonObject = {
    **dict.fromkeys(("tenant_id", "app_id", "workflow_id", "challenge_id", "end_user_id"), ""),
    **dict.fromkeys(("received_at", "closes_at", "timeout_ms"), 1000),
}


def rehearse() -> list[str]:
    """Score an invented attempt with each shipped scorer that is imported; returns the answers."""
    answers: list[str] = []
    for entrypoint in _scorers():
        for _ in range(TIMES):
            with suppress(Exception):  # a child reports the error
                scoring.answer_scores(_job(entrypoint), io.BytesIO(_request()), answers.append)
    return answers


def _scorers() -> list[str]:
    """Entry points of shipped scorers. A sandbox without them has not imported any."""
    return [
        f"{module}:{name}"
        for module in SHIPPED_SCORERS
        if module in sys.modules
        for name, value in vars(sys.modules[module]).items()
        if plugins.is_plugin(value, module, KINDS["scorer"])
    ]


def _job(entrypoint: str) -> SentScoreJob:
    """A job as a child reads it: see `scoring`."""
    job: SentScoreJob = json.loads(
        json.dumps(
            {
                "verb": "score",
                "kind": "scorer",
                "packages": [SHIPPED_PACKAGE],
                "installed": [],
                "entrypoint": entrypoint,
                "config": {},
                "batch": False,
                "code": "",
                "token": "",
                "output_bytes": 0,
            }
        )
    )
    return job


def _request() -> bytes:
    window = marshal.dumps([(_METRICS, _CTX)])
    return len(window).to_bytes(4, "little") + window
