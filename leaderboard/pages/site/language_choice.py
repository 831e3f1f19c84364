"""The reader's choice of a language, kept in a cookie.

The choice is not in the address, so a shared link leads each reader to their own language.
"""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from leaderboard.auth.signing_in import keep_language
from leaderboard.models import User
from leaderboard.pages.site.themes import page_before

PLACE: Final = "#language"
"""The form, at the end of every page."""


# Like the form of themes, this one is a part of cached pages and has no token. Cookies of sessions
# do not come with forms of other sites, so another site could change the language of this browser,
# and nothing of an account.
@csrf_exempt
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Keep the choice and lead back to the page. Raises BadRequest."""
    chosen = request.POST.get("language", "")
    if chosen not in dict(settings.LANGUAGES):
        raise BadRequest(_("There is no such language."))
    if isinstance(request.user, User):
        keep_language(request.user, chosen)
    response = HttpResponseRedirect(page_before(request) + PLACE)
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        chosen,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        path=settings.LANGUAGE_COOKIE_PATH,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
    return response
