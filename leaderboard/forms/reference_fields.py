"""Form fields for the file with what is expected of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.functional import lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.forms.errors import FormWithSent
from leaderboard.languages.translation import count_text, translated
from leaderboard.rules.rewards.documents import MAX_INSTANCES, Document
from leaderboard.services.challenges.references import left_out, uploaded_references

MAX_BYTES = 64 * 2**20
"""Like that of the form for result files."""


def _accepted() -> str:
    return _(
        "A HarpIA Lab document, an instance on each line, or a CSV with id, input and "
        "expected-output; up to {most} instances in 64 MiB."
    ).format(most=count_text(MAX_INSTANCES))


class ReferenceFields(FormWithSent):
    """The stored instances of a challenge, with their references."""

    references = forms.FileField(
        label=gettext_lazy("File with the expected outputs"),
        required=False,
        widget=forms.FileInput(attrs={"data-most": MAX_BYTES}),
        help_text=lazy(_accepted, str)(),
    )
    references_release = forms.BooleanField(
        label=gettext_lazy("Remove the stored instances"), required=False
    )

    _document: Document | None = None

    def clean_references(self) -> UploadedFile[Any] | None:
        upload: UploadedFile[Any] | None = self.cleaned_data["references"] or None
        if upload is not None and (upload.size or 0) > MAX_BYTES:
            text = _("must have at most {most} MiB; got more").format(most=MAX_BYTES >> 20)
            raise ValidationError(text)
        return upload

    def clean_references_release(self) -> bool:
        release: bool = self.cleaned_data["references_release"]
        if release and self.cleaned_data.get("references"):
            raise ValidationError(_("must be off beside an upload of other instances; got both"))
        return release

    def hold(self) -> Document | None:
        """The uploaded document. Raises ServiceError; call it before anything is saved."""
        upload = self.cleaned_data.get("references")
        self._document = upload and uploaded_references(upload.file, upload.name)
        return self._document

    @property
    def releases(self) -> bool:
        """Whether the challenge is to release its references."""
        return bool(self.cleaned_data.get("references_release"))

    def notes(self) -> Sequence[str]:
        """The messages after a save about uploaded or released references."""
        if self._document is not None:
            count = len(self._document.instances)
            stored = ngettext("{count} instance is stored.", "{count} instances are stored.", count)
            return [stored.format(count=count), *map(translated, left_out(self._document))]
        return [_("The stored instances were removed.")] if self.releases else []
