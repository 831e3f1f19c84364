"""The file of a challenge's form: stored until the challenge is saved, and put into later requests.

A page cannot post a file again. It posts the key of the stored file instead, and the file is then
added to the request.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.admin.scoped import user_of
from leaderboard.forms.reference_fields import ReferenceFields
from leaderboard.models import Challenge
from leaderboard.services.challenges.references import stored_count
from leaderboard.services.imports.uploads import REFERENCES

FIELD = "references"
STORED = "references_kept"
"""The posted field with the key of the stored file."""
FORGET = "references_forget"
"""The posted field that discards the stored file."""
_STORED_FOR_AN_HOUR = gettext_lazy(
    "It is kept for an hour, for you alone, and saved unless another one is chosen."
)


class StoredFile(NamedTuple):
    """A file that was chosen in an earlier request. `label` is "" if it no longer exists."""

    token: str
    label: str


class StoredReferenceFields(ReferenceFields):
    """References whose file was perhaps chosen in an earlier request."""

    references_kept = forms.CharField(required=False, widget=forms.HiddenInput)
    references_forget = forms.BooleanField(required=False)

    chosen_file: StoredFile | None = None

    def clean_references(self) -> UploadedFile[Any] | None:
        if self.chosen_file and not self.chosen_file.label:
            raise ValidationError(
                _(
                    "must be chosen again, or the box be ticked to go on without it; "
                    "got a file that is no longer stored"
                )
            )
        return super().clean_references()

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


def _stored_text(challenge: Challenge, count: int) -> SafeString:
    text = ngettext(
        '<a href="{url}">{count} instance</a> is stored.',
        '<a href="{url}">{count} instances</a> are stored.',
        count,
    )
    return format_html(text, url=reverse("api:instances", args=[challenge.slug]), count=count)


def stored_file_of(request: HttpRequest, *, most: int) -> StoredFile | None:
    """The file that a request names, or the file of the request, which is stored from now on.

    most: the largest size in bytes; a larger file is not stored.
    """
    stored, upload = taken_up(request), request.FILES.get(FIELD)
    if stored is not None or upload is None or (upload.size or 0) > most:
        return stored
    token = REFERENCES.keep(upload, user_of(request))
    upload.seek(0)
    return StoredFile(token, upload.name or "")


def posted_with(request: HttpRequest, stored: StoredFile | None) -> QueryDict:
    """The posted fields with the key of the file."""
    data = request.POST.copy()
    data.pop(FORGET, None)
    if stored is not None:
        data[STORED] = stored.token
    return data


def is_new(request: HttpRequest, stored: StoredFile | None) -> bool:
    """Whether the file was uploaded with this request."""
    return stored is not None and stored.token != request.POST.get(STORED)


def taken_up(request: HttpRequest) -> StoredFile | None:
    """The stored file that a request names, which becomes one of its files.

    None if there is none, or if the request has another file; then the stored one is deleted.
    """
    token = request.POST.get(STORED, "")
    if not token:
        return None
    if FORGET in request.POST or FIELD in request.FILES:
        REFERENCES.forget(token, user_of(request))
        return None
    stored = REFERENCES.find(token, user_of(request))
    try:
        file = stored.path.open("rb") if stored else None
    except FileNotFoundError:
        file = None
    if stored is None or file is None:
        return StoredFile(token, "")
    size = stored.path.stat().st_size
    request.FILES[FIELD] = UploadedFile(file, stored.label, size=size)  # closed with the request
    return StoredFile(token, stored.label)


def forget(request: HttpRequest, stored: StoredFile | None) -> None:
    """Delete the stored file, because the challenge is saved."""
    if stored is not None:
        REFERENCES.forget(stored.token, user_of(request))
