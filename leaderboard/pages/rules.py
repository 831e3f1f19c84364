"""`/c/{slug}/rules/`: the page that explains how a challenge is scored and ranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from leaderboard.columns.metric import Note
from leaderboard.models import ScoringConfig
from leaderboard.pages import labels, metric_labels
from leaderboard.pages.access import challenge_or_404, is_reviewer, seen_board
from leaderboard.pages.board import columns_shown, rescore_of
from leaderboard.pages.code import code_is, on_code_change
from leaderboard.pages.config_table import fields_of, written
from leaderboard.pages.counting_labels import counting
from leaderboard.pages.markdown import to_html
from leaderboard.pages.phases import changed_fields, changes_of, phases_told
from leaderboard.pages.text_rules import said_of_text_metrics, text_metrics_of, text_rules_of
from leaderboard.rules.task_sources import source_of
from leaderboard.schemas.metrics import MetricSpec, parse_metrics
from leaderboard.schemas.rewards import parse_rewards
from leaderboard.services.attempts.visibility import may_see_config
from leaderboard.services.board.boards import board_at
from leaderboard.services.evaluation.metric_names import told_of_names
from leaderboard.services.plugins.descriptions import described
from leaderboard.translation import count_text

VERSIONS_SHOWN = 50
TASKS_SHOWN = 500
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
    "unknown_tasks": gettext_lazy("other tasks"),
    "text_metrics": gettext_lazy("text metrics"),
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


@dataclass(frozen=True, slots=True)
class Task:
    """A declared task, and its source if it has one.

    url: that of the repository; "" if a browser cannot open it.
    """

    name: str
    rewards: Sequence[str]
    url: str
    repository: str
    commit: str
    path: str
    group: str
    weight: float


@dataclass(frozen=True, slots=True)
class ShownMetric:
    """A metric of the challenge as text. script: the text of a metric script."""

    name: str
    type: str
    reward: str
    meaning: str
    policies: str
    script: str


@require_safe
def challenge_rules(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = challenge_or_404(request, slug)
    board = seen_board(request, board_at(challenge))
    config, columns = challenge.shown, columns_shown(board)
    open_ = may_see_config(challenge, organiser=is_reviewer(request, challenge))
    plugin = described(config.entrypoint) if config.runs_scorer else None
    newest_first = list(
        challenge.configs.select_related("references").order_by("-number")[: VERSIONS_SHOWN + 1]
    )
    context = {
        "challenge": challenge,
        "tab": "rules",
        "config": config,
        "description": to_html(challenge.description),
        "goal": to_html(challenge.goal),
        "phases": phases_told(challenge),
        "phase_changes": [
            (each.at, each.object, changed_fields(each)) for each in changes_of(challenge)
        ],
        "strategy": labels.strategy(config, columns),
        "ranked": [(column, labels.end(column)) for column in columns if column.ranked],
        "beside": [(column, labels.end(column)) for column in columns if not column.ranked],
        "who": labels.who_is_ranked(config, columns),
        "counting": counting(board.board),
        "timeout": labels.seconds(config.timeout_ms),
        "plugin": plugin,
        "plugin_doc": to_html(plugin.doc) if plugin else "",
        "fields": fields_of(plugin, config.config) if plugin and open_ else [],
        "is_hidden": not open_,
        "metrics": [_metric(spec, config.metric_notes, open_) for spec in config.metric_specs],
        "tasks": [_task(task) for task in config.tasks[:TASKS_SHOWN]],
        "has_sources": any(map(source_of, config.tasks[:TASKS_SHOWN])),
        "has_groups": any(task.group for task in config.declared_tasks),
        "has_weights": any(task.weight != 1 for task in config.declared_tasks),
        "more_tasks": max(0, len(config.declared_tasks) - TASKS_SHOWN),
        "evidence": labels.evidence(config),
        "text_metrics": text_metrics_of(config, open_),
        "text_rules": text_rules_of(challenge, config),
        "versions": versions(newest_first, config, open_),
        "progress": rescore_of(challenge) if board.is_whole else None,
        "on_code_change": on_code_change(challenge) if config.code else "",
        "code_is": code_is(config),
        "told": told_of_names(challenge) if is_reviewer(request, challenge) else [],
    }
    return render(request, "pages/rules.html", context)


def _task(task: Mapping[str, Any]) -> Task:
    source = source_of(task)
    url = source.get("git_url", "")
    return Task(
        name=task["name"],
        rewards=task.get("rewards", ()),
        url=url if url.startswith(("https://", "http://")) else "",
        repository=url.removeprefix("https://").removeprefix("http://").removesuffix(".git"),
        commit=source.get("git_commit_id", ""),
        path=source.get("path", ""),
        group=task.get("group", ""),
        weight=task.get("weight", 1.0),
    )


def _metric(spec: MetricSpec, notes: Mapping[str, Note], is_open: bool) -> ShownMetric:
    return ShownMetric(
        name=spec.name,
        type=spec.type,
        reward=spec.reward or "",
        meaning=metric_labels.meaning(spec, notes),
        policies=metric_labels.policies(spec),
        script=spec.script if is_open else "",
    )


def versions(
    newest_first: Sequence[ScoringConfig], shown: ScoringConfig, is_open: bool
) -> list[Version]:
    """The newest versions with what each changed against the one before.

    is_open: whether the reader may see settings, and not only that they have changed.
    """
    found = []
    for at, config in enumerate(newest_first[:VERSIONS_SHOWN]):
        older = newest_first[at + 1] if at + 1 < len(newest_first) else None
        changes = list(_changes(older, config, is_open)) if older else [_("First version")]
        if older and older.code and older.code != config.code and not changes:
            said = (
                _("Code of the scorer: {before} → {after}")
                if config.runs_scorer
                else _("Code of the metrics: {before} → {after}")
            )
            changes = [said.format(before=older.code, after=config.code)]
        same = [_("Scored again, nothing changed")]
        found.append(
            Version(
                config.number,
                config.created_at,
                config.pk == shown.pk,
                changes or same,
                config.code,
            )
        )
    return found


def _changes(older: ScoringConfig, newer: ScoringConfig, is_open: bool) -> Iterator[str]:
    before, after = older.frozen_fields(), newer.frozen_fields()
    for name, label in _NAMES.items():
        if name == "references_id" and before[name] != after[name]:
            yield f"{label}: {_held(older, newer)}"
        elif before[name] != after[name]:
            was, now = (_said_of(name, each[name], is_open) for each in (before, after))
            yield _change(str(label), was, now)
    for name, label in _SECRETS.items():
        if before[name] != after[name]:
            yield _("{label}: changed").format(label=label)
    old, new = before["config"], after["config"]
    if not is_open:
        if old != new:
            yield _("settings of the scorer: changed")
        return
    for key in dict.fromkeys([*old, *new]):
        if old.get(key) != new.get(key):
            yield f"{key}: {_said(old.get(key))} → {_said(new.get(key))}"


def _change(label: str, was: str, now: str) -> str:
    if was != now:
        return f"{label}: {was} → {now}"
    return _("{label}: {value}, set otherwise").format(label=label, value=now)


def _held(older: ScoringConfig, newer: ScoringConfig) -> str:
    """The change of the instances between two versions with different ones, by their numbers."""
    before, after = (
        count_text(each.references.instance_count) if each.references else _("none")
        for each in (older, newer)
    )
    if before != after:
        return f"{before} → {after}"
    return _("{before} → {after}, changed").format(before=before, after=after)


def _said_of(name: str, value: Any, is_open: bool) -> str:
    match name:
        case "rank_by":
            return ", ".join(map(_said_of_key, value)) or _("none")
        case "metrics":
            return ", ".join(spec.name for spec in parse_metrics(value)) or _("none")
        case "text_metrics":
            return said_of_text_metrics(value, is_open)
        case "tasks":
            return _("{count} declared").format(count=len(value)) if value else _("none declared")
        case "rewards":
            return "; ".join(map(labels.bounds, parse_rewards(value))) or _("none declared")
        case "num_samples" | "min_coverage":
            return _("any") if value is None else written(value)
    return _said(value)


def _said_of_key(key: Mapping[str, Any]) -> str:
    if "decimals" not in key:
        return f"{key['key']} ({key['direction']})"
    return ngettext(
        "{key} ({direction}, to {count} decimal)",
        "{key} ({direction}, to {count} decimals)",
        key["decimals"],
    ).format(key=key["key"], direction=key["direction"], count=key["decimals"])


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return _("default") if value in (None, "") else written(value)
