"""`/oembed/?url=`: what other sites need to show a link to a board, as oembed.com describes it."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.urls import Resolver404, resolve, reverse
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from leaderboard.http.links import absolute
from leaderboard.models import Challenge
from leaderboard.pages.sharing.card import HEIGHT, WIDTH
from leaderboard.pages.sharing.picture import shared
from leaderboard.pages.sharing.public_board import phase_query, public_board_or_404
from leaderboard.rules.json.values import JsonObject

FRAME: Final = (640, 540)
LEAST: Final = 200
SECONDS: Final = 300


@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format", "json") != "json":
        return HttpResponse("Only format=json.", status=501, content_type="text/plain")
    slug, phase = _asked(request)
    board = public_board_or_404(slug, phase)
    response = JsonResponse(_answer(request, board.challenge, phase_query(board) if phase else ""))
    response["Access-Control-Allow-Origin"] = "*"
    return shared(response)


def embed_code(
    request: HttpRequest, challenge: Challenge, size: tuple[int, int], phase: str
) -> str:
    """The HTML of a frame with the board. size: width and height. phase: a query, or ""."""
    return format_html(
        '<iframe src="{}" title="{}" width="{}" height="{}" loading="lazy"></iframe>',
        absolute(request, reverse("embed", args=[challenge.slug])) + phase,
        challenge.name,
        *size,
    )


def _answer(request: HttpRequest, challenge: Challenge, phase: str) -> JsonObject:
    answer: JsonObject = {
        "version": "1.0",
        "type": "link",
        "title": challenge.name,
        "provider_name": settings.SITE_NAME,
        "provider_url": absolute(request, reverse("challenges")),
        "cache_age": SECONDS,
        "thumbnail_url": absolute(request, reverse("og-picture", args=[challenge.slug])) + phase,
        "thumbnail_width": WIDTH,
        "thumbnail_height": HEIGHT,
    }
    if not challenge.is_embeddable:
        return answer
    width, height = (
        _at_most(request, name, usual)
        for name, usual in zip(("maxwidth", "maxheight"), FRAME, strict=True)
    )
    code = embed_code(request, challenge, (width, height), phase)
    return answer | {"type": "rich", "html": code, "width": width, "height": height}


def _at_most(request: HttpRequest, name: str, usual: int) -> int:
    text = request.GET.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) <= 5):
        return usual
    return max(LEAST, min(usual, int(text)))


def _asked(request: HttpRequest) -> tuple[str, str]:
    """The challenge that `?url=` leads to, and the phase that it names or "".

    Raises Http404 for an address of anything else.
    """
    try:
        asked = urlsplit(request.GET.get("url", ""))
        home = urlsplit(absolute(request, reverse("challenges")))
        route = resolve(f"/{asked.path.removeprefix(home.path)}")
    except (ValueError, Resolver404):
        raise Http404("There is no such page.") from None
    is_ours = asked.netloc == home.netloc and asked.scheme in ("http", "https")
    if not is_ours or route.view_name not in ("board", "embed"):
        raise Http404("There is no such board.")
    return str(route.kwargs["slug"]), QueryDict(asked.query).get("phase", "")
