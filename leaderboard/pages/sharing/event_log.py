"""`/c/{slug}/log.jsonl` and `/log/anchors.json`: what anyone needs to check the log of a challenge.

docs/log.md says how.
"""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from leaderboard.http.links import absolute
from leaderboard.models import LogAnchor
from leaderboard.pages.sharing.picture import shared
from leaderboard.pages.sharing.public_board import open_challenge_or_404
from leaderboard.rules.event_chain import FIRST_LINK
from leaderboard.services.competition.visible.log import log_line, public_events

LINES: Final = 1000
ANCHORS: Final = 400
LARGEST: Final = 2**62
TYPE: Final = "application/jsonl"


@require_safe
def event_log(request: HttpRequest, slug: str) -> HttpResponse:
    """Up to a thousand events after `?after=SEQ`. The ETag is the link of the last one."""
    challenge = open_challenge_or_404(slug)
    after = _seq(request.GET.get("after", ""))
    events = list(public_events(challenge).filter(seq__gt=after)[:LINES])
    link = bytes(events[-1].link) if events else FIRST_LINK
    etag = f'"{link.hex()}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(map(log_line, events), content_type=TYPE)
    if len(events) == LINES:
        address = absolute(request, reverse("event-log", args=[slug]))
        response["Link"] = f'<{address}?after={events[-1].seq}>; rel="next"'
    response["Access-Control-Allow-Origin"] = "*"
    return shared(response, etag)


@require_safe
def anchors(request: HttpRequest) -> HttpResponse:
    """The newest anchors, the newest first."""
    newest = LogAnchor.objects.order_by("-day")[:ANCHORS]
    days = [
        {"day": anchor.day, "at": anchor.at, "root": anchor.root, "leaves": anchor.leaves}
        for anchor in newest
    ]
    response = JsonResponse({"anchors": days})
    response["Access-Control-Allow-Origin"] = "*"
    return shared(response)


def _seq(text: str) -> int:
    """A sequence number of a query; 0 for anything else."""
    return min(int(text), LARGEST) if text.isascii() and text.isdecimal() and text else 0
