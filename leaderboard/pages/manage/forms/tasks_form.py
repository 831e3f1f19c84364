"""The form on which organisers change the tasks of a challenge and the bounds of rewards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.forms.challenge_inputs import ChallengeInputs
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge
from leaderboard.pages.manage.changing import ChangeForm, state_of
from leaderboard.pages.manage.forms.sparse_rows import (
    is_about_rows,
    next_numbers,
    row_numbers,
    wanted_more,
    without_removed,
)
from leaderboard.pages.manage.forms.task_rows import (
    MOST_ROWS,
    entries_of,
    listed_tasks,
    named_row,
    row_of,
    sent_list,
    with_list,
    with_suggested_clusters,
)
from leaderboard.rules.json.stored import StoredTask
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.statistics.clustering import NAMED, suggested_clusters
from leaderboard.rules.texts.task_lists import COLUMNS, ListedTask, as_table

MORE_ROWS: Final = 5
BOUNDS: Final = ("name", "min", "max")
SAMPLE_FIELDS: Final = ("unknown_tasks", "num_samples", "independent_unit")
LABEL_FIELDS: Final = ("judged_rewards", "labels_per_attempt", "labels_seed")
INTO: Final = [
    ("add", gettext_lazy("Add them to the tasks above")),
    ("replace", gettext_lazy("Take them in place of the tasks above")),
]


class TasksForm(ChallengeInputs, ChangeForm):
    """Up to `MOST_ROWS` tasks are rows, `tasks.0.name`; more are a table, `table`."""

    table = forms.CharField(
        label=gettext_lazy("Tasks as a table"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 20, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "A line per task, below the names of the columns. Commas stand between rewards."
        ),
    )
    pasted = forms.CharField(
        label=gettext_lazy("Paste a list"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "A task per line, such as “task-1” or “task-1: accuracy, style”; or a table that begins"
            " with a line of columns: name, rewards, group, weight, cluster."
        ),
    )
    file = forms.FileField(
        label=gettext_lazy("Or choose a CSV file"),
        required=False,
        help_text=gettext_lazy("With the columns name, rewards, group, weight and cluster."),
    )
    into = forms.ChoiceField(
        label=gettext_lazy("What becomes of the list"),
        required=False,
        choices=INTO,
        initial="add",
        widget=forms.RadioSelect,
    )

    def __init__(
        self,
        challenge: Challenge,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
    ) -> None:
        self.challenge, self.config_before = challenge, challenge.newest
        self.tasks_before: list[StoredTask] = self.config_before.tasks
        names = ("tasks", "rewards", *SAMPLE_FIELDS, *LABEL_FIELDS)
        self.stored = {name: getattr(self.config_before, name) for name in names}
        self.sent_list = sent_list(data, files)
        action = "" if data is None else data.get("action")
        self.is_kept = is_about_rows(data) or action in ("read", "suggest")
        self.sent = (
            None
            if data is None
            else with_list(without_removed(data), self.sent_list, len(self.tasks_before))
        )
        if self.sent is not None and self.sent.get("action") == "suggest":
            with_suggested_clusters(self.sent)
        super().__init__(self.sent, initial=self._initial())
        self.add_fields((*SAMPLE_FIELDS, *LABEL_FIELDS), choice=forms.RadioSelect)
        self.task_rows = self._add_tasks()
        self.bound_rows = self._add_bounds()

    # The parts of the page.

    @property
    def is_table(self) -> bool:
        """Whether the tasks are too many for rows."""
        if self.is_bound:
            return "table" in self.data
        return len(self.tasks_before) > MOST_ROWS

    @property
    def tasks(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The rows with their names."""
        return [(_row_name(names), [self[name] for name in names]) for names in self.task_rows]

    @property
    def bounds(self) -> list[tuple[str, list[forms.BoundField]]]:
        return [(_row_name(names), [self[name] for name in names]) for names in self.bound_rows]

    @property
    def suggested(self) -> list[str]:
        """Some names of clusters that the names of the tasks suggest, if none are declared."""
        if any("cluster" in task for task in self.tasks_before):
            return []
        clusters = suggested_clusters([task["name"] for task in self.tasks_before])
        return list(dict.fromkeys(clusters.values()))[:NAMED]

    @property
    def as_text(self) -> list[forms.BoundField]:
        return [self["table"]]

    @property
    def lists(self) -> list[forms.BoundField]:
        return [self[name] for name in ("pasted", "file", "into")]

    @property
    def samples(self) -> list[forms.BoundField]:
        return [self[name] for name in SAMPLE_FIELDS]

    @property
    def labels(self) -> list[forms.BoundField]:
        return [self[name] for name in LABEL_FIELDS]

    # What is sent, by the names of the API.

    def clean(self) -> FormValues:
        if self.sent_list.wrong:
            self.add_error(self.sent_list.field, translated(self.sent_list.wrong))
        return self.cleaned_data

    def changes(self) -> SentFields:
        rows = {
            "tasks": self._tasks(),
            "rewards": [self._bounds(names) for names in self._filled(self.bound_rows)],
        }
        return self.changed_values(self.typed_values((*SAMPLE_FIELDS, *LABEL_FIELDS)) | rows)

    def filled_rows(self) -> Mapping[str, Sequence[int]]:
        bounds = [_number(names) for names in self._filled(self.bound_rows)]
        if self.is_table:
            return {"rewards": bounds}
        return {"tasks": [_number(names) for names in self._filled(self.task_rows)]} | {
            "rewards": bounds
        }

    def placed_path(self, path: str) -> str:
        if self.is_table and path.partition(".")[0] == "tasks":
            return "table"
        return super().placed_path(path)

    def forget_errors(self) -> None:
        for name in [error for error in self.errors if error not in ("pasted", "file")]:
            del self.errors[name]

    def _tasks(self) -> list[JsonObject]:
        if self.is_table:
            return listed_tasks(self.cleaned_data["table"], self.tasks_before)
        typed = [
            (_number(names), self._listed(names), self.cleaned_data.get(names[3]))
            for names in self._filled(self.task_rows)
        ]
        return entries_of(typed, self.tasks_before)

    def _bounds(self, names: Sequence[str]) -> SentFields:
        parts = zip(BOUNDS, (self.cleaned_data.get(name) for name in names), strict=True)
        return {part: value for part, value in parts if value is not None}

    def _filled(self, rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
        empty = ("", None)
        return [
            row for row in rows if any(self.cleaned_data.get(name) not in empty for name in row)
        ]

    def _listed(self, names: Sequence[str]) -> ListedTask:
        name, rewards, group, _weight, cluster = (
            str(self.cleaned_data.get(field) or "") for field in names
        )
        return ListedTask(name, rewards, group, cluster=cluster)

    # The fields.

    def _initial(self) -> FormValues:
        config = self.config_before
        start: FormValues = {
            "state": state_of(self.challenge),
            **{name: getattr(config, name) for name in (*SAMPLE_FIELDS, *LABEL_FIELDS)},
            "into": "add",
        }
        if len(self.tasks_before) > MOST_ROWS:
            start["table"] = as_table(map(row_of, self.tasks_before))
        else:
            for at, task in enumerate(self.tasks_before):
                start |= named_row(at, row_of(task))
        for at, reward in enumerate(config.rewards):
            start |= {f"rewards.{at}.{part}": value for part, value in reward.items()}
        return start

    def _add_tasks(self) -> list[tuple[str, ...]]:
        if self.is_table:
            return []
        del self.fields["table"]
        numbers = self._numbers("tasks", len(self.tasks_before), 3)
        rows = []
        for number in numbers[: MOST_ROWS + MORE_ROWS]:
            names = tuple(f"tasks.{number}.{part}" for part in COLUMNS)
            labels = (_("Name"), _("Rewards"), _("Group"), _("Weight"), _("Cluster"))
            for name, label in zip(names, labels, strict=True):
                self.fields[name] = forms.CharField(label=label, required=False, strip=False)
            self.fields[names[3]] = forms.FloatField(label=labels[3], required=False)
            rows.append(names)
        return rows

    def _add_bounds(self) -> list[tuple[str, ...]]:
        rows = []
        for number in self._numbers("rewards", len(self.config_before.rewards), 1):
            names = tuple(f"rewards.{number}.{part}" for part in BOUNDS)
            self.fields[names[0]] = forms.CharField(label=_("Reward"), required=False)
            self.fields[names[1]] = forms.FloatField(label=_("Lowest value"), required=False)
            self.fields[names[2]] = forms.FloatField(label=_("Highest value"), required=False)
            rows.append(names)
        return rows

    def _numbers(self, name: str, stored: int, empty: int) -> list[int]:
        """The numbers of the rows of a list: those that were sent, or the stored and empty ones."""
        if self.sent is None:
            return [*range(stored + empty)]
        numbers = row_numbers(self.sent, name)
        return [*numbers, *next_numbers(numbers, wanted_more(self.sent, name, MORE_ROWS), stored)]


def _number(names: Sequence[str]) -> int:
    return int(names[0].split(".")[1])


def _row_name(names: Sequence[str]) -> str:
    return names[0].rpartition(".")[0]
