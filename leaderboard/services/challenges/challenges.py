"""Configuring challenges."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction

from leaderboard.columns import ColumnError, check_overrides, named_keys
from leaderboard.models import Challenge, ScoringConfig, Tenant, User
from leaderboard.rules.documents import Document
from leaderboard.rules.metric_specs import parse_metrics
from leaderboard.rules.strict_json import same_value
from leaderboard.rules.task_sources import without_sources
from leaderboard.rules.text_specs import parse_text_metrics
from leaderboard.services.attempts.participants import bring_into_the_open
from leaderboard.services.board.ranking import columns_under
from leaderboard.services.challenges.code_changes import free_if_decided
from leaderboard.services.challenges.metric_fields import declared_rewards
from leaderboard.services.challenges.rank_keys import (
    Known,
    checked_values,
    column_keys,
    why_not_a_key,
)
from leaderboard.services.challenges.references import check_holding, stored_references
from leaderboard.services.challenges.scoring_configs import (
    BUILTIN_SCORERS,
    checked_scoring,
    next_config,
)
from leaderboard.services.challenges.slugs import LONGEST, SLUG_PATTERN, free_slug
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.strategies import known_strategies

MAX_RACES = 20
"""Requests that may take a free slug one after the other before this one gives up."""

_PRIVATE = Challenge.Visibility.PRIVATE

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
    "rewards": "rewards",
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
    "config_visibility",
    "on_code_change",
    "columns",
    "values",
)


def create_challenge(
    *,
    tenant: Tenant,
    user: User | None,
    fields: Mapping[str, Any],
    hold: Document | None = None,
) -> Challenge:
    """A new challenge with its first scoring config.

    `fields` has the API's names; `name` and `scoring_strategy` are required, and a missing slug is
    made from the name: a free one. hold: the references to hold. Raises ServiceError with every
    wrong field.
    """
    scoring = checked_scoring(_scoring_of(fields), _texts(fields.get("values")), tenant=tenant.slug)
    plain = {name: fields[name] for name in PLAIN_FIELDS if name in fields}
    plain["values"] = checked_values(plain.get("values", []), _known(scoring))
    given = _checked_slug(plain["slug"]) if plain.get("slug") else ""
    if given and Challenge.objects.called(given, user):
        raise _taken(given)
    _check_columns(scoring, plain.get("columns", []), plain["values"])
    for _ in range(MAX_RACES):
        plain["slug"] = given or free_slug(str(plain.get("name", "")), tenant)
        try:
            with transaction.atomic():
                challenge = Challenge.objects.create(tenant=tenant, **plain)
                if hold is not None:
                    scoring["references_id"] = stored_references(challenge, hold, user).pk
                next_config(challenge, scoring, user=user)
        except IntegrityError:
            if given:
                break
            continue  # another request has just taken the slug
        return challenge
    raise _taken(plain["slug"])


def change_challenge(
    challenge: Challenge,
    *,
    user: User | None,
    fields: Mapping[str, Any],
    hold: Document | None = None,
    release: bool = False,
) -> Challenge:
    """Change a challenge; a change of how attempts are scored makes a new scoring config.

    hold, release: the references to hold from now on, or whether to release them, in the same
    config. The board shows the old config until a rescore is done. Raises ServiceError.
    """
    before = challenge.newest
    scoring = _changed_scoring(challenge, fields)
    plain = {name: fields[name] for name in PLAIN_FIELDS if name in fields}
    if scoring or "values" in plain:
        known = _known(scoring or before.frozen_fields())
        declared = plain.get("values", challenge.values)
        plain["values"] = checked_values(declared, known, kept=challenge.values)
    _check_columns(
        scoring or before.frozen_fields(),
        fields.get("columns", challenge.columns),
        plain.get("values", challenge.values),
        kept=named_keys(challenge.columns),
    )
    if "slug" in plain:
        plain["slug"] = _checked_slug(plain["slug"])
    try:
        with transaction.atomic():
            locked = Challenge.objects.alter_attempts(challenge.pk)
            if scoring and locked.newest != before:
                raise ServiceError("conflict", "Somebody else has just changed how it is scored.")
            for name, value in plain.items():
                setattr(locked, name, value)
            if plain:
                locked.save(update_fields=list(plain))
            if challenge.visibility == _PRIVATE != locked.visibility:
                bring_into_the_open(locked)
            held = _held_from_now(locked, user, hold, release)
            _change_scoring(locked, user, {**(scoring or {}), **held})
            Challenge.objects.bump(challenge.pk)
    except IntegrityError:
        raise _taken(plain.get("slug", challenge.slug)) from None
    if "on_code_change" in plain:
        free_if_decided(challenge)
    challenge.refresh_from_db()
    return challenge


def _changed_scoring(challenge: Challenge, fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """The checked fields of a scoring config with the changes; None where there are none."""
    changes, before = _scoring_of(fields), challenge.newest
    if not changes:
        return None
    strategy = known_strategies().get(changes.get("strategy", before.strategy))
    if strategy is not None and strategy.keys and strategy.key != before.strategy:
        changes.setdefault("rank_by", [])
    if before.plugin_id != changes.get("plugin_id") in BUILTIN_SCORERS:
        changes.setdefault("entrypoint", "")
    values = _texts(fields.get("values", challenge.values))
    wanted = {**before.frozen_fields(), **changes}
    if changes.get("entrypoint", before.entrypoint) != before.entrypoint:
        wanted["secrets"] = {}  # A scorer's secrets are not passed on to another scorer.
    return checked_scoring(wanted, values, tenant=challenge.tenant.slug)


def delete_challenge(challenge: Challenge) -> None:
    """Delete a challenge that nobody has attempted; others can only be closed."""
    if challenge.attempts.exists():
        raise ServiceError(
            "conflict",
            "This challenge has attempts, which are never thrown away. Set is_active to false.",
        )
    with transaction.atomic():
        Challenge.objects.filter(pk=challenge.pk).update(newest_config=None, shown_config=None)
        challenge.delete()


def _held_from_now(
    challenge: Challenge, user: User | None, hold: Document | None, release: bool
) -> dict[str, Any]:
    """The field of a scoring config that changes with the references; {} if nothing does."""
    if hold is not None:
        return {"references_id": stored_references(challenge, hold, user).pk}
    if release:
        check_holding(challenge)
        return {"references_id": None}
    return {}


def _change_scoring(challenge: Challenge, user: User | None, changes: Mapping[str, Any]) -> None:
    """A new config, unless it would equal the newest one.

    Where tasks come from does not affect scores, so the existing configs are changed.
    """
    stored = challenge.newest.frozen_fields()
    changed = {
        name for name in stored if not same_value(changes.get(name, stored[name]), stored[name])
    }
    if changed == {"tasks"} and _are_scored_alike(changes["tasks"], stored["tasks"]):
        for config in {challenge.newest, challenge.shown}:
            if _are_scored_alike(changes["tasks"], config.tasks):
                ScoringConfig.objects.change_sources(config, changes["tasks"])
    elif changed:
        next_config(challenge, {**stored, **changes}, user=user)


def _are_scored_alike(
    tasks: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]
) -> bool:
    return without_sources(tasks) == without_sources(others)


def _scoring_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {row: fields[name] for name, row in SCORING_FIELDS.items() if name in fields}


def _checked_slug(slug: str) -> str:
    if not re.fullmatch(SLUG_PATTERN, slug) or len(slug) > LONGEST:
        accepted = "must be lower-case letters, digits and single hyphens, at most 80"
        raise invalid("slug", f"{accepted}; got {slug[: LONGEST + 1]!r}")
    return slug


def _taken(slug: str) -> ServiceError:
    """The error for a taken slug.

    Only for slugs of challenges that the user may see, or of their own tenant.
    """
    wrong = f"must be one that no challenge has; got {slug}, which is taken"
    return ServiceError("conflict", f"slug: {wrong}", {"slug": [wrong]})


def _check_columns(
    scoring: Mapping[str, Any], overrides: Any, values: Sequence[str], kept: Collection[str] = ()
) -> None:
    """kept: keys that the challenge's columns had before, which are not checked again."""
    config = ScoringConfig(**scoring)
    try:
        check_overrides(columns_under(config, overrides, values), overrides)
    except ColumnError as error:
        raise invalid(error.field, error.message) from None
    known, others = _known(scoring, values), [*column_keys(), *config.ranked_keys, *kept]
    for index, entry in enumerate(overrides):
        if wrong := why_not_a_key(entry["key"], known, others):
            raise invalid(f"columns.{index}.key", wrong)


def _known(scoring: Mapping[str, Any], values: Collection[str] = ()) -> Known:
    specs = parse_metrics(scoring["metrics"])
    texts = parse_text_metrics(scoring["text_metrics"])
    return Known(specs, texts, values, declared_rewards(scoring["tasks"]))


def _texts(values: Any) -> list[str]:
    """The fields that are texts; `checked_values` refuses a wrong list."""
    entries = values if isinstance(values, list) else ()
    return [name for name in entries if isinstance(name, str)]
