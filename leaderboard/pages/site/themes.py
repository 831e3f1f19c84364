"""The reader's choice between the light and the dark theme, kept in a cookie.

The server reads the cookie, so no page appears in the wrong theme first. The form has no CSRF
token, because a cached board is the same text for all readers; another site could change nothing
but the colours.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

COOKIE: Final = "theme"
CHOICES: Final = frozenset({"light", "dark"})
SYSTEM: Final = "system"
"""As the reader's browser or system says; this choice has no cookie."""
SECONDS: Final = 365 * 24 * 3600
PLACE: Final = "#theme"
"""The form, at the end of every page."""


def theme_in(request: HttpRequest) -> str:
    """`light`, `dark`, or "" for the setting of the reader's system."""
    chosen = request.COOKIES.get(COOKIE, "")
    return chosen if chosen in CHOICES else ""


# Cached pages, which are the same for all readers, hold this form, so it can have no token. Another
# site could at most change the colours.
@csrf_exempt
@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Keep the choice and lead back to the page. Raises BadRequest."""
    chosen = request.POST.get("theme", "")
    if chosen not in {*CHOICES, SYSTEM}:
        raise BadRequest(_("There is no such theme."))
    response = HttpResponseRedirect(page_before(request) + PLACE)
    path, is_secure = settings.SESSION_COOKIE_PATH, settings.SESSION_COOKIE_SECURE
    if chosen == SYSTEM:
        response.delete_cookie(COOKIE, path=path, samesite="Lax")
    else:
        response.set_cookie(
            COOKIE,
            chosen,
            max_age=SECONDS,
            path=path,
            secure=is_secure,
            httponly=True,
            samesite="Lax",
        )
    return response


def page_before(request: HttpRequest) -> str:
    """The path of the page on which the form was sent; the list of challenges if that is unknown.

    From the header Referer, which browsers send to the site itself: a field would repeat addresses
    on pages that say only that there is nothing.
    """
    before = urlsplit(request.headers.get("Referer", ""))
    if before.netloc != request.get_host() or not before.path.startswith("/"):
        return reverse("challenges")
    # An address that begins with two slashes is that of another host.
    path = f"/{before.path.lstrip('/')}"
    return f"{path}?{before.query}" if before.query else path
