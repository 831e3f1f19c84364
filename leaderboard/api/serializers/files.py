from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.api.fields import JsonText, StrictSerializer
from leaderboard.models import ChallengeFile, ProgramRun, UploadInPieces
from leaderboard.services.files.uploads import MAX_PIECE, MAX_SIZE


class AttemptFileSerializer(StrictSerializer):
    """A file that an attempt submits, with other fields of the attempt."""

    file = serializers.FileField(help_text="Up to 64 MiB.")
    participant = JsonText(required=False, help_text="Whose attempt it is.")
    phase = JsonText(required=False, help_text="The slug of its phase.")
    note = JsonText(required=False)
    meta = JsonText(required=False, help_text="A JSON object of texts.")


@extend_schema_field({"type": "string", "enum": ChallengeFile.Role.values})
class FileRole(serializers.ChoiceField):
    """What a file is for."""

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=ChallengeFile.Role.choices, **options)


@extend_schema_field({"type": "string", "enum": [role.value for role in ChallengeFile.UPLOADABLE]})
class NewFileRole(serializers.ChoiceField):
    """What a new file is for. Plugins have an address of their own, because they are replaced."""

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=[role.value for role in ChallengeFile.UPLOADABLE], **options)


class NewFileSerializer(StrictSerializer):
    """A file of a challenge, as organisers upload it."""

    file = serializers.FileField(help_text="Up to 64 MiB.")
    role = NewFileRole(help_text="What it is for.")
    phase = JsonText(
        required=False, allow_blank=True, help_text="The only phase that it is for; all without it."
    )


class ChallengeFileSerializer(serializers.ModelSerializer[ChallengeFile]):
    """A file of a challenge."""

    role = FileRole(help_text="What it is for.")
    phase = serializers.CharField(
        source="phase.slug", default=None, allow_null=True, help_text="The only phase it is for."
    )
    url = serializers.HyperlinkedIdentityField(view_name="api:challenge-file")

    class Meta:
        model = ChallengeFile
        fields = ("id", "role", "phase", "name", "size", "sha256", "created_at", "url")
        read_only_fields = fields


class NewUploadSerializer(StrictSerializer):
    """A large file, before its pieces arrive."""

    name = JsonText(help_text="Its name, with the ending that says its format.")
    size = serializers.IntegerField(
        min_value=1, max_value=MAX_SIZE, help_text="Its bytes, up to 2 GiB."
    )
    sha256 = serializers.RegexField(
        "^[0-9a-f]{64}$",
        required=False,
        help_text="Its SHA-256 in hexadecimal; without it, state that of each piece.",
    )


class UploadStateSerializer(serializers.ModelSerializer[UploadInPieces]):
    """How much of a large file is there."""

    offset = serializers.IntegerField(source="received", help_text="The bytes that are there.")
    most = serializers.IntegerField(
        default=MAX_PIECE, read_only=True, help_text="The most bytes of a piece."
    )

    class Meta:
        model = UploadInPieces
        fields = ("id", "name", "size", "offset", "most")
        read_only_fields = fields


class ChallengeFilesSerializer(serializers.Serializer[Any]):
    """The files of a challenge that the reader may download."""

    results = ChallengeFileSerializer(many=True)


class ProgramRunSerializer(serializers.ModelSerializer[ProgramRun]):
    """One run of a program for an attempt."""

    was_repeated = serializers.BooleanField(
        help_text="Whether a worker was lost in the middle, so that another one ran it again."
    )

    class Meta:
        model = ProgramRun
        fields = (
            *("step", "started_at", "finished_at", "seconds", "peak_bytes", "was_repeated"),
            *("error_code", "error_message", "output", "notes"),
        )
        read_only_fields = fields
        extra_kwargs = {
            "step": {"help_text": "Its submitted code, or the scoring of its file."},
            "error_code": {"help_text": "Empty for a run that went well, or still goes on."},
            "error_message": {"help_text": "What went wrong."},
            "finished_at": {"help_text": "null while it runs."},
            "peak_bytes": {"help_text": "The memory that it used at most."},
            "output": {"help_text": "What it has printed so far, up to 64 KiB."},
            "notes": {"help_text": "What was left out of its answer, and warnings."},
        }


class ProgramLogSerializer(serializers.Serializer[Any]):
    """The runs of the programs of an attempt, in their order."""

    results = ProgramRunSerializer(many=True)
