"""Try a plugin on an invented attempt: it runs in the sandbox, and nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from django.conf import settings
from django.utils import timezone

from leaderboard.facts import FactValue, get_fact
from leaderboard.languages.translation import translated
from leaderboard.models import Attempt, Challenge, Participant, Score, ScoringConfig, Tenant
from leaderboard.rules.rewards.evidence import ONLY_REWARD as REWARD
from leaderboard.rules.rewards.evidence import MetricInput
from leaderboard.sandbox import Failure, PluginDescription, SandboxError
from leaderboard.schemas.metrics import PluginMetric
from leaderboard.services.challenge_code.packages import readable_package, scorer_of
from leaderboard.services.challenges.fields import checked_scoring_fields
from leaderboard.services.challenges.scoring_configs import checked_scoring
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation.attempts_to_score import attempt_to_score
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.metric_registry import plugin_of, reduce_of
from leaderboard.services.plugins.sandboxes import try_scorer
from leaderboard.services.plugins.tenants import may_use, not_yours
from leaderboard.services.plugins.text_metrics import (
    UnknownTextMetric,
    check_parameters,
    metric_that_computes,
)
from leaderboard.services.plugins.trying import (
    TaskSamples,
    Tried,
    tried_metric,
    tried_script,
)
from leaderboard.services.scoring.outcomes import requests_for, unsaved_score
from leaderboard.services.scripts.prepare import prepare_script

SCRIPT_MS: Final = 10_000
"""The time limit of a script on a page: it starts a Python and imports its packages."""
MOST_MS: Final = 2000
"""The time limit of a trial on a page, which a web process waits for."""


class TriedText(NamedTuple):
    """The result of a text metric for one output. numbers: by name, the metric's value first.

    error: why it failed; detail: more about the error, for organisers.
    """

    numbers: Mapping[str, float]
    warnings: Sequence[str]
    error: str = ""
    detail: str = ""


def trial_score(
    config: ScoringConfig,
    facts: Mapping[str, FactValue | None],
    values: Mapping[str, float] | None = None,
) -> Score:
    """The score that a worker would store for these facts. Raises ServiceError.

    config: with its challenge; neither need be stored. facts, values: by key.
    """
    reported = {get_fact(key).field: value for key, value in facts.items()}
    invented = Attempt(
        participant=Participant(slug="you"),
        submitted_at=timezone.now(),
        values=dict(values or {}),
        **reported,
    )
    attempt = attempt_to_score(invented)
    (request,) = requests_for(config, [attempt])
    try:
        entrypoint = scorer_of(config)
    except SandboxError:
        raise sandboxes.unavailable() from None
    outcome = try_scorer(
        entrypoint=entrypoint,
        config=config.whole_config,
        metrics=request.metrics,
        ctx=request.ctx,
        timeout_ms=config.timeout_ms,
    )
    return unsaved_score(config, attempt, outcome)


def try_entrypoint(
    entrypoint: str,
    settings_of_scorer: Mapping[str, object],
    facts: Mapping[str, FactValue | None],
    values: Mapping[str, float],
    *,
    tenant: str,
    challenge: Challenge | None = None,
) -> Score:
    """The score of a scorer without a challenge. Raises ServiceError for wrong settings.

    tenant: the slug of a tenant that may use the scorer. challenge: the one whose own plugin it
    is, here and below; None for a plugin of the server.
    """
    fields = checked_scoring_fields(
        {
            "scoring_strategy": "custom",
            "scoring_entrypoint": entrypoint,
            "scoring_config": dict(settings_of_scorer),
            "timeout_ms": min(MOST_MS, settings.SCORER_TIMEOUT_MS),
        }
    )
    config = checked_scoring(fields, tenant=tenant, package=_package(challenge))
    invented = Challenge(slug="trial", tenant=Tenant(slug=tenant))
    config.challenge, config.number = challenge or invented, 0
    return trial_score(config, facts, values)


def try_metric(
    name: str, tasks: Sequence[TaskSamples], *, tenant: str, challenge: Challenge | None = None
) -> Tried:
    """Run a metric on the rewards of each task's samples. Raises MetricFailed, ServiceError."""
    package = _package(challenge)
    try:
        plugin = plugin_of(name, tenant, package)
        if plugin is not None:
            return tried_metric(plugin[0], tasks, k=plugin[1], timeout_ms=MOST_MS)
        reduce = reduce_of(PluginMetric(type=name), MOST_MS, tenant=tenant, package=package)
    except SandboxError:
        raise sandboxes.unavailable() from None
    rewards = [[sample[REWARD] for sample in task.samples if sample] for task in tasks]
    estimate = reduce(MetricInput(rewards, failed=0, nothing=None))
    return Tried(estimate._asdict(), None, None, "")


def try_script(text: str, tasks: Sequence[TaskSamples]) -> Tried:
    """Run a metric script that is prepared, or prepares now. Raises ScriptRefused, ServiceError."""
    prepared = prepare_script(text)
    try:
        return tried_script(prepared.folder, tasks, timeout_ms=SCRIPT_MS)
    except SandboxError:
        raise sandboxes.unavailable() from None


def try_text_metric(
    metric: PluginDescription,
    output: str,
    references: Sequence[str],
    parameters: Mapping[str, object],
    *,
    tenant: str,
    challenge: Challenge | None = None,
) -> TriedText:
    """Run a text metric or its variant on one output. Raises ServiceError for wrong parameters."""
    package = _package(challenge)
    if not may_use(metric.entrypoint, tenant):
        return _failed(not_yours())
    if wrong := check_parameters(metric.name, dict(parameters), package=package):
        named = {f"scoring_config.{name}": texts for name, texts in wrong.items() if name}
        raise ServiceError("invalid", next(iter(wrong.values()))[0], named)
    try:
        computing = metric_that_computes(metric.name, parameters, package)
    except UnknownTextMetric as error:
        return _failed(Failure("not_installed", error.args[0]))
    if not may_use(computing.entrypoint, tenant):
        return _failed(not_yours())
    instance = (1, "", (output,), tuple(references))
    try:
        evaluated = sandboxes.try_text_metric(
            computing.entrypoint, instance, dict(parameters), timeout_ms=MOST_MS
        )
    except SandboxError:
        raise sandboxes.unavailable() from None
    if isinstance(evaluated, Failure):
        return _failed(evaluated)
    numbers = {
        name: value for name, value in evaluated.score.items() if isinstance(value, int | float)
    }
    return TriedText(numbers, [warning for warning in evaluated.warnings or () if warning])


def _package(challenge: Challenge | None) -> str:
    return "" if challenge is None else readable_package(challenge.pk)


def _failed(failure: Failure) -> TriedText:
    return TriedText({}, [], translated(failure.message), failure.detail)
