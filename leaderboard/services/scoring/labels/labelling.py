"""ByLabeller of people for rewards that a judge has decided: storing them, and what follows.

The corrected means are a part of the metric values, so that each score that is computed has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.languages.translation import translated
from leaderboard.models import Attempt, Challenge, Evidence, HumanLabel, Score, ScoringConfig, User
from leaderboard.rules.statistics.judged import ByLabeller, Labelling, Place, with_judged
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.errors import SchemaError, checked
from leaderboard.schemas.labels import NEW_LABELS, NewLabel
from leaderboard.services.board.standings.counting import recount_participants
from leaderboard.services.competition.participants.ownership import involved_in
from leaderboard.services.errors import ServiceError, invalid, refused
from leaderboard.services.transactions import retried

KEY = ("attempt", "task", "sample", "reward", "labeller")


def labelling_of(config: ScoringConfig, evidence: Evidence) -> Labelling | None:
    """The design and the labels of an attempt; None if the config has no judged reward."""
    if not config.judged_rewards:
        return None
    labels: dict[tuple[Place, str], ByLabeller] = {}
    fields = ("task", "sample", "reward", "labeller", "value")
    for task, sample, reward, labeller, value in HumanLabel.objects.filter(
        attempt=evidence.pk
    ).values_list(*fields):
        key = (task, sample), reward
        labels[key] = {**labels.get(key, {}), labeller: value}
    return Labelling(
        config.judged_rewards,
        config.labels_per_attempt,
        config.labels_seed,
        str(evidence.pk),
        labels,
        frozenset((str(task), int(number)) for task, number, _kind in evidence.rulings),
    )


def labelled_evidence(attempt: Attempt) -> Evidence:
    """The samples of a scored attempt with judged rewards. Raises ServiceError (`conflict`)."""
    evidence = Evidence.objects.filter(pk=attempt.pk).first()
    if evidence is None or attempt.status != Attempt.Status.SCORED:
        raise ServiceError("conflict", _("Only samples of a scored attempt can be labelled."))
    if not attempt.challenge.shown.judged_rewards:
        raise ServiceError("conflict", _("No reward of this challenge is marked as judged."))
    return evidence


def send_labels(attempt: Attempt, sent_labels: object, *, by: User) -> int:
    """Store labels that an organiser sends, as in `NewLabels`; returns how many.

    Raises ServiceError with the first wrong label.
    """
    try:
        labels: Sequence[NewLabel] = checked(NEW_LABELS, sent_labels).labels
    except SchemaError as error:
        raise refused(error) from None
    named = [label.model_copy(update={"labeller": f"sent:{label.labeller}"}) for label in labels]
    return store_labels(attempt, named, by=by)


def store_labels(attempt: Attempt, labels: Sequence[NewLabel], *, by: User) -> int:
    """Store labels of drawn samples, and correct the means of the attempt at once.

    Raises ServiceError: `permission_denied` for one's own attempt, `conflict`, `invalid`.
    """
    if involved_in(attempt.challenge, [attempt], by):
        text = _("Nobody labels samples of an attempt of their own.")
        raise ServiceError("permission_denied", text)
    return retried(partial(_store, attempt, labels, by))


def _store(attempt: Attempt, labels: Sequence[NewLabel], by: User) -> int:
    challenge = Challenge.objects.lock_challenge(attempt.challenge_id)
    evidence = labelled_evidence(attempt)
    _check(attempt, evidence, labels)
    now = timezone.now()
    rows = {
        (label.task, label.sample, label.reward, label.labeller): HumanLabel(
            attempt=attempt,
            task=label.task,
            sample=label.sample,
            reward=label.reward,
            labeller=label.labeller,
            value=label.value,
            user=by,
            at=now,
        )
        for label in labels
    }
    HumanLabel.objects.bulk_create(
        rows.values(),
        update_conflicts=True,
        unique_fields=KEY,
        update_fields=["value", "user", "at"],
    )
    _correct(challenge, attempt, evidence)
    return len(rows)


def _check(attempt: Attempt, evidence: Evidence, labels: Sequence[NewLabel]) -> None:
    """Raise ServiceError (`invalid`) for a label of no drawn sample, or beyond its bounds."""
    config = attempt.challenge.shown
    drawn = drawn_places(attempt, config, evidence)
    for at, label in enumerate(labels):
        if (label.task, label.sample) not in drawn.get(label.reward, ()):
            text = _("must be of a sample that is drawn for this reward; got {place}")
            place = sent(f"{label.task}, {label.sample}")
            raise invalid(f"labels.{at}.sample", text.format(place=place))
        bounds = config.reward_bounds.get(label.reward)
        if bounds is not None and not bounds.holds(label.value):
            text = _("must be {range}; got {value}")
            span = translated(bounds.range)
            wrong = text.format(range=span, value=f"{label.value:.12g}")
            raise invalid(f"labels.{at}.value", wrong)


def drawn_places(
    attempt: Attempt, config: ScoringConfig, evidence: Evidence
) -> Mapping[str, list[Place]]:
    """The samples that people label, by reward, in their order."""
    labelling = labelling_of(config, evidence)
    if labelling is None:
        return {}
    counted = evidence.under(config, config.counts(attempt.phase_id))
    return {reward: labelling.drawn(counted, reward) for reward in labelling.rewards}


def _correct(challenge: Challenge, attempt: Attempt, evidence: Evidence) -> None:
    """Compute the corrected means of an attempt again, under all configs that boards show."""
    scores = Score.objects.filter(attempt=attempt.pk, config__number__gte=challenge.shown.number)
    for score in scores.select_related("config__challenge"):
        config = score.config
        labelling = labelling_of(config, evidence)
        if labelling is not None:
            counted = evidence.under(config, config.counts(attempt.phase_id))
            values = with_judged(score.metric_values, counted, config.metric_specs, labelling)
            Score.objects.filter(pk=score.pk).update(metric_values=values)
    recount_participants(challenge, [attempt.participant_id])
    Challenge.objects.bump(challenge.pk)
