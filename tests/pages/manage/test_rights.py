"""Only organisers of the challenge's tenant open its pages."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.tokens import create_token
from tests.pages.conftest import Make
from tests.pages.manage.forms import PAGES
from tests.pages.reading import get, words
from tests.people import organiser_of, signed_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_others_neither_open_a_page_nor_save_by_it(
    make: Make, ann: User, ben: User, client: Client, visibility: str
) -> None:
    sprint = make("Sprint", visibility=visibility)
    other = Tenant.objects.create(slug="other", name="Other")
    strangers = (signed_in(ben), signed_in(organiser_of(other, "stranger")))
    _token, key = create_token(user=ann, scopes=["submit"])
    form = {"action": "save", "name": "Mine"}
    for page in (*PAGES, "/c/sprint/manage/webhooks/"):
        for path in (page, page.replace("sprint", "nowhere")):
            assert {reader.get(path).status_code for reader in strangers} == {404}, path
            assert client.get(path).status_code == 302, path
            headers = {"authorization": f"Bearer {key}"}
            assert client.get(path, headers=headers).status_code == 302, path
        assert {reader.post(page, form).status_code for reader in strangers} <= {404, 405}, page
        assert client.post(page, form).status_code in (302, 405), page
        assert signed_in(ann).get(page).status_code == 200, page
    sprint.refresh_from_db()
    assert (sprint.name, sprint.newest.number) == ("Sprint", 1)


def test_only_organisers_see_the_way_to_their_pages(
    sprint: Challenge, as_ann: Client, as_ben: Client, client: Client
) -> None:
    assert "Manage" in words(get(as_ann, "/c/sprint/"))
    for reader in (as_ben, client):
        assert "Manage" not in words(get(reader, "/c/sprint/"))
