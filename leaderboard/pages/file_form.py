"""The form that takes a result file."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.urls import reverse_lazy
from django.utils.datastructures import MultiValueDict
from django.utils.functional import lazy
from django.utils.html import format_html

from leaderboard.importers import ColumnUse, known_importers
from leaderboard.models import Challenge, Participant

MAX_FILE_BYTES = 64 * 1024 * 1024


class FileForm(forms.Form):
    """A result file, and what to make of it.

    kept: the file itself is here already. texts: it is one of a model's outputs, most likely.
    mapping: of a table that was refused, what its columns would be used for.
    """

    mapping: Sequence[ColumnUse] = ()

    participant = forms.CharField(
        label="Whose attempts they are",
        required=False,
        max_length=120,
        help_text="Empty: named after the agents and models in the file.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "list": "participants"}),
    )
    file = forms.FileField(
        label="Drop a file here, or choose one",
        help_text=lazy(format_html, str)(
            'Of any format on the page of <a href="{}#importers">plugins</a>, up to {} MiB.',
            reverse_lazy("plugins"),
            MAX_FILE_BYTES >> 20,
        ),
        widget=forms.FileInput(attrs={"data-most": MAX_FILE_BYTES}),
    )
    format = forms.ChoiceField(required=False)

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
        *,
        participant: str = "",
        kept: bool = False,
        texts: bool = False,
    ) -> None:
        super().__init__(data, files, auto_id="id_file_%s", initial={"participant": participant})
        found = ((key, importer.label) for key, importer in known_importers().items())
        self.fields["format"] = forms.ChoiceField(
            choices=[("", "Recognise it"), *found], required=False
        )
        self.fields["file"].required = not kept
        if texts:
            self.fields["participant"].label = "Participant"
            self.fields["participant"].help_text = "The name on the board, unless the file says it."

    @property
    def too_large(self) -> str:
        return f"It may have at most {MAX_FILE_BYTES >> 20} MiB."

    def clean_file(self) -> UploadedFile[bytes] | None:
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is not None and (file.size or 0) > MAX_FILE_BYTES:
            raise forms.ValidationError(self.too_large)
        return file


def file_form_for(challenge: Challenge, own: Sequence[Participant]) -> FileForm:
    """An empty form. Outputs of a model do not say whose they are: the user's only participant
    stands in the form where they are what a file brings.
    """
    texts = takes_outputs(challenge)
    return FileForm(participant=own[0].handle if len(own) == 1 and texts else "", texts=texts)


def takes_outputs(challenge: Challenge) -> bool:
    """Whether outputs of models are what is brought to a challenge."""
    return bool(challenge.newest.text_metrics) or challenge.newest.references_id is not None
