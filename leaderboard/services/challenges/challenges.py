"""Configuring challenges."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from leaderboard.columns import ColumnError, check_overrides, named_keys
from leaderboard.models import Attempt, Challenge, ScoringConfig, Tenant, User
from leaderboard.rules.documents import Document
from leaderboard.rules.strict_json import same_value
from leaderboard.rules.task_sources import without_sources
from leaderboard.schemas.challenges import ChallengeChange
from leaderboard.schemas.scoring import SCORING_ROWS
from leaderboard.services.board.ranking import columns_under
from leaderboard.services.challenges.checklist import check_ready, known_of, scoring_point
from leaderboard.services.challenges.code_changes import free_if_decided
from leaderboard.services.challenges.fields import (
    checked_change,
    checked_new,
    checked_phases,
    checked_scoring_fields,
    scoring_fields_of,
)
from leaderboard.services.challenges.rank_keys import (
    checked_values,
    column_keys,
    why_not_a_key,
)
from leaderboard.services.challenges.references import check_holding, stored_references
from leaderboard.services.challenges.samples import (
    hold_sample,
    remove_sample,
    remove_sample_outside,
)
from leaderboard.services.challenges.scoring_configs import (
    BUILTIN_SCORERS,
    NOTHING_KEPT,
    Kept,
    checked_scoring,
    next_config,
)
from leaderboard.services.challenges.slugs import free_slug
from leaderboard.services.competition.audit import Kind, record
from leaderboard.services.competition.change_phases import add_phases, change_phases
from leaderboard.services.competition.participants import bring_into_the_open
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.strategies import get_strategy

MAX_RACES = 20
"""Requests that may take a free slug one after the other before this one gives up."""


def create_challenge(
    *,
    tenant: Tenant,
    user: User | None,
    fields: Mapping[str, object],
    hold: Document | None = None,
    kept: Kept = NOTHING_KEPT,
) -> Challenge:
    """A new challenge with its first scoring config.

    `fields` has the API's names; `name` and `scoring_strategy` are required, and a missing slug is
    made from the name: a free one. hold: the references to hold. kept: the secrets that masks in
    `fields` stand for. Raises ServiceError with every wrong field.
    """
    new = checked_new(fields)
    phases = checked_phases(new.phases)
    scoring = checked_scoring(new, new.values, tenant=tenant.slug, kept=kept)
    values = checked_values(new.values, known_of(scoring))
    plain, given = {**new.plain(), "values": values}, new.slug
    if given and Challenge.objects.called(given, user):
        raise _taken(given)
    _check_columns(scoring, new.columns, values)
    for _ in range(MAX_RACES):
        plain["slug"] = given or free_slug(new.name, tenant)
        try:
            with transaction.atomic():
                challenge = Challenge.objects.create(tenant=tenant, **plain)
                add_phases(challenge, phases)
                if hold is not None:
                    scoring.references_id = stored_references(challenge, hold, user).pk
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
    fields: Mapping[str, object],
    hold: Document | None = None,
    release: bool = False,
) -> Challenge:
    """Change a challenge; a change of how attempts are scored makes a new scoring config.

    hold, release: the references to hold from now on, or whether to release them, in the same
    config. The board shows the old config until a rescore is done. Raises ServiceError.
    """
    before = challenge.newest
    change = checked_change(fields)
    scoring, plain = _changed_scoring(challenge, change), change.plain()
    publishes = challenge.is_draft and plain.get("is_draft") is False
    usable = scoring_point(challenge, scoring or before) if publishes else None
    if scoring or "values" in plain:
        known = known_of(scoring or before)
        declared = plain.get("values", challenge.values)
        plain["values"] = checked_values(declared, known, kept=challenge.values)
    _check_columns(
        scoring or before,
        plain.get("columns", challenge.columns),
        plain.get("values", challenge.values),
        kept=named_keys(challenge.columns),
    )
    try:
        with transaction.atomic():
            hold_sample(challenge)
            locked = Challenge.objects.alter_attempts(challenge.pk)
            if scoring and locked.newest != before:
                raise ServiceError(
                    "conflict", gettext("Somebody else has just changed how it is scored.")
                )
            _check_stays_published(locked, plain)
            was_hidden = locked.is_hidden
            before_fields = {name: getattr(locked, name) for name in plain}
            for name, value in plain.items():
                setattr(locked, name, value)
            record(challenge.pk, Kind.CHALLENGE, by=user, before=before_fields, after=plain)
            if plain:
                locked.save(update_fields=list(plain))
            if was_hidden and not locked.is_hidden:
                bring_into_the_open(locked)
            wanted = scoring or locked.newest.copied()
            _hold_from_now(wanted, locked, user, hold, release)
            _change_scoring(locked, user, wanted)
            if "phases" in change.model_fields_set:
                phases = checked_phases(change.phases)
                remove_sample_outside(locked, [each.slug for each in phases])
                change_phases(locked, phases, user=user)
            if usable is not None:
                check_ready(locked, usable)
                remove_sample(locked)
            Challenge.objects.bump(challenge.pk)
    except IntegrityError:
        raise _taken(plain.get("slug", challenge.slug)) from None
    if "on_code_change" in plain:
        free_if_decided(challenge)
    challenge.refresh_from_db()
    return challenge


def publish_challenge(challenge: Challenge, *, user: User | None) -> Challenge:
    """Show a draft to everyone who may see a challenge of its visibility; once, for good.

    Its sample attempt is removed. Raises ServiceError: `conflict` if it is published already, if
    its slug has been taken, or with the missing points of its checklist.
    """
    if not challenge.is_draft:
        raise ServiceError("conflict", gettext("This challenge is published already."))
    return change_challenge(challenge, user=user, fields={"is_draft": False})


def _check_stays_published(stored: Challenge, changes: Mapping[str, object]) -> None:
    """Refuse to make a published challenge a draft: its participants would lose sight of it."""
    if changes.get("is_draft") and not stored.is_draft:
        raise invalid("is_draft", gettext("must be false for a published challenge; got true"))


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
    kept = Kept(before.secrets, before.text_secrets, before.references_id, before.public_details)
    if changes.get("scoring_entrypoint", before.entrypoint) != before.entrypoint:
        kept = kept._replace(secrets={})  # They are not passed on to another scorer.
    values = change.values if "values" in change.model_fields_set else challenge.values
    wanted = checked_scoring_fields({**scoring_fields_of(before), **changes})
    return checked_scoring(wanted, values, tenant=challenge.tenant.slug, kept=kept)


def delete_challenge(challenge: Challenge) -> None:
    """Delete a challenge that nobody has attempted; others can only be closed."""
    if Attempt.objects.filter(challenge=challenge).without_sample(challenge).exists():
        raise ServiceError(
            "conflict",
            gettext(
                "This challenge has attempts, which are never thrown away. Set is_active to false."
            ),
        )
    with transaction.atomic():
        hold_sample(challenge)
        remove_sample(Challenge.objects.alter_attempts(challenge.pk))
        Challenge.objects.filter(pk=challenge.pk).update(newest_config=None, shown_config=None)
        challenge.delete()


def _hold_from_now(
    wanted: ScoringConfig,
    challenge: Challenge,
    user: User | None,
    hold: Document | None,
    release: bool,
) -> None:
    """Change the references of a config that is not stored yet."""
    if hold is not None:
        wanted.references_id = stored_references(challenge, hold, user).pk
    elif release:
        check_holding(challenge)
        wanted.references_id = None


def _change_scoring(challenge: Challenge, user: User | None, wanted: ScoringConfig) -> None:
    """A new config, unless it would equal the newest one.

    Where tasks come from does not affect scores, so the existing configs are changed.
    """
    stored, asked = challenge.newest.frozen_fields(), wanted.frozen_fields()
    changed = {name for name in stored if not same_value(asked[name], stored[name])}
    if changed == {"tasks"} and _are_scored_alike(wanted.tasks, challenge.newest.tasks):
        for config in {challenge.newest, challenge.shown}:
            if _are_scored_alike(wanted.tasks, config.tasks):
                ScoringConfig.objects.change_sources(config, wanted.tasks)
    elif changed:
        next_config(challenge, wanted, user=user)


def _are_scored_alike(
    tasks: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]
) -> bool:
    return without_sources(tasks) == without_sources(others)


def _taken(slug: str) -> ServiceError:
    """The error for a taken slug.

    Only for slugs of challenges that the user may see, or of their own tenant.
    """
    wrong = gettext("must be one that no challenge has; got {slug}, which is taken").format(
        slug=slug
    )
    return ServiceError("conflict", gettext("slug: {wrong}").format(wrong=wrong), {"slug": [wrong]})


def _check_columns(
    config: ScoringConfig, overrides: object, values: Sequence[str], kept: Collection[str] = ()
) -> None:
    """kept: keys that the challenge's columns had before, which are not checked again."""
    try:
        changes = check_overrides(columns_under(config, overrides, values), overrides)
    except ColumnError as error:
        raise invalid(error.field, error.message) from None
    known, others = known_of(config, values), [*column_keys(), *config.ranked_keys, *kept]
    for index, entry in enumerate(changes):
        if wrong := why_not_a_key(entry["key"], known, others):
            raise invalid(f"columns.{index}.key", wrong)
