"""`/c/{slug}/manage/split/`: organisers choose which tasks or instances are private."""

from __future__ import annotations

from typing import Final

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from leaderboard.models import Challenge
from leaderboard.pages.manage.changing import ChangeForm, change_view, state_of
from leaderboard.pages.manage.forms.rules_choices import Choices
from leaderboard.rules.json.stored import StoredSplit
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields

WAYS: Final[Choices] = [
    ("none", gettext_lazy("All tasks are public")),
    ("share", gettext_lazy("A share of the tasks is public, chosen by a seed")),
    ("list", gettext_lazy("The tasks of a list are public")),
    ("column", gettext_lazy("A column of the truth says Public, Private or Ignored")),
]


class SplitForm(ChangeForm):
    """The way of the split, and the fields of each way."""

    way = forms.ChoiceField(
        label=gettext_lazy("Which tasks are public"), choices=WAYS, widget=forms.RadioSelect
    )
    share = forms.FloatField(
        label=gettext_lazy("Share"),
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "min": 0, "max": 1}),
        help_text=gettext_lazy("For a share: above 0 and below 1, such as 0.3."),
    )
    seed = forms.CharField(
        label=gettext_lazy("Seed"),
        required=False,
        help_text=gettext_lazy("For a share: any text. Another seed selects other tasks."),
    )
    column = forms.CharField(
        label=gettext_lazy("Column"),
        required=False,
        help_text=gettext_lazy("For a column of the truth of predictions: its name."),
    )
    public = forms.CharField(
        label=gettext_lazy("Public tasks"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy("For a list: a name of a task, or an id of an instance, per line."),
    )

    def __init__(self, challenge: Challenge, data: QueryDict | None = None) -> None:
        self.challenge = challenge
        self.stored: StoredSplit | None = challenge.newest.split
        super().__init__(data, initial={**self._initial(), "state": state_of(challenge)})

    @property
    def parts(self) -> list[forms.BoundField]:
        return [self[name] for name in ("way", "share", "seed", "public", "column", "rescore")]

    def changes(self) -> SentFields:
        wanted = self._wanted()
        return {} if wanted == self.stored else {"split": wanted}

    def placed_path(self, path: str) -> str:
        name = path.removeprefix("split.").partition(".")[0]
        return name if name in self.fields else "way"

    def _wanted(self) -> SentFields | None:
        typed = self.cleaned_data
        match typed["way"]:
            case "share":
                return {"share": typed.get("share"), "seed": typed["seed"]}
            case "list":
                lines = typed["public"].splitlines()
                return {"public": [line for line in lines if line.strip()]}
            case "column":
                return {"column": typed["column"]}
        return None

    def _initial(self) -> FormValues:
        if self.stored is None:
            return {"way": "none"}
        if (names := self.stored.get("public")) is not None:
            return {"way": "list", "public": "\n".join(names)}
        return {"way": "column" if "column" in self.stored else "share", **self.stored}


manage_split = change_view("split", lambda challenge, request, data: SplitForm(challenge, data))
