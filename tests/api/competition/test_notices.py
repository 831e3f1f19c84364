"""Notices by the API: read by their user alone, and marked as read."""

from __future__ import annotations

from leaderboard.models import Challenge, Notice, User
from leaderboard.services.tokens import create_token
from tests.api.conftest import Api, refused


def test_notices_are_read_and_marked(
    organiser: Api, anyone: Api, sprint: Challenge, alice: User
) -> None:
    reader = Api(create_token(user=alice, scopes=["read"])[1])
    for number in range(3):
        about = {"key": str(number), "kind": "attempts", "what": "scored"}
        Notice.objects.create(user=alice, challenge=sprint, **about)
    page = organiser.get("notices/?limit=2").json()
    assert [row["what"] for row in page["results"]] == ["scored", "scored"]
    (last,) = organiser.get(f"notices/?cursor={page['next']}").json()["results"]
    assert last["read_at"] is None
    assert reader.post("notices/read/", {"ids": [last["id"]]}).json() == {"read": 1}
    wrong = refused(reader.post("notices/read/", {"ids": ["x"]}), 400, "invalid", "ids.0")
    assert "must be an id such as" in wrong["message"]
    assert reader.post("notices/read/", {}).json() == {"read": 2}
    assert organiser.post("notices/read/", {}).status_code == 403
    assert anyone.get("notices/").json()["results"] == []
    assert anyone.post("notices/read/", {}).status_code == 401
