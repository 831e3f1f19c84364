"""Participants in the admin, with the names that look like others'."""

from __future__ import annotations

from django.test import Client

from leaderboard.models import Challenge
from tests.admin.conftest import Submit

LIST = "/admin/leaderboard/participant/"


def test_similar_names_are_listed_filtered_and_shown(
    as_nora: Client, as_sven: Client, sprint: Challenge, submit: Submit
) -> None:
    attempts = [submit(sprint, name, elapsed_ms=5) for name in ("Atlas", "At1as", "Boreas")]
    page = as_nora.get(LIST).content.decode()
    for name in ("At1as", "Atlas"):
        assert f'field-looks_like">{name}<' in page
    rows = {
        query: as_nora.get(f"{LIST}{query}").content.decode().count("field-looks_like")
        for query in ("", "?q=At1as", "?looks_like=another")
    }
    assert rows == {"": 3, "?q=At1as": 1, "?looks_like=another": 2}
    change = as_nora.get(f"{LIST}{attempts[1].participant_id}/change/").content.decode()
    assert '"readonly">Atlas<' in change
    assert "Atlas" not in as_sven.get(f"{LIST}?looks_like=another").content.decode()
