"""`/c/{slug}/manage/references/`: organisers upload what is expected of a model."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.functional import lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.languages.translation import count_text, translated
from leaderboard.models import Attempt, Challenge
from leaderboard.pages.manage.changing import ChangeForm, change_view, effect_of, state_of
from leaderboard.pages.manage.settings import EVERYONE_OR_NOT
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.rules.rewards.documents import MAX_INSTANCES, Document
from leaderboard.services.challenges.references import left_out, stored_count, uploaded_references

MAX_BYTES = 64 * 2**20
"""Like that of the form for result files."""


def _accepted() -> str:
    return _(
        "A HarpIA Lab document, an instance on each line, or a CSV with id, input and "
        "expected-output; up to {most} instances in 64 MiB."
    ).format(most=count_text(MAX_INSTANCES))


class ReferencesForm(ChangeForm):
    """The instances that a challenge holds, and who sees them."""

    references = forms.FileField(
        label=gettext_lazy("File with the expected outputs"),
        required=False,
        widget=forms.FileInput(attrs={"data-most": MAX_BYTES}),
        help_text=lazy(_accepted, str)(),
    )
    release = forms.BooleanField(label=gettext_lazy("Remove the stored instances"), required=False)
    references_visibility = forms.ChoiceField(choices=EVERYONE_OR_NOT, widget=forms.RadioSelect)
    max_outputs = forms.IntegerField(required=False)

    def __init__(
        self,
        challenge: Challenge,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
    ) -> None:
        self.challenge = challenge
        self.count = stored_count(challenge.newest)
        stored = {
            "state": state_of(challenge),
            "references_visibility": challenge.references_visibility,
            "max_outputs": challenge.newest.max_outputs,
        }
        super().__init__(data, None if data is None else files, initial=stored)
        if self.count is None:
            del self.fields["release"]
        self.describe()
        self._document: Document | None = None

    @property
    def parts(self) -> list[forms.BoundField]:
        names = ("references", "release", "references_visibility", "max_outputs", "rescore")
        return [self[name] for name in names if name in self.fields]

    @property
    def effect(self) -> str:
        """What uploading another file would do to the scoring."""
        attempts = Attempt.objects.filter(challenge=self.challenge)
        return effect_of(self.challenge, attempts.without_sample(self.challenge).count())

    def clean_references(self) -> UploadedFile[bytes] | None:
        upload: UploadedFile[bytes] | None = self.cleaned_data["references"] or None
        if upload is not None and (upload.size or 0) > MAX_BYTES:
            text = _("must have at most {most} MiB; got more").format(most=MAX_BYTES >> 20)
            raise ValidationError(text)
        return upload

    def clean_release(self) -> bool:
        release: bool = self.cleaned_data["release"]
        if release and self.cleaned_data.get("references"):
            raise ValidationError(_("must be off beside an upload of other instances; got both"))
        return release

    def changes(self) -> SentFields:
        stored = {
            "references_visibility": self.challenge.references_visibility,
            "max_outputs": self.challenge.newest.max_outputs,
        }
        typed = {name: self.cleaned_data[name] for name in stored}
        return {name: value for name, value in typed.items() if value != stored[name]}

    def hold(self) -> Document | None:
        upload = self.cleaned_data.get("references")
        if upload is None:
            return None
        self._document = uploaded_references(upload.file, upload.name)
        return self._document

    @property
    def releases(self) -> bool:
        return bool(self.cleaned_data.get("release"))

    def notes(self) -> Sequence[str]:
        """What was left out of the uploaded file."""
        return [*map(translated, left_out(self._document))] if self._document else []


manage_references = change_view(
    "references", lambda challenge, request, data: ReferencesForm(challenge, data, request.FILES)
)
