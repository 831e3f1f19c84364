"""Pages that accept no form answer 405, and all that do still check the CSRF token."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.test import Client, RequestFactory
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.models import Challenge, User
from leaderboard.pages.site.read_only import accepted_methods
from tests.helpers.routes import routes_of_site

WITHOUT_TOKEN = {"choose_theme", "choose_language", "unsubscribe"}
"""Forms that have no token: two that cached pages hold, which only change how pages look, and one
that programs for mail send, to an address that is signed.
"""


@pytest.fixture
def strict() -> Client:
    """A client whose tokens are checked, unlike those of the other tests."""
    return Client(enforce_csrf_checks=True)


@pytest.mark.django_db
def test_a_page_without_a_form_refuses_other_methods(strict: Client, verses: Challenge) -> None:
    for path in ("/", "/plugins/", "/status/", "/about/", "/c/verses/", "/c/no/"):
        for method in (strict.post, strict.put, strict.delete):
            answer = method(path)
            assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD"), path
            assert "<h1>" in answer.content.decode()


@pytest.mark.django_db
def test_a_page_with_a_form_checks_the_token(strict: Client, verses: Challenge, ann: User) -> None:
    paths = ("/sign-in/", "/sign-out/", "/c/verses/submit/", "/new/")
    assert {strict.post(path).status_code for path in paths} == {403}
    strict.force_login(ann)
    assert {strict.post(path).status_code for path in paths} == {403}


def functions() -> Iterator[Callable[..., HttpResponse]]:
    """The views of ours that are functions."""
    yield from (pattern.callback for _, pattern in routes_of_site() if _is_ours(pattern.callback))


def _is_ours(view: Any) -> bool:
    ours = str(view.__module__).startswith(("leaderboard.pages", "leaderboard.api"))
    return ours and not hasattr(view, "view_class")


def test_the_methods_of_every_page_are_known() -> None:
    pages = [view for view in functions() if not hasattr(view, "cls")]  # `cls`: of the API
    assert len(pages) > 50
    assert [view.__name__ for view in pages if accepted_methods(view) is None] == []


class Check(CsrfViewMiddleware):
    """Django's check, without our page about it, which needs a user."""

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponse:
        return HttpResponse(reason, status=403)


def test_every_view_that_accepts_a_form_checks_the_token() -> None:
    """Asks the check itself about each view, as a browser without a token would post to it."""
    check = Check(lambda _request: HttpResponse())
    unchecked = set()
    for view in functions():
        if "POST" in (accepted_methods(view) or ()):
            request = RequestFactory().post("/")
            if check.process_view(request, view, (), {}) is None:
                unchecked.add(view.__name__)
    assert unchecked == WITHOUT_TOKEN


def test_accepted_methods_are_found_below_other_decorators() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse()

    assert accepted_methods(view) is None
    table: list[tuple[Any, tuple[str, ...]]] = [
        (require_safe, ("GET", "HEAD")),
        (require_POST, ("POST",)),
        (require_http_methods(["GET", "HEAD", "POST"]), ("GET", "HEAD", "POST")),
    ]
    for decorator, accepted in table:
        assert accepted_methods(decorator(view)) == accepted
        assert accepted_methods(never_cache(decorator(view))) == accepted
