"""Competitions of other platforms as drafts."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.fields import JsonText, StrictSerializer
from leaderboard.api.operations import operation
from leaderboard.api.parsers import FileParser
from leaderboard.api.permissions import tenant_for
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.attempts import submitter
from leaderboard.api.views.base import ApiView
from leaderboard.api.views.dry_runs import DRY_RUN, tried
from leaderboard.languages.translation import translated
from leaderboard.services.bundles.drafting import ImportedBundle, import_bundle, prepared_bundle


class BundleUploadSerializer(StrictSerializer):
    """A competition of another platform."""

    file = serializers.FileField(help_text="A zip, up to 64 MiB.")
    tenant = JsonText(
        required=False, allow_blank=True, help_text="Needed only by organisers of several."
    )
    without_gpu = serializers.BooleanField(
        default=False, help_text="Whether to try a bundle without the GPU that it asks for."
    )


class BundleLineSerializer(serializers.Serializer[Any]):
    """What became of a key of the bundle."""

    key = serializers.CharField(help_text="Its place in the configuration.")
    outcome = serializers.ChoiceField(
        choices=["taken", "differently", "left_out"], help_text="Whether the draft has it."
    )
    text = serializers.CharField(help_text="How it was taken, or why not; empty: as it is.")


class BundleSerializer(serializers.Serializer[Any]):
    """A draft that was made of a bundle, with a report of every key."""

    challenge = serializers.CharField(help_text="The slug of the draft.")
    url = serializers.CharField(help_text="Of the draft.")
    platform = serializers.CharField(help_text="Where the competition comes from.")
    has_sample = serializers.BooleanField(help_text="Whether its sample submission is scored.")
    report = BundleLineSerializer(many=True)


class BundlesView(ApiView):
    parser_classes = [FileParser]
    scope = "organise"

    @operation(
        operation_id="bundles_import",
        summary="Make a draft of a competition of another platform",
        parameters=[DRY_RUN],
        request={"multipart/form-data": BundleUploadSerializer},
        responses={200: BundleSerializer, 201: BundleSerializer, **refusals(400, 403, 413, 415)},
    )
    def post(self, request: Request) -> Response:
        """A bundle of Codabench or CodaLab, a challenge of EvalAI or a zip of its repository."""
        sent = BundleUploadSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        file = sent.validated_data["file"]
        tenant = tenant_for(request, sent.validated_data.get("tenant") or None)
        without_gpu = sent.validated_data["without_gpu"]
        bundle = prepared_bundle(file.file, file.name or "bundle.zip", without_gpu=without_gpu)
        with tried(request) as is_dry:
            body = _described(import_bundle(bundle, tenant=tenant, user=submitter(request)))
        return Response(body, status.HTTP_200_OK if is_dry else status.HTTP_201_CREATED)


def _described(imported: ImportedBundle) -> dict[str, object]:
    slug = imported.challenge.slug
    return {
        "challenge": slug,
        "url": reverse("api:challenge", args=[slug]),
        "platform": imported.platform,
        "has_sample": imported.has_sample,
        "report": [
            {"key": line.key, "outcome": line.outcome, "text": translated(line.text)}
            for line in imported.report
        ],
    }
