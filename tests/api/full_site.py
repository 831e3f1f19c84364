"""A site in which every operation of the API that changes something succeeds.

Alice organises it. Bob leads the team of Atlas, eve that of Zephyr, and dan that of Gamma; fred is
in bob's team, gina waits to join it, and carl takes part in nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import override_settings
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.utils import timezone

from leaderboard.models import Challenge, Notice, Phase, Tenant, User, Webhook
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from leaderboard.services.webhooks.endpoints import ping
from tests.api.attempts import test_labels, test_predictions
from tests.api.conftest import ME, Api, ranked_by
from tests.api.test_own_plugins import SCORER
from tests.helpers.own_scorer import GIVES
from tests.people import organiser_of
from tests.plugin_files import folder_with, plugins, write

PIECES = b"0123456789"
SPRINT = {"name": "Sprint", "scoring_strategy": "fastest"}
TEAM = {"mode": "open", "largest_team": 3}
SAMPLES = [{"task": "a", "sample": 0, "rewards": {"reward": 1.0}}]


class FullSite(NamedTuple):
    """The site. clients: by user. names: what stands for the parts of addresses and bodies."""

    folder: Path
    clients: dict[str, Api]
    names: dict[str, str]

    def files(self) -> list[tuple[Path, bytes]]:
        """Return all stored files with their contents."""
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return [(path, path.read_bytes()) for path in paths]


def form(content: bytes, name: str = "p.csv", **fields: str) -> bytes:
    """Return a body with a file."""
    return encode_multipart(BOUNDARY, {"file": SimpleUploadedFile(name, content), **fields})


@contextmanager
def full_site(folder: Path) -> Iterator[FullSite]:
    """Make the site, with its files in a folder."""
    with ExitStack() as stack:
        stack.enter_context(override_settings(MEDIA_ROOT=folder))
        scorer = stack.enter_context(folder_with({"own/scorer.py": GIVES.format(score=10.0)}))
        stack.enter_context(plugins(scorer, "own"))
        tenant = Tenant.objects.create(slug="default", name="Default")
        alice = organiser_of(tenant, "alice")
        people = [User.objects.create_user(name) for name in ("bob", "carl", "dan", "eve")]
        people += [User.objects.create_user(name) for name in ("fred", "gina")]
        clients = {
            user.username: Api(create_token(user=user, scopes=["submit", "read"])[1])
            for user in people
        }
        scopes = ["submit", "organise"]
        clients["alice"] = Api(create_token(user=alice, scopes=scopes, tenant=tenant)[1])
        clients["anywhere"] = Api(create_token(user=alice, scopes=["read"])[1])
        site = FullSite(folder, clients, {})
        _changed_code(site, scorer / "own" / "scorer.py")
        _predictions(site)
        _ended(site, tenant, alice)
        _course(site, tenant, alice)
        _relay(site, tenant, alice)
        _samples(site, tenant, alice)
        _sprint(site, tenant, alice)
        made(clients["alice"], "challenges/", {**SPRINT, "name": "Plan", "is_draft": True})
        yield site


def made(api: Api, path: str, body: object = None, method: str = "post") -> Any:
    """Return the answer to a request that succeeds."""
    if isinstance(body, bytes):
        answer = api.send(method, path, body, MULTIPART_CONTENT)
    else:
        answer = api.post(path, body) if method == "post" else api.patch(path, body)
    assert answer.status_code < 300, (path, answer.content)
    return answer.json()


def _sprint(site: FullSite, tenant: Tenant, alice: User) -> None:
    """A challenge with plugins, references, and attempts in every state."""
    organiser, bob, names = site.clients["alice"], site.clients["bob"], site.names
    sprint = create_challenge(tenant=tenant, user=alice, fields=SPRINT)
    change_challenge(
        sprint, user=None, fields={"phases": [{"counting": "chosen", "counted": 2, "total": 9}]}
    )
    path = "challenges/sprint/"
    for slug in ("sprint", "houses"):
        made(organiser, f"challenges/{slug}/plugins/", form(SCORER, "s.py"), "put")
    references = b'{"instances": [{"id": "1", "expected-output": "a"}]}'
    assert organiser.send("put", f"{path}references/", references).status_code == 200
    states = ("scored", "chosen", "verified", "withdrawn", "failed")
    names |= {state: made(bob, f"{path}attempts/", ME)["id"] for state in states}
    failed = f"attempts/{names['failed']}/"
    made(bob, f"{failed}cancel/", {"reason": "Wrong"})
    made(organiser, f"{failed}restore/")
    single.score_waiting()
    names["waiting"] = made(bob, f"{path}attempts/", ME)["id"]
    for put, body in (
        (f"attempts/{names['chosen']}/choice/", b""),
        (f"attempts/{names['verified']}/verification/", b'{"link": ""}'),
        (f"{path}organisers/carl/", b'{"role": "reviewer"}'),
    ):
        sent = organiser.send("put", put, body)
        assert sent.status_code == 200, sent.content
    made(organiser, f"attempts/{names['withdrawn']}/withdraw/", {"reason": "Copied"})
    note = made(organiser, f"attempts/{names['scored']}/annotations/", {"text": "Run twice."})
    names["annotation"] = note["id"]
    text = {"title": "News", "text": "There is some."}
    names["announcement"] = made(organiser, f"{path}announcements/", text)["id"]
    grant = {"participant": "atlas", "phase": "main", "extra": 2, "reason": "Outage"}
    names["grant"] = str(made(organiser, f"{path}grants/", grant)["id"])
    webhook = Webhook.objects.create(challenge=sprint, view="public", format="standard")
    names |= {"webhook": str(webhook.pk), "delivery": str(ping(webhook).pk)}
    Notice.objects.create(user=alice, challenge=sprint, kind="attempts", what="scored")


def _predictions(site: FullSite) -> None:
    """A challenge with a file, and files in pieces: a complete one, and a part of one."""
    organiser, bob = site.clients["alice"], site.clients["bob"]
    made(organiser, "challenges/", test_predictions.CHALLENGE)
    files = "challenges/houses/files/"
    made(organiser, files, form(test_predictions.TRUTH, "t.csv", role="truth"))
    kit = made(organiser, files, form(b"hi", "kit.txt", role="starting_kit"))
    site.names["file"] = str(kit["id"])
    about = {"name": "p.csv", "size": len(PIECES), "sha256": hashlib.sha256(PIECES).hexdigest()}
    for _ in range(5):
        site.names["upload"] = made(bob, "uploads/", about)["id"]
        sent = bob.send(
            "patch",
            f"uploads/{site.names['upload']}/",
            PIECES[:4],
            "application/octet-stream",
            headers={"Upload-Offset": "0"},
        )
        assert sent.status_code == 200, sent.content


def _ended(site: FullSite, tenant: Tenant, alice: User) -> None:
    """A challenge whose best may move on, a frozen one, and one whose end is not confirmed."""
    over = create_challenge(tenant=tenant, user=alice, fields={**SPRINT, "name": "Over"})
    frozen = create_challenge(tenant=tenant, user=alice, fields={**SPRINT, "name": "Frozen"})
    ended = create_challenge(tenant=tenant, user=alice, fields={**SPRINT, "name": "Ended"})
    made(site.clients["bob"], "challenges/over/attempts/", ME)
    single.score_waiting()
    now, hour = timezone.now(), timedelta(hours=1)
    over.phases.update(closes_at=now - hour)
    Phase.objects.create(challenge=over, slug="final", position=1, opens_at=now)
    frozen.phases.update(opens_at=now - 5 * hour, closes_at=now - hour, freezes_at=now - 2 * hour)
    ended.phases.update(closes_at=now - hour, finals_wait_until=now + hour)


def _course(site: FullSite, tenant: Tenant, alice: User) -> None:
    """A challenge in which organisers decide who takes part."""
    organiser, path = site.clients["alice"], "challenges/course/"
    course = create_challenge(tenant=tenant, user=alice, fields={**SPRINT, "name": "Course"})
    declare_rules(course, {**TEAM, "mode": "approval"})
    for user, name in (("bob", "atlas"), ("eve", "zephyr"), ("dan", "gamma")):
        register(course, User.objects.get(username=user), {"participant": name, "kind": "team"})
    for name in ("atlas", "gamma"):
        made(organiser, f"{path}registrations/{name}/", {"status": "accepted"}, "patch")
    code = made(site.clients["bob"], f"{path}team/links/")["code"]
    made(site.clients["gina"], f"{path}team/join/", {"code": code})
    gamma = f"{path}registrations/gamma/disqualification/"
    assert organiser.send("put", gamma, b'{"reason": "Twice"}').status_code == 200


def _relay(site: FullSite, tenant: Tenant, alice: User) -> None:
    """A challenge of teams, of which gamma asks to become a part of zephyr."""
    clients, team = site.clients, "challenges/relay/team/"
    relay = create_challenge(tenant=tenant, user=alice, fields={**SPRINT, "name": "Relay"})
    declare_rules(relay, TEAM)
    for user, name in (("bob", "atlas"), ("eve", "zephyr"), ("dan", "gamma")):
        register(relay, User.objects.get(username=user), {"participant": name, "kind": "team"})
    made(clients["fred"], f"{team}join/", {"code": made(clients["bob"], f"{team}links/")["code"]})
    made(clients["dan"], f"{team}merge/", {"participant": "zephyr"})
    site.names["code"] = made(clients["bob"], f"{team}links/")["code"]


def _samples(site: FullSite, tenant: Tenant, alice: User) -> None:
    """A challenge with judged rewards, and one whose attempts are reviewed."""
    create_challenge(tenant=tenant, user=alice, fields=test_labels.FIELDS)
    agents = ranked_by("mean_reward", "Agents", review="all")
    create_challenge(tenant=tenant, user=alice, fields=agents)
    samples = [{"task": "a", "sample": 0, "rewards": {"helpful": 0.9}}]
    bob = site.clients["bob"]
    for slug, name, sent in (("letters", "judged", samples), ("agents", "reviewed", SAMPLES)):
        body = {"participant": "atlas", "samples": sent}
        site.names[name] = made(bob, f"challenges/{slug}/attempts/", body)["id"]
    single.score_waiting()


def _changed_code(site: FullSite, scorer: Path) -> None:
    """A challenge that holds attempts, because the code of its scorer has changed."""
    fields = {"name": "Own", "scoring_strategy": "custom", "scoring_entrypoint": "own.scorer:Gives"}
    made(site.clients["alice"], "challenges/", {**fields, "on_code_change": "hold"})
    made(site.clients["bob"], "challenges/own/attempts/", ME)
    single.score_waiting()
    write(scorer, GIVES.format(score=99.0))
    made(site.clients["bob"], "challenges/own/attempts/", ME)
    single.score_waiting()
    assert Challenge.objects.get(slug="own").attempts.filter(status="held").exists()
