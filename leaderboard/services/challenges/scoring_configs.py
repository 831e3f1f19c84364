"""Scoring configs: checked, numbered, frozen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.conf import settings

from leaderboard.models import Attempt, Challenge, ScoringConfig, User
from leaderboard.rules.entrypoints import check_entrypoint
from leaderboard.rules.metric_specs import MetricSpec, parse_metrics
from leaderboard.rules.secrets import filled, masked, masks_in
from leaderboard.rules.spec_names import ECONOMICS
from leaderboard.rules.text_specs import TextSpec, parse_text_metrics
from leaderboard.sandbox import PluginDescription, SandboxError
from leaderboard.sandbox.host.installed import installed_entrypoints
from leaderboard.services.board import buckets
from leaderboard.services.board.editions import code_now
from leaderboard.services.challenges.metric_fields import checked_metrics, declared_rewards
from leaderboard.services.challenges.rank_keys import Known, check_compared, checked_rank_by
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.metrics import text_notes_of
from leaderboard.services.evaluation.text_fields import checked_evaluation
from leaderboard.services.plugins import metric_registry, sandboxes
from leaderboard.services.plugins.tenants import check_owner
from leaderboard.services.plugins.text_metrics import find_text_metric
from leaderboard.strategies import get_strategy, known_strategies

BUILTIN_SCORERS = {"builtin.weighted_scorer": "scorers.weighted:WeightedScorer"}
"""Plugin ids of the source system that mean a scorer where no entry point is named."""
MAX_TIMEOUT_MS = 600_000
MAX_CONFIG_KEYS = 200


def checked_scoring(
    fields: Mapping[str, Any], values: Collection[str] = (), *, tenant: str = ""
) -> dict[str, Any]:
    """The fields of a scoring config, complete and valid, by their names in the row.

    values: names of reported values that the challenge declares. tenant: the slug of its tenant;
    without one, plugins that belong to tenants are refused. Raises ServiceError with every wrong
    field by its API name. The scorer describes its config in the sandbox.
    """
    strategy = fields.get("strategy", "")
    if strategy not in known_strategies():
        raise invalid("scoring_strategy", f"must be one of {', '.join(known_strategies())}")
    runs_scorer = get_strategy(strategy).runs_scorer
    of_samples = checked_metrics(fields)
    specs = parse_metrics(of_samples["metrics"])
    of_texts = checked_evaluation(fields, specs)
    text_specs = parse_text_metrics(of_texts["text_metrics"])
    _check_owners(specs, text_specs, tenant)
    checked: dict[str, Any] = {
        "strategy": strategy,
        "plugin_id": fields.get("plugin_id", ""),
        "entrypoint": fields.get("entrypoint", ""),
        "config": fields.get("config") or {},
        "secrets": fields.get("secrets") or {},
        **of_samples,
        **of_texts,
        "metric_notes": {**of_samples["metric_notes"], **text_notes_of(text_specs)},
        "only_succeeded": bool(fields.get("only_succeeded", False)),
        "counting": _checked_counting(fields.get("counting", ScoringConfig.Counting.BEST)),
        "timeout_ms": _checked_timeout(fields.get("timeout_ms")),
    }
    known = Known(specs, text_specs, values, declared_rewards(of_samples["tasks"]))
    checked["rank_by"] = checked_rank_by(strategy, fields.get("rank_by") or [], known)
    check_compared(known, checked["counting"], checked["rank_by"])
    _check_coverage(checked)
    if runs_scorer or checked["entrypoint"]:
        named = checked["entrypoint"] or BUILTIN_SCORERS.get(checked["plugin_id"], "")
        checked["entrypoint"] = _checked_entrypoint(named)
        check_owner("scoring_entrypoint", checked["entrypoint"], tenant)
    if runs_scorer:
        checked |= _checked_config(checked)
    return checked


def next_config(
    challenge: Challenge, fields: Mapping[str, Any], *, user: User | None
) -> ScoringConfig:
    """A new revision. A board that has no attempts yet shows it at once.

    `fields` are checked ones, or those of an older revision.
    """
    newest = challenge.newest_config
    if newest is not None:
        found_out = {name: getattr(newest, name) for name in ScoringConfig.FOUND_OUT}
        fields = {**found_out, **fields}
    number = newest.number + 1 if newest else 1
    config = ScoringConfig(challenge=challenge, number=number, created_by=user, **fields)
    config.code = code_now(config)
    config.save(force_insert=True)
    challenge.newest_config = config
    if newest is None or not Attempt.objects.filter(challenge=challenge).exists():
        challenge.shown_config = config
        buckets.build(config.pk)
    challenge.save(update_fields=["newest_config", "shown_config"])
    return config


def _check_owners(specs: Iterable[MetricSpec], text_specs: Iterable[TextSpec], tenant: str) -> None:
    if not settings.SCORER_TENANTS:
        return
    for spec in specs:
        check_owner("metrics", metric_registry.entrypoint_of(spec.type), tenant)
    for text_spec in filter(lambda each: each.enable, text_specs):
        check_owner("text_metrics", find_text_metric(text_spec.id).entrypoint, tenant)


def _check_coverage(checked: Mapping[str, Any]) -> None:
    if checked["min_coverage"] is None or checked["metrics"] or checked["text_metrics"]:
        return
    if not any(key["key"] in ECONOMICS for key in checked["rank_by"]):
        raise invalid("min_coverage", "needs metrics: coverage is that of their values")


def _checked_counting(counting: str) -> str:
    if counting not in ScoringConfig.Counting.values:
        raise invalid("counting", "must be best or latest")
    return counting


def _checked_timeout(timeout_ms: Any) -> int:
    if timeout_ms is None:
        return int(settings.SCORER_TIMEOUT_MS)
    if type(timeout_ms) is not int or not 1 <= timeout_ms <= MAX_TIMEOUT_MS:
        raise invalid("timeout_ms", f"must be a whole number from 1 to {MAX_TIMEOUT_MS}")
    return timeout_ms


def _checked_entrypoint(entrypoint: str) -> str:
    try:
        return check_entrypoint(
            entrypoint, packages=settings.SCORER_PACKAGES, installed=installed_entrypoints()
        )
    except ValueError as error:
        raise invalid("scoring_entrypoint", str(error)) from None


def _checked_config(checked: Mapping[str, Any]) -> dict[str, Any]:
    """The config without its secrets, the secrets, and whether the scorer's details are public.

    A mask in the config stands for the secret that was at its place before.
    """
    config = filled(checked["config"], checked["secrets"])
    wrong = "is a secret that is not known here; send its value"
    if masks := masks_in(config):
        fields = {f"scoring_config.{place}": [wrong] for place in masks}
        raise ServiceError("invalid", f"scoring_config.{masks[0]}: {wrong}", fields)
    description = _check_scorer(checked["entrypoint"], config)
    shown, secrets = masked(config, description.config_schema or {})
    return {"config": shown, "secrets": secrets, "public_details": description.public_details}


def _check_scorer(entrypoint: str, config: dict[str, Any]) -> PluginDescription:
    """The scorer's description. Refuses a scorer that cannot be loaded, and a wrong config."""
    try:
        description = sandboxes.describe(entrypoint)
        check = sandboxes.check_config(entrypoint, config)
    except SandboxError:
        raise sandboxes.unavailable() from None
    if failure := description.error or check.failure:
        raise invalid("scoring_entrypoint", failure.message)
    if check.errors:
        fields = {f"scoring_config.{name}": messages for name, messages in check.errors.items()}
        first = next(iter(fields))
        raise ServiceError("invalid", f"{first}: {fields[first][0]}", fields)
    return description
