"""`/c/{slug}/manage/truth/`: the truth of a challenge, its columns, and the metrics on it."""

from __future__ import annotations

from typing import Final

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from leaderboard.forms.challenge_inputs import ChallengeInputs, title_of
from leaderboard.models import Challenge, Truth
from leaderboard.pages.manage.changing import ChangeForm, change_view, state_of
from leaderboard.pages.manage.forms.prediction_lines import as_lines, from_lines
from leaderboard.rules.json.untyped_dicts import SentFields

LINES: Final = forms.Textarea(attrs={"rows": 4, "spellcheck": "false"})
METRICS_HELP: Final = gettext_lazy(
    'One per line: an id, such as rmse, or a JSON object, such as {"id": "f_beta", '
    '"name": "macro_f1", "parameters": {"average": "macro"}}.'
)
TRUTH_FIELDS: Final = (
    "prediction_metrics",
    "id_column",
    "targets",
    "prediction_kind",
    "positive_label",
)


class TruthForm(ChallengeInputs, ChangeForm):
    """The metrics of predictions and the columns of the truth."""

    def __init__(self, challenge: Challenge, data: QueryDict | None = None) -> None:
        self.challenge = challenge
        rows = Truth.objects.defer("form", "key").select_related("file")
        self.truth = rows.filter(configs=challenge.newest_config_id).first()
        newest = challenge.newest
        self.stored = {name: getattr(newest, name) for name in TRUTH_FIELDS}
        lines = as_lines(newest.prediction_metrics)
        start = {**self.stored, "prediction_metrics": lines, "state": state_of(challenge)}
        super().__init__(data, initial=start)
        self.add_fields(TRUTH_FIELDS)
        self.fields["prediction_metrics"] = forms.CharField(
            label=title_of("prediction_metrics"),
            required=False,
            widget=LINES,
            help_text=METRICS_HELP,
        )

    @property
    def parts(self) -> list[forms.BoundField]:
        return [self[name] for name in (*TRUTH_FIELDS, "rescore")]

    def changes(self) -> SentFields:
        lines = self.cleaned_data["prediction_metrics"]
        metrics = {"prediction_metrics": from_lines(lines)}
        return self.changed_values(self.typed_values(TRUTH_FIELDS) | metrics)

    def placed_path(self, path: str) -> str:
        name = path.partition(".")[0]
        return name if name in self.fields else ""


manage_truth = change_view("truth", lambda challenge, request, data: TruthForm(challenge, data))
