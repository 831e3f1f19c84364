"""Limits of requests for pages, of attempts to sign in, and of the size of forms."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from leaderboard.models import OneTimeLink, Tenant, User
from leaderboard.pages.site.limits import MAX_ANONYMOUS_FORM
from leaderboard.schemas.openid_providers import ProviderSetting
from leaderboard.services.accounts.one_time_links import make_link
from tests.pages.conftest import PASSWORD, Make
from tests.people import organiser_of, signed_in

pytestmark = pytest.mark.django_db
ELSEWHERE: Any = {"REMOTE_ADDR": "198.51.100.7"}


@pytest.fixture(autouse=True)
def _few(settings: Any) -> None:
    cache.clear()
    settings.THROTTLE_PAGES = "6/day"
    settings.THROTTLE_SIGN_IN = "3/day"


def tried(client: Client, name: str, password: str = "wrong", **where: Any) -> int:
    form = {"username": name, "password": password}
    return client.post("/sign-in/", form, **where).status_code


def test_pages_and_unknown_addresses_are_counted_by_address(client: Client, make: Make) -> None:
    make("Sprint")
    paths = ["/", "/c/sprint/", "/missing", "/sign-in/", "/c/", "/wp-login.php"]
    assert [client.get(path).status_code for path in paths] == [200, 200, 404, 200, 404, 404]
    for path in ("/c/sprint/", "/missing/"):
        answer = client.get(path)
        assert answer.status_code == 429
        assert 1 <= int(answer["Retry-After"]) <= 86400
    assert client.get("/", **ELSEWHERE).status_code == 200


def test_signed_in_users_are_counted_separately(client: Client, ben: User, zoe: User) -> None:
    while client.get("/").status_code == 200:
        pass
    assert signed_in(ben).get("/account/").status_code == 200
    as_zoe = signed_in(zoe)
    assert [as_zoe.get("/").status_code for _ in range(7)] == [200] * 6 + [429]
    elsewhere = as_zoe.get("/", **ELSEWHERE)
    assert elsewhere.status_code == 429


def test_other_urls_do_not_count_as_pages(client: Client) -> None:
    for path in ("/healthz", "/status.json", "/api/v1/challenges/", "/static/pages/pages.css"):
        assert {client.get(path).status_code for _ in range(8)} == {200}, path


def test_the_limit_can_be_turned_off(client: Client, settings: Any) -> None:
    settings.THROTTLE_PAGES = settings.THROTTLE_SIGN_IN = None
    assert {client.get("/").status_code for _ in range(9)} == {200}
    assert {tried(client, "ben") for _ in range(9)} == {200}


def test_a_class_signs_in_from_one_address(client: Client, settings: Any) -> None:
    """Only failures count, also between sign-ins that succeed."""
    settings.THROTTLE_PAGES = None
    names = [User.objects.create_user(f"s{n}", password=PASSWORD).username for n in range(7)]
    assert {tried(Client(), name, PASSWORD) for name in names} == {302}
    assert [tried(Client(), "nobody") for _ in range(2)] == [200] * 2
    assert {tried(Client(), name, PASSWORD) for name in names} == {302}
    assert tried(Client(), "nobody else") == 200
    answer = client.post("/sign-in/", {"username": names[0], "password": PASSWORD})
    assert answer.status_code == 429
    assert "same address" in answer.content.decode()


def test_the_same_user_may_sign_in_often(ben: User, settings: Any) -> None:
    settings.THROTTLE_PAGES = None
    assert {tried(Client(), "ben", PASSWORD) for _ in range(7)} == {302}
    assert [tried(Client(), "ben") for _ in range(4)] == [200, 200, 200, 429]
    assert tried(Client(), "ben", PASSWORD, **ELSEWHERE) == 429


def test_nothing_is_given_back_to_who_is_signed_in(
    ben: User, client: Client, settings: Any
) -> None:
    settings.THROTTLE_PAGES = None
    settings.OPENID_CONNECT = [
        ProviderSetting(
            id="uni", name="University", client_id="x", client_secret="y", server_url="https://u"
        )
    ]
    inside = signed_in(ben)
    for _ in range(3):
        assert tried(client, "zoe") == 200
        inside.get("/sign-in/with/uni/back/?error=access_denied&state=x")
        inside.post("/sign-in/", {"username": "zoe", "password": "wrong"})
    assert tried(client, "zoe") == 429


def test_a_class_signs_up_and_chooses_passwords(
    client: Client, tenant: Tenant, settings: Any
) -> None:
    settings.THROTTLE_PAGES, settings.SIGN_UP = None, "open"
    codes = []
    for number in range(15):
        newcomer = {"username": f"new{number}", "password1": PASSWORD, "password2": PASSWORD}
        codes.append(Client().post("/sign-up/", newcomer).status_code)
    assert codes == [302] * 15
    newcomer = {"username": "one-more", "password1": PASSWORD, "password2": PASSWORD}
    assert Client().post("/sign-up/", newcomer).status_code == 429
    ann = organiser_of(tenant, "ann")
    for number in range(5):
        user = User.objects.create_user(f"made{number}", managed_by=tenant)
        _link, code = make_link(OneTimeLink.Purpose.PASSWORD, by=ann, user=user)
        visitor = Client()
        assert visitor.post("/link/", {"code": code}).status_code == 200
        chosen = {"code": code, "new_password1": PASSWORD, "new_password2": PASSWORD}
        assert visitor.post("/link/", chosen).status_code == 302
    assert [client.post("/link/", {"code": "a" * 25}).status_code for _ in range(4)] == [
        *[422] * 3,
        429,
    ]


def test_one_address_may_try_few_user_names(client: Client, ben: User) -> None:
    assert [tried(client, f"user-{number}") for number in range(4)] == [200, 200, 200, 429]
    assert tried(client, "ben", PASSWORD) == 429
    assert tried(client, "ben", PASSWORD, **ELSEWHERE) == 302


def test_one_user_name_may_be_tried_a_few_times_from_many_addresses(
    client: Client, ben: User
) -> None:
    for names in (["ben", "BEN", " ben ", "ben"], ["ben", "\uff42en", "b\uff45n", "be\uff4e"]):
        cache.clear()
        codes = [
            tried(client, name, REMOTE_ADDR=f"198.51.100.{number}")
            for number, name in enumerate(names)
        ]
        assert codes == [200, 200, 200, 429], names
    assert tried(client, "zoe", **ELSEWHERE) == 200


def test_the_admins_sign_in_counts_too(client: Client, ann: User) -> None:
    for _ in range(3):
        form = {"username": "ann", "password": "wrong"}
        assert client.post("/admin/login/", form).status_code == 200
    assert tried(client, "ann", PASSWORD) == 429


def test_opening_the_form_does_not_count(client: Client) -> None:
    assert {client.get("/sign-in/").status_code for _ in range(6)} == {200}


def test_anonymous_users_may_send_small_forms_only(client: Client, make: Make) -> None:
    make("Sprint")
    large = {"username": "x" * MAX_ANONYMOUS_FORM, "password": "y"}
    for path in ("/sign-in/", "/c/sprint/submit/", "/admin/login/"):
        answer = client.post(path, large)
        assert answer.status_code == 413, path
        assert "64 KiB" in answer.content.decode()
        assert not getattr(answer.wsgi_request, "_read_started", True), path


def test_unknown_paths_of_the_api_answer_large_bodies_in_json(client: Client) -> None:
    large = "x" * (MAX_ANONYMOUS_FORM + 1)
    answer = client.patch("/api/v1/challenges/%FF/", large, "application/json")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")


def test_signed_in_users_may_send_large_forms(as_ben: Client, make: Make) -> None:
    make("Sprint")
    answer = as_ben.post("/c/sprint/submit/", {"participant": "x" * 2 * MAX_ANONYMOUS_FORM})
    assert answer.status_code == 422
