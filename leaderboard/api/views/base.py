"""The base of all views of the API."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import MethodNotAllowed, NotFound
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.bound_tokens import bound_to, keep_to_challenge
from leaderboard.api.operations import accepted_by, check_request
from leaderboard.api.parsers import StrictJSONParser
from leaderboard.api.permissions import ScopeToWrite, check_organises, check_reads, user_of
from leaderboard.api.schema import ApiSchema
from leaderboard.api.throttling import Throttle
from leaderboard.models import Challenge, User
from leaderboard.models.built_once import Lookup
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.visibility.meta_values import fields_of
from leaderboard.services.board.reading.meta_query import parameters_of
from leaderboard.services.errors import invalid

CONFIGS = ("tenant", "newest_config", "shown_config")

CALLED = Lookup(
    lambda slug, user: Challenge.objects.select_related(*CONFIGS).all_called(slug, User(pk=user))[
        :1
    ],
    slug=str,
    user=int,
)
"""Finds a challenge by its slug for an active user who is no superuser: the most frequent case."""
CALLED_BY_ANYONE = Lookup(
    lambda slug: Challenge.objects.select_related(*CONFIGS).all_called(slug, None)[:1], slug=str
)
"""The same for a reader who is not signed in."""


class ApiView(APIView):
    # Strict JSON in, JSON out; reading is open, writing needs `scope`. The docstrings of handlers
    # are their descriptions in the API's documentation. submits: whether a token that is bound to a
    # participant may write here. keeps_nothing: see `Throttle`. lists_challenges: whether answers
    # hold several challenges, and leave out what a token that is bound to one is not for.
    schema = ApiSchema()
    parser_classes = [StrictJSONParser]
    permission_classes = [ScopeToWrite]
    throttle_classes = [Throttle]
    scope = "organise"
    submits = False
    keeps_nothing = False
    lists_challenges = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check that there is such a method, then the user, then the permissions, then that every
        part of the request is known.
        """
        method = (request.method or "").lower()
        handler = getattr(self, method, None) if method in self.http_method_names else None
        if handler is None:
            raise MethodNotAllowed(request.method or "")
        super().initial(request, *args, **kwargs)
        if not (self.lists_challenges and request.method in SAFE_METHODS):
            keep_to_challenge(request, kwargs)
        if method != "options":
            takes = accepted_by(handler)
            if takes.by_field and set(request.query_params) - takes.query:
                declared = fields_of(challenge_or_404(request, kwargs["slug"]).meta_fields)
                takes = replace(takes, query=takes.query.union(*map(parameters_of, declared)))
            check_request(request, takes)

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """Mark an answer as private to its reader, unless the view decides otherwise."""
        final = super().finalize_response(request, response, *args, **kwargs)
        final.headers.setdefault("Cache-Control", "private, no-cache")
        return final


class AnyAccept(BaseContentNegotiation):
    """Content negotiation of views with a single format, which they always answer with."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return next(iter(parsers), None)

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        only = next(iter(renderers))
        return only, only.media_type


def challenge_or_404(request: Request, slug: str) -> Challenge:
    """The challenge, if the user can see it. Raises Http404."""
    user = user_of(request)
    if (bound := bound_to(request)) is not None:  # its slug was found in the address
        challenge = (
            Challenge.objects.select_related(*CONFIGS).visible_to(user).filter(pk=bound).first()
        )
    elif user is None:
        challenge = CALLED_BY_ANYONE.first(slug=slug) if "\0" not in slug else None
    elif user.is_active and not user.is_superuser and "\0" not in slug:
        challenge = CALLED.first(slug=slug, user=user.pk)
    else:
        challenge = Challenge.objects.select_related(*CONFIGS).called(slug, user)
    if challenge is None:
        raise NotFound
    if request.method in SAFE_METHODS:
        check_reads(request, challenge)
    return challenge


def organised_challenge(request: Request, slug: str) -> Challenge:
    """The challenge, as `check_organises` lets the request configure it. Raises NotFound."""
    challenge = challenge_or_404(request, slug)
    check_organises(request, challenge)
    return challenge


def switched_on(request: Request, name: str) -> bool:
    """Whether a switch in the query is `1`; `0` or an absent one is off."""
    value = request.query_params.get(name, "0")
    if value not in ("0", "1"):
        text = _("must be 0 or 1; got {sent}")
        raise invalid(name, text.format(sent=sent(value[:40])))
    return value == "1"
