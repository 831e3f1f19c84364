"""Standings: counting a score into its participant's line, rebuilding and verifying the lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.models import Challenge, Score, ScoringConfig, Standing
from leaderboard.models.upkeep import settle
from leaderboard.rules.cells import board_cell, board_number, coverage, ranked_number
from leaderboard.rules.ranking import Facts, place
from leaderboard.rules.reductions import MetricValue
from leaderboard.services.editions import recount_editions
from leaderboard.services.evidence import reported_values
from leaderboard.services.lines import Line, upsert

ROWS_PER_STATEMENT = 1000
SHOWN_FACTS = ("tokens_total", "elapsed_ms", "rating", "cost_usd")
"""Facts that a standing keeps beside the score, so that a board reads no other table for them."""

_FACTS = (
    "attempt_id",
    "attempt__participant_id",
    "attempt__submitted_at",
    "attempt__succeeded",
    "attempt__withdrawn_at",
    "value",
    "error_code",
    "metric_values",
    "attempt__values",
    *(f"attempt__{name}" for name in SHOWN_FACTS),
)


def line_of(
    config: ScoringConfig,
    *,
    attempt_id: UUID,
    participant_id: int,
    submitted_at: datetime,
    succeeded: bool | None,
    withdrawn: bool,
    failed: bool,
    values: dict[str, float | None],
    reported: dict[str, float],
    metric_values: dict[str, MetricValue],
) -> Line:
    """What one scored attempt would be as a standing. `values`: its score and facts."""
    ranking = config.ranking
    values |= reported_values(config, reported)
    ranked = values | {key: ranked_number(value) for key, value in metric_values.items()}
    values |= {key: board_number(value) for key, value in metric_values.items()}
    facts = Facts(
        attempt_id,
        submitted_at,
        succeeded,
        ranked,
        failed,
        withdrawn,
        coverage(config.ranked_keys, metric_values),
        [key for key, each in metric_values.items() if each.get("not_ranked") == "low_coverage"],
    )
    return Line(
        participant_id,
        attempt_id,
        place(ranking, facts),
        {name: value for name, value in values.items() if value is not None},
        {key: board_cell(value) for key, value in metric_values.items()},
        submitted_at,
        0 if withdrawn else 1,
    )


def count_lines(config: ScoringConfig, lines: Iterable[Line]) -> None:
    """Count newly scored attempts into the standings, with one statement for up to 1000 of them.

    A participant's line shows the attempt with the smallest pick key; which order attempts are
    counted in makes no difference.
    """
    merged = sorted(_merge(lines).values(), key=lambda line: line.participant_id)
    for start in range(0, len(merged), ROWS_PER_STATEMENT):
        upsert(config.pk, merged[start : start + ROWS_PER_STATEMENT])


def recount(config: ScoringConfig, participant_id: int) -> None:
    """Derive one participant's standing again, after an attempt was withdrawn or taken back."""
    Standing.objects.filter(config=config, participant_id=participant_id).delete()
    count_lines(config, _lines(config, participant_id=participant_id))


def rebuild_standings(challenge: Challenge) -> int:
    """Throw away the standings that the board shows, derive them again; how many there are now."""
    with transaction.atomic():
        locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
        config = locked.shown
        Standing.objects.filter(config__challenge=locked, config__number__lt=config.number).delete()
        configs = [config] if locked.newest_config_id == config.pk else [config, locked.newest]
        for each in configs:
            Standing.objects.filter(config=each).delete()
            count_lines(each, _lines(each))
            recount_editions(each)
        board_changed(locked.pk, config.pk)
    settle(Standing)
    return Standing.objects.filter(config=config).count()


def verify_standings(challenge: Challenge) -> list[str]:
    """What the stored standings have wrong, a line each; empty when they are as derived."""
    config = challenge.shown
    expected = {line.participant_id: _comparable(line) for line in _merge(_lines(config)).values()}
    differences = []
    for standing in Standing.objects.filter(config=config).select_related("participant"):
        should = expected.pop(standing.participant_id, None)
        found = _stored(standing)
        if should is None:
            differences.append(f"{standing.participant.handle}: has a standing without a score")
        elif should != found:
            differences.append(f"{standing.participant.handle}: stored {found}, derived {should}")
    return differences + [f"participant {key}: has no standing" for key in expected]


def board_changed(challenge_id: Any, shown_config_id: int) -> bool:
    """Move the board's version. False when the board shows another config by now."""
    return bool(
        Challenge.objects.filter(pk=challenge_id, shown_config_id=shown_config_id).update(
            board_version=F("board_version") + 1, board_changed_at=timezone.now()
        )
    )


def _lines(config: ScoringConfig, **only: Any) -> Iterator[Line]:
    """Every scored attempt under a config, as the line it would be."""
    scores = Score.objects.filter(config=config)
    if only:
        scores = scores.filter(**{f"attempt__{name}": value for name, value in only.items()})
    for (
        attempt_id,
        participant_id,
        submitted_at,
        succeeded,
        withdrawn_at,
        score,
        error_code,
        metric_values,
        reported,
        *facts,
    ) in scores.values_list(*_FACTS).iterator(chunk_size=5000):
        yield line_of(
            config,
            attempt_id=attempt_id,
            participant_id=participant_id,
            submitted_at=submitted_at,
            succeeded=succeeded,
            withdrawn=withdrawn_at is not None,
            failed=bool(error_code),
            values={"score": score, **dict(zip(SHOWN_FACTS, facts, strict=True))},
            reported=reported,
            metric_values=metric_values,
        )


def _merge(lines: Iterable[Line]) -> dict[int, Line]:
    """One line per participant: the attempt that counts, and all tries counted."""
    merged: dict[int, Line] = {}
    for line in lines:
        other = merged.get(line.participant_id)
        if other is None:
            merged[line.participant_id] = line
            continue
        best = line if line.place.pick_key < other.place.pick_key else other
        best.attempts = line.attempts + other.attempts
        merged[line.participant_id] = best
    return merged


def _comparable(line: Line) -> tuple[Any, ...]:
    return (
        line.attempt_id,
        line.place.sort_key.hex(),
        line.place.pick_key.hex(),
        line.place.unranked or "",
        line.attempts,
        sorted(line.values.items()),
        sorted(line.cells.items()),
    )


def _stored(standing: Standing) -> tuple[Any, ...]:
    return (
        standing.attempt_id,
        bytes(standing.sort_key).hex(),
        bytes(standing.pick_key).hex(),
        standing.unranked,
        standing.attempts,
        sorted(standing.values.items()),
        sorted(standing.cells.items()),
    )
