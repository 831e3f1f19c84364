"""Configuring challenges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from leaderboard.models import Attempt, Challenge, ScoringConfig, Tenant, User
from leaderboard.rules.json.canonical import digest, same_value
from leaderboard.rules.json.untyped_dicts import ColumnValues
from leaderboard.rules.rewards.documents import Document
from leaderboard.schemas.challenges import PLAIN_FIELDS, ChallengeChange, NewChallenge
from leaderboard.services.challenge_code.uploads import PluginFiles, name_upload, write_upload
from leaderboard.services.challenges.changes import (
    are_scored_alike,
    check_columns,
    checked_changes,
    makes_a_version,
)
from leaderboard.services.challenges.checklist import check_ready, known_rank_keys, scoring_point
from leaderboard.services.challenges.code_changes import free_if_decided
from leaderboard.services.challenges.fields import checked_new, checked_phases
from leaderboard.services.challenges.rank_keys import checked_values
from leaderboard.services.challenges.references import check_has_references, stored_references
from leaderboard.services.challenges.samples import (
    hold_sample,
    remove_sample,
    remove_sample_outside,
)
from leaderboard.services.challenges.scoring_configs import (
    NOTHING_INHERITED,
    Inherited,
    check_phase_coverage,
    checked_scoring,
    next_config,
)
from leaderboard.services.challenges.slugs import free_slug
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.participants.creating import make_public
from leaderboard.services.competition.schedule.change_phases import (
    add_phases,
    change_phases,
    phase_as_json,
)
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.events.record import begin_log

MAX_RACES = 20
"""How often another request may take the chosen slug before this one gives up."""


def create_challenge(
    *,
    tenant: Tenant,
    user: User | None,
    fields: Mapping[str, object],
    hold: Document | None = None,
    kept: Inherited = NOTHING_INHERITED,
    plugins: PluginFiles = MappingProxyType({}),
    package: str = "",
) -> Challenge:
    """A new challenge with its first scoring config.

    `fields` has the API's names; `name` and `scoring_strategy` are required, and a missing slug is
    made from the name: a free one. hold: the references to hold. kept: the secrets that masks in
    `fields` stand for. plugins, package: the files of its own plugins, and a package that has them.
    Raises ServiceError with every wrong field.
    """
    new = _with_coverage(checked_new(fields))
    phases = checked_phases(new.phases)
    scoring = checked_scoring(
        new, new.values, tenant=tenant.slug, kept=kept, package=package, columns=new.columns
    )
    if scoring.program is not None:
        raise invalid(
            "program", gettext("must be absent until its files are added to the challenge; got one")
        )
    values = checked_values(new.values, known_rank_keys(scoring))
    plain, given = {**new.plain(), "values": values}, new.slug
    if given and Challenge.objects.called(given, user):
        raise _taken(given)
    check_columns(scoring, new.columns, values)
    check_phase_coverage(scoring, [phase.least_coverage for phase in phases], sent=True)
    for _ in range(MAX_RACES):
        plain["slug"] = given or free_slug(new.name, tenant)
        try:
            with transaction.atomic():
                challenge = Challenge.objects.create(tenant=tenant, **plain)
                add_phases(challenge, phases)
                if plugins and (stored := write_upload(challenge, plugins)):
                    name_upload(challenge, stored, user=user)
                if hold is not None:
                    scoring.references_id = stored_references(challenge, hold, user).pk
                next_config(challenge, scoring, user=user)
                if not challenge.is_draft:
                    _begin_log(challenge)
        except IntegrityError:
            if given:
                break
            continue  # another request has just taken the slug
        return challenge
    raise _taken(plain["slug"])


def default_coverage(strategy: object, tasks: object) -> float | None:
    """The share of the tasks that attempts have to cover unless a challenge says so itself.

    All of them if it ranks by a metric over declared tasks: a row that leaves out the hardest tasks
    would lead half of the time.
    """
    return 1.0 if strategy == "metric" and tasks else None


def _with_coverage(new: NewChallenge) -> NewChallenge:
    """The challenge with the default of its coverage, if it does not say which."""
    if "min_coverage" in new.model_fields_set:
        return new
    least = default_coverage(new.scoring_strategy, new.tasks)
    return new.model_copy(update={"min_coverage": least})


def change_challenge(
    challenge: Challenge,
    *,
    user: User | None,
    fields: Mapping[str, object],
    hold: Document | None = None,
    release: bool = False,
    guard: Callable[[Challenge], None] | None = None,
) -> Challenge:
    """Change a challenge; a change of how attempts are scored makes a new scoring config.

    hold, release: the references to hold from now on, or whether to release them, in the same
    config. guard: a check of the stored challenge, once it is locked. The board shows the old
    config until a rescore is done. Raises ServiceError, and what the guard raises.
    """
    before = challenge.newest
    change, plain, scoring = checked_changes(challenge, fields)
    publishes = challenge.is_draft and plain.get("is_draft") is False
    usable = scoring_point(challenge, scoring or before) if publishes else None
    try:
        with transaction.atomic():
            hold_sample(challenge)
            locked = Challenge.objects.lock_challenge(challenge.pk)
            if guard is not None:
                guard(locked)
            if scoring and locked.newest != before:
                raise ServiceError(
                    "conflict", gettext("Somebody else has just changed how it is scored.")
                )
            _change_plain(locked, user, plain)
            wanted = scoring or locked.newest.copied()
            _hold_from_now(wanted, locked, user, hold, release)
            _change_scoring(locked, user, wanted)
            _change_phases(locked, user, change, wanted, scoring_changes=scoring is not None)
            if usable is not None:
                check_ready(locked, usable)
                remove_sample(locked)
                _begin_log(locked)
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


def _begin_log(challenge: Challenge) -> None:
    """Begin the log of events with a digest of what readers see of the challenge from now on."""
    state = {
        "challenge": {name: getattr(challenge, name) for name in PLAIN_FIELDS},
        "phases": [phase_as_json(phase) for phase in challenge.phases.all()],
    }
    begin_log(challenge.pk, {"version": challenge.newest.number, "state": digest(state)})


def _check_stays_published(stored: Challenge, changes: Mapping[str, object]) -> None:
    """Refuse to make a published challenge a draft: its participants could no longer open it."""
    if changes.get("is_draft") and not stored.is_draft:
        raise invalid("is_draft", gettext("must be false for a published challenge; got true"))


def delete_challenge(challenge: Challenge) -> None:
    """Delete a challenge without attempts; others can only be closed."""
    with transaction.atomic():
        hold_sample(challenge)
        stored = Challenge.objects.lock_challenge(challenge.pk)
        if Attempt.objects.filter(challenge=stored).without_sample(stored).exists():
            raise ServiceError(
                "conflict",
                gettext(
                    "This challenge has attempts, which are never thrown away."
                    " Set is_active to false."
                ),
            )
        remove_sample(stored)
        Challenge.objects.filter(pk=challenge.pk).update(newest_config=None, shown_config=None)
        challenge.delete()


def _change_plain(challenge: Challenge, user: User | None, plain: ColumnValues) -> None:
    """Change the fields that do not affect scores, and write the log. Raises ServiceError."""
    _check_stays_published(challenge, plain)
    was_hidden = challenge.is_hidden
    before = {name: getattr(challenge, name) for name in plain}
    for name, value in plain.items():
        setattr(challenge, name, value)
    record(challenge.pk, AuditKind.CHALLENGE, by=user, before=before, after=plain)
    if plain:
        challenge.save(update_fields=list(plain))
    if was_hidden and not challenge.is_hidden:
        make_public(challenge)


def _change_phases(
    challenge: Challenge,
    user: User | None,
    change: ChallengeChange,
    wanted: ScoringConfig,
    *,
    scoring_changes: bool,
) -> None:
    """Change the phases, if the request has them. Raises ServiceError.

    A least coverage of a phase is checked against the new scoring, whichever of the two changes.
    """
    sends_phases = "phases" in change.model_fields_set
    if not (sends_phases or scoring_changes):
        return
    check_phase_coverage(wanted, _least_coverages(challenge, change), sent=sends_phases)
    if sends_phases:
        phases = checked_phases(change.phases)
        remove_sample_outside(challenge, [phase.slug for phase in phases])
        change_phases(challenge, phases, user=user)


def _least_coverages(challenge: Challenge, change: ChallengeChange) -> list[float | None]:
    """The least coverages of the phases that a challenge has after a change."""
    if "phases" in change.model_fields_set:
        return [phase.least_coverage for phase in checked_phases(change.phases)]
    stored = challenge.phases.order_by("position", "pk")
    return list(stored.values_list("least_coverage", flat=True))


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
        check_has_references(challenge)
        wanted.references_id = None


def _change_scoring(challenge: Challenge, user: User | None, wanted: ScoringConfig) -> None:
    """A new config, unless it would equal the newest one.

    Where tasks come from does not affect scores, so the existing configs are changed.
    """
    if makes_a_version(challenge.newest, wanted):
        next_config(challenge, wanted, user=user)
    elif not same_value(wanted.tasks, challenge.newest.tasks):
        for config in {challenge.newest, challenge.shown}:
            if are_scored_alike(wanted.tasks, config.tasks):
                ScoringConfig.objects.change_sources(config, wanted.tasks)


def _taken(slug: str) -> ServiceError:
    """The error for a taken slug.

    Only for slugs of challenges that the user may see, or of their own tenant.
    """
    wrong = gettext("must be one that no challenge has; got {slug}, which is taken").format(
        slug=slug
    )
    return ServiceError("conflict", gettext("slug: {wrong}").format(wrong=wrong), {"slug": [wrong]})
