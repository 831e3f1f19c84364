"""Changes of a challenge, checked and not stored: what they would make of its scoring and board."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from leaderboard.columns import Column, apply_overrides, check_overrides, named_keys
from leaderboard.models import Attempt, Challenge, ScoringConfig
from leaderboard.rules.json.canonical import same_value
from leaderboard.rules.json.stored import StoredColumn, StoredTask
from leaderboard.rules.json.untyped_dicts import ColumnValues
from leaderboard.rules.rewards.task_sources import without_sources
from leaderboard.schemas.challenges import ChallengeChange
from leaderboard.schemas.errors import SchemaError
from leaderboard.schemas.scoring import SCORING_ROWS
from leaderboard.services.board.reading.ranking import columns_under
from leaderboard.services.challenges.checklist import known_rank_keys
from leaderboard.services.challenges.directions import direction_warnings
from leaderboard.services.challenges.fields import (
    checked_change,
    checked_scoring_fields,
    scoring_fields_of,
)
from leaderboard.services.challenges.own_plugins import own_package_of
from leaderboard.services.challenges.rank_keys import checked_values, column_keys, why_not_a_key
from leaderboard.services.challenges.scoring_configs import (
    BUILTIN_SCORERS,
    Inherited,
    checked_scoring,
)
from leaderboard.services.challenges.truths import truth_file_of
from leaderboard.services.errors import invalid
from leaderboard.services.programs.reading import checked_program
from leaderboard.strategies import get_strategy


class CheckedChange(NamedTuple):
    """A valid change. plain: the challenge's own fields; scoring: a config that is not stored.

    `scoring` is None if no field of the scoring is sent.
    """

    change: ChallengeChange
    plain: ColumnValues
    scoring: ScoringConfig | None


class PlannedChange(NamedTuple):
    """What a change would make: the columns of the board, and perhaps a new scoring version.

    attempts: how many there are to score again under the new version; 0 without one. warnings:
    sentences about what may be a mistake.
    """

    columns: list[Column]
    makes_version: bool
    attempts: int
    warnings: list[str]


def checked_changes(challenge: Challenge, fields: Mapping[str, object]) -> CheckedChange:
    """Check a change of a challenge. Raises ServiceError with every wrong field."""
    change = checked_change(fields)
    scoring, plain = _changed_scoring(challenge, change), change.plain()
    config = scoring or challenge.newest
    if scoring or "values" in plain:
        declared = plain.get("values", challenge.values)
        plain["values"] = checked_values(declared, known_rank_keys(config), kept=challenge.values)
    check_columns(
        config,
        plain.get("columns", challenge.columns),
        plain.get("values", challenge.values),
        kept=named_keys(challenge.columns),
    )
    return CheckedChange(change, plain, scoring)


def planned_change(challenge: Challenge, fields: Mapping[str, object]) -> PlannedChange:
    """What a change would make. Nothing is stored. Raises ServiceError with every wrong field."""
    _change, plain, scoring = checked_changes(challenge, fields)
    overrides = plain.get("columns", challenge.columns)
    values = plain.get("values", challenge.values)
    config = scoring or challenge.newest
    columns = apply_overrides(columns_under(config, overrides, values), overrides)
    warnings = direction_warnings(config, overrides)
    if scoring is None or not makes_a_version(challenge.newest, scoring):
        return PlannedChange(columns, False, 0, warnings)
    attempts = Attempt.objects.filter(challenge=challenge).without_sample(challenge)
    return PlannedChange(columns, True, attempts.count(), warnings)


def makes_a_version(stored: ScoringConfig, wanted: ScoringConfig) -> bool:
    """Whether a config scores differently. Where tasks come from does not affect scores.

    `split_below` follows from the other fields, and is filled when the config is stored.
    """
    before, after = stored.frozen_fields(), wanted.frozen_fields()
    changed = {name for name in before if not same_value(after[name], before[name])}
    return bool(changed - {"tasks", "split_below"}) or (
        "tasks" in changed and not are_scored_alike(wanted.tasks, stored.tasks)
    )


def are_scored_alike(tasks: Sequence[StoredTask], other_tasks: Sequence[StoredTask]) -> bool:
    return without_sources(tasks) == without_sources(other_tasks)


def _changed_scoring(challenge: Challenge, change: ChallengeChange) -> ScoringConfig | None:
    """A scoring config with the changes, not stored; None where there are none."""
    before = challenge.newest
    changes = {
        name: getattr(change, name) for name in SCORING_ROWS if name in change.model_fields_set
    }
    if not changes:
        return None
    strategy = get_strategy(changes.get("scoring_strategy", before.strategy))
    if strategy.keys and strategy.key != before.strategy:
        changes.setdefault("rank_by", [])
    if before.plugin_id != changes.get("scoring_plugin_id") in BUILTIN_SCORERS:
        changes.setdefault("scoring_entrypoint", "")
    has_predictions = bool(changes.get("prediction_metrics", before.prediction_metrics))
    kept = Inherited(
        before.secrets,
        before.text_secrets,
        before.references_id,
        before.public_details,
        before.final_parts,
        truth_file_of(challenge) if has_predictions else None,
    )
    if changes.get("scoring_entrypoint", before.entrypoint) != before.entrypoint:
        kept = kept._replace(secrets={})  # They are not passed on to another scorer.
    values = change.values if "values" in change.model_fields_set else challenge.values
    wanted = checked_scoring_fields({**scoring_fields_of(before), **changes})
    package = own_package_of(challenge)
    columns = change.columns if "columns" in change.model_fields_set else challenge.columns
    config = checked_scoring(
        wanted,
        values,
        tenant=challenge.tenant.slug,
        kept=kept,
        package=package,
        columns=columns,
    )
    if config.scoring_program is not None and config.program != before.program:
        program = checked_program(challenge, config.scoring_program, before.scoring_program)
        config.program = program.as_json()
        vars(config).pop("scoring_program")
    return config


def check_columns(
    config: ScoringConfig,
    overrides: Sequence[StoredColumn],
    values: Sequence[str],
    kept: Collection[str] = (),
) -> None:
    """Check the columns. kept: keys that the challenge's columns had before; not checked again."""
    try:
        changes = check_overrides(columns_under(config, overrides, values), overrides)
    except SchemaError as error:
        raise invalid(error.field, error.message) from None
    rank_keys, further_keys = (
        known_rank_keys(config, values),
        [*column_keys(), *config.ranked_keys, *kept],
    )
    for index, change in enumerate(changes):
        if wrong := why_not_a_key(change.key, rank_keys, further_keys):
            raise invalid(f"columns.{index}.key", wrong)
