"""Only organisers of the challenge's tenant open its pages."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.tokens import create_token
from tests.pages.conftest import Make
from tests.pages.reading import get, words
from tests.people import organiser_of, signed_in

pytestmark = pytest.mark.django_db
PAGES = ["", "announcements/", "extra/", "log/", "phases/", "webhooks/"]


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_others_do_not_open_it(
    make: Make, ann: User, ben: User, client: Client, visibility: str
) -> None:
    make("Sprint", visibility=visibility)
    other = Tenant.objects.create(slug="other", name="Other")
    strangers = (signed_in(ben), signed_in(organiser_of(other, "stranger")))
    _token, key = create_token(user=ann, scopes=["submit"])
    for page in PAGES:
        for challenge in ("sprint", "nowhere"):
            path = f"/c/{challenge}/manage/{page}"
            assert {reader.get(path).status_code for reader in strangers} == {404}
            assert client.get(path).status_code == 302
            headers = {"authorization": f"Bearer {key}"}
            assert client.get(path, headers=headers).status_code == 302
        assert signed_in(ann).get(f"/c/sprint/manage/{page}").status_code == 200


def test_the_way_there_is_shown_to_organisers(
    sprint: Challenge, as_ann: Client, as_ben: Client, client: Client
) -> None:
    assert "Manage" in words(get(as_ann, "/c/sprint/"))
    for reader in (as_ben, client):
        assert "Manage" not in words(get(reader, "/c/sprint/"))
