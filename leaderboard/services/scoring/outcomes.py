"""Run scorers on attempts, and store their outcomes as scores and standings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from django.db import DataError, IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from leaderboard.facts import scored_facts
from leaderboard.models import Attempt, Registration, Score, ScoringConfig
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.models.built_once import Values
from leaderboard.models.bulk import insert_rows
from leaderboard.operating import outages
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.ranking.places import CountingMode, counting_of
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.rules.visibility.families import family_name
from leaderboard.rules.visibility.withholding import decimals_shown
from leaderboard.sandbox import Failure, Outcome, Request
from leaderboard.services.board.editions import codes_of, count_editions
from leaderboard.services.board.standings.counting import PhaseOfLines, count_lines
from leaderboard.services.board.standings.drafts import (
    SHOWN_FACTS,
    ScoredAttempt,
    standing_draft_of,
)
from leaderboard.services.challenge_code.packages import scorer_of
from leaderboard.services.competition.phases import stored_phases
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.evaluation.reported_values import reported_values
from leaderboard.services.events.record import EventKind, NewEvent, record_events
from leaderboard.services.plugins.sandboxes import sandbox
from leaderboard.services.plugins.tenants import may_use, not_yours
from leaderboard.services.scoring.measure import new_keys

EPOCH = datetime.fromtimestamp(0, tz=UTC)

NOTHING_TO_RUN = Outcome(
    value=None,
    raw_value=None,
    clamped=False,
    details=None,
    details_note="",
    error=None,
    duration_ms=0,
    output="",
)
"""The outcome under a strategy that ranks by the facts alone."""

UNSTORABLE = (DataError, IntegrityError, ValueError, OverflowError)
"""What a save raises if a value of the result cannot be stored, whoever asks the database."""

FOR_SCORERS = tuple(fact.key for fact in scored_facts() if fact.for_scorers)
"""The facts that scorers get."""

MAX_METRIC_KEYS = 1000
"""The most keys of metric values that a board has columns for; later keys get none."""

SCORE_FIELDS = (
    "attempt_id",
    "config_id",
    "value",
    "raw_value",
    "metric_values",
    "details",
    "details_note",
    "error_code",
    "error_message",
    "error_detail",
    "output",
    "duration_ms",
    "code",
)


def requests_for(config: ScoringConfig, attempts: Iterable[AttemptToScore]) -> Iterator[Request]:
    """The input of a scorer for each attempt, in the shapes of `scorers.protocol`."""
    challenge = config.challenge
    ctx = {
        "tenant_id": challenge.tenant.slug,
        "app_id": challenge.app_id,
        "workflow_id": challenge.workflow_id,
        "challenge_id": challenge.slug,
        "timeout_ms": config.timeout_ms,
    }
    for attempt in attempts:
        metrics = scorer_metrics(config, attempt)
        own = {
            "end_user_id": attempt.participant_slug,
            "received_at": in_milliseconds(attempt.submitted_at),
            "closes_at": attempt.closes_at and in_milliseconds(attempt.closes_at),
        }
        yield Request(metrics, {**ctx, **own})


def in_milliseconds(moment: datetime) -> int:
    """A moment as scorers get it: since 1970, without the fraction of a millisecond."""
    return (moment - EPOCH) // timedelta(milliseconds=1)


def scorer_metrics(config: ScoringConfig, attempt: AttemptToScore) -> JsonObject:
    """A measured attempt's `AttemptMetrics`; `created_at` is its arrival, unless reported."""
    facts = {key: attempt.facts[key] for key in FOR_SCORERS}
    facts["succeeded"] = bool(facts["succeeded"])
    if facts["created_at"] is None:
        facts["created_at"] = in_milliseconds(attempt.submitted_at)
    return {
        **facts,
        "values": {
            **reported_values(config, attempt.values),
            **{key: value["value"] for key, value in attempt.metric_values.items()},
        },
    }


def outcomes(
    config: ScoringConfig, attempts: Sequence[AttemptToScore], *, fresh: bool
) -> Iterator[Outcome]:
    """The outcome of each measured attempt under a config. fresh: use a child for each attempt.

    An attempt whose program failed has the failure as its outcome.
    """
    if not any(attempt.failure for attempt in attempts):
        return _outcomes(config, attempts, fresh=fresh)
    measured = [attempt for attempt in attempts if attempt.failure is None]
    coming = _outcomes(config, measured, fresh=fresh)
    return (
        NOTHING_TO_RUN._replace(error=attempt.failure) if attempt.failure else next(coming)
        for attempt in attempts
    )


def _outcomes(
    config: ScoringConfig, attempts: Sequence[AttemptToScore], *, fresh: bool
) -> Iterator[Outcome]:
    if not config.runs_scorer:
        return iter([NOTHING_TO_RUN] * len(attempts))
    if not may_use(config.entrypoint, config.challenge.tenant.slug):
        return iter([NOTHING_TO_RUN._replace(error=not_yours())] * len(attempts))
    return _noting(
        sandbox().score(
            scorer_of(config),
            config.whole_config,
            list(requests_for(config, attempts)),
            timeout_ms=config.timeout_ms,
            fresh=fresh,
        )
    )


def _noting(coming: Iterator[Outcome]) -> Iterator[Outcome]:
    """The same outcomes; the first one shows that the sandbox works."""
    for first in coming:
        outages.sandbox.ended()
        yield first
        break
    yield from coming


def unstorable(attempt: AttemptToScore, outcome: Outcome) -> tuple[AttemptToScore, Outcome]:
    """What is stored in place of a result that cannot be: a failure, without values of plugins."""
    error = Failure("invalid_result", "The database cannot store the result.")
    refused = NOTHING_TO_RUN._replace(error=error, duration_ms=outcome.duration_ms)
    return attempt._replace(metric_values={}), refused


def store(
    config: ScoringConfig,
    results: Sequence[tuple[AttemptToScore, Outcome]],
    shown_config: ScoringConfig,
) -> None:
    """Save scores that are not stored yet, and count them into their standings.

    results: measured attempts with their outcomes. Call this in a transaction whose locks prevent
    that an attempt is withdrawn meanwhile. Configs older than the shown one have no board any more,
    so they get no standings.
    """
    ids = [attempt.pk for attempt, _ in results]
    states = _states(config, ids)
    results = [result for result in results if not states[result[0].pk].is_scored]
    codes = codes_of(config, results)
    coded = list(zip(results, codes, strict=True))
    insert_rows(Score, SCORE_FIELDS, (score_row(config, *result, code) for result, code in coded))
    count_editions(config, (code for (_, outcome), code in coded if outcome.error is None))
    if config.number >= shown_config.number:
        lines: dict[PhaseOfLines, list[StandingDraft]] = {}
        for result in results:
            state = states[result[0].pk]
            counting = counting_of(state.counting, config.counting)
            decimals = decimals_shown(state.decimals, state.least_improvement)
            line = _line(config.in_phase(None, decimals), *result, state, counting)
            phase = PhaseOfLines(_phase_of(config, result[0]), counting)
            lines.setdefault(phase, []).append(line)
        count_lines(config, lines, is_shown=config.pk == shown_config.pk)
    remember_keys(config, new_keys(config, (attempt for attempt, _ in results)))


def record_outcomes(
    challenge_id: UUID,
    results: Iterable[tuple[ScoringConfig, Sequence[tuple[AttemptToScore, Outcome]]]],
) -> None:
    """Write the outcomes under some configs into the log; call it at the end of the transaction."""
    events = [
        _event(config, ranked_keys, attempt, outcome)
        for config, config_results in results
        for ranked_keys in [config.ranked_keys]
        for attempt, outcome in config_results
    ]
    record_events(challenge_id, events)


def _event(
    config: ScoringConfig, ranked_keys: Sequence[str], attempt: AttemptToScore, outcome: Outcome
) -> NewEvent:
    """The event of an outcome: its error, or the values that decide its rank."""
    body: JsonObject = {"version": config.number}
    if outcome.error is not None:
        body["code"] = outcome.error.code
        return NewEvent(EventKind.FAILED, body, attempt.pk, attempt.participant_id)
    body["values"] = {key: ranked_value(attempt, outcome, key) for key in ranked_keys}
    return NewEvent(EventKind.SCORED, body, attempt.pk, attempt.participant_id)


def ranked_value(attempt: AttemptToScore, outcome: Outcome, key: str) -> object:
    """A value that a board ranks by, of a scored attempt; None if it has none of its own."""
    if key == "score":
        return outcome.value
    if metric_value := attempt.metric_values.get(key):
        return metric_value["value"]
    return attempt.values.get(key, attempt.facts.get(key))


class AttemptState(NamedTuple):
    """What may have happened to an attempt while it was being scored."""

    is_scored: bool
    withdrawn: bool
    disqualified: bool
    chosen: bool
    is_out_of_ranking: bool
    counting: str
    decimals: int | None
    least_improvement: float | None
    standing: int


def _states_of(attempts: AttemptQuerySet, config_id: int) -> QuerySet[Attempt, Any]:
    out = _registered(Registration.objects.filter(disqualified_at__isnull=False))
    scores = Score.objects.filter(config=config_id, attempt=OuterRef("pk"))
    return attempts.annotate(
        is_scored=Exists(scores),
        withdrawn=Q(withdrawn_at__isnull=False),
        disqualified=Exists(out),
        chosen=Q(chosen_at__isnull=False),
        is_out_of_ranking=Exists(_registered(Registration.objects.out_of_ranking())),
        counting=Coalesce("phase__counting", Value("")),
        decimals=F("phase__decimals"),
        least_improvement=F("phase__least_improvement"),
    ).values_list("pk", *AttemptState._fields)


def _registered(among: QuerySet[Registration]) -> QuerySet[Registration]:
    """The registrations of the participant of an attempt in the outer query."""
    return among.filter(challenge=OuterRef("challenge"), participant=OuterRef("participant"))


_STATE = Values(
    lambda config, pk: _states_of(Attempt.objects.filter(pk=pk), config), config=int, pk=UUID
)
"""The state of one attempt; compiled once, because workers need it for each attempt."""


def _states(config: ScoringConfig, ids: Sequence[UUID]) -> dict[UUID, AttemptState]:
    """The states of attempts by their ids, in one statement."""
    if len(ids) == 1:
        ((_, *state),) = _STATE.all(config=config.pk, pk=ids[0])
        return {ids[0]: _state(*state)}
    rows = _states_of(Attempt.objects.filter(pk__in=ids), config.pk)
    return {pk: _state(*state) for pk, *state in rows}


def _state(*columns: Any) -> AttemptState:
    """Convert a row to a state; SQLite returns integers for booleans."""
    *flags, counting, decimals, least, standing = columns
    is_scored, withdrawn, disqualified, chosen, is_out_of_ranking = map(bool, flags)
    return AttemptState(
        is_scored,
        withdrawn,
        disqualified,
        chosen,
        is_out_of_ranking,
        counting,
        decimals,
        least,
        standing,
    )


def remember_keys(config: ScoringConfig, keys: Sequence[str]) -> None:
    """Add keys of metric values to those that the config's board has columns for.

    The object `config` changes only after the commit, so that a rollback does not hide the keys
    from the next call.
    """
    if not keys:
        return
    rows = ScoringConfig.objects.select_for_update(no_key=True)
    stored_keys = rows.values_list("metric_keys", flat=True).get(pk=config.pk)
    together = list(dict.fromkeys([*stored_keys, *keys]))[:MAX_METRIC_KEYS]
    ScoringConfig.objects.filter(pk=config.pk).update(metric_keys=together)
    transaction.on_commit(partial(setattr, config, "metric_keys", together))


def score_row(
    config: ScoringConfig, attempt: AttemptToScore, outcome: Outcome, plugin_code: str = ""
) -> tuple[Any, ...]:
    """The outcome as the database stores it: values for `SCORE_FIELDS`."""
    code, message, detail = outcome.error or ("", "", "")
    return (
        attempt.pk,
        config.pk,
        outcome.value,
        outcome.raw_value,
        attempt.metric_values,
        outcome.details,
        outcome.details_note[:200],
        code,
        message[:500],
        detail,
        outcome.output,
        outcome.duration_ms,
        plugin_code,
    )


def unsaved_score(config: ScoringConfig, attempt: AttemptToScore, outcome: Outcome) -> Score:
    """The outcome as a row that is not saved, for pages that show it."""
    return Score(**dict(zip(SCORE_FIELDS, score_row(config, attempt, outcome), strict=True)))


def _phase_of(config: ScoringConfig, attempt: AttemptToScore) -> int:
    """The phase of an attempt. Attempts from a process of a release before phases get the first."""
    if attempt.phase_id is not None:
        return attempt.phase_id
    first = stored_phases(config.challenge_id)[0]
    Attempt.objects.filter(pk=attempt.pk).update(phase=first)
    return first.pk


def _line(
    config: ScoringConfig,
    attempt: AttemptToScore,
    outcome: Outcome,
    state: AttemptState,
    counting: CountingMode,
) -> StandingDraft:
    scored = ScoredAttempt(
        attempt_id=attempt.pk,
        participant_id=attempt.participant_id,
        submitted_at=attempt.submitted_at,
        succeeded=attempt.succeeded,
        withdrawn=state.withdrawn,
        failed=outcome.error is not None,
        disqualified=state.disqualified,
        chosen=state.chosen,
        is_out_of_ranking=state.is_out_of_ranking,
        standing=state.standing,
        family=family_name(attempt.family),
        values={
            "score": outcome.value,
            **{key: attempt.facts[key] for key in SHOWN_FACTS},
        },
        reported=attempt.values,
        metric_values=attempt.metric_values,
    )
    return standing_draft_of(config, counting, scored)
