"""`/robots.txt` and `/sitemap.xml` for search engines, `/favicon.ico` for browsers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from leaderboard.http.links import absolute
from leaderboard.models import Challenge
from leaderboard.services.board.reading.listing import by_activity

MOST: Final = 10_000
"""Challenges in the sitemap; a file may have 50 000 addresses."""
ALWAYS: Final = ("challenges", "plugins", "about")
ACTIVE: Final = "active_at"
OF_CHALLENGE: Final = ("board", "rules")


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Pages say by themselves if they are not for search engines; forms and the admin are not."""
    closed = [reverse("admin:index"), reverse("login"), reverse("search"), reverse("oembed")]
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in closed), ""]
    lines += [f"Sitemap: {absolute(request, reverse('sitemap'))}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """The icon, where browsers look for it when an answer names none, such as one in JSON."""
    return redirect(static("pages/favicon.svg"))


@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    """The pages of the challenges that lists show to anyone, the active ones first."""
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n',
        *(_url(absolute(request, reverse(name))) for name in ALWAYS),
        *_of_challenges(request),
        "</urlset>\n",
    ]
    return HttpResponse("".join(parts), content_type="application/xml")


def _of_challenges(request: HttpRequest) -> Iterator[str]:
    challenges = by_activity(Challenge.objects.listed_for(None))
    for challenge in challenges.only("slug")[:MOST]:
        day = getattr(challenge, ACTIVE).date().isoformat()
        for name in OF_CHALLENGE:
            yield _url(absolute(request, reverse(name, args=[challenge.slug])), day)


def _url(address: str, day: str = "") -> str:
    changed = format_html("<lastmod>{}</lastmod>", day) if day else ""
    return format_html("<url><loc>{}</loc>{}</url>\n", address, changed)
