"""Slugs made from names: always valid, always unused."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.models import Challenge, Tenant
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.challenges.slugs import slug_of
from leaderboard.services.competition.participants.participant_batch import slugs_of
from tests.databases import rows_taken_back
from tests.people import organiser_of, participant_named
from tests.services.refusals import check_refusals
from tests.services.threads import at_once

VALID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def test_a_slug_is_made_from_the_name() -> None:
    slugs = {
        "Prompt escape": "prompt-escape",
        "MMLU_Pro": "mmlu-pro",
        "__init__": "init",
        "pass@1 (strict)": "pass1-strict",
        "Straße & Ärger": "strasse-arger",
        "日本語": "challenge",
        "日本語 2026": "2026",
        "🏆": "challenge",
        "---": "challenge",
        "a" * 79 + " b": "a" * 79,
        "a" * 100: "a" * 80,
    }
    assert {name: slug_of(name) for name in slugs} == slugs


@given(st.text(max_size=120))
def test_a_slug_is_always_valid(name: str) -> None:
    slug = slug_of(name)
    assert VALID.fullmatch(slug)
    assert len(slug) <= 80


@pytest.fixture
def create(db: None) -> Callable[..., Challenge]:
    tenant = Tenant.objects.create(slug="default", name="Default")

    def created(name: str, **fields: Any) -> Challenge:
        return create_challenge(
            tenant=tenant, user=None, fields={"name": name, "scoring_strategy": "first", **fields}
        )

    return created


def test_a_second_slug_from_the_same_name_has_a_number(create: Callable[..., Challenge]) -> None:
    numbers = [str(at) for at in range(2, 13)]
    for name in ("MMLU_Pro", "日本語", "a" * 80, "a" * 77 + " bcd"):
        with rows_taken_back():
            first, *later_slugs = (create(name).slug for _ in range(12))
        assert first == slug_of(name)
        assert [slug.rpartition("-")[2] for slug in later_slugs] == numbers, name
        assert all(VALID.fullmatch(slug) and len(slug) <= 80 for slug in later_slugs), name


def test_a_slug_that_is_taken_is_skipped_or_refused(create: Callable[..., Challenge]) -> None:
    create("Other", slug="sprint-2")
    assert [create("Sprint").slug for _ in range(2)] == ["sprint", "sprint-3"]
    check_refusals(
        lambda slug: create("Another", slug=slug),
        [("sprint", "slug", "got sprint, which is taken")],
        code="conflict",
    )


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_challenges_get_different_slugs() -> None:
    tenant = Tenant.objects.create(slug="default", name="Default")
    together = threading.Barrier(4)

    def create_one() -> str:
        together.wait(90)
        fields = {"name": "MMLU_Pro", "scoring_strategy": "first"}
        return create_challenge(tenant=tenant, user=None, fields=fields).slug

    assert set(at_once([create_one] * 4)) == {"mmlu-pro", "mmlu-pro-2", "mmlu-pro-3", "mmlu-pro-4"}


@pytest.mark.django_db
def test_slugs_of_participants_fit_into_urls() -> None:
    """They are part of URLs, which allow letters, digits, hyphens and underscores."""
    tenant = Tenant.objects.create(slug="default", name="Default")
    user = organiser_of(tenant, "alice")
    challenge = Challenge(tenant=tenant)
    for handle in ("MMLU_Pro", "日本語", "🏆", "a" * 99 + " b", "-", "a_" * 60, "GPT 4 (turbo)"):
        slug = participant_named(challenge=challenge, handle=handle, user=user, organiser=True).slug
        assert re.fullmatch(r"[a-z0-9]([-_a-z0-9]*[a-z0-9])?", slug), handle
        assert len(slug) <= 140, handle


def test_a_german_name_keeps_all_of_its_letters() -> None:
    assert next(slugs_of("Straße ÄÖ")) == "strasse-ao"
