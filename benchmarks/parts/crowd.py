"""A challenge of any size, written to the database without the services: input for benchmarks."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from leaderboard.models import Attempt, Challenge, Participant, Score, Tenant, User
from leaderboard.models.bulk import insert_rows
from leaderboard.services.challenges.challenges import create_challenge

START = datetime(2026, 1, 1, tzinfo=UTC)
WEIGHTED = {
    "scoring_strategy": "custom",
    "scoring_entrypoint": "scorers.weighted:WeightedScorer",
}


VALUES = ("quality", "recall", "solved")
"""Names of reported values: all different; missing in one of five attempts; 20 different values."""


def make_challenge(name: str, declared: Sequence[str] = ()) -> Challenge:
    """Make a challenge that declares values of these names."""
    tenant, _ = Tenant.objects.get_or_create(slug="bench", defaults={"name": "Bench"})
    fields = {"name": name, **WEIGHTED, "values": [*declared]}
    return create_challenge(tenant=tenant, user=None, fields=fields)


def fill(challenge: Challenge, *, participants: int, attempts: int, scored: bool = True) -> None:
    """Insert attempts by that many participants, with the values that the challenge declares.

    Scores have three decimal places, so that there are ties.
    """
    owner, _ = User.objects.get_or_create(username="bench")
    with transaction.atomic():
        insert_rows(
            Participant,
            (
                "tenant",
                "handle",
                "handle_key",
                "slug",
                "name",
                "skeleton",
                "kind",
                "owner",
                "created_at",
            ),
            (
                (challenge.tenant_id, name, name, name, "", "", "system", owner.pk, START)
                for name in (f"{challenge.slug}-{n:06}" for n in range(participants))
            ),
        )
        keys = list(
            Participant.objects.filter(handle__startswith=challenge.slug)
            .order_by("pk")
            .values_list("pk", flat=True)
        )
        insert_rows(Attempt, _ATTEMPT, _attempts(challenge, keys, attempts, scored=scored))
        if scored:
            insert_rows(Score, _SCORE, _scores(challenge, attempts))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


_ATTEMPT = (
    "id",
    "tenant",
    "challenge",
    "participant",
    "scoring_config",
    "submitted_at",
    "succeeded",
    "tokens_total",
    "elapsed_ms",
    "rating",
    "values",
    "meta",
    "note",
    "idempotency_key",
    "body_hash",
    "status",
    "deliveries",
    "finished_at",
    "withdrawn_reason",
    "phase",
)
_SCORE = (
    "attempt",
    "config",
    "value",
    "raw_value",
    "metric_values",
    "details_note",
    "error_code",
    "error_message",
    "error_detail",
    "output",
    "code",
    "duration_ms",
    "created_at",
)


def _attempts(
    challenge: Challenge, keys: Sequence[int], attempts: int, *, scored: bool
) -> Iterator[tuple[Any, ...]]:
    dice, values_dice = random.Random(1), random.Random(3)
    config, status = challenge.shown.pk, "scored" if scored else "queued"
    phase = challenge.phases.get().pk
    for number in range(attempts):
        moment = START + timedelta(seconds=number)
        key = keys[number % len(keys)]
        facts = (True, dice.randrange(5000), dice.randrange(60_000), dice.randrange(11))
        end = (None, "", "", "", status, 0, moment, "")
        ids = (_id(challenge, number), challenge.tenant_id, challenge.pk)
        reported = dict(values(values_dice, challenge.values))
        yield (*ids, key, config, moment, *facts, reported, {}, *end[1:], phase)


def values(dice: random.Random, names: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield the values of one attempt; `VALUES` says what is special about some names."""
    for name in names:
        if name != "recall" or dice.random() < 0.8:
            yield name, dice.randrange(20) / 20 if name == "solved" else dice.random()


def _scores(challenge: Challenge, attempts: int) -> Iterator[tuple[Any, ...]]:
    dice = random.Random(2)
    for number in range(attempts):
        value = dice.randrange(1_000_000) / 1000
        texts = ("", "", "", "", "", "")
        yield (_id(challenge, number), challenge.shown.pk, value, value, {}, *texts, 1, START)


def _id(challenge: Challenge, number: int) -> UUID:
    """Return an id that, as in production, sorts by time."""
    return UUID(int=(0x0197 << 112) | (challenge.shown.pk << 80) | (7 << 76) | (2 << 62) | number)
