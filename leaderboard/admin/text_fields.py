"""Form fields for the references of a challenge."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminFileWidget
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.urls import reverse
from django.utils.functional import lazy
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.admin.stored_file import FORGET, STORED, StoredFile
from leaderboard.forms.errors import FormWithSent
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge
from leaderboard.rules.rewards.documents import MAX_INSTANCES, Document
from leaderboard.services.challenges.references import left_out, stored_count, uploaded_references

MAX_BYTES = 64 * 2**20

_STORED_FOR_AN_HOUR = gettext_lazy(
    "It is kept for an hour, for you alone, and saved unless another one is chosen."
)


def _accepted() -> str:
    return _(
        "A HarpIA Lab document, an instance on each line, or a CSV with id, input and "
        "expected-output; up to {most} instances in 64 MiB."
    ).format(most=MAX_INSTANCES)


class ReferenceFields(FormWithSent):
    """The stored instances of a challenge, with their references."""

    references = forms.FileField(
        label=gettext_lazy("What is expected"),
        required=False,
        widget=AdminFileWidget,
        help_text=lazy(_accepted, str)(),
    )
    references_kept = forms.CharField(required=False, widget=forms.HiddenInput)
    references_forget = forms.BooleanField(required=False)
    references_release = forms.BooleanField(
        label=gettext_lazy("Remove the stored instances"), required=False
    )

    chosen_file: StoredFile | None = None

    def clean_references(self) -> UploadedFile[Any] | None:
        upload: UploadedFile[Any] | None = self.cleaned_data["references"] or None
        if self.chosen_file and not self.chosen_file.label:
            raise ValidationError(
                _(
                    "must be chosen again, or the box be ticked to go on without it; "
                    "got a file that is no longer stored"
                )
            )
        if upload is not None and (upload.size or 0) > MAX_BYTES:
            text = _("must have at most {most} MiB; got more").format(most=MAX_BYTES >> 20)
            raise ValidationError(text)
        return upload

    def clean_references_release(self) -> bool:
        release: bool = self.cleaned_data["references_release"]
        if release and self.cleaned_data.get("references"):
            raise ValidationError(_("must be off beside an upload of other instances; got both"))
        return release

    def show_stored_references(self, challenge: Challenge | None) -> None:
        """Show the number of stored instances below the field, and a box to remove them if any."""
        count = stored_count(challenge.newest) if challenge else None
        if challenge is None or count is None:
            del self.fields["references_release"]
        else:
            self.fields["references_release"].help_text = _stored_text(challenge, count)

    def show_stored_file(self, chosen_file: StoredFile | None) -> None:
        """Show the file that was chosen before, and a box to discard it."""
        self.chosen_file = chosen_file
        if chosen_file is None:
            del self.fields[STORED], self.fields[FORGET]
        else:
            self.fields[FORGET].label = (
                _("Do without {name}").format(name=chosen_file.label)
                if chosen_file.label
                else _("Do without the file")
            )
            self.fields[FORGET].help_text = _STORED_FOR_AN_HOUR if chosen_file.label else ""

    def expected(self) -> Document | None:
        """The uploaded document. Raises ServiceError; call it before anything is saved."""
        upload = self.cleaned_data.get("references")
        return None if upload is None else uploaded_references(upload.file, upload.name)

    def is_release(self) -> bool:
        """Whether the challenge is to release its references."""
        return bool(self.cleaned_data.get("references_release"))

    def messages_after_save(self, challenge: Challenge, document: Document | None) -> list[str]:
        """The messages after a save about uploaded or released references."""
        if document is not None:
            count = stored_count(challenge.newest) or 0
            stored = ngettext("{count} instance is stored.", "{count} instances are stored.", count)
            return [stored.format(count=count), *map(translated, left_out(document))]
        return [_("The stored instances were removed.")] if self.is_release() else []


def _stored_text(challenge: Challenge, count: int) -> SafeString:
    text = ngettext(
        '<a href="{url}">{count} instance</a> is stored.',
        '<a href="{url}">{count} instances</a> are stored.',
        count,
    )
    return format_html(text, url=reverse("api:instances", args=[challenge.slug]), count=count)
