"""Organisers upload what is expected, and change the settings of a challenge."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, References
from tests.pages.conftest import Make, Submit
from tests.pages.manage.forms import inputs, saved, stored
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
PAGE = "/c/verses/manage/references/"
SETTINGS = "/c/sprint/manage/settings/"


def table(text: str) -> BytesIO:
    file = BytesIO(text.encode())
    file.name = "expected.csv"
    return file


def upload(client: Client, file: BytesIO, **fields: str) -> Any:
    sent = {**inputs(get(client, PAGE)), "action": "save", "references": file, **fields}
    return client.post(PAGE, sent, follow=True)


TWO = "id,input,expected-output\n1,a,b\n2,c,d\n"


def test_a_file_is_held_and_replaced_and_removed(
    verses: Challenge, as_ann: Client, submit: Submit
) -> None:
    assert "2 instances" in words(upload(as_ann, table(TWO)).content.decode())
    assert stored(verses).number == 2
    submit(verses, "atlas", scored=False)
    page = words(get(as_ann, PAGE))
    assert re.search("version 3 .* 1 attempt", page)
    page = words(upload(as_ann, table("id,input,expected-output\n1,a,b\n")).content.decode())
    assert "1 instance " in page
    assert stored(verses).is_rescoring
    assert saved(as_ann, PAGE, references_release="on").status_code == 302
    assert stored(verses).references_id is None
    assert References.objects.count() == 2


def test_who_sees_references_changes_without_a_new_version(
    verses: Challenge, as_ann: Client
) -> None:
    upload(as_ann, table(TWO))
    assert saved(as_ann, PAGE, references_visibility="public").status_code == 302
    verses.refresh_from_db()
    assert (verses.references_visibility, verses.newest.number) == ("public", 2)


def test_a_wrong_file_is_refused_at_its_field(verses: Challenge, as_ann: Client) -> None:
    for text in ("nonsense", "id,input\n1,a\n1,b\n", ""):
        answer = upload(as_ann, table(text))
        assert answer.status_code == 422, text
        assert 'id="id_references_error"' in answer.content.decode(), text
    assert stored(verses).number == 1


def test_a_file_and_its_removal_exclude_each_other(verses: Challenge, as_ann: Client) -> None:
    upload(as_ann, table(TWO))
    answer = upload(as_ann, table(TWO), references_release="on")
    assert 'id="id_references_release_error"' in answer.content.decode()


def test_the_page_says_what_was_left_out(verses: Challenge, as_ann: Client) -> None:
    text = "id,input,expected-output,actual-output\n1,a,b,c\n"
    page = words(upload(as_ann, table(text)).content.decode())
    assert "actual-output" in page


def test_settings_are_changed(make: Make, as_ann: Client) -> None:
    sprint = make("Sprint")
    assert saved(as_ann, SETTINGS).status_code == 302
    assert stored(sprint).number == 1
    sent = {**inputs(get(as_ann, SETTINGS)), "action": "save"}
    del sent["is_active"]
    sent |= {"slug": "run", "visibility": "unlisted", "app_id": "x", "scoring_plugin_id": "mine"}
    answer = as_ann.post(SETTINGS, sent)
    assert answer.headers["location"] == "/c/run/manage/settings/"
    sprint.refresh_from_db()
    assert (sprint.slug, sprint.visibility, sprint.is_active) == ("run", "unlisted", False)
    assert (sprint.app_id, stored(sprint).plugin_id) == ("x", "mine")


def test_a_taken_or_wrong_address_is_refused(make: Make, as_ann: Client) -> None:
    make("Sprint")
    make("Run")
    for slug in ("run", "Not a slug", ""):
        answer = saved(as_ann, SETTINGS, slug=slug)
        assert answer.status_code == 422
        page = answer.content.decode()
        assert 'id="id_slug_error"' in page
        assert 'href="/c/sprint/manage/settings/"' in page
