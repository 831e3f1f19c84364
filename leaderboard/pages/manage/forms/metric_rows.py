"""The rows of a form in which organisers choose the metrics of rewards of a challenge."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.forms.plugin_choices import usable_plugins
from leaderboard.languages.docstrings import first_line
from leaderboard.languages.translation import translated
from leaderboard.models import ScoringConfig, User
from leaderboard.pages.manage.forms.choosing import choosing
from leaderboard.pages.manage.forms.rules_choices import Choices
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields
from leaderboard.rules.ranking.win_rates import MEANING, WIN_RATE
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.services.plugins.catalogue import known_plugins
from leaderboard.services.plugins.descriptions import PluginDescription

PARTS: Final = ("type", "k", "name", "reward", "group", "over", "failed", "undefined")
MORE_PARTS: Final = ("min_coverage", "reported", "script", "of")
FAILED: Final[Choices] = [
    ("zero", gettext_lazy("count 0")),
    ("exclude", gettext_lazy("are left out")),
]
UNDEFINED: Final[Choices] = [
    ("exclude", gettext_lazy("are left out")),
    ("zero", gettext_lazy("count 0")),
]
REPORTED: Final[Choices] = [
    ("refuse", gettext_lazy("refused: the server computes the metric")),
    ("allow", gettext_lazy("shown and marked, without a rank")),
    ("rank", gettext_lazy("shown and marked, and they rank")),
]
DEFAULTS: Final[Mapping[str, object]] = {
    "failed": "zero",
    "undefined": "exclude",
    "reported": "refuse",
}


def metric_choices(user: User, stored: Iterable[str], own: Sequence[PluginDescription]) -> Choices:
    """The metrics that the user may choose, with their descriptions.

    own: those that the challenge has of its own. stored: types of the challenge, which stay even if
    their plugin is gone.
    """
    usable = usable_plugins(user, known_plugins().metrics, own)
    choices: Choices = [("", "–")]
    choices += [(metric.name, f"{metric.name}: {first_line(metric.doc)}") for metric in usable]
    choices.append((WIN_RATE, f"{WIN_RATE}: {first_line(translated(MEANING))}"))
    if settings.METRIC_SCRIPTS:
        choices.append((SCRIPT, _("{type}: a script in Python of your own").format(type=SCRIPT)))
    offered = {key for key, _label in choices}
    return choices + [(name, name) for name in dict.fromkeys(stored) if name not in offered]


def families() -> list[str]:
    """The names of metrics in which a K stands for a number."""
    return [metric.name for metric in known_plugins().metrics if "K" in metric.name]


def typed_of(entry: Any, metric_families: Sequence[str]) -> SentFields:
    """What the fields of a row show for a stored metric. metric_families: names with a K."""
    given: SentFields = {"type": entry} if isinstance(entry, str) else dict(entry)
    family, k = _family(given["type"], metric_families)
    arguments = given.get("kwargs") or {}
    return {
        **DEFAULTS,
        **{part: given[part] for part in (*PARTS, *MORE_PARTS) if part in given},
        "type": family,
        "k": k,
        "over": bool(given.get("over")),
        "script": arguments.get("script", ""),
        "of": "\n".join(_compared(key) for key in given.get("of", ())),
    }


def entry_of(typed: FormValues) -> SentFields:
    """A metric by the names of the API, from the values of the fields of a row."""
    chosen = str(typed.get("type") or "")
    name = chosen.replace("K", str(typed.get("k") or 1)) if "K" in chosen else chosen
    entry: SentFields = {"type": name}
    for part in ("name", "reward", "group"):
        if text := str(typed.get(part) or "").strip():
            entry[part] = text
    if typed.get("min_coverage") is not None:
        entry["min_coverage"] = typed["min_coverage"]
    if chosen == WIN_RATE:
        lines = str(typed.get("of") or "").splitlines()
        return entry | {"of": [_key(line) for line in lines if line.strip()]}
    policies = {part: typed.get(part) for part in DEFAULTS}
    entry |= {
        part: value for part, value in policies.items() if value not in ("", None, DEFAULTS[part])
    }
    if chosen == SCRIPT:
        return entry | {"kwargs": {"script": str(typed.get("script") or "").replace("\r\n", "\n")}}
    return entry | ({"over": "groups"} if typed.get("over") else {})


def metric_fields(choices: Choices, chosen: str, groups: Sequence[str]) -> dict[str, forms.Field]:
    """The fields of a row by their part, without those that the chosen metric does not use.

    groups: those of the tasks.
    """
    fields = _fields_of_every_metric(choices, chosen)
    if chosen == WIN_RATE:
        return fields | {"of": _compared_values()}
    return fields | _fields_of_rewards(chosen, groups)


def _fields_of_every_metric(choices: Choices, chosen: str) -> dict[str, forms.Field]:
    fields: dict[str, forms.Field] = {
        "type": _text(_("Metric"), widget=choosing(choices, "metrics")),
        "name": _text(
            _("Name"), help_text=_("The heading of its column. Empty: as the metric is called.")
        ),
    }
    if "K" in chosen:
        fields["k"] = forms.IntegerField(
            label="K", required=False, min_value=1, help_text=_("Empty: 1.")
        )
    fields["min_coverage"] = forms.FloatField(
        label=_("Least coverage"),
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "min": 0, "max": 1}),
        help_text=_("Share of its tasks, such as 0.9, below which a value does not rank."),
    )
    return fields


def _compared_values() -> forms.Field:
    """The values of a win rate, which sums up no rewards."""
    return _text(
        _("What it compares"),
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_(
            "A value of the board per line. Write “asc” behind one whose low values are better,"
            " such as “elapsed_ms asc”."
        ),
    )


def _fields_of_rewards(chosen: str, groups: Sequence[str]) -> dict[str, forms.Field]:
    """Which rewards the metric sums up, how, and what happens to missing and reported values."""
    group_choices = [("", _("all tasks")), *((group, group) for group in groups)]
    fields: dict[str, forms.Field] = {
        "reward": _text(_("Reward"), help_text=_("Which one it sums up. Empty: each of them.")),
        "group": _text(_("Of the tasks"), widget=forms.Select(choices=group_choices)),
    }
    if chosen == SCRIPT:
        fields["script"] = _text(
            _("Script"), widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"})
        )
    else:
        fields["over"] = forms.BooleanField(
            label=_("The mean of its values over each group of tasks"), required=False
        )
    return fields | {
        "failed": _choice(_("Failed samples"), FAILED),
        "undefined": _choice(_("Tasks without the reward"), UNDEFINED),
        "reported": _choice(_("Values that participants report for it"), REPORTED),
    }


def groups_of(config: ScoringConfig) -> list[str]:
    """The groups of the tasks, and those that metrics name."""
    named = [task.get("group", "") for task in config.tasks]
    named += [spec.group or "" for spec in config.metric_specs]
    return [name for name in dict.fromkeys(named) if name]


def _family(type_: str, metric_families: Sequence[str]) -> tuple[str, int | None]:
    """The general name of a type with a number, and the number: `pass@K`, 5 for `pass@5`."""
    for name in metric_families:
        pattern = re.escape(name).replace("K", "([1-9][0-9]*)", 1)
        if match := re.fullmatch(pattern, type_):
            return name, int(match[1])
    return type_, None


def _compared(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    return " ".join((entry["key"], "asc")) if entry.get("direction") == "asc" else str(entry["key"])


def _key(line: str) -> str | dict[str, str]:
    key, _space, direction = line.strip().rpartition(" ")
    if key and direction in ("asc", "desc"):
        return {"key": key.strip(), "direction": direction}
    return line.strip()


def _text(label: str, **options: Any) -> forms.CharField:
    return forms.CharField(label=label, required=False, **options)


def _choice(label: str, choices: Choices) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, required=False, choices=choices)
