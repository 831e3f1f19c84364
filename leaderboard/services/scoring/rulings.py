"""Decisions about single samples: their attempt is scored again in place, at once.

Scores are computed before the transaction that saves them, and the decision keeps the old values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from leaderboard.models import Attempt, Challenge, Decision, Evidence, Score, ScoringConfig, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.rules.rewards.reported import with_reported
from leaderboard.sandbox import Outcome
from leaderboard.schemas.decisions import DecisionBody
from leaderboard.services.board.standings.counting import recount_participants
from leaderboard.services.competition.decisions import DecisionKind, decide
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore, attempt_to_score
from leaderboard.services.scoring.measure import values_of
from leaderboard.services.scoring.outcomes import SCORE_FIELDS, outcomes, score_row
from leaderboard.services.standing.rejudging import judge_within
from leaderboard.services.standing.review import check_decides, decision_of, undo_review
from leaderboard.services.transactions import retried

TRIES: Final = 3
KEPT_METRICS: Final = 20
"""Metric values that a decision keeps."""
StoredRulings = list[list[str | int]]


@dataclass(frozen=True)
class Rescored:
    """The new scores of an attempt by config, and the rulings that they are under."""

    before: StoredRulings
    after: StoredRulings
    shown_config: int
    scores: Mapping[int, tuple[ScoringConfig, AttemptToScore, Outcome]]


def rule_on_sample(attempt: Attempt, body: DecisionBody, *, by: User) -> Decision:
    """Let a sample count zero, leave it out, or call it an error of the infrastructure.

    Raises ServiceError: `permission_denied`, `invalid` for an unknown sample, `conflict`.
    """
    check_decides(by, attempt)
    return _with_rulings(attempt, body, by, undoes=None)


def undo(attempt: Attempt, body: DecisionBody, *, by: User) -> Decision:
    """Take back a decision of a review, or about a sample. Raises ServiceError."""
    check_decides(by, attempt)
    decision = decision_of(attempt, body.decision)
    if decision.kind in Decision.RULINGS:
        return _with_rulings(attempt, body, by, undoes=decision)
    if decision.kind in (DecisionKind.ACCEPTED, DecisionKind.RETURNED):
        return retried(lambda: undo_review(attempt, decision, body.reason, by=by))
    text = _("Only a review and a decision about a sample can be undone.")
    raise ServiceError("conflict", text)


def _with_rulings(
    attempt: Attempt, body: DecisionBody, by: User, *, undoes: Decision | None
) -> Decision:
    for _try in range(TRIES):
        rescored = _rescored(attempt, body, undoes)
        made = retried(lambda scores=rescored: _save(attempt, body, by, undoes, scores))  # type: ignore[misc]
        if made is not None:
            return made
    raise ServiceError("conflict", _("Somebody else decides about this attempt. Try again."))


def _rescored(attempt: Attempt, body: DecisionBody, undoes: Decision | None) -> Rescored:
    """The scores under other rulings, computed without a lock."""
    evidence = Evidence.objects.filter(pk=attempt.pk).first()
    if evidence is None or attempt.status not in ("scored", "failed"):
        raise ServiceError("conflict", _("Only samples of a scored attempt can be decided about."))
    before: StoredRulings = list(evidence.rulings)
    evidence.rulings = after = _changed(evidence, before, body, undoes)
    challenge = Challenge.objects.select_related("tenant", "shown_config").get(
        pk=attempt.challenge_id
    )
    configs = ScoringConfig.objects.select_related("challenge__tenant").filter(
        challenge=challenge,
        number__gte=challenge.shown.number,
        scores__attempt=attempt.pk,
    )
    own = Attempt.objects.select_related("participant", "phase").get(pk=attempt.pk)
    scores = {}
    for config in configs:
        scored = attempt_to_score(own)
        values = values_of(config, evidence, own.phase_id)
        values = {**_text_values(attempt, config), **values}
        values = with_reported(values, own.values, config.reported_rule)
        scored = scored._replace(metric_values=values)
        (outcome,) = outcomes(config, [scored], fresh=True)
        scores[config.pk] = config, scored, outcome
    return Rescored(before, after, challenge.shown.pk, scores)


def _changed(
    evidence: Evidence, before: StoredRulings, body: DecisionBody, undoes: Decision | None
) -> StoredRulings:
    """The rulings after the decision. Raises ServiceError (`invalid`, `conflict`)."""
    task, number = (undoes.task, undoes.sample or 0) if undoes else (body.task, body.sample or 0)
    if not any((sample.task, sample.sample) == (task, number) for sample in evidence.read()):
        raise invalid("sample", _("must be a sample of this attempt"), got=f"{task}, {number}")
    remaining = [ruling for ruling in before if ruling[:2] != [task, number]]
    if undoes is not None:
        return remaining
    if len(remaining) < len(before):
        raise ServiceError("conflict", _("There is a decision about this sample. Undo it first."))
    return [*remaining, [task, number, body.kind]]


def _text_values(attempt: Attempt, config: ScoringConfig) -> dict[str, MetricValue]:
    """The values of text metrics, which a decision about a sample does not change."""
    if attempt.instance_count is None:
        return {}
    stored = Score.objects.values_list("metric_values", flat=True)
    values = stored.filter(attempt=attempt.pk, config=config.pk).first() or {}
    names = {spec.name for spec in config.text_specs}
    return {key: value for key, value in values.items() if key.partition(":")[0] in names}


def _save(
    attempt: Attempt,
    body: DecisionBody,
    by: User,
    undoes: Decision | None,
    rescored: Rescored,
) -> Decision | None:
    """Save the decision, the rulings and the scores; None if something has changed meanwhile."""
    challenge = Challenge.objects.lock_challenge(attempt.challenge_id)
    evidence = Evidence.objects.select_for_update().filter(pk=attempt.pk).first()
    is_same = evidence is not None and list(evidence.rulings) == rescored.before
    if not is_same or challenge.shown.pk != rescored.shown_config:
        return None
    stored = Score.objects.filter(attempt=attempt.pk, config__in=rescored.scores)
    before = {str(score.config_id): _numbers(score.value, score.metric_values) for score in stored}
    after = {
        str(pk): _numbers(outcome.value, scored.metric_values)
        for pk, (_config, scored, outcome) in rescored.scores.items()
    }
    Evidence.objects.filter(pk=attempt.pk).update(rulings=rescored.after)
    for pk, (config, scored, outcome) in rescored.scores.items():
        fields = dict(zip(SCORE_FIELDS, score_row(config, scored, outcome), strict=True))
        kept = ("attempt_id", "config_id", "code")
        changed = {name: value for name, value in fields.items() if name not in kept}
        Score.objects.filter(attempt=attempt.pk, config=pk).update(**changed)
    made = decide(
        DecisionKind.UNDONE if undoes else DecisionKind(body.kind),
        attempt=attempt,
        by=by,
        reason=body.reason,
        note=body.note,
        task="" if undoes else body.task,
        sample=None if undoes else body.sample,
        undoes=undoes,
        before=before,
        after=after,
    )
    judge_within(challenge, [attempt.pk], by=by)
    recount_participants(challenge, [attempt.participant_id])
    Challenge.objects.bump(challenge.pk)
    return made


def _numbers(value: float | None, metric_values: Mapping[str, MetricValue]) -> JsonObject:
    """The score and the first metric values, as a decision keeps them."""
    metrics = {key: entry.get("value") for key, entry in metric_values.items()}
    names: Sequence[str] = list(metrics)[:KEPT_METRICS]
    return {"score": value, "metrics": {name: metrics[name] for name in names}}
