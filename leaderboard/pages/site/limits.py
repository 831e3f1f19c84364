"""Limits for requests of pages, attempts to sign in, and sizes of forms."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from math import ceil
from time import thread_time
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.forms import UsernameField
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import ResolverMatch, reverse

from leaderboard.cache.rates import (
    add_cost,
    address_of,
    counted_for,
    counted_wait,
    give_back,
    times,
    wait_for,
    wait_for_body,
)
from leaderboard.http.links import WATCHED
from leaderboard.models import User
from leaderboard.operating.other_processes import seconds_elsewhere

API: Final = "api"
"""The namespace of the views that have limits of their own."""
UNKNOWN_API: Final = "api-unknown-path"
"""The name of the view for unknown paths of the API, which answers in JSON and reads no body."""
SIGN_IN: Final = "login"
"""The name of the views that accept a password: that of the pages and that of the admin."""
COUNTED: Final = frozenset(
    {
        SIGN_IN,
        "account_signup",
        "link",
        "mfa_authenticate",
        "openid_connect_login",
        "password-reset",
        "socialaccount_signup",
    }
)
"""Names of the views whose forms are counted as attempts to sign in."""
SIGN_UPS: Final = frozenset({"account_signup", "socialaccount_signup"})
MORE_SIGN_UPS: Final = 5
"""So many times as many accounts may be made from an address as sign-ins may fail there."""
UNKNOWN_ENDS: Final = frozenset({"openid_connect_login", "password-reset"})
"""Views whose answer does not tell whether the sign-in will succeed."""
LINK: Final = "link"
BACK: Final = "openid_connect_callback"
"""Where a provider sends people back to: then it is known whether the sign-in has succeeded."""
VISITOR: Final = "podium.is_visitor"
"""The key in `META` of whether the request came from somebody who was not signed in."""
MAX_ANONYMOUS_FORM: Final = 64 * 1024
_USER_NAME: Final = UsernameField(max_length=User._meta.get_field("username").max_length)
"""The field of the sign-in form: other characters for the same letters give the same name."""


class LimitsMiddleware:
    """Refuses with 429 or 413 before a view or another middleware reads the body.

    Signed-in users are counted by user, visitors by address. A page for an unknown address counts
    like any other. It must come before the middleware that reads forms to find their CSRF token.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = _work_so_far()
        response = self.get_response(request)
        _count_cost(request, response, begun)
        if _has_succeeded(request, response):
            for name in _counted_names(request):
                give_back(settings.THROTTLE_SIGN_IN, name)
        if _is_unknown(request, response) and (wait := _wait_for_page(request)):
            return _too_often(request, wait)
        return response

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        route = request.resolver_match
        if route is None or API in route.namespaces or route.view_name in WATCHED:
            return None
        if wait := _wait_for_page(request):
            return _too_often(request, wait)
        request.META[VISITOR] = not request.user.is_authenticated
        may_be_large = request.user.is_authenticated or route.view_name == UNKNOWN_API
        if not may_be_large and _length(request) > MAX_ANONYMOUS_FORM:
            return render(request, "413.html", status=413)
        if may_be_large and (wait := _wait_for_body(request)):
            return _too_often(request, wait)
        if _is_sign_in(request, route) and (wait := _wait_for_sign_in(request, route)):
            return _too_often(request, wait)
        return None


def _count_cost(request: HttpRequest, response: HttpResponseBase, begun: float) -> None:
    """Count what a request cost against the limit that it was counted for, when it is answered.

    A page of the cache costs nothing, one of a thousand rows as much as many others.
    """

    def count() -> None:
        for rate, name in counted_for(request):
            add_cost(rate, name, (_work_so_far() - begun) * 1000)

    if response.streaming:
        response._resource_closers.append(count)  # type: ignore[attr-defined]
    else:
        count()


def _work_so_far() -> float:
    """The seconds for which this thread, and other processes for it, have worked."""
    return thread_time() + seconds_elsewhere()


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """The answer of django-allauth beyond its limits, which are counted by the minute."""
    return _too_often(request, 60)


def _is_unknown(request: HttpRequest, response: HttpResponse) -> bool:
    """Whether no view was found, so that `process_view` was not called."""
    if request.resolver_match is not None or response.status_code != 404:
        return False
    return not request.path.startswith(reverse(UNKNOWN_API))


def _wait_for_page(request: HttpRequest) -> float | None:
    user = request.user
    who = f"user-{user.pk}" if user.is_authenticated else f"address-{address_of(request)}"
    return counted_wait(request, settings.THROTTLE_PAGES, f"page:{who}")


def _wait_for_body(request: HttpRequest) -> float | None:
    """Seconds until the user may send so much; organisers of a tenant have no limit."""
    if _length(request) <= MAX_ANONYMOUS_FORM or not isinstance(request.user, User):
        return None
    if request.user.is_superuser or request.user.memberships.filter(role="organiser").exists():
        return None
    return wait_for_body(request, f"user-{request.user.pk}")


def _is_sign_in(request: HttpRequest, route: ResolverMatch) -> bool:
    return route.url_name in COUNTED and request.method == "POST"


def _wait_for_sign_in(request: HttpRequest, route: ResolverMatch) -> float | None:
    """Seconds to wait before the next sign-in, counted by address and by name; None if allowed.

    Sign-ins that succeed are given back: a class has one address, and each of its members signs in
    once. New accounts have a larger limit of their own, as each of them succeeds.
    """
    rate, names = settings.THROTTLE_SIGN_IN, _counted_names(request)
    if route.url_name in SIGN_UPS:
        more = times(rate, MORE_SIGN_UPS)
        if wait := wait_for(more, f"sign-up:address-{address_of(request)}"):
            return wait
    for at, name in enumerate(names):
        if wait := wait_for(rate, name):
            for counted in names[:at]:
                give_back(rate, counted)
            return wait
    return None


def _counted_names(request: HttpRequest) -> list[str]:
    """What a sign-in is counted by: the address, and the name if there is one."""
    names = [f"sign-in:address-{address_of(request)}"]
    route = request.resolver_match
    if route is not None and route.url_name == SIGN_IN:
        name = (_USER_NAME.to_python(request.POST.get("username", "")) or "").casefold()
        digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        names.append(f"sign-in:name-{digest}")
    return names


def _has_succeeded(request: HttpRequest, response: HttpResponse) -> bool:
    """Whether the request was a counted sign-in, or its end, and has succeeded."""
    route = request.resolver_match
    if route is None or response.status_code not in (200, 302):
        return False
    if route.url_name == BACK:
        # Nothing is given back to somebody who was signed in before.
        return bool(request.META.get(VISITOR)) and request.user.is_authenticated
    if not _is_sign_in(request, route):
        return False
    if route.url_name == LINK:  # A page that asks for the new password is no failure.
        return True
    return response.status_code == 302 and route.url_name not in UNKNOWN_ENDS


def _length(request: HttpRequest) -> int:
    declared = str(request.META.get("CONTENT_LENGTH", ""))
    return int(declared) if declared.isdecimal() else 0


def _too_often(request: HttpRequest, wait: float) -> HttpResponse:
    seconds, route = max(1, ceil(wait)), request.resolver_match
    is_shared = route is not None and route.url_name in COUNTED
    context = {"seconds": seconds, "is_shared": is_shared}
    response = render(request, "429.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response
