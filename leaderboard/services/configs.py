"""Scoring configs: checked, numbered, frozen."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.conf import settings

from leaderboard.models import Attempt, Challenge, ScoringConfig, User
from leaderboard.rules.entrypoints import check_entrypoint
from leaderboard.rules.metric_specs import parse_metrics
from leaderboard.rules.ranking import STRATEGIES
from leaderboard.rules.spec_names import ECONOMICS
from leaderboard.rules.text_specs import parse_text_metrics
from leaderboard.sandbox import SandboxError
from leaderboard.sandbox.plugins import installed_entrypoints
from leaderboard.services import sandboxes
from leaderboard.services.editions import code_now
from leaderboard.services.metric_fields import checked_metrics, declared_rewards
from leaderboard.services.metrics import text_notes_of
from leaderboard.services.rank_keys import Known, checked_rank_by
from leaderboard.services.refused import Refused, invalid
from leaderboard.services.text_fields import checked_evaluation

BUILTIN_SCORERS = {"builtin.weighted_scorer": "scorers.weighted:WeightedScorer"}
"""Plugin ids of the source system that mean a scorer where no entry point is named."""
MAX_TIMEOUT_MS = 600_000
MAX_CONFIG_KEYS = 200


def checked_scoring(fields: Mapping[str, Any], values: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a scoring config, complete and valid, by their names in the row.

    values: names of reported values that the challenge declares. Raises Refused with every wrong
    field by its API name. The scorer's own description of its config is asked in the sandbox.
    """
    strategy = fields.get("strategy", "")
    if strategy not in STRATEGIES:
        raise invalid("scoring_strategy", f"must be one of {', '.join(STRATEGIES)}")
    of_samples = checked_metrics(fields)
    specs = parse_metrics(of_samples["metrics"])
    of_texts = checked_evaluation(fields, specs)
    text_specs = parse_text_metrics(of_texts["text_metrics"])
    checked: dict[str, Any] = {
        "strategy": strategy,
        "plugin_id": fields.get("plugin_id", ""),
        "entrypoint": fields.get("entrypoint", ""),
        "config": fields.get("config") or {},
        **of_samples,
        **of_texts,
        "metric_notes": {**of_samples["metric_notes"], **text_notes_of(text_specs)},
        "only_succeeded": bool(fields.get("only_succeeded", False)),
        "counting": _checked_counting(fields.get("counting", ScoringConfig.Counting.BEST)),
        "timeout_ms": _checked_timeout(fields.get("timeout_ms")),
    }
    known = Known(specs, text_specs, values, declared_rewards(of_samples["tasks"]))
    checked["rank_by"] = checked_rank_by(strategy, fields.get("rank_by") or [], known)
    _check_coverage(checked)
    if strategy == ScoringConfig.Strategy.CUSTOM or checked["entrypoint"]:
        named = checked["entrypoint"] or BUILTIN_SCORERS.get(checked["plugin_id"], "")
        checked["entrypoint"] = _checked_entrypoint(named)
    if strategy == ScoringConfig.Strategy.CUSTOM:
        checked["public_details"] = _check_scorer(checked["entrypoint"], checked["config"])
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
    challenge.save(update_fields=["newest_config", "shown_config"])
    return config


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


def _check_scorer(entrypoint: str, config: dict[str, Any]) -> bool:
    """Ask the scorer: can it be loaded, is the config right; are its details public?"""
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
        raise Refused("invalid", f"{first}: {fields[first][0]}", fields)
    return description.public_details
