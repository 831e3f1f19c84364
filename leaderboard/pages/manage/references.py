"""`/c/{slug}/manage/references/`: organisers upload what is expected of a model."""

from __future__ import annotations

from typing import Final

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from leaderboard.forms.challenge_inputs import ChallengeInputs
from leaderboard.forms.reference_fields import ReferenceFields
from leaderboard.models import Attempt, Challenge
from leaderboard.pages.manage.changing import ChangeForm, change_view, effect_of, state_of
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.services.challenges.references import stored_count

REFERENCE_FIELDS: Final = ("references_visibility", "max_outputs")


class ReferencesForm(ReferenceFields, ChallengeInputs, ChangeForm):
    """The instances that a challenge holds, and who sees them."""

    def __init__(
        self,
        challenge: Challenge,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
    ) -> None:
        self.challenge = challenge
        self.count = stored_count(challenge.newest)
        self.stored = {
            "references_visibility": challenge.references_visibility,
            "max_outputs": challenge.newest.max_outputs,
        }
        start = {**self.stored, "state": state_of(challenge)}
        super().__init__(data, None if data is None else files, initial=start)
        self.add_fields(REFERENCE_FIELDS, choice=forms.RadioSelect)
        if self.count is None:
            del self.fields["references_release"]

    @property
    def parts(self) -> list[forms.BoundField]:
        names = ("references", "references_release", *REFERENCE_FIELDS, "rescore")
        return [self[name] for name in names if name in self.fields]

    @property
    def effect(self) -> str:
        """What uploading another file would do to the scoring."""
        attempts = Attempt.objects.filter(challenge=self.challenge)
        return effect_of(self.challenge, attempts.without_sample(self.challenge).count())

    def changes(self) -> SentFields:
        return self.changed_values(self.typed_values(REFERENCE_FIELDS))


manage_references = change_view(
    "references", lambda challenge, request, data: ReferencesForm(challenge, data, request.FILES)
)
