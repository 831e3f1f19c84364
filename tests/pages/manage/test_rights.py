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
PAGES = ["", "announcements/", "extra/", "log/", "phases/"]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("visibility", ["public", "private"])
def test_others_do_not_open_it(
    make: Make, ann: User, ben: User, client: Client, page: str, visibility: str
) -> None:
    make("Sprint", visibility=visibility)
    there, elsewhere = f"/c/sprint/manage/{page}", f"/c/nowhere/manage/{page}"
    other = Tenant.objects.create(slug="other", name="Other")
    stranger = organiser_of(other, "stranger")
    _token, key = create_token(user=ann, scopes=["submit"])
    for reader in (signed_in(ben), signed_in(stranger)):
        assert reader.get(there).status_code == reader.get(elsewhere).status_code == 404
    bearer = {"authorization": f"Bearer {key}"}
    for headers in ({}, bearer):
        answers = [client.get(path, headers=headers) for path in (there, elsewhere)]
        assert [each.status_code for each in answers] == [302, 302]
    assert signed_in(ann).get(there).status_code == 200


def test_the_way_there_is_shown_to_organisers(
    sprint: Challenge, as_ann: Client, as_ben: Client, client: Client
) -> None:
    assert "Manage" in words(get(as_ann, "/c/sprint/"))
    for reader in (as_ben, client):
        assert "Manage" not in words(get(reader, "/c/sprint/"))
