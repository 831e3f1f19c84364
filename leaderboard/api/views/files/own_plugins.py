"""The plugins that organisers upload for one challenge."""

from __future__ import annotations

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.bound_tokens import bound_to
from leaderboard.api.operations import operation
from leaderboard.api.parsers import FileParser
from leaderboard.api.permissions import user_of
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.own_plugins import (
    NewPluginsSerializer,
    OtherPluginsListSerializer,
    OwnPluginsSerializer,
)
from leaderboard.api.views.base import ApiView, organised_challenge
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.models import Challenge, User
from leaderboard.services.challenges.own_plugins import (
    put_own_plugins,
    remove_own_plugins,
    upload_of,
)
from leaderboard.services.challenges.shared_plugins import (
    other_uploads,
    sent_plugins,
    sharing_challenges,
)
from leaderboard.services.errors import ServiceError


class OwnPluginsView(ApiView):
    parser_classes = [FileParser]

    @operation(
        operation_id="challenge_plugins_read",
        summary="Read the plugins that a challenge has of its own",
        responses={200: OwnPluginsSerializer, **refusals(403, 404, 503)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """For organisers: the files, and the plugins in them as the sandbox describes them."""
        challenge = organised_challenge(request, slug)
        return _answer(request, challenge)

    @change_operation(
        operation_id="challenge_plugins_put",
        summary="Replace the plugins that a challenge has of its own",
        request={"multipart/form-data": NewPluginsSerializer},
        responses={200: OwnPluginsSerializer, **refusals(400, 403, 404, 413, 415, 503)},
    )
    def put(self, request: Request, slug: str) -> Response:
        """`challenge.module:Class` then names a scorer in `module.py`; metrics are in `metrics/`,
        text metrics in `text/`. `on_code_change` says what becomes of a board that uses one.

        `also` replaces them in up to 20 other challenges that have the same ones: in all of them,
        or in none."""
        challenge = organised_challenge(request, slug)
        sent = NewPluginsSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        fields, organiser = sent.validated_data, _organiser(request)
        source, also = fields.get("source", ""), fields.get("also", "").split(",")
        files = sent_plugins(challenge, fields.get("file"), source, organiser=organiser)
        slugs = {slug.strip() for slug in also} - {""}
        sharing = sharing_challenges(challenge, slugs, organiser=organiser)
        put_own_plugins(challenge, files, user=user_of(request), also=sharing)
        return _answer(request, challenge)

    @change_operation(
        operation_id="challenge_plugins_delete",
        summary="Delete the plugins that a challenge has of its own",
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404, 409)},
    )
    def delete(self, request: Request, slug: str) -> Response:
        """409 while the challenge is scored by one of them."""
        challenge = organised_challenge(request, slug)
        remove_own_plugins(challenge, user=user_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class OtherPluginsView(ApiView):
    @operation(
        operation_id="challenge_plugins_others",
        summary="List the plugins of the tenant's other challenges",
        responses={200: OtherPluginsListSerializer, **refusals(403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Those of challenges that you may configure: to take them over, or to replace the same
        ones together. A token that is bound to a challenge gets none."""
        challenge = organised_challenge(request, slug)
        uploads = other_uploads(challenge, organiser=_organiser(request))
        context = {"request": request}
        return Response(OtherPluginsListSerializer({"results": uploads}, context=context).data)


def _organiser(request: Request) -> User | None:
    """Whose other challenges of the tenant the request may reach; None with a bound token."""
    return user_of(request) if bound_to(request) is None else None


def _answer(request: Request, challenge: Challenge) -> Response:
    upload = upload_of(challenge)
    if upload is None:
        raise ServiceError("not_found", _("This challenge has no plugins of its own."))
    return Response(OwnPluginsSerializer(upload, context={"request": request}).data)
