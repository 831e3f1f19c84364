"""Participants in the admin, with the names that look like others'."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Challenge
from tests.admin.conftest import Submit

pytestmark = pytest.mark.django_db

LIST = "/admin/leaderboard/participant/"


def shown(page: bytes) -> str:
    return " ".join(page.decode().split())


def test_the_list_shows_similar_names(as_nora: Client, sprint: Challenge, submit: Submit) -> None:
    for name in ("Atlas", "At1as", "Boreas"):
        submit(sprint, name, elapsed_ms=5)
    page = shown(as_nora.get(LIST).content)
    assert '<td class="field-looks_like">At1as</td>' in page
    assert '<td class="field-looks_like">Atlas</td>' in page
    assert page.count("field-looks_like") == 3
    one = shown(as_nora.get(f"{LIST}?q=At1as").content)
    assert one.count("field-looks_like") == 1


def test_the_filter_shows_only_similar_names(
    as_nora: Client, sprint: Challenge, submit: Submit
) -> None:
    for name in ("Atlas", "At1as", "Boreas"):
        submit(sprint, name, elapsed_ms=5)
    page = shown(as_nora.get(f"{LIST}?looks_like=another").content)
    assert page.count("field-looks_like") == 2
    assert "Boreas" not in page


def test_the_page_of_a_participant_shows_similar_names(
    as_nora: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "Atlas", elapsed_ms=5)
    participant = submit(sprint, "At1as", elapsed_ms=5).participant
    page = shown(as_nora.get(f"{LIST}{participant.pk}/change/").content)
    assert '<div class="readonly">Atlas</div>' in page


def test_names_of_other_tenants_are_not_shown(
    as_sven: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "Atlas", elapsed_ms=5)
    submit(sprint, "At1as", elapsed_ms=5)
    page = shown(as_sven.get(f"{LIST}?looks_like=another").content)
    assert "Atlas" not in page


def test_a_long_list_takes_as_many_queries_as_a_short_one(
    as_nora: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "Atlas", elapsed_ms=5)
    with CaptureQueriesContext(connection) as few:
        as_nora.get(LIST)
    for at in range(10):
        submit(sprint, f"m{at}", elapsed_ms=5)
        submit(sprint, f"rn{at}", elapsed_ms=5)
    with CaptureQueriesContext(connection) as many:
        as_nora.get(LIST)
    assert len(many) == len(few)
