"""`/c/{slug}/rules/`: the page that explains how a challenge is scored and ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.columns.metric import Note
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ScoringConfig
from leaderboard.pages.board.code_notice import code_is, on_code_change
from leaderboard.pages.board.lines import columns_shown
from leaderboard.pages.board.rescore_notice import rescore_of
from leaderboard.pages.challenges.versions import VERSIONS_SHOWN, versions
from leaderboard.pages.labels import metric_labels, row_labels
from leaderboard.pages.labels.admission import REVIEWS
from leaderboard.pages.labels.changes import changed_fields
from leaderboard.pages.labels.counting import counting
from leaderboard.pages.plugins.docs import doc_html
from leaderboard.pages.plugins.links import PluginLink, link_to, metric_of
from leaderboard.pages.plugins.text_rules import text_metrics_of, text_rules_of
from leaderboard.pages.shared.access import board_for, challenge_or_404, is_reviewer
from leaderboard.pages.shared.markdown import to_html
from leaderboard.pages.shared.phases import changes_of, phase_entries
from leaderboard.pages.tables.config_table import fields_of
from leaderboard.rules.json.stored import StoredTask
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.rules.rewards.splits import Split
from leaderboard.rules.rewards.task_sources import source_of
from leaderboard.schemas.metrics import MetricSpec
from leaderboard.services.attempts.visibility import may_see_config
from leaderboard.services.board.boards import board_at
from leaderboard.services.challenges.directions import direction_warnings
from leaderboard.services.challenges.own_plugins import described_scorer
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.evaluation.metric_names import warnings_of_names
from leaderboard.services.standing.condition_sets import rules_in_words, rules_of

TASKS_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Task:
    """A declared task, and its source if it has one.

    url: that of the repository; "" if a browser cannot open it. is_public: whether it counts before
    the end of a phase.
    """

    name: str
    rewards: Sequence[str]
    url: str
    repository: str
    commit: str
    path: str
    group: str
    weight: float
    is_public: bool


@dataclass(frozen=True, slots=True)
class ShownMetric:
    """A metric of the challenge as text. script: the text of a metric script. link: to its page,
    unless it is the challenge's own."""

    name: str
    type: str
    reward: str
    meaning: str
    policies: str
    script: str
    link: PluginLink | None


@require_safe
def challenge_rules(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = challenge_or_404(request, slug)
    board = board_for(request, board_at(challenge))
    config, reviews = challenge.shown, is_reviewer(request, challenge)
    is_open = may_see_config(challenge, organiser=reviews)
    context = {
        "challenge": challenge,
        "tab": "rules",
        "config": config,
        "description": to_html(challenge.description),
        "goal": to_html(challenge.goal),
        "evidence": row_labels.evidence(config),
        "is_hidden": not is_open,
        "progress": rescore_of(challenge, board.access) if board.is_whole else None,
        "warnings": [
            *warnings_of_names(challenge),
            *direction_warnings(challenge.newest, challenge.columns),
        ]
        if reviews
        else [],
        **_phases(challenge),
        **_ranking(board, config),
        "admission": admission_rules(challenge),
        "review": REVIEWS.get(challenge.review, ""),
        **_scorer(request, config, is_open),
        **_metrics(request, challenge, config, is_open),
        **_tasks(config),
        **_versions(challenge, config, is_open),
    }
    return render(request, "pages/rules.html", context)


def admission_rules(challenge: Challenge) -> list[str]:
    """The rules of admission in words."""
    return [translated(text) for text in rules_in_words(rules_of(challenge.condition_set_id))]


def _phases(challenge: Challenge) -> PageContext:
    """When the challenge takes attempts, and the changes of that."""
    return {
        "phases": phase_entries(challenge),
        "is_always_open": challenge.is_active and not challenge.is_draft,
        "phase_changes": [
            (change.at, change.object, changed_fields(change)) for change in changes_of(challenge)
        ],
    }


def _ranking(board: VisibleBoard, config: ScoringConfig) -> PageContext:
    """Which attempts are ranked, by which columns, and the columns beside them."""
    columns = columns_shown(board)
    return {
        "strategy": row_labels.strategy(config, columns),
        "ranked": [(column, row_labels.end(column)) for column in columns if column.ranked],
        "beside": [(column, row_labels.end(column)) for column in columns if not column.ranked],
        "who": row_labels.who_is_ranked(config, columns),
        "counting": counting(board.board),
    }


def _scorer(request: HttpRequest, config: ScoringConfig, is_open: bool) -> PageContext:
    """The scorer, if there is one, with its time limit. is_open: whether to show its settings."""
    own_id = config.challenge_id
    plugin = described_scorer(config.entrypoint, own_id) if config.runs_scorer else None
    return {
        "timeout": row_labels.seconds(config.timeout_ms),
        "plugin": plugin,
        "plugin_doc": doc_html(plugin.doc) if plugin else "",
        "fields": fields_of(plugin, config.config) if plugin and is_open else [],
        "plugin_link": link_to(request, plugin),
    }


def _metrics(
    request: HttpRequest, challenge: Challenge, config: ScoringConfig, is_open: bool
) -> PageContext:
    """The metrics of rewards and of texts. is_open: whether to show their scripts and settings."""
    return {
        "metrics": [
            _metric(request, spec, config.metric_notes, is_open) for spec in config.metric_specs
        ],
        "text_metrics": text_metrics_of(request, config, is_open),
        "text_rules": text_rules_of(challenge, config),
    }


def _tasks(config: ScoringConfig) -> PageContext:
    """The first declared tasks, the number of others, and which columns their table has."""
    declared, first = config.declared_tasks, config.tasks[:TASKS_SHOWN]
    return {
        "tasks": [_task(task, config.parts) for task in first],
        "is_split": config.parts is not None,
        "has_sources": any(map(source_of, first)),
        "has_groups": any(task.group for task in declared),
        "has_weights": any(task.weight != 1 for task in declared),
        "more_tasks": max(0, len(declared) - TASKS_SHOWN),
    }


def _versions(challenge: Challenge, config: ScoringConfig, is_open: bool) -> PageContext:
    """The newest scoring versions, and the code that computed the scores of the shown one."""
    newest_first = list(
        challenge.configs.select_related("references").order_by("-number")[: VERSIONS_SHOWN + 1]
    )
    return {
        "versions": versions(newest_first, config, is_open),
        "on_code_change": on_code_change(challenge) if config.code else "",
        "code_is": code_is(config),
    }


def _task(task: StoredTask, split: Split | None) -> Task:
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
        is_public=split is None or split.is_public(task["name"]),
    )


def _metric(
    request: HttpRequest, spec: MetricSpec, notes: Mapping[str, Note], is_open: bool
) -> ShownMetric:
    has_plugin = spec.type != SCRIPT and not spec.compares
    return ShownMetric(
        name=spec.name,
        type=spec.type,
        reward=spec.reward or "",
        meaning=metric_labels.meaning(spec, notes),
        policies=metric_labels.policies(spec),
        script=spec.script if is_open else "",
        link=link_to(request, metric_of(spec.type)) if has_plugin else None,
    )
