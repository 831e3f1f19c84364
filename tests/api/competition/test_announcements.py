"""Organisers announce something; everybody who may see the challenge reads it."""

from __future__ import annotations

from typing import Any

from leaderboard.models import Announcement, AuditEntry, Challenge
from tests.api.conftest import Api, refused

LIST = "challenges/sprint/announcements/"


def made(api: Api, **fields: Any) -> dict[str, Any]:
    answer = api.post(LIST, {"title": "Dates", "text": "The *final* moves.", **fields})
    assert answer.status_code == 201
    announcement: dict[str, Any] = answer.json()
    return announcement


def test_announcements_are_listed_for_everybody_the_newest_first(
    organiser: Api, anyone: Api, sprint: Challenge
) -> None:
    first, second = made(organiser), made(organiser, title="Prizes", text="")
    listed = anyone.get(LIST).json()
    assert listed == {"results": [second, first], "next": None}
    assert (first["title"], first["text"]) == ("Dates", "The *final* moves.")
    assert first["changed_at"] is None
    page = anyone.get(f"{LIST}?limit=1").json()
    assert page["results"] == [second]
    assert anyone.get(f"{LIST}?cursor={page['next']}").json()["results"] == [first]


def test_announcements_are_changed_and_deleted(organiser: Api, sprint: Challenge) -> None:
    announcement = made(organiser)
    address = f"{LIST}{announcement['id']}/"
    changed = organiser.patch(address, {"text": "It stays."}).json()
    assert (changed["title"], changed["text"], changed["at"]) == (
        "Dates",
        "It stays.",
        announcement["at"],
    )
    assert changed["changed_at"] is not None
    assert organiser.delete(address).status_code == 204
    refused(organiser.delete(address), 404, "not_found")
    log = AuditEntry.objects.filter(challenge=sprint, kind="announcement").order_by("pk")
    assert [(entry.object, entry.before, entry.after) for entry in log] == [
        ("Dates", None, {"title": "Dates", "text": "The *final* moves."}),
        ("Dates", {"text": "The *final* moves."}, {"text": "It stays."}),
        ("Dates", {"title": "Dates", "text": "It stays."}, None),
    ]


def test_only_organisers_write_them(
    organiser: Api, submitter: Api, stranger: Api, anyone: Api, sprint: Challenge
) -> None:
    address = f"{LIST}{made(organiser)['id']}/"
    for api in (submitter, stranger):
        refused(api.post(LIST, {"title": "A"}), 403, "permission_denied")
        refused(api.patch(address, {"title": "A"}), 403, "permission_denied")
        refused(api.delete(address), 403, "permission_denied")
    refused(anyone.post(LIST, {"title": "A"}), 401, "not_authenticated")
    assert Announcement.objects.get().title == "Dates"


def test_announcements_of_another_challenge_are_not_found(
    organiser: Api, anyone: Api, sprint: Challenge, secret: Challenge
) -> None:
    pk = made(organiser)["id"]
    refused(organiser.delete(f"challenges/secret/announcements/{pk}/"), 404, "not_found")
    refused(anyone.get("challenges/secret/announcements/"), 404, "not_found")


def test_wrong_fields_are_named(organiser: Api, sprint: Challenge) -> None:
    bodies: list[tuple[dict[str, Any], str]] = [
        ({}, "title"),
        ({"title": ""}, "title"),
        ({"title": "a\nb"}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"title": "A", "text": None}, "text"),
        ({"title": "A", "text": "x" * 20_001}, "text"),
        ({"title": "A", "at": "2026-01-01T00:00:00Z"}, "at"),
    ]
    for body, field in bodies:
        error = refused(organiser.post(LIST, body), 400, "invalid")
        assert list(error["fields"]) == [field]


def test_the_board_has_another_version(organiser: Api, anyone: Api, sprint: Challenge) -> None:
    before = anyone.get("challenges/sprint/leaderboard/")["ETag"]
    made(organiser)
    assert anyone.get("challenges/sprint/leaderboard/")["ETag"] != before
