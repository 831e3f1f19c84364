"""The form for a challenge of predictions: the truth first, then what its columns are."""

from __future__ import annotations

from typing import Final

from django import forms
from django.core.cache import cache
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.forms.challenge_inputs import FIELDS, title_of
from leaderboard.forms.plugin_choices import described
from leaderboard.forms.schema_fields import form_field
from leaderboard.models import User
from leaderboard.pages.new.forms import KindForm, offer, ranked
from leaderboard.predictions.previews import Preview
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields
from leaderboard.schemas.choices import PredictionKind
from leaderboard.services.errors import ServiceError
from leaderboard.services.imports.uploads import TRUTHS, StoredUpload
from leaderboard.services.plugins.prediction_metrics import metrics_of_kind
from leaderboard.services.predictions.truths import preview_of

MAX_BYTES: Final = 64 * 2**20
KEPT_SECONDS: Final = 3600
WAYS: Final = (
    ("none", gettext_lazy("All rows are public")),
    ("column", gettext_lazy("A column says Public, Private or Ignored")),
    ("share", gettext_lazy("A share of the rows is public, chosen by a seed")),
)


class PredictionsKind(KindForm):
    """`kept` is the token of the truth that was uploaded with an earlier post of the form."""

    label = gettext_lazy("Predictions")
    about = gettext_lazy(
        "Attempts bring a table of predictions, which metrics compare with a truth that only you"
        " have."
    )
    own = ("truth", "kept", "id_column", "targets", "prediction_kind")

    truth = forms.FileField(
        label=gettext_lazy("Table with the truth"),
        required=False,
        widget=forms.FileInput(attrs={"data-most": MAX_BYTES}),
        help_text=gettext_lazy(
            "CSV, TSV, Excel or Parquet, also compressed, up to 64 MiB: a row for each prediction, "
            "with an id. Show the board to see its columns."
        ),
    )
    kept = forms.CharField(required=False, widget=forms.HiddenInput)
    id_column = forms.ChoiceField(label=title_of("id_column"))
    targets = forms.MultipleChoiceField(
        label=title_of("targets"), widget=forms.CheckboxSelectMultiple
    )
    prediction_kind = form_field(FIELDS["prediction_kind"])
    prediction_metrics = forms.MultipleChoiceField(
        label=title_of("prediction_metrics"), widget=forms.CheckboxSelectMultiple
    )
    positive_label = form_field(FIELDS["positive_label"])
    way = forms.ChoiceField(label=gettext_lazy("Which rows are public"), choices=WAYS)
    column = forms.ChoiceField(label=gettext_lazy("Column of parts"), required=False)
    share = forms.FloatField(
        label=gettext_lazy("Share"),
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "min": 0, "max": 1}),
        help_text=gettext_lazy("For a share: above 0 and below 1, such as 0.3."),
    )
    seed = forms.CharField(
        label=gettext_lazy("Seed"), required=False, help_text=gettext_lazy("For a share: any text.")
    )
    upload: StoredUpload | None = None
    preview: Preview | None = None
    """The first rows of the truth, once it is uploaded."""

    @property
    def setting_names(self) -> list[str]:
        names = ("prediction_metrics", "positive_label", "way", "column", "share", "seed")
        return [name for name in names if name in self.fields]

    def offer(self, user: User) -> None:
        token = str(self.data.get("kept", "")) if self.is_bound else ""
        self.upload = TRUTHS.find(token, user) if token else None
        self.preview = _preview(self.upload) if self.upload else None
        if self.preview is None:
            for name in (*self.own[2:], *self.setting_names):
                del self.fields[name]
            return
        columns = [(name, name) for name in self.preview.columns]
        for name in ("id_column", "targets"):
            offer(self, name, columns)
        offer(self, "column", [("", "–"), *columns])
        usage = self.preview.usage
        self.initial = {**self.initial, "way": "column" if usage else "none", "column": usage}
        kind = str(self.data.get("prediction_kind") or PredictionKind.VALUES)
        offer(self, "prediction_metrics", _metrics(kind))

    def full_clean(self) -> None:
        """Check the fields; before the columns are known, only ask for them."""
        super().full_clean()
        if self.is_bound and self.preview is None and not self.errors.get("truth"):
            self.add_error("truth", _("Choose the table, and say what its columns are."))

    def scoring(self, given: FormValues) -> SentFields:
        metrics = given.get("prediction_metrics", [])
        return {
            "prediction_metrics": metrics,
            "id_column": given.get("id_column", ""),
            "targets": given.get("targets", []),
            "prediction_kind": given.get("prediction_kind") or PredictionKind.VALUES,
            "positive_label": given.get("positive_label", ""),
            "split": _split(given),
            "rank_by": ranked(given, metrics),
        }


def _split(given: FormValues) -> SentFields | None:
    match given.get("way"):
        case "column":
            return {"column": given.get("column", "")}
        case "share":
            return {"share": given.get("share"), "seed": given.get("seed", "")}
    return None


def _metrics(kind: str) -> list[tuple[str, str]]:
    metrics = metrics_of_kind(kind)  # type: ignore[arg-type]
    return [(metric.name, described(metric.name, metric)) for metric in metrics]


def _preview(upload: StoredUpload) -> Preview | None:
    """The first rows of a truth; None if it cannot be read, and is to be chosen again."""
    key = f"truth-preview:{upload.path.name}"
    kept = cache.get(key)
    if kept is not None:
        columns, rows, count, usage = kept
        return Preview(tuple(columns), tuple(map(tuple, rows)), count, usage)
    try:
        with upload.path.open("rb") as file:
            preview = preview_of(file)
    except ServiceError:
        return None
    cache.set(key, [preview.columns, preview.rows, preview.row_count, preview.usage], KEPT_SECONDS)
    return preview
