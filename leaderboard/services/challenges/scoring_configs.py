"""Scoring configs: checked, numbered, frozen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.utils.translation import gettext as _

from leaderboard.columns.registry import PROGRAM_NOTE
from leaderboard.languages.translation import translated
from leaderboard.models import Attempt, Challenge, ChallengeFile, ScoringConfig, User
from leaderboard.rules.json.stored import StoredColumn
from leaderboard.rules.json.untyped_dicts import PluginSettings
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.entrypoints import check_entrypoint
from leaderboard.rules.plugins.own import OWN, placed
from leaderboard.rules.plugins.secrets import filled, masked, masks_in
from leaderboard.rules.texts.value_names import ECONOMICS
from leaderboard.sandbox import PluginDescription, SandboxError
from leaderboard.schemas.metrics import MetricSpec
from leaderboard.schemas.scoring import ScoringFields
from leaderboard.schemas.tasks import declared_rewards
from leaderboard.schemas.text_metrics import TextSpec
from leaderboard.services.board.boards import add_boards
from leaderboard.services.board.editions import code_now
from leaderboard.services.challenges.directions import direction_of, with_own_directions
from leaderboard.services.challenges.metric_fields import checked_metrics, checked_specs
from leaderboard.services.challenges.rank_keys import KnownRankKeys, check_compared, checked_rank_by
from leaderboard.services.challenges.splitting import below_of, check_split
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.metrics import notes_of, text_notes_of
from leaderboard.services.evaluation.secret_parameters import Stored
from leaderboard.services.evaluation.text_fields import checked_evaluation
from leaderboard.services.events.record import EventKind, record_event
from leaderboard.services.plugins import metric_registry, sandboxes
from leaderboard.services.plugins.sources import installed_entrypoints
from leaderboard.services.plugins.tenants import check_owner
from leaderboard.services.plugins.text_metrics import find_text_metric
from leaderboard.services.predictions.metrics import checked_prediction_metrics, prediction_notes_of
from leaderboard.services.predictions.perfect import truth_for
from leaderboard.strategies import get_strategy

BUILTIN_SCORERS = {"builtin.weighted_scorer": "scorers.weighted:WeightedScorer"}
"""Plugin ids of the source system that mean a scorer where no entry point is named."""

SentSecrets = Mapping[str, Any]
"""Settings of a scorer, or secrets among them by their places: JSON of a shape the scorer knows."""


class Inherited(NamedTuple):
    """What a new scoring config keeps of the one before, beside its fields.

    secrets: what masks in the scorer's config stand for; text_secrets: those of text metrics.
    public_details: whether the scorer's details are public, unless the scorer says so now.
    final_parts: see `ScoringConfig.final_parts`. truth_file: the file of the truth, if the
    challenge has one.
    """

    secrets: SentSecrets = MappingProxyType({})
    text_secrets: Stored = MappingProxyType({})
    references_id: int | None = None
    public_details: bool = False
    final_parts: Mapping[str, str] = MappingProxyType({})
    truth_file: ChallengeFile | None = None


NOTHING_INHERITED: Final = Inherited()


def checked_scoring(
    fields: ScoringFields,
    values: Collection[str] = (),
    *,
    tenant: str = "",
    kept: Inherited = NOTHING_INHERITED,
    package: str = "",
    columns: Sequence[StoredColumn] = (),
) -> ScoringConfig:
    """A valid scoring config, not stored: without a challenge and a number.

    values: names of reported values that the challenge declares. columns: its changes of columns,
    whose directions ranked values without one have. tenant: the slug of its tenant;
    without one, plugins that belong to tenants are refused. package: its own plugins, here and
    below. Raises ServiceError with every wrong field by its API name. The scorer describes its
    config in the sandbox.
    """
    runs_scorer = get_strategy(fields.scoring_strategy).runs_scorer
    specs = checked_metrics(fields, package=package)
    text_specs, text_secrets = checked_evaluation(
        fields.text_metrics, specs, kept.text_secrets, package
    )
    _check_owners(specs, text_specs, tenant, package)
    predicted = checked_prediction_metrics(fields)
    by_name = (*text_specs, *predicted)
    of_program = fields.program.directions if fields.program else {}
    rewards = declared_rewards(fields.tasks)
    rank_keys = KnownRankKeys(specs, by_name, values, rewards, of_program)
    notes = {
        **notes_of(specs, package),
        **text_notes_of(text_specs, package),
        **prediction_notes_of(predicted),
        **{f"{PROGRAM_NOTE}{name}": {"direction": way} for name, way in of_program.items()},
    }
    own_direction = partial(direction_of, specs=specs, notes=notes, texts=by_name, columns=columns)
    rank_by = checked_rank_by(fields.scoring_strategy, fields.rank_by, rank_keys, own_direction)
    check_compared(rank_keys, fields.counting, rank_by)
    config = ScoringConfig(**fields.rows())
    config.metrics = with_own_directions(config.metrics, own_direction)
    config.rank_by, config.metric_notes = rank_by, notes
    config.text_metrics = [spec.as_json() for spec in text_specs]
    config.text_secrets = text_secrets
    config.prediction_metrics = [spec.as_json() for spec in predicted]
    config.timeout_ms = fields.timeout_ms or int(settings.SCORER_TIMEOUT_MS)
    config.secrets, config.references_id = dict(kept.secrets), kept.references_id
    config.public_details = kept.public_details
    config.final_parts = dict(kept.final_parts)
    check_split(config)
    _check_coverage(config)
    if runs_scorer or fields.scoring_entrypoint:
        named = fields.scoring_entrypoint or BUILTIN_SCORERS.get(fields.scoring_plugin_id, "")
        config.entrypoint = _checked_entrypoint(named, package)
        check_owner("scoring_entrypoint", config.entrypoint, tenant)
    if runs_scorer:
        _check_settings(config, fields.scoring_config, kept.secrets, package)
    if predicted and kept.truth_file is not None:
        config.truth = truth_for(config, kept.truth_file)
    return config


def check_again(config: ScoringConfig, *, tenant: str, package: str) -> None:
    """Check a stored config against the plugins that there are now. Raises ServiceError."""
    specs = checked_specs(config.metrics, package)
    text_specs, _secrets = checked_evaluation(
        config.text_metrics, specs, config.text_secrets, package
    )
    _check_owners(specs, text_specs, tenant, package)
    if config.runs_scorer:
        entrypoint = _checked_entrypoint(config.entrypoint, package)
        check_owner("scoring_entrypoint", entrypoint, tenant)
        _check_scorer(entrypoint, config.whole_config, package)


def next_config(challenge: Challenge, wanted: ScoringConfig, *, user: User | None) -> ScoringConfig:
    """A new revision. A board without attempts, other than a sample, shows it at once.

    wanted: what it says: a checked config, or an older revision. It stays as it is. Raises
    ServiceError if its split does not fit its references.
    """
    newest, config = challenge.newest_config, wanted.copied()
    config.challenge, config.created_by = challenge, user
    config.number = newest.number + 1 if newest else 1
    config.code = code_now(config)
    check_split(config)
    config.split_below = below_of(config, newest)
    real_attempts = Attempt.objects.filter(challenge=challenge).without_sample(challenge)
    is_shown = newest is None or not real_attempts.exists()
    if is_shown:
        config.shown_from = received_now()
        if challenge.shown_config_id is not None:
            shown_before = ScoringConfig.objects.filter(pk=challenge.shown_config_id)
            shown_before.update(shown_until=config.shown_from)
    config.save(force_insert=True)
    if newest is not None:
        record(
            challenge.pk,
            AuditKind.SCORING,
            by=user,
            before={"version": newest.number},
            after={"version": config.number},
        )
    challenge.newest_config = config
    if is_shown:
        challenge.shown_config = config
    challenge.save(update_fields=["newest_config", "shown_config"])
    add_boards(challenge)
    if newest is not None:
        body: JsonObject = {"version": config.number, "shown": is_shown}
        record_event(challenge.pk, EventKind.VERSION, body)
    return config


def _check_owners(
    specs: Iterable[MetricSpec], text_specs: Iterable[TextSpec], tenant: str, package: str
) -> None:
    if not settings.SCORER_TENANTS:
        return
    for spec in specs:
        check_owner("metrics", metric_registry.entrypoint_of(spec.type, package), tenant)
    for text_spec in filter(lambda text_metric: text_metric.enable, text_specs):
        text_metric = find_text_metric(text_spec.id, package)
        check_owner("text_metrics", text_metric.entrypoint, tenant)


def check_phase_coverage(
    config: ScoringConfig, least: Sequence[float | None], *, sent: bool
) -> None:
    """Refuse a least coverage of a phase if no attempt can cover anything. Raises ServiceError.

    least: those of the phases, in their order. sent: whether the request contains the phases;
    otherwise it changes the metrics.
    """
    position = next((place for place, share in enumerate(least) if share), None)
    if position is None or _has_coverage(config):
        return
    if sent:
        wrong = _("must be null without metrics, because an attempt then covers nothing")
        raise invalid(f"phases.{position}.least_coverage", wrong, got=least[position])
    wrong = _("must not be empty, because a phase requires a least coverage; got no metric")
    raise invalid("metrics", wrong)


def _check_coverage(config: ScoringConfig) -> None:
    if config.min_coverage is not None and not _has_coverage(config):
        wrong = _("must be null without metrics, because it is the coverage of their values")
        raise invalid("min_coverage", wrong, got=config.min_coverage)


def _has_coverage(config: ScoringConfig) -> bool:
    """Whether attempts can have values that cover tasks or instances."""
    if config.metrics or config.text_metrics:
        return True
    return any(key["key"] in ECONOMICS for key in config.rank_by)


def _checked_entrypoint(entrypoint: str, package: str) -> str:
    packages = (*settings.SCORER_PACKAGES, *([OWN] if package else []))
    try:
        return check_entrypoint(entrypoint, packages=packages, installed=installed_entrypoints())
    except ValueError as error:
        raise invalid("scoring_entrypoint", str(error)) from None


def _check_settings(
    config: ScoringConfig, given: SentSecrets, stored: SentSecrets, package: str
) -> None:
    """Set the scorer's settings, its secrets (stored separately), and its description of itself.

    given: the settings. stored: the secrets that a mask in them stands for, by their places.
    """
    whole = filled(given, stored)
    wrong = _("must be the secret itself, which is not known here; got its mask")
    if masks := masks_in(whole):
        fields = {f"scoring_config.{place}": [wrong] for place in masks}
        raise ServiceError(
            "invalid",
            _("scoring_config.{masks}: {wrong}").format(masks=masks[0], wrong=wrong),
            fields,
        )
    description = _check_scorer(config.entrypoint, whole, package)
    config.config, config.secrets = masked(whole, description.config_schema or {})
    config.public_details = description.public_details


def _check_scorer(entrypoint: str, config: PluginSettings, package: str) -> PluginDescription:
    """The scorer's description. Refuses a scorer that cannot be loaded, and a wrong config."""
    entrypoint = placed(entrypoint, package)
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
        raise ServiceError("invalid", f"{first}: {translated(fields[first][0])}", fields)
    return description
