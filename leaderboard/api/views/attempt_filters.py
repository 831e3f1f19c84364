"""The parameters by which a list of attempts is narrowed."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from leaderboard.api.permissions import user_of
from leaderboard.api.schema import SWITCH
from leaderboard.api.serializers.attempt import STATUSES as CHOICES
from leaderboard.api.views.base import switched_on
from leaderboard.models import Attempt, Challenge
from leaderboard.rules.texts.quoting import sent
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.errors import invalid

MOST_IDS: Final = 100
STATUSES: Final = tuple(str(name) for name, _label in CHOICES)
MAX_SHOWN: Final = 80
STORED: Final = {"queued": ("queued", "held")}
"""The stored statuses behind a public one, where they have other names."""
_ID: Final = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
FILTERS: Final = (
    OpenApiParameter(
        "ids",
        {"type": "string", "pattern": f"^({_ID}(,{_ID}){{0,{MOST_IDS - 1}}})?$"},
        description=f"Only these: up to {MOST_IDS} ids of attempts, with commas between them.",
    ),
    OpenApiParameter(
        "status", {"type": "string", "enum": [*STATUSES]}, description="Only those that are so far."
    ),
    OpenApiParameter("phase", str, description="Only those in the phase with this slug."),
    OpenApiParameter("mine", SWITCH, description="`1`: only those that you have submitted."),
)


def asked_attempts(request: Request, challenge: Challenge, access: Access) -> Q:
    """The attempts that the parameters of a request name. Raises ServiceError."""
    query = request.query_params
    wanted = Q()
    if ids := query.get("ids", ""):
        wanted &= Q(pk__in=_ids(ids))
    if status := query.get("status", ""):
        wanted &= _with_status(status, access)
    if slug := query.get("phase", ""):
        wanted &= Q(phase=_phase(challenge, slug))
    if switched_on(request, "mine"):
        user = user_of(request)
        wanted &= Q(submitted_by=user) if user else Q(pk=None)
    return wanted


def _ids(text: str) -> list[UUID]:
    try:
        ids = [UUID(part) for part in text.split(",")]
    except ValueError:
        wrong = _("must be ids of attempts with commas between them; got {sent}")
        raise invalid("ids", wrong.format(sent=sent(text[:MAX_SHOWN]))) from None
    if len(ids) > MOST_IDS:
        wrong = _("must be at most {most} ids; got {count}")
        raise invalid("ids", wrong.format(most=MOST_IDS, count=len(ids)))
    return ids


def _with_status(status: str, access: Access) -> Q:
    """The attempts that the reader sees with a status: behind a freeze, all others' wait."""
    if status not in STATUSES:
        wrong = _("must be one of {names}; got {sent}")
        text = wrong.format(names=", ".join(STATUSES), sent=sent(status[:MAX_SHOWN]))
        raise invalid("status", text)
    stored = Q(status__in=STORED.get(status, (status,)))
    frozen = access.looks_waiting()
    return (stored | frozen) if status == Attempt.Status.QUEUED else (stored & ~frozen)


def _phase(challenge: Challenge, slug: str) -> int:
    phases = dict(challenge.phases.values_list("slug", "pk"))
    if slug not in phases:
        wrong = _("must be one of {names}; got {sent}")
        text = wrong.format(names=", ".join(phases), sent=sent(slug[:MAX_SHOWN]))
        raise invalid("phase", text)
    return phases[slug]
