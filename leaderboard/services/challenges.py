"""Configuring challenges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from leaderboard.columns import ColumnError, check_overrides
from leaderboard.models import Challenge, ScoringConfig, Tenant, User
from leaderboard.rules.documents import Document
from leaderboard.services.board import columns_under
from leaderboard.services.code_changes import free_if_decided
from leaderboard.services.configs import BUILTIN_SCORERS, checked_scoring, next_config
from leaderboard.services.references import check_holding, stored_references
from leaderboard.services.refused import Refused, invalid

SCORING_FIELDS = {
    "scoring_strategy": "strategy",
    "scoring_plugin_id": "plugin_id",
    "scoring_entrypoint": "entrypoint",
    "scoring_config": "config",
    "rank_by": "rank_by",
    "only_succeeded": "only_succeeded",
    "counting": "counting",
    "timeout_ms": "timeout_ms",
    "metrics": "metrics",
    "tasks": "tasks",
    "num_samples": "num_samples",
    "min_coverage": "min_coverage",
    "unknown_tasks": "unknown_tasks",
    "text_metrics": "text_metrics",
    "text_timeout_ms": "text_timeout_ms",
}
"""Fields of a challenge that make a new scoring config when they change, and their row names."""

PLAIN_FIELDS = (
    "name",
    "slug",
    "summary",
    "description",
    "goal",
    "app_id",
    "workflow_id",
    "visibility",
    "is_active",
    "details_visibility",
    "references_visibility",
    "on_code_change",
    "columns",
)


def create_challenge(
    *,
    tenant: Tenant,
    user: User | None,
    fields: Mapping[str, Any],
    hold: Document | None = None,
) -> Challenge:
    """A new challenge with its first scoring config.

    `fields` has the API's names; `name` and `scoring_strategy` are required, a missing slug is
    made from the name. hold: what it expects of models. Raises Refused with every wrong field.
    """
    scoring = checked_scoring(_scoring_of(fields))
    plain = {name: fields[name] for name in PLAIN_FIELDS if name in fields}
    plain["slug"] = _checked_slug(plain.get("slug") or slugify(str(plain.get("name", "")))[:80])
    _check_columns(scoring, plain.get("columns", []))
    try:
        with transaction.atomic():
            challenge = Challenge.objects.create(tenant=tenant, **plain)
            if hold is not None:
                scoring["references_id"] = stored_references(challenge, hold, user).pk
            next_config(challenge, scoring, user=user)
    except IntegrityError:
        raise invalid("slug", f"{plain['slug']} is taken") from None
    return challenge


def change_challenge(
    challenge: Challenge,
    *,
    user: User | None,
    fields: Mapping[str, Any],
    hold: Document | None = None,
    release: bool = False,
) -> Challenge:
    """Change a challenge; a change of how attempts are scored makes a new scoring config.

    hold, release: what it expects of models from now on, or nothing any more, in the same config.
    The board goes on showing the old one until a rescore is done. Raises Refused.
    """
    scoring = None
    before = challenge.newest
    if changes := _scoring_of(fields):
        if changes.get("strategy", before.strategy) != ScoringConfig.Strategy.METRIC:
            changes.setdefault("rank_by", [])
        if before.plugin_id != changes.get("plugin_id") in BUILTIN_SCORERS:
            changes.setdefault("entrypoint", "")
        scoring = checked_scoring({**before.frozen_fields(), **changes})
    _check_columns(scoring or before.frozen_fields(), fields.get("columns", challenge.columns))
    plain = {name: fields[name] for name in PLAIN_FIELDS if name in fields}
    if "slug" in plain:
        plain["slug"] = _checked_slug(plain["slug"])
    try:
        with transaction.atomic():
            locked = Challenge.objects.alter_attempts(challenge.pk)
            if scoring and locked.newest != before:
                raise Refused("conflict", "Somebody else has just changed how it is scored.")
            for name, value in plain.items():
                setattr(locked, name, value)
            if plain:
                locked.save(update_fields=list(plain))
            held = _held_from_now(locked, user, hold, release)
            _change_scoring(locked, user, {**(scoring or {}), **held})
            Challenge.objects.bump(challenge.pk)
    except IntegrityError:
        raise invalid("slug", f"{plain.get('slug')} is taken") from None
    if "on_code_change" in plain:
        free_if_decided(challenge)
    challenge.refresh_from_db()
    return challenge


def delete_challenge(challenge: Challenge) -> None:
    """Delete a challenge that nobody has attempted; others can only be closed."""
    if challenge.attempts.exists():
        raise Refused(
            "conflict",
            "This challenge has attempts, which are never thrown away. Set is_active to false.",
        )
    with transaction.atomic():
        Challenge.objects.filter(pk=challenge.pk).update(newest_config=None, shown_config=None)
        challenge.delete()


def _held_from_now(
    challenge: Challenge, user: User | None, hold: Document | None, release: bool
) -> dict[str, Any]:
    """The field of a scoring config that changes with what is held; {} if nothing does."""
    if hold is not None:
        return {"references_id": stored_references(challenge, hold, user).pk}
    if release:
        check_holding(challenge)
        return {"references_id": None}
    return {}


def _change_scoring(challenge: Challenge, user: User | None, changes: Mapping[str, Any]) -> None:
    """A new config, unless it would say what the newest one says."""
    stored = challenge.newest.frozen_fields()
    if any(changes.get(name, stored[name]) != stored[name] for name in stored):
        next_config(challenge, {**stored, **changes}, user=user)


def _scoring_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {row: fields[name] for name, row in SCORING_FIELDS.items() if name in fields}


def _checked_slug(slug: str) -> str:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug) or len(slug) > 80:
        raise invalid("slug", "must be lower-case letters, digits and single hyphens, at most 80")
    return slug


def _check_columns(scoring: Mapping[str, Any], overrides: Any) -> None:
    try:
        check_overrides(columns_under(ScoringConfig(**scoring), overrides), overrides)
    except ColumnError as error:
        raise invalid(error.field, error.message) from None
