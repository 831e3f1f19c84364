"""The part of the submit page for challenges that score files: a form, and what to download."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Challenge, ChallengeFile, Phase, Truth, User
from leaderboard.pages.submit.example import file_command
from leaderboard.pages.submit.hand_forms import add_phase, participant_field
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.schemas.phase_fields import MOST_FILE_MIB
from leaderboard.services.attempts.submit import NewAttempt, SentFile
from leaderboard.services.files.readers import files_for
from leaderboard.services.files.uploads import open_upload, own_upload

MAX_BYTES: Final = 64 * 2**20
SHOWN_COLUMNS: Final = 20


class PredictionsForm(FormWithSent):
    """A file to be scored, and whose attempt it is.

    upload: the id of a large file, which a script has sent in pieces. phases: those that are open.
    """

    participant = participant_field()
    file = forms.FileField(label=gettext_lazy("Your file"), widget=forms.FileInput)
    upload = forms.UUIDField(required=False, widget=forms.HiddenInput)
    note = forms.CharField(label=gettext_lazy("Note"), required=False, max_length=4000)

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
        *,
        phases: Sequence[Phase] = (),
    ) -> None:
        super().__init__(data, files)
        limits = [phase.file_mib or MOST_FILE_MIB for phase in phases]
        self.most = max(limits, default=MOST_FILE_MIB)
        field = self.fields["file"]
        field.required = not (data and data.get("upload"))
        field.widget.attrs["data-most"] = self.most << 20
        text = _(
            "Up to {most} MiB. It is checked first, and a file with mistakes costs no attempt."
        )
        field.help_text = text.format(most=self.most)
        add_phase(self, phases)

    @property
    def too_large(self) -> str:
        """What a script says of a file that no phase takes."""
        return _("must have at most {most} MiB; got more").format(most=self.most)

    def clean_file(self) -> UploadedFile[Any] | None:
        file: UploadedFile[Any] | None = self.cleaned_data["file"]
        if file is not None and (file.size or 0) > MAX_BYTES:
            text = _("must have at most {most} MiB without JavaScript; got more")
            raise forms.ValidationError(text.format(most=MAX_BYTES >> 20))
        return file

    def attempt(self) -> NewAttempt:
        given = self.cleaned_data
        return NewAttempt(given["participant"], phase=given.get("phase", ""), note=given["note"])

    def sent(self, user: User) -> SentFile:
        """The file, of the body or of an upload of the user. Raises ServiceError."""
        file = self.cleaned_data["file"]
        if file is not None:
            return SentFile(file, file.name)
        upload = own_upload(user, self.cleaned_data["upload"])
        return SentFile(open_upload(upload), upload.name)


def predictions_help(request: HttpRequest, challenge: Challenge, token: str) -> PageContext:
    """What the page says about the file: its columns, the files to download, the command."""
    rows = Truth.objects.defer("form", "key").filter(configs=challenge.newest_config_id)
    truth = rows.first()
    layout = truth.layout if truth else None
    columns = [
        challenge.newest.id_column,
        *(name for target in (layout or {}).get("targets", ()) for name in target["columns"]),
    ]
    return {
        "is_ready": truth is not None or challenge.newest.program is not None,
        "columns": columns[:SHOWN_COLUMNS] if truth else [],
        "more": max(0, len(columns) - SHOWN_COLUMNS),
        "rows": truth and truth.public_rows + truth.private_rows + truth.ignored_rows,
        "files": downloads(challenge),
        "command": file_command(request, challenge, token),
    }


def downloads(challenge: Challenge) -> list[tuple[str, ChallengeFile]]:
    """The files for participants, with their addresses."""
    files = files_for(challenge, organiser=False)
    return [(reverse("api:challenge-file", args=[file.pk]), file) for file in files]
