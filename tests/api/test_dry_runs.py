"""Dry runs: every operation that changes something answers as if it did, and keeps nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pytest
from django.db import connection, transaction
from django.test.client import MULTIPART_CONTENT
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Challenge, UploadInPieces
from tests.api.attempts.test_imports import REGISTRY
from tests.api.attempts.test_predictions import TRUTH
from tests.api.conftest import ME, refused
from tests.api.full_site import PIECES, SAMPLES, FullSite, form, full_site
from tests.api.test_own_plugins import SCORER
from tests.api.test_schema import WITHOUT_DRY_RUNS, written
from tests.bundles.twins import CODABENCH_BUNDLE
from tests.importers.uploads import zipped
from tests.management.backups import everything

WRITING: Final = ("post", "put", "patch", "delete")
HOOK: Final = {"url": "https://198.41.0.4/hook", "types": ["attempt.scored"]}
GRANT: Final = {"participant": "atlas", "phase": "main", "extra": 2, "reason": "Outage"}
LABEL: Final = {"task": "a", "sample": 0, "reward": "helpful", "value": 0.5, "labeller": "ann"}
VOTE: Final = {"first": "atlas", "second": "borea", "winner": "tie", "voter": "reader-7"}
UPLOAD: Final = {"name": "p.csv", "size": 9, "sha256": "0" * 64}
OWN_REFERENCES: Final = {"instances": [{"id": "1", "expected-output": "b"}]}
OTHERS_TURN: Final = {"participant": "gamma", "slug": "relay"}


class Tried(NamedTuple):
    """A request that succeeds: its body, who sends it, and the parts of its address.

    A text in braces stands for one of the names of the site.
    """

    body: object = None
    by: str = "alice"
    parts: dict[str, str] = {}


REQUESTS: Final[dict[str, Tried]] = {
    "admission_set": Tried({"rules": [{"rule": "all_tasks"}]}),
    "annotations_make": Tried({"text": "Look"}, parts={"id": "{scored}"}),
    "annotations_remove": Tried(parts={"id": "{scored}", "annotation": "{annotation}"}),
    "announcements_change": Tried({"title": "Dates"}, parts={"id": "{announcement}"}),
    "announcements_make": Tried({"title": "Dates", "text": "Later"}),
    "announcements_remove": Tried(parts={"id": "{announcement}"}),
    "appeal_make": Tried({"text": "It was a colleague."}, "dan", {"slug": "course"}),
    "attempt_decide": Tried({"kind": "returned", "reason": "No logs"}, parts={"id": "{reviewed}"}),
    "attempt_evidence_add": Tried(form(b"ok", "run.log", kind="log"), "bob", {"id": "{scored}"}),
    "attempts_cancel": Tried({"reason": "Mine"}, "bob", {"id": "{waiting}"}),
    "attempts_import": Tried(
        form(json.dumps({"participant": "atlas", "samples": SAMPLES}).encode(), "a.jsonl"),
        "bob",
        {"slug": "agents"},
    ),
    "attempts_restore": Tried(parts={"id": "{withdrawn}"}),
    "attempts_retry": Tried(parts={"id": "{failed}"}),
    "attempts_submit": Tried(ME, "bob"),
    "attempts_submit_many": Tried({"attempts": [ME, ME]}, "bob"),
    "attempts_withdraw": Tried({"reason": "Mine"}, "bob", {"id": "{scored}"}),
    "bundles_import": Tried(form(zipped(CODABENCH_BUNDLE), "b.zip")),
    "challenge_files_add": Tried(
        form(TRUTH + b"x6,1,Public\n", "t.csv", role="truth"), parts={"slug": "houses"}
    ),
    "challenge_files_delete": Tried(parts={"id": "{file}"}),
    "challenge_plugins_delete": Tried(),
    "challenge_plugins_put": Tried(form(SCORER + b"\n", "t.py", also="houses")),
    "challenges_change": Tried({"scoring_strategy": "first"}),
    "challenges_create": Tried({"name": "New", "scoring_strategy": "first"}),
    "challenges_delete": Tried(parts={"slug": "plan"}),
    "challenges_folder_put": Tried(
        zipped({"challenge.json": b'{"name": "New", "scoring_strategy": "first"}'}),
        parts={"slug": "new"},
    ),
    "challenges_import": Tried(form(REGISTRY, "registry.json")),
    "challenges_publish": Tried(parts={"slug": "plan"}),
    "challenges_rescore": Tried(),
    "challenges_sample": Tried(parts={"slug": "plan"}),
    "choice_remove": Tried(by="bob", parts={"id": "{chosen}"}),
    "choice_set": Tried(by="bob", parts={"id": "{scored}"}),
    "code_decide": Tried({"decision": "go_on"}, parts={"slug": "own"}),
    "disqualification_set": Tried({"reason": "Twice"}, parts={"slug": "course"}),
    "disqualification_undo": Tried(parts={"slug": "course", "participant": "gamma"}),
    "grants_give": Tried(GRANT),
    "grants_take_back": Tried(parts={"id": "{grant}"}),
    "labels_send": Tried({"labels": [LABEL]}, parts={"id": "{judged}"}),
    "notices_read": Tried({}, "anywhere"),
    "organisers_put": Tried({"role": "reviewer"}, parts={"username": "dan"}),
    "organisers_remove": Tried(parts={"username": "carl"}),
    "phases_advance": Tried({"best": 1}, parts={"slug": "over"}),
    "phases_confirm_end": Tried(parts={"slug": "ended"}),
    "phases_reveal": Tried(parts={"slug": "frozen"}),
    "references_hold": Tried(OWN_REFERENCES),
    "references_release": Tried(),
    "registration_make": Tried(
        {"participant": "carl", "kind": "person"}, "carl", {"slug": "relay"}
    ),
    "registration_rules_declare": Tried({"mode": "approval"}),
    "registration_rules_withdraw": Tried(parts={"slug": "relay"}),
    "registrations_decide": Tried(
        {"status": "accepted"}, parts={"slug": "course", "participant": "zephyr"}
    ),
    "review_accept": Tried({"attempts": ["{reviewed}"]}, parts={"slug": "agents"}),
    "row_set": Tried({"row": "baseline"}),
    "team_change": Tried({"name": "Friends"}, "bob", {"slug": "relay"}),
    "team_join": Tried({"code": "{code}"}, "carl", {"slug": "relay"}),
    "team_links_make": Tried(by="bob", parts={"slug": "relay"}),
    "team_members_change": Tried({"role": "captain"}, "bob", {"slug": "relay", "username": "fred"}),
    "team_members_remove": Tried(by="bob", parts={"slug": "relay", "username": "fred"}),
    "team_merge_accept": Tried(by="eve", parts=OTHERS_TURN),
    "team_merge_ask": Tried({"participant": "zephyr"}, "bob", {"slug": "relay"}),
    "team_merge_refuse": Tried(by="eve", parts=OTHERS_TURN),
    "team_merge_take_back": Tried(by="dan", parts={"slug": "relay"}),
    "uploads_begin": Tried(UPLOAD, "bob"),
    "verification_remove": Tried(parts={"id": "{verified}"}),
    "verification_set": Tried({"link": ""}, parts={"id": "{scored}"}),
    "votes_send": Tried({"votes": [VOTE]}),
    "waiting_members_decide": Tried(
        {"status": "accepted"}, parts={"slug": "course", "username": "gina"}
    ),
    "webhooks_change": Tried({"types": ["rescore.finished"]}, parts={"id": "{webhook}"}),
    "webhooks_make": Tried(HOOK),
    "webhooks_ping": Tried(parts={"id": "{webhook}"}),
    "webhooks_remove": Tried(parts={"id": "{webhook}"}),
    "webhooks_replay": Tried(parts={"id": "{webhook}", "delivery": "{delivery}"}),
    "webhooks_rotate": Tried(parts={"id": "{webhook}"}),
}
"""A request for each operation that has dry runs."""
REFUSED: Final[dict[str, Tried]] = {
    "device_begin": Tried({"name": "laptop", "scopes": ["read"]}),
    "device_token": Tried({"device_code": "none"}),
    "leaderboard_gate": Tried({"samples": SAMPLES}, parts={"slug": "agents"}),
    "uploads_add": Tried(PIECES[4:], "bob", {"id": "{upload}"}),
}
"""A request for each operation that has none."""


ANSWERED_AT_ONCE: Final = {"attempts_submit", "attempts_import"}
"""Operations that answer 202 and a dry run of them 200: it has no place in a queue."""
PLACES: Final = {
    described["operationId"]: (path, method)
    for path, methods in written()["paths"].items()
    for method, described in methods.items()
    if method in WRITING
}
"""The path and the method of each operation that writes."""


@pytest.fixture(scope="module")
def site(module_rows: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FullSite]:
    with full_site(tmp_path_factory.mktemp("uploads")) as made:
        yield made


def send(site: FullSite, operation: str, tried: Tried, query: str = "") -> Any:
    """Send a request of the tables."""
    path, method = PLACES[operation]
    names = {"slug": "sprint", "participant": "atlas", "phase": "main"} | {
        part: text.format(**site.names) for part, text in tried.parts.items()
    }
    address = path.format(**names) + query
    headers: dict[str, str] = {}
    if operation == "attempts_submit_many":
        return site.clients[tried.by].lines(address, ME, ME)
    if operation == "challenges_folder_put":
        kind = "application/zip"
    elif operation == "uploads_add":
        kind, headers = "application/octet-stream", {"Upload-Offset": "4"}
    else:
        kind = MULTIPART_CONTENT if isinstance(tried.body, bytes) else "application/json"
    if tried.body is None:
        body = b""
    elif isinstance(tried.body, bytes):
        body = tried.body
    else:
        text = json.dumps(tried.body)
        for name, value in site.names.items():
            text = text.replace(f"{{{name}}}", value)
        body = text.encode()
    return site.clients[tried.by].send(method, address, body, kind, headers)


def kept(site: FullSite) -> tuple[object, ...]:
    """Everything that a request could change. Tokens say when they were used."""
    tables = everything()
    del tables["leaderboard.ApiToken"]
    return tables, site.files()


def test_every_operation_that_writes_is_tried() -> None:
    assert REQUESTS.keys() | REFUSED.keys() == PLACES.keys()
    assert REFUSED.keys() == WITHOUT_DRY_RUNS
    assert not REQUESTS.keys() & REFUSED.keys()


@pytest.mark.django_db
@pytest.mark.parametrize("operation", REQUESTS)
def test_a_dry_run_answers_as_the_change_and_keeps_nothing(operation: str, site: FullSite) -> None:
    tried, before = REQUESTS[operation], kept(site)
    refused(send(site, operation, tried, "?dry_run=yes"), 400, "invalid", "dry_run")
    dry = send(site, operation, tried, "?dry_run=1")
    assert 200 <= dry.status_code < 300, dry.content
    assert dry.status_code != 201
    assert kept(site) == before
    with transaction.atomic():
        real = send(site, operation, tried)
        assert 200 <= real.status_code < 300, real.content
        assert kept(site)[0] != before[0], "this request shows nothing, because it changes nothing"
        transaction.set_rollback(True)
    same = {201: 200}.get(real.status_code, real.status_code)
    assert dry.status_code == (200 if operation in ANSWERED_AT_ONCE else same)
    if dry.content:
        assert set(dry.json()) == set(real.json())


@pytest.mark.django_db
@pytest.mark.parametrize("operation", REFUSED)
def test_an_operation_without_dry_runs_refuses_one(operation: str, site: FullSite) -> None:
    before = kept(site)
    for value in ("1", "0", ""):
        answer = send(site, operation, REFUSED[operation], f"?dry_run={value}")
        (text,) = refused(answer, 400, "invalid", "dry_run")["fields"]["dry_run"]
        assert "has no dry run" in text
    assert kept(site) == before


@pytest.mark.django_db
def test_a_dry_run_says_what_would_be_there(site: FullSite) -> None:
    def tried(operation: str) -> Any:
        return send(site, operation, REQUESTS[operation], "?dry_run=1").json()

    assert tried("attempts_submit")["participant"] == "atlas"
    assert tried("attempts_submit_many")["accepted"] == 2
    assert tried("challenges_create")["slug"] == "new"
    version = Challenge.objects.get(slug="sprint").newest.number
    for change in ("challenges_change", "references_hold"):
        assert tried(change)["scoring_version"] == version + 1
    assert [len(tried(change)["members"]) for change in ("team_join", "team_merge_accept")] == [
        3,
        2,
    ]
    assert tried("votes_send") == {"stored": 1}
    wrong = Tried({**ME, "metrics": {"rating": "8"}}, "bob")
    dry, real = (send(site, "attempts_submit", wrong, query) for query in ("?dry_run=1", ""))
    refused(dry, 400, "invalid", "metrics.rating")
    assert dry.json() == real.json()


@pytest.mark.django_db
def test_a_dry_run_does_not_tell_whether_a_team_exists(
    site: FullSite,
) -> None:
    """Not even by the time that it takes: a team may try as many names as it likes."""
    statements = []
    for name in ("zephyr", "nobody", "zephyr"):
        ask = Tried({"participant": name}, "bob", {"slug": "relay"})
        with CaptureQueriesContext(connection) as captured:
            answer = send(site, "team_merge_ask", ask, "?dry_run=1")
        assert answer.json()["asks_to_join"] == name
        statements.append(len(captured))
    assert statements[1] == statements[2]  # the first request finds less in caches


@pytest.mark.django_db
def test_a_dry_run_keeps_a_damaged_upload(site: FullSite) -> None:
    """The change deletes it."""
    UploadInPieces.objects.filter(pk=site.names["upload"]).update(size=4)
    body = {"participant": "atlas", "file": site.names["upload"]}
    before = kept(site)
    wrong = Tried(body, "bob", {"slug": "houses"})
    dry = send(site, "attempts_submit", wrong, "?dry_run=1")
    assert kept(site) == before
    real = send(site, "attempts_submit", wrong)
    assert dry.status_code == real.status_code == 400
    assert dry.json() == real.json()
    assert not UploadInPieces.objects.filter(pk=site.names["upload"]).exists()
