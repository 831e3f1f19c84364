"""Declared fields of meta on a board: columns, filters, files; and who sees them."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any, Final

import pytest
from django.test import Client

from leaderboard.models import Attempt, Challenge, User
from leaderboard.schemas.meta_fields import DECLARATIONS
from leaderboard.services.challenges.challenges import change_challenge
from tests.helpers.phases import set_phase
from tests.pages.board.test_page import names
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words
from tests.parquet_files import body_text

pytestmark = pytest.mark.django_db

FIELDS: Final[list[dict[str, Any]]] = [
    {"name": "open", "label": "Open weights", "type": "boolean", "shown": True},
    {"name": "size", "label": "Size", "type": "number", "unit": "B"},
    {"name": "license", "label": "Licence"},
    {"name": "released", "label": "Released", "type": "date"},
    {"name": "code", "label": "Code", "type": "link"},
]
METAS = {
    "atlas": {"open": "yes", "size": "7", "license": "MIT", "code": "https://example.org/a/"},
    "bolt": {"open": "no", "size": "seventy", "license": "<b>own</b>", "code": "javascript:x"},
    "comet": {"open": "true", "size": "70", "released": "2026-03-18", "secret": "token"},
    "delta": {},
}
ALL = "columns=elapsed_ms," + ",".join(f"meta.{field['name']}" for field in FIELDS)


@pytest.fixture
def sprint(make: Make, submit: Submit, ann: User) -> Challenge:
    challenge = make("Sprint", meta_fields=FIELDS)
    for at, (name, meta) in enumerate(METAS.items()):
        attempt = submit(challenge, name, elapsed_ms=at + 1)
        Attempt.objects.filter(pk=attempt.pk).update(meta=meta)
    return challenge


def test_values_have_types(client: Client, sprint: Challenge) -> None:
    html = get(client, f"/c/sprint/?{ALL}")
    text = words(html)
    assert "7 B MIT – example.org/a" in text
    assert '<a href="https://example.org/a/" rel="nofollow noopener noreferrer">' in html
    assert "<b>own" not in html
    assert "&lt;b&gt;own&lt;/b&gt;" in html
    assert 'href="javascript' not in html
    assert "yes 70 B – 18 Mar 2026" in text
    assert "token" not in html
    usual = get(client, "/c/sprint/")
    assert 'data-label="Open weights"' in usual
    assert 'data-label="Size"' not in usual


def test_attempt_pages_show_values_as_boards_do(client: Client, sprint: Challenge) -> None:
    attempt = Attempt.objects.get(participant__slug="atlas")
    path = f"/attempts/{attempt.pk}/"
    assert "Open weights yes Size 7 B Licence MIT" in words(get(client, path))
    html = body_text(client.get(path, headers={"accept-language": "de"}).content)
    assert "Open weights ja Size 7 B" in words(html)
    assert '<a href="https://example.org/a/" rel="nofollow noopener noreferrer">https' in html


def test_a_command_is_shown_to_be_copied(client: Client, sprint: Challenge) -> None:
    fields = {"meta_fields": [{"name": "code", "label": "Again", "type": "command"}]}
    change_challenge(sprint, user=None, fields=fields)
    attempt = Attempt.objects.get(participant__slug="atlas")
    attempt.meta = {"code": "make eval SEED=<1>"}
    attempt.save(update_fields=["meta"])
    code = "<code>make eval SEED=&lt;1&gt;</code>"
    html = get(client, f"/attempts/{attempt.pk}/")
    assert f'<div class="code"><pre tabindex="0">{code}' in html
    board = get(client, "/c/sprint/?columns=meta.code")
    assert code in board.replace(' title="make eval SEED=&lt;1&gt;"', "")
    assert 'name="meta.code"' not in board


def test_readers_filter(client: Client, sprint: Challenge) -> None:
    for query, expected, chip in (
        ("meta.open=true", ["atlas", "comet"], "Open weights: yes"),
        ("meta.size.max=7", ["atlas"], "Size: at most 7 B"),
        ("meta.size.min=7&meta.size.max=70", ["atlas", "comet"], "Size: 7 B to 70 B"),
        ("meta.license=MIT", ["atlas"], "Licence: MIT"),
        ("meta.released.min=2026-01-01", ["comet"], "Released: at least "),
        ("meta.code=true&sort=-elapsed_ms", ["atlas"], "Code: with a link"),
    ):
        html = get(client, f"/c/sprint/?{query}")
        assert names(html) == expected, query
        assert chip in words(html)
        for link in re.findall(r'<li><a href="(/api/v1/[^"]*)">', html):
            text = body_text(client.get(unescape(link)).getvalue())
            assert "delta" not in text, link
            if "/exports/" not in link:
                assert all(name in text for name in expected), link


def test_what_cannot_be_asked_is_named(client: Client, sprint: Challenge) -> None:
    for query, message in (
        ("meta.ghost=1", r"meta.ghost : is no filter of this board; there are .*meta.size.min"),
        ("meta.size.max=x", r'meta.size.max : [^;]*; got "x"'),
        ("meta.open=maybe", r'meta.open : [^;]*; got "maybe"'),
    ):
        assert re.search(message, words(get(client, f"/c/sprint/?{query}", status=404))), query


def test_files_and_json_have_the_declared_fields(client: Client, sprint: Challenge) -> None:
    page = client.get("/api/v1/challenges/sprint/leaderboard/").json()
    assert page["rows"][0]["meta"] == METAS["atlas"]
    assert "secret" not in page["rows"][2]["meta"]
    assert json.loads(client.get("/api/v1/challenges/sprint/leaderboard.json").getvalue()) == page
    head, first, *_rest = (
        client.get("/api/v1/challenges/sprint/leaderboard.csv").getvalue().decode().splitlines()
    )
    assert head.endswith("meta.open,meta.size,meta.license,meta.released,meta.code")
    assert first.endswith("yes,7,MIT,,https://example.org/a/")
    few = client.get("/api/v1/challenges/sprint/leaderboard.csv?columns=elapsed_ms,meta.size")
    assert few.getvalue().decode().splitlines()[0].endswith(",meta.size")
    wrong = client.get('/api/v1/challenges/sprint/leaderboard/?meta={"ghost":1}')
    assert wrong.status_code == 400
    assert "meta" in wrong.json()["error"]["fields"]


def test_hidden_notes_hide_meta(client: Client, as_ann: Client, sprint: Challenge) -> None:
    set_phase(sprint, notes="own")
    html = get(client, "/c/sprint/")
    assert "Open weights" not in html
    assert "MIT" not in html
    get(client, "/c/sprint/?meta.license=MIT", status=404)
    get(client, "/c/sprint/?columns=meta.license", status=404)
    for path in ("leaderboard/", "leaderboard.json", "leaderboard.csv", "leaderboard.md"):
        answer = client.get(f"/api/v1/challenges/sprint/{path}")
        assert "MIT" not in answer.getvalue().decode()
        asked = client.get(f"/api/v1/challenges/sprint/{path}", {"meta": '{"license": "MIT"}'})
        assert asked.status_code == 400
    assert "Open weights" in get(as_ann, "/c/sprint/")


def test_organisers_declare_fields_on_the_page_of_settings(
    as_ann: Client, sprint: Challenge
) -> None:
    html = get(as_ann, "/c/sprint/manage/settings/")
    assert 'value="license"' in html
    state = re.search(r'name="state" value="([^"]*)"', html)
    assert state
    sent = {
        "action": "save",
        "slug": "sprint",
        "visibility": "public",
        "config_visibility": "public",
        "details_visibility": "auto",
        "on_code_change": "warn",
        "is_active": "on",
        "state": state[1],
        "meta_fields.1.name": "size",
        "meta_fields.1.type": "number",
        "meta_fields.1.unit": "M",
        "meta_fields.3.name": "team",
        "meta_fields.3.type": "text",
        "meta_fields.3.unit": "kg",
        "meta_fields.4.name": "openness",
        "meta_fields.4.type": "choice",
        "meta_fields.4.choices": "open, closed,",
        "usual_declarations": "on",
    }
    answer = as_ann.post("/c/sprint/manage/settings/", sent)
    assert answer.status_code == 422
    assert 'id="id_meta_fields.3.unit_error"' in answer.content.decode()
    del sent["meta_fields.3.unit"]
    answer = as_ann.post("/c/sprint/manage/settings/", sent)
    assert answer.status_code == 302
    sprint.refresh_from_db()
    assert sprint.meta_fields == [
        {"name": "size", "type": "number", "unit": "M"},
        {"name": "team", "type": "text"},
        {"name": "openness", "type": "choice", "choices": ["open", "closed"]},
        *(field for field in DECLARATIONS if field["name"] != "openness"),
    ]


def test_readers_sort(client: Client, sprint: Challenge) -> None:
    for sort, expected in (
        ("meta.size", ["atlas", "comet", "bolt", "delta"]),
        ("-meta.size", ["comet", "atlas", "bolt", "delta"]),
        ("meta.open", ["bolt", "atlas", "comet", "delta"]),
        ("-meta.license", ["atlas", "bolt", "comet", "delta"]),
        ("meta.released", ["comet", "atlas", "bolt", "delta"]),
        ("-meta.code", ["atlas", "bolt", "comet", "delta"]),
    ):
        html = get(client, f"/c/sprint/?sort={sort}&{ALL}")
        assert names(html) == expected, sort
        assert f'<option value="{sort}" selected>' in html
        assert len(re.findall(r"aria-sort=", html)) == 1
        address = f"/api/v1/challenges/sprint/leaderboard/?sort={sort}&limit=3"
        page = client.get(address).json()
        rest = client.get(f"{address}&cursor={page['next']}").json()
        rows = [*page["rows"], *rest["rows"]]
        assert [row["participant"]["handle"] for row in rows] == expected, sort
        lines = client.get(f"/api/v1/challenges/sprint/leaderboard.jsonl?sort={sort}").getvalue()
        assert [json.loads(line) for line in lines.splitlines()] == rows, sort


def test_a_heading_and_the_form_offer_the_orders_of_fields(
    client: Client, sprint: Challenge
) -> None:
    html = get(client, "/c/sprint/?sort=meta.size")
    assert '<a id="by-meta-1" href="?sort=meta.open">' in html
    orders = re.findall(r'<option value="(-?meta[^"]*)"', html)
    assert "meta.size" in orders, "an order by a column that is not shown"
    assert {"meta.open", "-meta.open"} <= {*orders}
    assert "meta.license" not in orders
    again = get(client, "/c/sprint/?sort=meta.open")
    assert re.search(r'aria-sort="ascending"><a id="by-meta-1" href="\?sort=-meta.open">', again)


def test_what_cannot_be_sorted_by_is_refused(client: Client, sprint: Challenge) -> None:
    get(client, "/c/sprint/?sort=meta.ghost", status=404)
    path = "/api/v1/challenges/sprint/leaderboard/"
    errors = client.get(f"{path}?sort=meta.ghost").json()["error"]["fields"]["sort"]
    assert "meta.size" in errors[0]
    set_phase(sprint, notes="own")
    get(client, "/c/sprint/?sort=meta.size", status=404)
    assert client.get(f"{path}?sort=meta.size").status_code == 400
    missing = client.get(f"{path}?sort=meta.ghost").json()["error"]["fields"]["sort"]
    assert "meta.size" not in missing[0]
