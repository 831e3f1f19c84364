from __future__ import annotations

from uuid import UUID

from django.db.models import RestrictedError
from django.http import FileResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.parsers import FileParser
from leaderboard.api.permissions import (
    check_organises,
    check_reads,
    organises,
    reviews,
    user_of,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.files import (
    ChallengeFileSerializer,
    ChallengeFilesSerializer,
    NewFileSerializer,
    ProgramLogSerializer,
)
from leaderboard.api.views.attempts import visible_or_404
from leaderboard.api.views.base import AnyAccept, ApiView, challenge_or_404, organised_challenge
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.api.views.phases import phase_or_404
from leaderboard.models import ChallengeFile, SubmittedFile
from leaderboard.services.attempts.program_logs import readable_runs
from leaderboard.services.challenges.own_plugins import remove_challenge_file
from leaderboard.services.challenges.truths import add_challenge_file
from leaderboard.services.competition.participants.ownership import is_own
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.readers import files_for
from leaderboard.services.files.store import open_file

BINARY = "application/octet-stream"


class ChallengeFilesView(ApiView):
    parser_classes = [FileParser]

    @operation(
        operation_id="challenge_files_list",
        summary="List the files of a challenge",
        responses={200: ChallengeFilesSerializer, **refusals(404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Those for participants; for organisers all, such as the truth."""
        challenge = challenge_or_404(request, slug)
        files = files_for(challenge, organiser=organises(request, challenge))
        body = ChallengeFilesSerializer({"results": files}, context={"request": request})
        return Response(body.data)

    @change_operation(
        operation_id="challenge_files_add",
        summary="Add a file to a challenge",
        request={"multipart/form-data": NewFileSerializer},
        responses={201: ChallengeFileSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """The same bytes in the same role are stored once. A truth is read at once, and a challenge
        with `prediction_metrics` scores with it from now on, in a new scoring version."""
        challenge = organised_challenge(request, slug)
        sent = NewFileSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        upload, asked = sent.validated_data["file"], sent.validated_data.get("phase", "")
        file = add_challenge_file(
            challenge,
            upload,
            name=upload.name,
            role=ChallengeFile.Role(sent.validated_data["role"]),
            user=user_of(request),
            phase=phase_or_404(challenge, asked) if asked else None,
        )
        body = ChallengeFileSerializer(file, context={"request": request}).data
        return Response(body, status.HTTP_201_CREATED, headers={"Location": body["url"]})


class ChallengeFileView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="challenge_files_read",
        summary="Download a file of a challenge",
        responses={(200, BINARY): OpenApiTypes.BINARY, **refusals(404)},
    )
    def get(self, request: Request, pk: int) -> FileResponse:
        """A truth, a program and input data are for organisers."""
        return downloaded(_readable(request, pk))

    @change_operation(
        operation_id="challenge_files_delete",
        summary="Delete a file of a challenge",
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404, 409)},
    )
    def delete(self, request: Request, pk: int) -> Response:
        """409 for a file that a scoring version names, because attempts were scored with it.

        So it is for plugins that a scoring version names.
        """
        file = _readable(request, pk)
        check_organises(request, file.challenge)
        try:
            remove_challenge_file(file, user=user_of(request))
        except RestrictedError:
            text = _("A scoring version names this file, so it cannot be deleted.")
            raise ServiceError("conflict", text) from None
        return Response(status=status.HTTP_204_NO_CONTENT)


class AttemptFileView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="attempts_file",
        summary="Download the file that an attempt submitted",
        responses={(200, BINARY): OpenApiTypes.BINARY, **refusals(404)},
    )
    def get(self, request: Request, pk: UUID) -> FileResponse:
        """For its participant and for organisers."""
        attempt = visible_or_404(request, pk)
        user = user_of(request)
        is_involved = user is not None and is_own(attempt, user)
        if not (is_involved or reviews(request, attempt.challenge)):
            raise NotFound
        return downloaded(get_object_or_404(SubmittedFile.objects.defer("predictions"), pk=pk))


class AttemptLogView(ApiView):
    @operation(
        operation_id="attempts_runs",
        summary="Read what the programs of an attempt have printed",
        responses={200: ProgramLogSerializer, **refusals(404)},
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """The runs of its own code for its participant; for organisers those of scoring too. While
        a program runs, its output grows every few seconds."""
        attempt = visible_or_404(request, pk)
        user, organiser = user_of(request), reviews(request, attempt.challenge)
        if not organiser and (user is None or not is_own(attempt, user)):
            raise NotFound
        runs = readable_runs(attempt, user, organiser=organiser)
        return Response(ProgramLogSerializer({"results": runs}).data)


def downloaded(file: ChallengeFile | SubmittedFile) -> FileResponse:
    """A file as an attachment, which no browser opens on the pages of the product."""
    return FileResponse(
        open_file(file.path), as_attachment=True, filename=file.name, content_type=BINARY
    )


def _readable(request: Request, pk: int) -> ChallengeFile:
    """A file of a challenge. Raises NotFound if the reader may not download it."""
    related = ("challenge__tenant", "challenge__newest_config", "challenge__shown_config")
    file = get_object_or_404(ChallengeFile.objects.select_related(*related), pk=pk)
    challenge = challenge_or_404(request, file.challenge.slug)
    check_reads(request, challenge)
    if not files_for(challenge, organiser=organises(request, challenge)).filter(pk=pk).exists():
        raise NotFound
    return file
