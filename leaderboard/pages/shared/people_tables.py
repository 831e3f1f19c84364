"""The upload of a table of people: a file, or the table that a preview has shown."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.rules.json.untyped_dicts import FormValues

LARGEST_TABLE: Final = 512 * 1024
ACCEPTED: Final = ".csv,.tsv,.txt,.xlsx,text/csv,text/plain"


class TableUpload(forms.Form):
    """A file, or the same table as text once a preview has been seen."""

    file = forms.FileField(
        label=gettext_lazy("Table (CSV or Excel)"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ACCEPTED}),
    )
    table = forms.CharField(
        required=False, max_length=LARGEST_TABLE, widget=forms.HiddenInput, strip=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].required = not self.data.get("table")

    def clean_file(self) -> bytes:
        file = self.cleaned_data["file"]
        if file is None:
            return b""
        if file.size > LARGEST_TABLE:
            text = _("must have at most {most} KiB; got more")
            raise forms.ValidationError(text.format(most=LARGEST_TABLE // 1024))
        return bytes(file.read())

    def clean(self) -> FormValues:
        cleaned: FormValues = super().clean() or {}
        cleaned["data"] = cleaned.get("file") or cleaned.get("table", "")
        return cleaned
