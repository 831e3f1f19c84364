"""Documents and challenges of text evaluation for tests of several folders."""

from __future__ import annotations

from typing import Any

from leaderboard.models import Challenge, Tenant, User
from leaderboard.rules.rewards.documents import Document
from leaderboard.schemas.documents import parse_document
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.challenges.references import store_references

EXPECTED = {"1": ["good morning", "hello"], "2": ["thank you"], "3": ["the cat sleeps"]}


def instances(**outputs: Any) -> list[dict[str, Any]]:
    """Return the instances of EXPECTED with inputs, and with those outputs that are given by id."""
    return [
        {"id": instance_id, "input": f"input {instance_id}", "expected-output": expected}
        | ({"actual-output": outputs[instance_id]} if instance_id in outputs else {})
        for instance_id, expected in EXPECTED.items()
    ]


def document(*metrics: Any, **more: Any) -> Document:
    """Return a complete document, with outputs for two of its three instances."""
    rows = instances(**{"1": "hello", "2": ["thanks", "thank you"]})
    return parse_document({"instances": rows, "metrics": list(metrics), **more})


def translation(tenant: Tenant, user: User | None, **fields: Any) -> Challenge:
    """Make a challenge that ranks by exact match."""
    defaults: dict[str, Any] = {
        "name": "Translation",
        "scoring_strategy": "metric",
        "text_metrics": ["exact_match"],
        "rank_by": [{"key": "EXACT_MATCH"}],
    }
    return create_challenge(tenant=tenant, user=user, fields=defaults | fields)


def shared_task(tenant: Tenant, user: User | None, **fields: Any) -> Challenge:
    """Make a challenge that ranks by exact match and has references."""
    challenge = translation(tenant, user, **fields)
    store_references(challenge, user=user, document=parse_document({"instances": instances()}))
    challenge.refresh_from_db()
    return challenge
