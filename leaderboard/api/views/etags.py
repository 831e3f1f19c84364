"""Strong ETags of what organisers change, and `If-Match`, so that no change is overwritten unseen.

The tag of an organiser ends in the number of the newest entry of the audit log, by which a refusal
can say what has changed since; only what stands before it is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from django.db import transaction
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import IF_MATCH_NAME
from leaderboard.api.permissions import reviews
from leaderboard.languages.translation import moment_text
from leaderboard.models import AuditEntry, Challenge
from leaderboard.rules.json.canonical import digest
from leaderboard.services.competition.audit import entries_of
from leaderboard.services.errors import ServiceError

IF_MATCH: Final = OpenApiParameter(
    IF_MATCH_NAME,
    str,
    OpenApiParameter.HEADER,
    description="The `ETag` of what you have read: 412 if it has changed since.",
)
MOST_NAMED: Final = 5
CONFIGURES: Final = (
    AuditEntry.Kind.ADMISSION,
    AuditEntry.Kind.ANNOUNCEMENT,
    AuditEntry.Kind.CHALLENGE,
    AuditEntry.Kind.PHASE,
    AuditEntry.Kind.ROLE,
    AuditEntry.Kind.RULES,
    AuditEntry.Kind.SCORING,
)
"""What of the audit log says why a tag has changed."""

Fields = Mapping[str, object]


def etag_of(request: Request, challenge: Challenge, fields: Fields) -> str:
    """The tag of an answer with these fields. fields: plain JSON."""
    tag = digest(fields)[:32]
    if reviews(request, challenge):
        newest = entries_of(challenge.pk).values_list("pk", flat=True).first()
        tag = f"{tag}-{newest or 0}"
    return f'"{tag}"'


def tagged(request: Request, challenge: Challenge, fields: Fields) -> HttpResponseBase:
    """The answer with its ETag, or a 304 for a reader who has it."""
    response = Response(fields, headers={"ETag": etag_of(request, challenge, fields)})
    same = get_conditional_response(request._request, etag=response["ETag"])
    return response if same is None or request.method not in ("GET", "HEAD") else same


def guard_for(
    request: Request, read: Callable[[Challenge], Fields]
) -> Callable[[Challenge], None] | None:
    """A check of `If-Match`, for the challenge once it is locked; None if nothing is to be checked.

    read: the fields that the tag is of. The check raises ServiceError (`changed`).
    """
    wanted = request.headers.get(IF_MATCH_NAME, "").strip()
    if wanted in ("", "*"):
        return None
    # Compressing an answer on its way makes its tag a weak one.
    named = [tag.strip().removeprefix("W/").strip('"') for tag in wanted.split(",")]

    def check(challenge: Challenge) -> None:
        current = digest(read(challenge))[:32]
        if current not in [tag.partition("-")[0] for tag in named]:
            raise _changed(challenge, named[0].partition("-")[2])

    return check


@contextmanager
def locked_for(
    request: Request, challenge: Challenge, read: Callable[[Challenge], Fields]
) -> Iterator[None]:
    """A change of a part of the challenge, only if it is what `If-Match` names.

    read: the fields that the tag of this part is of. Raises ServiceError (`changed`).
    """
    guard = guard_for(request, read)
    if guard is None:
        yield
        return
    with transaction.atomic():
        guard(Challenge.objects.lock_challenge(challenge.pk))
        yield


def _changed(challenge: Challenge, since: str) -> ServiceError:
    """The refusal, with who has changed what since an entry of the log."""
    text = _("The challenge has changed since you read it.")
    if not since.isdecimal() or len(since) > 18:
        return ServiceError("changed", text, {"If-Match": [text]})
    entries = entries_of(challenge.pk).filter(pk__gt=int(since), kind__in=CONFIGURES)
    changes = [_described(entry) for entry in entries[:MOST_NAMED]]
    return ServiceError("changed", " ".join([text, *changes]), {"If-Match": changes or [text]})


def _described(entry: AuditEntry) -> str:
    names = sorted({*(entry.before or {}), *(entry.after or {})})
    return _("{who} changed {what} at {time}: {names}.").format(
        who=entry.actor or _("The server"),
        what=" ".join(filter(None, (entry.kind, entry.object))),
        time=moment_text(entry.at),
        names=", ".join(names),
    )
