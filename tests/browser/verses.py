"""A world of verses: translation challenges with references, and attempts at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.schemas.documents import parse_document, parse_outputs
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.challenges.references import store_references
from tests.browser.world import PASSWORD
from tests.helpers.attempts import attempt_of, score_all
from tests.people import organiser_of

LONG = "The rain in the hills is older than the road that it washes away. " * 8
EXPECTED: dict[str, tuple[str, list[str]]] = {
    "short": ("Guten Tag", ["Good day", "Hello"]),
    "arabic": ("Wie geht es dir?", ["كيف حالك؟"]),
    "markup": ("<script>alert(1)</script> **fett**", ["<b>bold</b> & <script>alert(2)</script>"]),
    "long": (LONG, [LONG, LONG.upper()]),
    "lines": ("Ein\n  Gedicht", ["A\n  poem"]),
    "an-id-that-is-as-long-as-no-column-likes-it-but-some-files-have-them": ("Ja", ["Yes"]),
} | {f"n{at:02}": (f"Satz {at}", [f"Sentence number {at}"]) for at in range(54)}
OUTPUTS: dict[str, Any] = {name: expected[0] for name, (_, expected) in EXPECTED.items()} | {
    "short": ["Good evening", "Hello"],
    "arabic": "كيف حالك اليوم؟",
    "lines": None,
    "n00": "",
    "n01": "Nothing like it",
    "n02": "<img src=x onerror=alert(3)>" * 20,
}
ROUGE = {"types": ["rouge1", "rouge2", "rougeL", "rougeLsum"], "tokenizer": "unicode"}


@dataclass(frozen=True, slots=True)
class Verses:
    """`open` shows its references, `closed` does not; `attempt` is at `open`."""

    open: Challenge
    closed: Challenge
    attempt: Attempt
    hidden: Attempt


def make_verses() -> Verses:
    """Make the world: Ann organises, Ben participates."""
    tenant = Tenant.objects.create(slug="default", name="Default")
    ann = organiser_of(tenant, "ann", password=PASSWORD, is_staff=True)
    ben = User.objects.create_user("ben", password=PASSWORD)
    public = shared(tenant, ann, "Verses", references_visibility="public")
    closed = shared(tenant, ann, "Riddles")
    attempts = [submitted(challenge, ben, "Borealis") for challenge in (public, closed)]
    submitted(public, ben, "Atlas", dict.fromkeys(EXPECTED, "Hello"))
    score_all()
    return Verses(public, closed, *attempts)


def shared(tenant: Tenant, ann: User, name: str, **fields: Any) -> Challenge:
    defaults = {
        "name": name,
        "scoring_strategy": "metric",
        "rank_by": [{"key": "F1"}],
        "text_metrics": ["F1", "EDIT_DISTANCE", {"id": "ROUGE", "parameters": ROUGE}],
        "max_outputs": 2,
    }
    challenge = create_challenge(tenant=tenant, user=ann, fields=defaults | fields)
    rows = [
        {"id": instance_id, "input": asked, "expected-output": expected}
        for instance_id, (asked, expected) in EXPECTED.items()
    ]
    store_references(challenge, user=ann, document=parse_document({"instances": rows}))
    challenge.refresh_from_db()
    return challenge


def submitted(
    challenge: Challenge, user: User, name: str, outputs: dict[str, Any] = OUTPUTS
) -> Attempt:
    return attempt_of(user, challenge, name, outputs=parse_outputs(outputs))
