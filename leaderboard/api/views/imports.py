from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.errors import TooLarge
from leaderboard.api.operations import operation
from leaderboard.api.parsers import MAX_FILE_BYTES, DocumentParser, FileParser
from leaderboard.api.permissions import only_as, organises, tenant_for, user_of
from leaderboard.api.schema import SWITCH
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.imports import (
    ImportSerializer,
    RegistryFileSerializer,
    RegistrySerializer,
    UploadSerializer,
)
from leaderboard.api.throttling import who_asks
from leaderboard.api.views.attempts import submitter
from leaderboard.api.views.base import ApiView, challenge_or_404, switched_on
from leaderboard.arrivals import moment_of
from leaderboard.importers import ImportFailed, Source
from leaderboard.importers.tables.uses import ACCEPTED
from leaderboard.services.challenges.registries import import_registry
from leaderboard.services.competition.clock import time_of
from leaderboard.services.errors import invalid
from leaderboard.services.imports.importing import import_file

DRY_RUN = OpenApiParameter(
    "dry_run",
    SWITCH,
    description="`1`: say what would be there, and keep nothing.",
)
MAP = OpenApiParameter(
    "map",
    {"type": "array", "items": {"type": "string"}},
    explode=True,
    description=(
        "What a column of a table is used for, `COLUMN=USE`; may be repeated, and the others are "
        f"guessed. USE is one of {ACCEPTED}."
    ),
)
SHOW_COLUMNS = OpenApiParameter(
    "show_columns",
    SWITCH,
    description="`1`: the board gets a column for each value of the table; for organisers.",
)
TENANT = OpenApiParameter("tenant", str, description="Needed only by organisers of several.")
REGISTRY = {
    "application/json": {
        "type": "array",
        "items": {"type": "object", "additionalProperties": True},
    },
    "multipart/form-data": RegistryFileSerializer,
}
REGISTRY_EXAMPLE = [
    {
        "name": "physics",
        "version": "1.0",
        "tasks": [{"name": "pendulum", "git_url": "https://example.org/tasks.git"}],
        "metrics": [{"type": "mean"}],
    }
]


class ImportsView(ApiView):
    parser_classes = [FileParser]
    scope = "submit"
    submits = True

    @operation(
        operation_id="attempts_import",
        summary="Submit the attempts of a result file",
        parameters=[DRY_RUN, MAP, SHOW_COLUMNS],
        request={"multipart/form-data": UploadSerializer},
        responses={
            200: ImportSerializer,
            202: ImportSerializer,
            **refusals(400, 403, 404, 413, 415),
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """202 if all of them are saved; 200 for a dry run.

        Results that were imported before are known by their ids, and are not submitted again.
        """
        challenge = challenge_or_404(request, slug)
        dry_run = switched_on(request, "dry_run")
        asked = UploadSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        received_at = time_of(moment_of(request.META))
        upload = asked.validated_data.pop("file")
        with _source(upload.file, upload) as source:
            result = import_file(
                challenge=challenge,
                user=submitter(request),
                source=source,
                organiser=organises(request, challenge),
                dry_run=dry_run,
                columns=request.query_params.getlist("map"),
                show_columns=switched_on(request, "show_columns"),
                sender=who_asks(request),
                received_at=received_at,
                only_as=only_as(request),
                **asked.validated_data,
            )
        code = status.HTTP_200_OK if dry_run else status.HTTP_202_ACCEPTED
        return Response(ImportSerializer(result).data, code)


class RegistriesView(ApiView):
    parser_classes = [DocumentParser, FileParser]

    @operation(
        operation_id="challenges_import",
        summary="Create or update the challenges of a Harbor registry",
        example=REGISTRY_EXAMPLE,
        parameters=[TENANT],
        request=REGISTRY,
        responses={200: RegistrySerializer, **refusals(400, 403, 409, 413, 415, 503)},
    )
    def post(self, request: Request) -> Response:
        """All of its datasets or none; a dataset and version is a challenge."""
        tenant = tenant_for(request, request.query_params.get("tenant"))
        with _registry(request.data) as source:
            result = import_registry(tenant=tenant, user=user_of(request), source=source)
        return Response(RegistrySerializer(result).data)


def _registry(body: Any) -> Source:
    if isinstance(body, bytes):
        return _source(body)
    asked = RegistryFileSerializer(data=body)
    asked.is_valid(raise_exception=True)
    upload = asked.validated_data["file"]
    return _source(upload.file, upload)


def _source(file: Any, upload: UploadedFile[Any] | None = None) -> Source:
    """The upload as a tree of files. Raises TooLarge and ServiceError."""
    if upload is not None and (upload.size or 0) > MAX_FILE_BYTES:
        said = _("file: must be at most {most} MiB; got {count} bytes")
        raise TooLarge(said.format(most=MAX_FILE_BYTES >> 20, count=upload.size))
    try:
        return Source.open(file, (upload and upload.name) or "registry.json")
    except ImportFailed as error:
        raise invalid("file", error.text) from None
