"""The form for a result file."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.utils.functional import lazy
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.importers import ColumnUse, known_importers
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, Participant, Phase
from leaderboard.pages.submit.hand_forms import add_phase
from leaderboard.services.competition.participants.own_names import OwnName

MAX_FILE_BYTES = 64 * 1024 * 1024


def _accepted() -> SafeString:
    """The accepted files, as a sentence with a link."""
    text = _(
        'Of any format on the page of <a href="{url}#importers">plugins</a>, up to {most} MiB.'
    )
    return format_html(text, url=reverse("plugins"), most=MAX_FILE_BYTES >> 20)


class FileForm(FormWithSent):
    """A result file, and how to import it.

    kept: whether the file is stored already. texts: whether it probably has a model's outputs.
    mapping: the uses of the columns of a refused table.
    """

    mapping: Sequence[ColumnUse] = ()

    participant = forms.CharField(
        label=gettext_lazy("Whose attempts they are"),
        required=False,
        max_length=120,
        help_text=gettext_lazy("Empty: named after the agents and models in the file."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "list": "participants"}),
    )
    file = forms.FileField(
        label=gettext_lazy("Drop a file here, or choose one"),
        help_text=lazy(_accepted, str)(),
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
        phases: Sequence[Phase] = (),
    ) -> None:
        super().__init__(data, files, auto_id="id_file_%s", initial={"participant": participant})
        formats = ((key, translated(importer.label)) for key, importer in known_importers().items())
        self.fields["format"] = forms.ChoiceField(
            label=_("Format"), choices=[("", _("Recognise it")), *formats], required=False
        )
        self.fields["file"].required = not kept
        add_phase(self, phases)
        if texts:
            self.fields["participant"].label = _("Participant")
            self.fields["participant"].help_text = _(
                "The name on the board, unless the file says it."
            )

    @property
    def too_large(self) -> str:
        return _("must have at most {most} MiB; got more").format(most=MAX_FILE_BYTES >> 20)

    def clean_file(self) -> UploadedFile[bytes] | None:
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is not None and (file.size or 0) > MAX_FILE_BYTES:
            raise forms.ValidationError(self.too_large)
        return file


def file_form_for(
    challenge: Challenge,
    participants: Sequence[Participant],
    phases: Sequence[Phase] = (),
    own: OwnName | None = None,
) -> FileForm:
    """An empty form.

    participants: those of the user. own: the only one of them that takes part in the challenge.

    A file of outputs does not name its participant, so the form suggests the user's only one if the
    challenge accepts outputs. It always suggests the only one that the user may submit as.
    """
    texts = takes_outputs(challenge)
    participant = participants[0].handle if len(participants) == 1 and texts else ""
    if own and (own.is_sole or texts):
        participant = own.handle
    return FileForm(participant=participant, texts=texts, phases=phases)


def takes_outputs(challenge: Challenge) -> bool:
    """Whether participants submit outputs of models to a challenge."""
    return bool(challenge.newest.text_metrics) or challenge.newest.references_id is not None
