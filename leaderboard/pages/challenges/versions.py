"""The versions of how a challenge is scored, and what each changed, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.languages.translation import count_text
from leaderboard.models import ScoringConfig
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.splits import split_as_text
from leaderboard.pages.plugins.text_rules import text_metrics_text
from leaderboard.pages.tables.config_table import written
from leaderboard.rules.json.stored import StoredRankKey
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.metrics import parse_metrics
from leaderboard.schemas.rewards import parse_rewards

VERSIONS_SHOWN = 50
_NAMES = {
    "strategy": gettext_lazy("strategy"),
    "plugin_id": gettext_lazy("plugin"),
    "entrypoint": gettext_lazy("scorer"),
    "rank_by": gettext_lazy("ranked values"),
    "only_succeeded": gettext_lazy("only successful attempts"),
    "counting": gettext_lazy("attempt that counts"),
    "timeout_ms": gettext_lazy("time limit (ms)"),
    "metrics": gettext_lazy("metrics"),
    "tasks": gettext_lazy("tasks"),
    "rewards": gettext_lazy("bounds of rewards"),
    "num_samples": gettext_lazy("samples of a task"),
    "min_coverage": gettext_lazy("least coverage"),
    "independent_unit": gettext_lazy("what is independent"),
    "judged_rewards": gettext_lazy("judged rewards"),
    "labels_per_attempt": gettext_lazy("labels of an attempt"),
    "labels_seed": gettext_lazy("seed of the labels"),
    "unknown_tasks": gettext_lazy("other tasks"),
    "split": gettext_lazy("public tasks"),
    "text_metrics": gettext_lazy("text metrics"),
    "max_outputs": gettext_lazy("outputs of an instance"),
    "text_timeout_ms": gettext_lazy("time limit of a text metric (ms)"),
    "references_id": gettext_lazy("instances that the challenge holds"),
}
_SECRETS = {
    "secrets": gettext_lazy("secret settings"),
    "text_secrets": gettext_lazy("secret parameters of text metrics"),
}


@dataclass(frozen=True, slots=True)
class Version:
    """A scoring config and what it changed. `code` is that of its plugins, "" for none."""

    number: int
    created_at: datetime
    is_shown: bool
    changes: list[str]
    code: str


def versions(
    newest_first: Sequence[ScoringConfig], current: ScoringConfig, is_open: bool
) -> list[Version]:
    """The newest versions with what each changed against the one before.

    is_open: whether the reader may see settings, and not only that they have changed.
    """
    shown_versions = []
    for at, config in enumerate(newest_first[:VERSIONS_SHOWN]):
        older = newest_first[at + 1] if at + 1 < len(newest_first) else None
        changes = list(_changes(older, config, is_open)) if older else [_("First version")]
        if older and older.code and older.code != config.code and not changes:
            text = (
                _("Code of the scorer: {before} → {after}")
                if config.runs_scorer
                else _("Code of the metrics: {before} → {after}")
            )
            changes = [text.format(before=older.code, after=config.code)]
        same = [_("Scored again, nothing changed")]
        shown_versions.append(
            Version(
                config.number,
                config.created_at,
                config.pk == current.pk,
                changes or same,
                config.code,
            )
        )
    return shown_versions


def _changes(older: ScoringConfig, newer: ScoringConfig, is_open: bool) -> Iterator[str]:
    before, after = older.frozen_fields(), newer.frozen_fields()
    for name, label in _NAMES.items():
        if name == "references_id" and before[name] != after[name]:
            yield f"{label}: {_held(older, newer)}"
        elif before[name] != after[name]:
            was, now = (_field_text(name, fields[name], is_open) for fields in (before, after))
            if name == "split" and after["prediction_metrics"]:
                was = now = _("which rows are public")  # the seed would tell
            yield _change(str(label), was, now)
    if before["final_parts"] != after["final_parts"]:
        yield _("The final scores of a phase that has ended")
    for name, label in _SECRETS.items():
        if before[name] != after[name]:
            yield _("{label}: changed").format(label=label)
    yield from _settings(before["config"], after["config"], is_open)


def _settings(old: JsonObject, new: JsonObject, is_open: bool) -> Iterator[str]:
    """What changed of the settings of the scorer."""
    if not is_open:
        if old != new:
            yield _("settings of the scorer: changed")
        return
    for key in dict.fromkeys([*old, *new]):
        if old.get(key) != new.get(key):
            yield f"{key}: {_value_text(old.get(key))} → {_value_text(new.get(key))}"


def _change(label: str, was: str, now: str) -> str:
    if was != now:
        return f"{label}: {was} → {now}"
    return _("{label}: {value}, set otherwise").format(label=label, value=now)


def _held(older: ScoringConfig, newer: ScoringConfig) -> str:
    """The change of the instances between two versions with different ones, by their numbers."""
    before, after = (
        count_text(config.references.instance_count) if config.references else _("none")
        for config in (older, newer)
    )
    if before != after:
        return f"{before} → {after}"
    return _("{before} → {after}, changed").format(before=before, after=after)


def _field_text(name: str, value: Any, is_open: bool) -> str:
    match name:
        case "rank_by":
            return ", ".join(map(_rank_key_text, value)) or _("none")
        case "metrics":
            return ", ".join(spec.name for spec in parse_metrics(value)) or _("none")
        case "text_metrics":
            return text_metrics_text(value, is_open)
        case "tasks":
            return _("{count} declared").format(count=len(value)) if value else _("none declared")
        case "rewards":
            return "; ".join(map(row_labels.bounds, parse_rewards(value))) or _("none declared")
        case "split":
            return split_as_text(value)
        case "num_samples" | "min_coverage":
            return _("any") if value is None else written(value)
    return _value_text(value)


def _rank_key_text(key: StoredRankKey) -> str:
    if "decimals" not in key:
        return f"{key['key']} ({key['direction']})"
    return ngettext(
        "{key} ({direction}, to {count} decimal)",
        "{key} ({direction}, to {count} decimals)",
        key["decimals"],
    ).format(key=key["key"], direction=key["direction"], count=key["decimals"])


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return _("default") if value in (None, "") else written(value)
