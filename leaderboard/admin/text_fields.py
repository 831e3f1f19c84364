"""Form fields for text metrics, and for what a challenge expects of models."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminFileWidget
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.admin.metric_fields import JsonListField
from leaderboard.admin.stored_file import FORGET, KEPT, StoredFile
from leaderboard.importers import ImportFailed, Source
from leaderboard.models import Challenge
from leaderboard.rules.documents import MAX_INSTANCES, Document
from leaderboard.services.challenges.references import held_count, left_out, references_in
from leaderboard.services.errors import invalid

MAX_BYTES = 64 * 2**20

_KEPT = "It is kept for an hour, for you alone, and saved unless another one is chosen."


class TextFields(forms.Form):
    """What a challenge makes of outputs of models; the names are those of the API."""

    text_metrics = JsonListField(
        label="Text metrics",
        help_text=(
            "A JSON list of ids or objects: "
            '["CHRF", {"id": "BLEU_NLTK", "name": "bleu", "parameters": {"auto_reweigh": true}}].'
        ),
    )
    text_timeout_ms = forms.IntegerField(
        label="Time limit of a text metric",
        required=False,
        help_text="Milliseconds for all instances of an attempt. Empty: 10 minutes.",
    )
    references = forms.FileField(
        label="What is expected",
        required=False,
        widget=AdminFileWidget,
        help_text=(
            "A HarpIA Lab document, an instance on each line, or a CSV with id, input and "
            f"expected-output; up to {MAX_INSTANCES} instances in 64 MiB."
        ),
    )
    references_kept = forms.CharField(required=False, widget=forms.HiddenInput)
    references_forget = forms.BooleanField(required=False)
    references_release = forms.BooleanField(label="Remove the stored instances", required=False)

    kept: StoredFile | None = None

    def clean_references(self) -> UploadedFile[Any] | None:
        upload: UploadedFile[Any] | None = self.cleaned_data["references"] or None
        if self.kept and not self.kept.label:
            raise ValidationError(
                "is no longer stored: choose it again, or tick the box to go on without it"
            )
        if upload is not None and (upload.size or 0) > MAX_BYTES:
            raise ValidationError(f"must have at most {MAX_BYTES >> 20} MiB")
        return upload

    def clean_references_release(self) -> bool:
        release: bool = self.cleaned_data["references_release"]
        if release and self.cleaned_data.get("references"):
            raise ValidationError("either remove the stored instances, or upload others")
        return release

    def say_what_is_held(self, challenge: Challenge | None) -> None:
        """How many instances, below the field; the box is only there where there are some."""
        count = held_count(challenge.newest) if challenge else None
        if challenge is None or count is None:
            del self.fields["references_release"]
        else:
            self.fields["references_release"].help_text = _held(challenge, count)

    def say_what_is_kept(self, kept: StoredFile | None) -> None:
        """The file that was chosen before, and a box to do without it."""
        self.kept = kept
        if kept is None:
            del self.fields[KEPT], self.fields[FORGET]
        else:
            self.fields[FORGET].label = f"Do without {kept.label or 'the file'}"
            self.fields[FORGET].help_text = _KEPT if kept.label else ""

    def expected(self) -> Document | None:
        """The document that was uploaded. Raises ServiceError, before anything is saved."""
        upload = self.cleaned_data.get("references")
        if upload is None:
            return None
        try:
            source = Source.open(upload.file, upload.name or "references")
        except ImportFailed as error:
            raise invalid("references", str(error)) from None
        with source:
            return references_in(source)

    def is_release(self) -> bool:
        """Whether what is held is to be taken away."""
        return bool(self.cleaned_data.get("references_release"))

    def said_of_held(self, challenge: Challenge, document: Document | None) -> list[str]:
        """What is to be said of what was uploaded, or let go of, once it is saved."""
        if document is not None:
            return [f"{held_count(challenge.newest)} instances are stored.", *left_out(document)]
        return ["The stored instances were removed."] if self.is_release() else []


def _held(challenge: Challenge, count: int) -> SafeString:
    return format_html(
        '<a href="{}">{} instances</a> are stored.',
        reverse("api:instances", args=[challenge.slug]),
        count,
    )
