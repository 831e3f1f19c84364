from __future__ import annotations

from collections.abc import Callable
from functools import cache
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.attempt_files import sent_attempt
from leaderboard.api.files.boards import interval_of
from leaderboard.api.operations import operation
from leaderboard.api.pagination import CURSOR, LIMIT, NewestFirst
from leaderboard.api.parsers import AttemptParser, FileParser
from leaderboard.api.permissions import (
    access_in,
    check_reads_attempt,
    only_as,
    organises,
    reviews,
    user_of,
)
from leaderboard.api.serializers.attempt import (
    AttemptPageSerializer,
    AttemptSerializer,
    NewlySubmittedSerializer,
    OneAttemptSerializer,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.files import AttemptFileSerializer
from leaderboard.api.serializers.new_attempt import NewAttemptBody
from leaderboard.api.views.admission_reports import verdict_on
from leaderboard.api.views.attempt_filters import FILTERS, asked_attempts
from leaderboard.api.views.base import CONFIGS, ApiView, challenge_or_404
from leaderboard.api.views.dry_runs import DRY_RUN, tried
from leaderboard.http.arrivals import moment_of
from leaderboard.models import Attempt, Challenge, Participant, User
from leaderboard.models.built_once import Lookup
from leaderboard.rules.json.canonical import digest
from leaderboard.rules.texts.names import name_key
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.attempts import parse_attempt
from leaderboard.schemas.errors import SchemaError
from leaderboard.services.attempts.read import Reading, read_attempts
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.competition.clock import time_of
from leaderboard.services.competition.participants.own_names import own_name
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.certainty import certainties_in
from leaderboard.services.errors import ServiceError, invalid, refused
from leaderboard.services.files.store import sha256_of

LONGEST_KEY = 200
PARTICIPANT = OpenApiParameter("participant", str, description="Only its attempts: slug or handle.")
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "maxLength": LONGEST_KEY, "pattern": "^[ -~]*$"},
    OpenApiParameter.HEADER,
    description="The same key with the same body gives the same attempt.",
)
CONTENT_DIGEST = OpenApiParameter(
    "Content-Digest",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description="The SHA-256 of the file, as `sha-256=:BASE64:`.",
)

ONE = OneAttemptSerializer()
WITH_PLACE = OneAttemptSerializer(context={"with_place": True})
"""Created once, because a serializer copies all its fields when it is created."""


def _with_all(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    challenge = (f"challenge__{name}" for name in CONFIGS)
    return attempts.select_related("participant", "phase", "scoring_config", *challenge)


_PUBLIC = Lookup(lambda pk: _with_all(Attempt.objects.visible_to(None).filter(pk=pk)), pk=UUID)
_VISIBLE = Lookup(
    lambda pk, user: _with_all(Attempt.objects.visible_to(User(pk=user)).filter(pk=pk)),
    pk=UUID,
    user=int,
)


class AttemptListView(ApiView):
    parser_classes = [AttemptParser, FileParser]
    scope = "submit"
    submits = True

    @operation(
        operation_id="attempts_list",
        summary="List attempts, the newest first",
        parameters=[PARTICIPANT, *FILTERS, LIMIT, CURSOR],
        responses={200: AttemptPageSerializer, **refusals(400, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Each attempt has the score that the board uses."""
        challenge = challenge_or_404(request, slug)
        access = access_in(request, challenge)
        attempts = Attempt.objects.filter(access.attempts(), challenge=challenge)
        attempts = attempts.without_sample(challenge)
        attempts = attempts.filter(asked_attempts(request, challenge, access))
        attempts = attempts.select_related("participant", "phase", "scoring_config")
        if who := request.query_params.get("participant", ""):
            attempts = attempts.filter(_named(challenge, who, access))
        pages = NewestFirst()
        readings = readings_of(request, challenge, pages.paginate_queryset(attempts, request))
        return pages.get_paginated_response(AttemptSerializer(readings, many=True).data)

    @operation(
        operation_id="attempts_submit",
        summary="Submit an attempt",
        parameters=[IDEMPOTENCY_KEY, CONTENT_DIGEST, DRY_RUN],
        request={
            "application/json": NewAttemptBody,
            "multipart/form-data": AttemptFileSerializer,
        },
        responses={
            200: NewlySubmittedSerializer,
            202: NewlySubmittedSerializer,
            **refusals(400, 403, 404, 409, 413, 415),
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """202 for a new attempt, which a worker will score; 200 for one that exists already.

        A file of predictions is checked first, and a wrong one costs nothing: `fields.file` has its
        first wrong lines. `Content-Digest` states its SHA-256, if it is sent.
        With `?dry_run=1` also 200: what would be saved, under an id that is not kept. `verdict` and
        `findings` are what the rules of admission say of it.
        """
        challenge = challenge_or_404(request, slug)
        organiser = organises(request, challenge)
        key = idempotency_key(request)
        with tried(request) as is_dry:
            fields, file = sent_attempt(request)  # may forget a damaged upload
            new = checked_attempt(
                fields,
                organiser=organiser,
                default_participant=own_handle(request, challenge),
                has_file=file is not None,
            )
            attempt, is_new = submit_attempt(
                challenge=challenge,
                user=submitter(request),
                new=new,
                organiser=organiser,
                idempotency_key=key,
                body_hash=digest([fields, sha256_of(file.content)] if file else fields)
                if key
                else "",
                received_at=time_of(moment_of(request.META)),
                only_as=only_as(request),
                file=file,
            )
            (reading,) = readings_of(request, challenge, [attempt])
            verdict = verdict_on(request, challenge, reading)
        body = {**ONE.to_representation(reading), **verdict}
        if is_dry:
            return Response(body)
        code = status.HTTP_202_ACCEPTED if is_new else status.HTTP_200_OK
        return Response(body, code, headers={"Location": body["url"]})


class AttemptView(ApiView):
    @operation(
        operation_id="attempts_read",
        summary="Read an attempt",
        responses={200: OneAttemptSerializer, **refusals(404)},
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """Ask again until `status` is `scored` or `failed`."""
        attempt = visible_or_404(request, pk)
        (reading,) = readings_of(request, attempt.challenge, [attempt])
        body = WITH_PLACE.to_representation(reading)
        if reading.rank is not None:
            certain = certainties_in(attempt.challenge, access_in(request, attempt.challenge))
            body["rank_interval"] = interval_of(certain.get(attempt.phase_id), attempt.pk)
        return Response(body)


def checked_attempt(
    body: object,
    *,
    organiser: bool,
    default_participant: Callable[[], str],
    has_file: bool = False,
) -> NewAttempt:
    """The attempt that a body describes. has_file: beside it. Raises ServiceError."""
    try:
        new = NewAttempt(**parse_attempt(body, default_participant, has_file=has_file))
    except SchemaError as error:
        raise refused(error) from None
    if new.submitted_at is not None and isinstance(body, dict) and not organiser:
        text = _(
            "must be left out, because only organisers say when an attempt was submitted;"
            " got {sent}"
        ).format(sent=sent(body["submitted_at"]))
        name = "submitted_at"
        raise ServiceError("permission_denied", f"{name}: {text}", {name: [text]})
    return new


def own_handle(request: Request, challenge: Challenge) -> Callable[[], str]:
    """A function for the only name under which the user of a request takes part; "" without one."""

    @cache
    def handle() -> str:
        own = own_name(challenge, submitter(request), only_as(request))
        return own.handle if own else ""

    return handle


def visible_or_404(request: Request, pk: UUID) -> Attempt:
    """An attempt with the rows that reading it needs.

    Raises NotFound if the reader may not know of it, ServiceError if the token may not read it.
    """
    attempt = _visible_attempt(user_of(request), pk)
    if attempt is None or not access_in(request, attempt.challenge).sees(attempt):
        raise NotFound
    check_reads_attempt(request, attempt)
    return attempt


def _visible_attempt(user: User | None, pk: UUID) -> Attempt | None:
    if user is None or not user.is_active:
        return _PUBLIC.first(pk=pk)
    if not user.is_superuser:
        return _VISIBLE.first(pk=pk, user=user.pk)
    return _with_all(Attempt.objects.filter(pk=pk)).first()


def submitter(request: Request) -> User:
    """The user of a request that `ScopeToWrite` let through."""
    user = user_of(request)
    if user is None:
        raise ServiceError("permission_denied", _("This needs a signed-in user or a token."))
    return user


def readings_of(request: Request, challenge: Challenge, attempts: list[Attempt]) -> list[Reading]:
    """Attempts as the user of a request may see them."""
    return read_attempts(
        challenge,
        attempts,
        reader=user_of(request),
        organiser=reviews(request, challenge),
        access=access_in(request, challenge),
    )


def _named(challenge: Challenge, who: str, access: Access) -> Q:
    """The attempts of a participant by slug or handle; by an alias where names are hidden."""
    if "\0" in who:
        text = _("must not hold the NUL character; got {sent}")
        raise invalid("participant", text.format(sent=sent(who)))
    same_name = Q(slug=who) | Q(handle_key=name_key(who))
    participants = Participant.objects.filter(same_name, tenant=challenge.tenant_id)
    if not access.is_limited:
        return Q(participant__in=participants)
    by_name = [access.under_name(participant) for participant in participants] or [
        access.called(challenge, who)
    ]
    named = Q(pk=None)
    for called in by_name:
        if called is not None:
            named |= called.attempts()
    return named


def idempotency_key(request: Request) -> str:
    key = request.headers.get("Idempotency-Key", "")
    if len(key) > LONGEST_KEY or not (key.isascii() and (key.isprintable() or not key)):
        is_long = len(key) > LONGEST_KEY
        got = _("{count} characters").format(count=len(key)) if is_long else sent(key)
        text = _("must be at most {most} printable ASCII characters; got {sent}")
        raise invalid("Idempotency-Key", text.format(most=LONGEST_KEY, sent=got))
    return key
