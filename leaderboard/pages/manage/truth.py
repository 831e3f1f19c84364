"""`/c/{slug}/manage/truth/`: the truth of a challenge, its columns, and the metrics on it."""

from __future__ import annotations

from typing import Final

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from leaderboard.forms.schema_fields import form_field
from leaderboard.models import Challenge, Truth
from leaderboard.pages.manage.changing import ChangeForm, change_view, state_of
from leaderboard.pages.manage.forms.prediction_lines import as_lines, from_lines
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.schemas.challenges import NewChallenge

FIELDS: Final = NewChallenge.model_fields
LINES: Final = forms.Textarea(attrs={"rows": 4, "spellcheck": "false"})
NAMES: Final = ("prediction_metrics", "id_column", "targets", "prediction_kind", "positive_label")


class TruthForm(ChangeForm):
    """The metrics of predictions and the columns of the truth."""

    prediction_metrics = forms.CharField(
        required=False,
        widget=LINES,
        help_text=gettext_lazy(
            'One per line: an id, such as rmse, or a JSON object, such as {"id": "f_beta", '
            '"name": "macro_f1", "parameters": {"average": "macro"}}.'
        ),
    )
    id_column = form_field(FIELDS["id_column"])
    targets = forms.CharField(
        required=False,
        strip=False,
        widget=LINES,
        help_text=gettext_lazy("The columns to predict, one per line."),
    )
    prediction_kind = form_field(FIELDS["prediction_kind"])
    positive_label = form_field(FIELDS["positive_label"])

    def __init__(self, challenge: Challenge, data: QueryDict | None = None) -> None:
        self.challenge = challenge
        rows = Truth.objects.defer("form", "key").select_related("file")
        self.truth = rows.filter(configs=challenge.newest_config_id).first()
        newest = challenge.newest
        stored = {name: getattr(newest, name) for name in NAMES}
        stored["prediction_metrics"] = as_lines(newest.prediction_metrics)
        stored["targets"] = "\n".join(newest.targets)
        super().__init__(data, initial={**stored, "state": state_of(challenge)})
        self.describe()

    @property
    def parts(self) -> list[forms.BoundField]:
        return [self[name] for name in (*NAMES, "rescore")]

    def changes(self) -> SentFields:
        typed = {name: self.cleaned_data[name] for name in NAMES}
        typed["prediction_metrics"] = from_lines(typed["prediction_metrics"])
        typed["targets"] = [line for line in typed["targets"].splitlines() if line.strip()]
        newest = self.challenge.newest
        return {name: value for name, value in typed.items() if value != getattr(newest, name)}

    def placed_path(self, path: str) -> str:
        name = path.partition(".")[0]
        return name if name in self.fields else ""


manage_truth = change_view("truth", lambda challenge, request, data: TruthForm(challenge, data))
