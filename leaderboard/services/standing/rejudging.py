"""Judge stored attempts again, after their evidence, the rules or decisions have changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, cast
from uuid import UUID

from leaderboard.models import (
    Attempt,
    AttemptVerdict,
    Challenge,
    ConditionSet,
    Decision,
    SamplePrint,
    Standing,
    User,
)
from leaderboard.rules.admission.standing import (
    REVIEWED,
    AttemptStanding,
    ReviewDecision,
    ReviewMode,
    standing_of,
)
from leaderboard.rules.admission.verdicts import AdmissionVerdict
from leaderboard.rules.ranking.places import NOT_COUNTING
from leaderboard.services.board.standings.counting import recount_participants
from leaderboard.services.competition.decisions import DecisionKind, decide, decide_each
from leaderboard.services.standing.condition_sets import read_rules
from leaderboard.services.standing.judging import (
    Judge,
    Judgement,
    since_of,
    store_judgements,
    stored_cases,
)
from leaderboard.services.transactions import retried

PER_SLICE: Final = 50
"""Attempts that one transaction judges."""
MOST_TRIED: Final = 500
"""Attempts that a trial of rules judges: those that stand first on the board."""


class Trial(NamedTuple):
    """What other rules would mean for the attempts that stand on the boards.

    judged, total: how many of them were judged. counts: how many would have each verdict. losing:
    the attempts that are ranked now and would not count.
    """

    judged: int
    total: int
    counts: Mapping[str, int]
    losing: Sequence[UUID]


def try_rules(challenge: Challenge, rules: object) -> Trial:
    """Judge the first attempts of the board by rules that are not published; saves nothing.

    Raises ServiceError (`invalid`).
    """
    parsed = read_rules(rules)
    standings = Standing.objects.filter(board__config=challenge.shown_config_id, board__until=None)
    ordered = standings.order_by("sort_key").values_list("attempt", "unranked")
    rows = list(ordered[:MOST_TRIED])
    attempts = Attempt.objects.in_bulk([pk for pk, _ in rows])
    judge = Judge(challenge, None, parsed)
    cases = list(stored_cases([attempts[pk] for pk, _ in rows if pk in attempts]))
    judgements = judge.judge(sorted(cases, key=lambda case: case.attempt))
    ranked = {pk for pk, unranked in rows if not unranked}
    accepted = _accepted([case.attempt for case in cases])
    losing = [
        judgement.attempt
        for judgement in judgements
        if judgement.attempt in ranked
        and judgement.attempt not in accepted
        and judgement.verdict != "ok"
        and judgement.standing(challenge.review) != AttemptStanding.COUNTS
    ]
    counts = dict(Counter(str(judgement.verdict) for judgement in judgements))
    return Trial(len(judgements), standings.count(), counts, losing)


def judge_again(challenge: Challenge, ids: Collection[UUID], *, by: User | None = None) -> int:
    """Judge attempts by the present rules, and derive their standing; how many standings changed.

    by: who caused it. Everything happens in one transaction.
    """
    return retried(partial(_judge_again, challenge, ids, by))


def sweep_verdicts() -> None:
    """Go on judging by new rules; part of each sweep."""
    for waiting in ConditionSet.objects.filter(is_judged=False).select_related("challenge"):
        while judge_slice(waiting):
            pass


def judge_slice(condition_set: ConditionSet) -> bool:
    """Judge the next attempts of a challenge by its new rules; False if none is left."""
    challenge = condition_set.challenge
    attempts = Attempt.objects.filter(challenge=challenge).order_by("pk")
    if condition_set.judged_to is not None:
        attempts = attempts.filter(pk__gt=condition_set.judged_to)
    ids = list(attempts.values_list("pk", flat=True)[:PER_SLICE])
    if ids:
        challenge.refresh_from_db(fields=["condition_set", "review"])
        judge_again(challenge, ids, by=condition_set.by)
    condition_set.judged_to = ids[-1] if ids else condition_set.judged_to
    condition_set.is_judged = len(ids) < PER_SLICE
    condition_set.save(update_fields=["judged_to", "is_judged"])
    return not condition_set.is_judged


def derive_standings(
    challenge: Challenge, ids: Collection[UUID], *, by: User | None, is_logged: bool = False
) -> int:
    """Derive the standing of attempts from verdicts and decisions; how many have changed.

    An attempt that counted without a review goes on counting as long as it meets the rules, though
    new ones are reviewed by now. is_logged: whether a change is logged as a decision, because
    nothing else tells of it. Call it in a transaction that has locked the challenge.
    """
    verdicts = dict(
        AttemptVerdict.objects.filter(attempt__in=ids).values_list("attempt", "verdict")
    )
    decisions = _review_decisions(ids)
    changed = []
    for attempt in Attempt.objects.filter(pk__in=ids):
        verdict = cast(AdmissionVerdict, verdicts.get(attempt.pk, "ok"))
        counted = attempt.standing == AttemptStanding.COUNTS and verdict == "ok"
        standing = standing_of(
            verdict,
            "none" if counted else cast(ReviewMode, challenge.review),
            decisions.get(attempt.pk, ()),
            challenge.decisions_needed,
        )
        if standing != attempt.standing:
            changed.append((attempt, standing))
    for attempt, standing in changed:
        Attempt.objects.filter(pk=attempt.pk).update(standing=standing)
    recount_participants(challenge, {attempt.participant_id for attempt, _ in changed})
    if changed:
        Challenge.objects.bump(challenge.pk)
    for attempt, standing in changed:
        before, after = NOT_COUNTING[attempt.standing], NOT_COUNTING[standing]
        if is_logged:
            decide(
                DecisionKind.JUDGED,
                attempt=attempt,
                by=by,
                before={"standing": before},
                after={"standing": after},
            )
    return len(changed)


def _judge_again(challenge: Challenge, ids: Collection[UUID], by: User | None) -> int:
    locked = Challenge.objects.lock_challenge(challenge.pk)
    return judge_within(locked, ids, by=by)


def judge_within(locked: Challenge, ids: Collection[UUID], *, by: User | None) -> int:
    """Like `judge_again`, in a transaction of the caller that has locked the challenge."""
    attempts = list(Attempt.objects.filter(pk__in=ids).order_by("pk"))
    judge = Judge(locked, locked.condition_set_id)
    SamplePrint.objects.filter(attempt__in=ids).delete()
    AttemptVerdict.objects.filter(attempt__in=ids).delete()
    judgements = judge.judge(list(stored_cases(attempts)), since_of(locked.condition_set_id))
    store_judgements(locked, locked.condition_set_id, judgements)
    return derive_standings(locked, ids, by=by, is_logged=True)


def _review_decisions(ids: Collection[UUID]) -> Mapping[UUID, Sequence[ReviewDecision]]:
    """The decisions of the reviews of attempts that are not undone, the oldest first."""
    rows = Decision.objects.filter(attempt__in=ids, kind__in=REVIEWED, undone_by=None)
    decisions: dict[UUID, list[ReviewDecision]] = defaultdict(list)
    for attempt, kind, by in rows.order_by("at", "pk").values_list("attempt", "kind", "by"):
        if attempt is not None:
            decisions[attempt].append(ReviewDecision(kind, by))
    return decisions


def _accepted(ids: Sequence[UUID]) -> set[UUID]:
    """The attempts that reviewers have accepted: other rules do not change that."""
    decisions = _review_decisions(ids)
    return {pk for pk, those in decisions.items() if those[-1].kind == "accepted"}


def receive(challenge: Challenge, rows: Sequence[tuple[int, Judgement]]) -> None:
    """Log that attempts wait for a review. rows: with their participants."""
    waiting = [
        (challenge.pk, participant, judgement.attempt)
        for participant, judgement in rows
        if judgement.standing(challenge.review) == AttemptStanding.IN_REVIEW
    ]
    if waiting:
        decide_each(DecisionKind.RECEIVED, waiting)
