"""The log of a challenge, for receivers that ask instead of being called."""

from __future__ import annotations

from typing import Final

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import reviews
from leaderboard.api.queries import limit_in, wrong_limit
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.event import EventPageSerializer, event_json
from leaderboard.api.views.base import ApiView, challenge_or_404
from leaderboard.services.competition.visible.log import all_events, public_events
from leaderboard.services.errors import invalid

MOST: Final = 1000
LARGEST: Final = 2**53
LIMIT = OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": MOST})
AFTER = OpenApiParameter(
    "after",
    {"type": "integer", "minimum": 0, "maximum": LARGEST},
    description="The `seq` of the last event that is known.",
)


class EventListView(ApiView):
    @operation(
        operation_id="events_list",
        summary="List the events of a challenge",
        parameters=[LIMIT, AFTER],
        responses={200: EventPageSerializer, **refusals(400, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """The events after a number, the oldest first.

        Organisers and reviewers get all events, others those that the public may know.
        """
        challenge = challenge_or_404(request, slug)
        limit = _number(request, "limit", MOST) or 100
        after = _number(request, "after", LARGEST) or 0
        sees_all = reviews(request, challenge)
        events = all_events(challenge) if sees_all else public_events(challenge)
        page = list(events.filter(seq__gt=after)[:limit])
        last = page[-1].seq if page else after
        return Response({"results": [event_json(event) for event in page], "after": last})


def _number(request: Request, name: str, most: int) -> int | None:
    """The number of a parameter; None if it is absent or 0. Raises ServiceError."""
    text = request.query_params.get(name, "")
    number = limit_in(text, most)
    if number is None and text not in ("", *(("0",) if name == "after" else ())):
        raise invalid(name, wrong_limit(text, most))
    return number
