"""The form of a board: facets, columns, order, chips, downloads and the citation."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.test import Client

from leaderboard.models import Challenge, Participant, Registration, RegistrationRules
from leaderboard.pages.board.citation import in_bibtex
from tests.pages.board.test_page import names, ranks
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words
from tests.parquet_files import body_text

pytestmark = pytest.mark.django_db


@pytest.fixture
def sprint(make: Make, submit: Submit) -> Challenge:
    challenge = make("Sprint")
    for name, elapsed, kind in (
        ("atlas", 500, "system"),
        ("borealis", 200, "team"),
        ("cirrus", 200, "team"),
        ("delphi", 100, "system"),
        ("echo", 900, "team"),
    ):
        submit(challenge, name, elapsed_ms=elapsed, tokens_total=elapsed * 2)
        Participant.objects.filter(handle=name).update(kind=kind)
    return challenge


def here(html: str) -> list[str]:
    return re.findall(r'class="here"[^>]*><span aria-hidden="true">([^<]*)<', html)


def test_a_facet_keeps_ranks_and_says_those_among_its_rows(
    client: Client, sprint: Challenge
) -> None:
    html = get(client, "/c/sprint/?participant_kind=team")
    assert ranks(html) == ["2=", "2=", "5"]
    assert here(html) == ["#1 here", "#1 here", "#3 here"]
    assert "3 participants found" in words(html)
    assert "Kind: Team × (remove)" in words(html)
    assert '<option value="team" selected>' in html
    assert here(get(client, "/c/sprint/")) == []


def test_facets_and_search_and_order_go_together(client: Client, sprint: Challenge) -> None:
    html = get(client, "/c/sprint/?participant_kind=team&q=c&sort=-elapsed_ms")
    assert names(html) == ["echo", "cirrus"]
    assert here(html) == ["#2 here", "#1 here"]
    chips = re.findall(r'<li><a href="([^"]*)"><bdi>([^<]*)', html)
    assert {unescape(label): unescape(link) for link, label in chips} == {
        "Name: c": "/c/sprint/?participant_kind=team&sort=-elapsed_ms",
        "Kind: Team": "/c/sprint/?q=c&sort=-elapsed_ms",
        "Order: Time (highest first)": "/c/sprint/?participant_kind=team&q=c",
    }
    assert names(get(client, "/c/sprint/?participant_kind=person")) == []


def test_brackets_narrow_the_board(client: Client, sprint: Challenge) -> None:
    assert 'name="bracket"' not in get(client, "/c/sprint/")
    RegistrationRules.objects.create(challenge=sprint, brackets=["Pupils", "Students"])
    for who, bracket in (("atlas", "Pupils"), ("echo", "Pupils"), ("delphi", "Students")):
        mine = Registration.objects.filter(challenge=sprint, participant__handle=who)
        assert mine.update(bracket=bracket) == 1
    html = get(client, "/c/sprint/?bracket=Pupils")
    assert names(html) == ["atlas", "echo"]
    assert here(html) == ["#1 here", "#2 here"]
    assert "Bracket: Pupils" in words(html)


def test_readers_choose_columns(client: Client, sprint: Challenge) -> None:
    assert ">Tokens<" in get(client, "/c/sprint/")
    html = get(client, "/c/sprint/?columns=elapsed_ms")
    heads = re.findall(r"<th[^>]*>(?:<a[^>]*>)?([^<]*)", html)
    assert "Time" in heads
    assert "Tokens" not in heads
    assert 'name="columns" value="tokens_total">' in html
    html = get(client, "/c/sprint/?sort=-elapsed_ms")
    assert '<option value="-elapsed_ms" selected>' in html
    assert '<option value="elapsed_ms">' in html


def test_downloads_are_of_this_view(client: Client, sprint: Challenge) -> None:
    html = get(client, "/c/sprint/?participant_kind=team&sort=-elapsed_ms&columns=elapsed_ms")
    labels = dict(
        re.findall(r'<li><a href="(/api/v1/[^"]*/leaderboard[.][^"]*)">([^<]*)</a>', html)
    )
    links = {label: unescape(link) for link, label in labels.items()}
    asked = "participant_kind=team&sort=-elapsed_ms&columns=elapsed_ms"
    assert {label: urlsplit(link).path.rpartition("/")[2] for label, link in links.items()} == {
        "CSV": "leaderboard.csv",
        "CSV for Excel": "leaderboard.csv",
        "JSON": "leaderboard.json",
        "JSON Lines": "leaderboard.jsonl",
        "Markdown": "leaderboard.md",
        "Parquet": "leaderboard.parquet",
    }
    assert all(urlsplit(link).query.endswith(asked) for link in links.values())
    for link in links.values():
        text = body_text(client.get(link).getvalue())
        assert text.index("echo") < text.index("borealis") < text.index("cirrus")
        assert "atlas" not in text


def test_a_board_says_how_to_cite_it(client: Client, sprint: Challenge) -> None:
    Challenge.objects.filter(pk=sprint.pk).update(name="Sprint & {more}_100%")
    text = words(get(client, "/c/sprint/"))
    assert "Sprint & {more}_100% [Leaderboard, scoring version 1]. http://testserver/c/sprint/" in (
        text
    )
    assert r"title = {{Sprint \& \{more\}\_100\%}: Leaderboard}" in text
    assert in_bibtex("a\\b~c^d") == r"a\textbackslash{}b\textasciitilde{}c\textasciicircum{}d"


def redirected(client: Client, query: str) -> str:
    """The short address of a view; it leads to no other."""
    answer = client.get(f"/c/sprint/{query}")
    assert answer.status_code == 302
    assert "ETag" not in answer
    assert answer["Cache-Control"] == "private, no-cache"
    address: str = answer["Location"]
    assert client.head(f"/c/sprint/{query}")["Location"] == address
    assert client.get(address).status_code == 200
    return address


def test_what_a_form_sends_in_vain_is_not_in_the_address(client: Client, sprint: Challenge) -> None:
    html = get(client, "/c/sprint/")
    ticked = re.findall(r'name="columns" value="([^"]*)"(?: checked|>)', html)
    usual = "&".join(f"columns={key}" for key in dict.fromkeys(ticked))
    assert usual.count("columns=") > 1
    assert redirected(client, f"?q=&participant_kind=&sort=&{usual}") == "/c/sprint/"
    assert redirected(client, f"?q=%C3%BC&{usual}&sort=-elapsed_ms") == (
        "/c/sprint/?q=%C3%BC&sort=-elapsed_ms"
    )
    few = redirected(client, "?columns=elapsed_ms&columns=elapsed_ms&q=")
    assert few == "/c/sprint/?columns=elapsed_ms"
    assert redirected(client, "?columns=tokens_total") == "/c/sprint/", "time is always shown"
    assert redirected(client, "?phase=main&kinds=") == "/c/sprint/?phase=main"
    for query in ("", "?sort=elapsed_ms", "?columns=elapsed_ms", "?utm=x"):
        assert client.get(f"/c/sprint/{query}").status_code == 200
