"""Statements whose SQL is built once return what the ORM returns."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db.models import F
from django.db.models.functions import Now

from leaderboard.models import Attempt, Challenge, User
from leaderboard.models.built_once import Lookup, Update, Values
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.claims import read_claimed

pytestmark = pytest.mark.django_db

NESTED = (
    "participant",
    "submitted_by",
    "scoring_config__challenge__tenant",
    "challenge__shown_config__challenge__tenant",
)


@pytest.fixture
def attempts(sprint: Challenge, alice: User) -> list[UUID]:
    news = [
        NewAttempt(
            participant=name,
            metrics={"succeeded": True, "rating": 8.5, "elapsed_ms": 5},
            values={"solved": 3},
            meta={"model": "m"},
        )
        for name in ("a", "b")
    ]
    accepted = submit_many(challenge=sprint, user=alice, news=news).accepted
    return [attempt.pk for attempt in accepted]


def columns(row: Any) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_an_instance_is_read_with_its_related_objects(
    attempts: list[UUID], django_assert_num_queries: Any
) -> None:
    lookup = Lookup(
        lambda pk: Attempt.objects.filter(pk=pk).select_related(*NESTED),
        pk=UUID,
    )
    for pk in attempts:
        expected = Attempt.objects.select_related(*NESTED).get(pk=pk)
        with django_assert_num_queries(1):
            instance = lookup.get(pk=pk)
            assert columns(instance) == columns(expected)
            for name in ("participant", "submitted_by", "scoring_config", "challenge"):
                assert columns(getattr(instance, name)) == columns(getattr(expected, name))
            shown_config, own = instance.challenge.shown, instance.scoring_config
            assert columns(shown_config) == columns(expected.challenge.shown)
            assert shown_config.challenge.tenant == own.challenge.tenant


def test_a_claimed_attempt_is_read_with_all_that_scoring_needs(
    attempts: list[UUID], sprint: Challenge, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(1):
        claimed = read_claimed(attempts[0])
        assert claimed.scoring_config is claimed.challenge.shown is claimed.challenge.newest
        assert claimed.scoring_config.challenge.tenant.slug
    change_challenge(sprint, user=None, fields={"scoring_strategy": "first"})
    expected = Attempt.objects.get(pk=attempts[0]).challenge
    with django_assert_num_queries(2):
        claimed = read_claimed(attempts[0])
        assert claimed.challenge.newest.number == 2
        assert claimed.challenge.newest.challenge is claimed.challenge
        assert claimed.scoring_config.challenge.tenant == claimed.challenge.tenant
    assert claimed.challenge.shown == expected.shown


def test_several_instances_are_read(attempts: list[UUID]) -> None:
    lookup = Lookup(
        lambda first, second: Attempt.objects.filter(pk__in=[first, second]).order_by("pk"),
        first=UUID,
        second=UUID,
    )
    assert [
        instance.pk for instance in lookup.instances(first=attempts[0], second=attempts[1])
    ] == sorted(attempts)
    assert [
        instance.pk for instance in lookup.instances(first=attempts[1], second=uuid4())
    ] == attempts[1:]


def test_a_missing_instance_raises_does_not_exist(attempts: list[UUID]) -> None:
    lookup = Lookup(lambda pk: Attempt.objects.filter(pk=pk), pk=UUID)
    with pytest.raises(Attempt.DoesNotExist):
        lookup.get(pk=uuid4())


def test_tuples_of_values_are_read(attempts: list[UUID]) -> None:
    slow = Values(
        lambda pk, least: Attempt.objects.filter(pk=pk, elapsed_ms__gte=least).values_list(
            "elapsed_ms", "rating"
        ),
        pk=UUID,
        least=int,
    )
    assert slow.all(pk=attempts[0], least=5) == [(5, 8.5)]
    assert slow.all(pk=attempts[0], least=6) == []


def test_an_update_takes_all_kinds_of_parameters(attempts: list[UUID]) -> None:
    update = Update(
        lambda pk, token, note, lease, most: (
            Attempt.objects.filter(pk=pk, deliveries__lt=most),
            {
                "lease_token": token,
                "lease_until": Now() + lease,
                "deliveries": F("deliveries") + 1,
                "note": note,
            },
        ),
        pk=UUID,
        token=UUID,
        note=str,
        lease=timedelta,
        most=int,
    )
    token = uuid4()
    changed = {"token": token, "note": "50 % of “it”", "lease": timedelta(hours=1)}
    assert update.run(pk=attempts[0], most=1, **changed) == 1
    assert update.run(pk=attempts[0], most=1, **changed) == 0
    attempt, other = (Attempt.objects.get(pk=pk) for pk in attempts)
    assert (attempt.lease_token, attempt.deliveries, attempt.note) == (token, 1, changed["note"])
    assert attempt.lease_until is not None
    waits = attempt.lease_until - attempt.submitted_at
    assert timedelta(minutes=59) < waits < timedelta(minutes=70)
    assert (other.lease_token, other.deliveries) == (None, 0)


def test_an_unused_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match="no parameter token"):
        Values(
            lambda pk, token: Attempt.objects.filter(pk=pk).values_list("note"), pk=UUID, token=UUID
        ).all(pk=uuid4(), token=uuid4())
