"""Webhooks: what is sent, when, to which addresses, and what becomes of it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import Challenge, Event, Membership, Tenant, User, Webhook, WebhookDelivery
from leaderboard.rules.addresses import allowed_targets, is_public
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.audit import MASK, entries_of
from leaderboard.services.competition.organisers.announcements import announce
from leaderboard.services.errors import ServiceError
from leaderboard.services.events.record import EventKind, NewEvent, record_events
from leaderboard.services.scoring import single
from leaderboard.services.webhooks import deliver, endpoints
from leaderboard.services.webhooks.formats import WebhookMessage, body_of
from leaderboard.services.webhooks.relay import relay
from leaderboard.services.webhooks.signing import signature_headers
from tests.people import organiser_of
from tests.services.conftest import Submit

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
LOOPBACK = "127.0.0.0/8"


class Receiver:
    """A server on loopback that answers with `status` and keeps what it gets."""

    def __init__(self) -> None:
        self.status, self.requests = 200, list[tuple[dict[str, str], bytes]]()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.requests.append((headers, body))
                self.send_response(receiver.status)
                self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOW = allowed_targets(LOOPBACK)
    receiver = Receiver()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()


def hook(receiver: Receiver, challenge: Challenge, by: User, **fields: Any) -> tuple[Webhook, str]:
    return endpoints.create_webhook(challenge, {"url": receiver.url, **fields}, by=by)


def types(receiver: Receiver) -> list[str]:
    return [json.loads(body)["type"] for _, body in receiver.requests]


def test_the_signature_is_that_of_standard_webhooks() -> None:
    """The example of the documentation of Svix, which Standard Webhooks took over."""
    headers = signature_headers(
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_receiver_gets_signed_messages_of_what_happens(
    receiver: Receiver, sprint: Challenge, submit: Submit, alice: User
) -> None:
    webhook, secret = hook(receiver, sprint, alice)
    assert receiver.url not in webhook.address
    submit(sprint, "atlas", elapsed_ms=900)
    single.score_waiting()
    newer = endpoints.rotate_secret(webhook, by=alice)
    assert deliver.deliver_waiting() == 3
    expected_types = ["participant.registered", "attempt.received", "attempt.scored"]
    assert types(receiver) == expected_types
    headers, body = receiver.requests[-1]
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = [
        "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        for key in (
            base64.b64decode(signing_secret.removeprefix("whsec_"))
            for signing_secret in (newer, secret)
        )
    ]
    assert headers["webhook-signature"].split() == expected
    assert deliver.deliver_waiting() == 0
    assert set(WebhookDelivery.objects.values_list("status", "due_at")) == {(200, None)}


def test_a_killed_sender_sends_again_with_the_same_id(
    receiver: Receiver, sprint: Challenge, alice: User
) -> None:
    hook(receiver, sprint, alice)
    announce(sprint, {"title": "News", "text": ""}, by=alice)
    relay()
    delivery = deliver._claimed()
    assert delivery is not None
    deliver._answer(delivery)  # and the process is killed before it notes the answer
    assert deliver.deliver_waiting() == 0
    WebhookDelivery.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert deliver.deliver_waiting() == 1
    ids = [headers["webhook-id"] for headers, _ in receiver.requests]
    assert len(ids) == 2
    assert len({*ids}) == 1


def test_the_log_of_changes_says_who_made_a_webhook_and_what_became_of_it(
    receiver: Receiver, sprint: Challenge, alice: User
) -> None:
    webhook, _ = hook(receiver, sprint, alice, view="organiser")
    endpoints.change_webhook(webhook, {"enabled": False}, by=alice)
    endpoints.rotate_secret(webhook, by=alice)
    endpoints.remove_webhook(webhook, by=alice)
    entries = list(entries_of(sprint.pk).reverse())
    assert {entry.actor for entry in entries} == {alice}
    changes = [
        ((entry.before or {})["webhook"], (entry.after or {})["webhook"]) for entry in entries
    ]
    made, off, rotated, removed = changes
    first = made[1]
    assert (made[0], first["view"], first["enabled"]) == (None, "organiser", True)
    assert off[1] == first | {"enabled": False}
    assert rotated[1] == off[1] | {"secret": MASK}
    assert removed[1] is None
    assert receiver.url not in str(changes)
    assert not Event.objects.filter(challenge=sprint, kind=EventKind.CHANGED).exists()


def test_failures_are_tried_again_and_end_a_webhook_that_is_gone(
    receiver: Receiver, sprint: Challenge, alice: User
) -> None:
    webhook, _ = hook(receiver, sprint, alice)
    announce(sprint, {"title": "News", "text": ""}, by=alice)
    receiver.status = 302
    assert deliver.deliver_waiting() == 1
    assert len(receiver.requests) == 1
    (delivery,) = endpoints.deliveries_of(webhook)
    assert (delivery.status, delivery.done_at) == (302, None)
    assert delivery.due_at is not None
    assert delivery.due_at > timezone.now()
    receiver.status = 410
    endpoints.replay(webhook, delivery.pk)
    deliver.deliver_waiting()
    webhook.refresh_from_db()
    assert webhook.disabled_reason == "gone"
    receiver.status = 200
    endpoints.change_webhook(webhook, {"enabled": True}, by=alice)
    endpoints.replay(webhook, delivery.pk)
    deliver.deliver_waiting()
    delivery.refresh_from_db()
    assert delivery.status == 200


def test_a_freeze_holds_public_messages_back_until_the_reveal(
    receiver: Receiver, sprint: Challenge, submit: Submit, alice: User
) -> None:
    hook(receiver, sprint, alice)
    sprint.phases.update(freezes_at=timezone.now())
    Challenge.objects.filter(pk=sprint.pk).update(is_restricted=True)
    submit(sprint, "atlas", elapsed_ms=900)
    assert deliver.deliver_waiting() == 0
    hook(receiver, sprint, alice, view="organiser")
    announce(sprint, {"title": "News", "text": ""}, by=alice)
    assert deliver.deliver_waiting() == 1
    sprint.phases.update(reveals_at=timezone.now())
    assert deliver.deliver_waiting() == 3


def test_a_webhook_of_a_tenant_gets_the_events_of_its_challenges_once(
    receiver: Receiver, sprint: Challenge, alice: User
) -> None:
    def challenge(name: str, tenant: Tenant, by: User) -> Challenge:
        fields = {"name": name, "scoring_strategy": "first"}
        return create_challenge(tenant=tenant, user=by, fields=fields)

    acme = Tenant.objects.create(slug="acme", name="Acme")
    Membership.objects.get_or_create(tenant=sprint.tenant, user=alice, role="organiser")
    earlier = challenge("earlier", sprint.tenant, alice)
    foreign = challenge("foreign", acme, organiser_of(acme, "carol"))
    hook(receiver, sprint, alice, whole_tenant=True, types=["announcement.published"])
    later = challenge("later", sprint.tenant, alice)
    for place in (sprint, earlier, foreign, later, earlier):
        announce(place, {"title": "News", "text": ""}, by=None)
        deliver.deliver_waiting()
    named = [json.loads(body)["data"]["challenge"] for _, body in receiver.requests]
    assert named == ["sprint", "earlier", "later", "earlier"]


def test_a_bulk_is_one_message(receiver: Receiver, sprint: Challenge, alice: User) -> None:
    hook(receiver, sprint, alice, types=["attempts.scored"])
    new = [NewEvent(EventKind.SCORED, {"attempt": str(at)}) for at in range(50)]
    record_events(sprint.pk, new)
    assert deliver.deliver_waiting() == 1
    data = json.loads(receiver.requests[0][1])["data"]
    assert (data["count"], data["first"], data["last"]) == (50, "0", "49")
    assert Event.objects.count() == 51


@pytest.mark.parametrize("form", ["slack", "discord", "teams", "matrix"])
def test_names_call_nobody_in_chats(form: str) -> None:
    name = "@everyone <!channel> <@U1> [x](https://evil.example) @room"
    body = body_of(WebhookMessage("t", "", {}, name, "https://board.example"), form)
    for attack in ("@everyone", "<!channel>", "<@U1>", "](https://evil", "@room"):
        assert attack not in body or (form == "matrix" and attack[0] in "<]")


PRIVATE = (
    *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("0.0.0.0", "192.0.0.8", "198.18.0.1", "224.0.0.1", "255.255.255.255", "192.88.99.1"),
    *("::", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::1", "64:ff9b:1::1", "fc00::1"),
    *("fe80::1", "ff02::1", "2002:7f00:1::", "2001::1", "2001:db8::1", "fec0::1", "fd00:ec2::254"),
)


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        *("https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f000001/"),
        *("https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://localhost/", "ftp://a.example"),
        *("http://93.184.216.34/", "https://u:p@93.184.216.34/", "https://93.184.216.34:22/"),
        *("https://[64:ff9b::7f00:1]/", "https://a b/", "file:///etc/passwd", "https://"),
    ],
)
def test_addresses_that_are_refused(url: str, sprint: Challenge, alice: User) -> None:
    with pytest.raises(ServiceError, match="url"):
        endpoints.create_webhook(sprint, {"url": url}, by=alice)


def test_a_name_that_changes_its_address_is_refused_at_the_connection(
    receiver: Receiver, sprint: Challenge, alice: User, settings: Any
) -> None:
    webhook, _ = hook(receiver, sprint, alice)
    settings.WEBHOOK_ALLOW = allowed_targets("")
    endpoints.ping(webhook)
    assert deliver.deliver_waiting() == 1
    (delivery,) = endpoints.deliveries_of(webhook)
    assert delivery.error.startswith("refused address")
    assert receiver.requests == []


def test_public_addresses_are_public() -> None:
    assert all(map(is_public, ("93.184.216.34", "8.8.8.8", "2606:4700::1111")))
