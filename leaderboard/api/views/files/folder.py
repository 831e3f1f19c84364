"""A challenge as a folder, which people keep in a repository."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.folder_files import FolderParser, read_folder, write_folder
from leaderboard.api.operations import operation
from leaderboard.api.parsers import StrictJSONParser
from leaderboard.api.permissions import tenant_for, user_of
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.folder import PutFolderSerializer
from leaderboard.api.views.base import AnyAccept, ApiView, organised_challenge
from leaderboard.api.views.dry_runs import DRY_RUN, tried
from leaderboard.api.views.etags import IF_MATCH, etag_of, guard_for
from leaderboard.models import Challenge
from leaderboard.rules.json.untyped_dicts import OpenApiShape
from leaderboard.schemas.folders import CHALLENGE_FOLDER
from leaderboard.services.challenges.folder_files import files_of
from leaderboard.services.challenges.folders import document_of, put_folder, tag_fields
from leaderboard.services.challenges.references import stored_instances

TENANT = OpenApiParameter(
    "tenant", str, description="Of a new challenge; needed only by organisers of several."
)


class ZipOrJson(AnyAccept):
    """Answers with a zip file or with JSON, whatever is accepted."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return DefaultContentNegotiation().select_parser(request, parsers)


class FolderView(ApiView):
    parser_classes = [FolderParser]
    content_negotiation_class = ZipOrJson

    def get_parsers(self) -> list[BaseParser]:
        """Only a change has a zip file. Without a request, the parsers are documented."""
        reads = self.request is not None and self.request.method != "PUT"
        return [StrictJSONParser() if reads else FolderParser()]

    @operation(
        operation_id="challenges_folder",
        summary="Read a challenge as a folder",
        responses={(200, "application/zip"): OpenApiTypes.BINARY, **refusals(403, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """For organisers and reviewers: a zip file with `challenge.json`, `references.jsonl` and
        `files/ROLE/NAME`.

        It has the rules, not the people and attempts, and no field that has its default.
        """
        challenge = organised_challenge(request, slug)
        config = challenge.newest
        holds = config.references_id is not None
        references = stored_instances(config, with_expected=True) if holds else None
        return FileResponse(
            write_folder(document_of(challenge), references, files_of(challenge)),
            content_type="application/zip",
            headers={
                "ETag": etag_of(request, challenge, tag_fields(challenge)),
                "Content-Disposition": f'attachment; filename="{challenge.slug}.zip"',
            },
        )

    @operation(
        operation_id="challenges_folder_put",
        summary="Make a challenge what a folder says",
        parameters=[DRY_RUN, TENANT, IF_MATCH],
        request={"application/zip": OpenApiTypes.BINARY},
        responses={
            200: PutFolderSerializer,
            201: PutFolderSerializer,
            **refusals(400, 403, 404, 409, 412, 413, 415, 503),
        },
    )
    def put(self, request: Request, slug: str) -> Response:
        """All of it or nothing. A challenge that does not exist is created as a draft.

        A field that is absent gets its default; references and files that are absent are released.
        With `?dry_run=1` the answer says what would change; with `If-Match`, nothing changes if
        somebody else has changed the challenge since.
        """
        user = user_of(request)
        challenge = Challenge.objects.called(slug, user)
        if challenge is not None:
            challenge = organised_challenge(request, slug)
        folder = read_folder(request.data)
        with tried(request) as is_dry:
            result = put_folder(
                challenge,
                folder.document,
                folder.references,
                folder.files,
                slug=slug,
                tenant=lambda: tenant_for(request, request.query_params.get("tenant")),
                user=user,
                guard=guard_for(request, tag_fields),
            )
            made = result.challenge
            url = reverse("api:challenge", args=[made.slug])
            body = PutFolderSerializer({**result._asdict(), "url": url}).data
            tag = etag_of(request, made, tag_fields(made))
        code = status.HTTP_201_CREATED if result.is_new and not is_dry else status.HTTP_200_OK
        return Response(body, code, headers={"ETag": tag})


class FolderSchemaView(ApiView):
    lists_challenges = True

    @operation(
        operation_id="challenges_folder_schema",
        summary="The JSON Schema of challenge.yaml",
        responses={200: {"type": "object", "additionalProperties": True}, **refusals()},
    )
    def get(self, request: Request) -> Response:
        """For editors, which complete names and explain fields with it."""
        return Response(_schema())


@cache
def _schema() -> OpenApiShape:
    schema: OpenApiShape = CHALLENGE_FOLDER.json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
