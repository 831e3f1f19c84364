"""Organisers make webhooks by the API, and readers ask for events."""

from __future__ import annotations

from typing import Any

from leaderboard.models import Challenge, ChallengeRole, User
from leaderboard.rules.addresses import allowed_targets
from leaderboard.services.events.record import EventKind, begin_log, record_event
from leaderboard.services.tokens import create_token
from tests.api.conftest import Api, refused

LIST = "challenges/sprint/webhooks/"
URL = "https://chat.example.org/secret-path"


def test_a_webhook_is_made_changed_and_removed(
    organiser: Api, anyone: Api, sprint: Challenge, settings: Any
) -> None:
    refused(organiser.post(LIST, {"url": "https://127.0.0.1/"}), 400, "invalid", "url")
    settings.WEBHOOK_ALLOW = allowed_targets("chat.example.org")
    wrong = organiser.post(LIST, {"url": URL, "types": ["attempt.stolen"]})
    refused(wrong, 400, "invalid", "types")
    made = organiser.post(LIST, {"url": URL}).json()
    assert made.pop("secret").startswith("whsec_")
    assert organiser.get(LIST).json() == {"results": [made]}
    assert "secret-path" not in str(made)
    assert anyone.get(LIST).status_code in (401, 403)
    address = f"{LIST}{made['id']}/"
    changed = organiser.patch(address, {"enabled": False, "view": "organiser"}).json()
    assert (changed["enabled"], changed["view"]) == (False, "organiser")
    assert organiser.post(f"{address}rotate/", {}).json()["secret"].startswith("whsec_")
    ping = organiser.post(f"{address}ping/", {}).json()
    assert organiser.get(f"{address}deliveries/").json() == {"results": [ping]}
    again = organiser.post(f"{address}deliveries/{ping['id']}/replay/", {})
    assert again.json()["event_id"] == ping["event_id"]
    assert organiser.delete(address).status_code == 204
    assert organiser.get(LIST).json() == {"results": []}


def test_only_organisers_of_a_tenant_make_its_webhooks(
    organiser: Api, sprint: Challenge, alice: User, bob: User, settings: Any
) -> None:
    settings.WEBHOOK_ALLOW = allowed_targets("chat.example.org")
    ChallengeRole.objects.create(challenge=sprint, user=bob, role="organiser")
    helper, bound = (
        Api(create_token(user=user, scopes=["organise"], challenge=sprint)[1])
        for user in (bob, alice)
    )
    whole = {"url": URL, "whole_tenant": True}
    refused(helper.post(LIST, whole), 403, "permission_denied")
    refused(bound.post(LIST, whole), 403, "permission_denied")
    made = organiser.post(LIST, whole).json()
    assert made["whole_tenant"]
    for other in (helper, bound):
        assert other.get(LIST).json() == {"results": []}
        assert other.delete(f"{LIST}{made['id']}/").status_code == 404


def test_events_are_listed_after_a_number(anyone: Api, sprint: Challenge) -> None:
    begin_log(sprint.pk, {})
    record_event(sprint.pk, EventKind.PHASE, {"phase": "p"})
    page = anyone.get("challenges/sprint/events/?after=1").json()
    last = page["results"][-1]
    assert (last["seq"], last["kind"], last["body"]) == (page["after"], "phase", {"phase": "p"})
    empty = anyone.get(f"challenges/sprint/events/?after={page['after']}").json()
    assert empty == {"results": [], "after": page["after"]}
    refused(anyone.get("challenges/sprint/events/?after=x"), 400, "invalid", "after")
