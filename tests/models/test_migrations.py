"""The effect of migrations on existing data."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Count

from leaderboard.models import Attempt, Challenge, Participant, Phase, ScoringConfig, Tenant
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from tests.people import tenant
from tests.services.attempts.crowds import crowd

__all__ = ["tenant"]

pytestmark = pytest.mark.django_db


def test_the_copied_database_is_up_to_date() -> None:
    """The tests' database is a copy of one that an earlier run may have migrated."""
    executor = MigrationExecutor(connection)
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
    assert ContentType.objects.filter(app_label="leaderboard", model="attempt").exists()


def test_existing_boards_declare_their_rank_keys(tenant: Tenant) -> None:
    challenge = Challenge.objects.create(
        tenant=tenant, slug="old", name="Old", columns=[{"key": "cost"}, {"key": "mean:x"}]
    )
    config = ScoringConfig.objects.create(
        challenge=challenge,
        number=1,
        strategy="metric",
        metrics=["mean", {"type": "max", "name": "best"}],
        text_metrics=["CHRF", {"id": "F1", "name": "f"}],
        rank_by=[
            {"key": key, "direction": "desc"} for key in ("pass@1", "best", "f:f1", "mean_rewrad")
        ],
    )
    Challenge.objects.update(newest_config=config, shown_config=config)
    migration = import_module("leaderboard.migrations.0004_metric_rules")
    migration.declare_reported_values(apps, None)
    challenge = Challenge.objects.get()
    assert challenge.values == ["pass@1", "mean_rewrad", "cost"]
    change_challenge(challenge, user=None, fields={"counting": "latest"})
    change_challenge(
        challenge, user=None, fields={"values": ["pass@1"], "rank_by": [{"key": "pass@1"}]}
    )
    assert challenge.newest.ranked_keys == ["pass@1"]


def test_participants_of_private_challenges_are_found(tenant: Tenant) -> None:
    made = {}
    for slug in ("open", "hidden"):
        visibility = "private" if slug == "hidden" else "public"
        challenge = Challenge.objects.create(
            tenant=tenant, slug=slug, name=slug, visibility=visibility
        )
        made[slug] = ScoringConfig.objects.create(challenge=challenge, number=1, strategy="first")
    for name, places in (("a", ["hidden"]), ("b", ["hidden", "open"]), ("c", ["open"]), ("d", [])):
        who = Participant.objects.create(tenant=tenant, handle=name, handle_key=name, slug=name)
        for slug in places:
            config = made[slug]
            Attempt.objects.create(
                tenant=tenant, challenge=config.challenge, participant=who, scoring_config=config
            )
    migration = import_module("leaderboard.migrations.0011_private_participants")
    migration.find_private_ones(apps, None)
    assert set(Participant.objects.values_list("handle", "is_private")) == {
        ("a", True),
        ("b", False),
        ("c", False),
        ("d", False),
    }


def test_existing_challenges_and_attempts_get_a_phase(tenant: Tenant) -> None:
    fields = {"name": "Crowd", "scoring_strategy": "fastest"}
    old, new = (create_challenge(tenant=tenant, user=None, fields=fields) for _ in range(2))
    final = Phase.objects.create(challenge=new, slug="final", position=1)
    old.phases.all().delete()
    for challenge in (old, new):
        crowd(challenge, participants=2, attempts=3, seed=1)
    Attempt.objects.update(phase=None)
    Attempt.objects.filter(pk=Attempt.objects.filter(challenge=new)[0].pk).update(phase=final)
    migration = import_module("leaderboard.migrations.0027_default_phases")
    migration.make_phases(apps, None)
    migration.fill_phases(apps, None)
    (only,) = old.phases.all()
    assert (only.slug, only.opens_at, only.closes_at, only.has_limits) == (
        "main",
        None,
        None,
        False,
    )
    main = new.phases.get(slug="main")
    counts = Attempt.objects.order_by("phase").values_list("phase").annotate(Count("pk"))
    assert dict(counts) == {only.pk: 3, main.pk: 2, final.pk: 1}
