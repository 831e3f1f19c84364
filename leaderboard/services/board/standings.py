"""Standings: counting a score into its participant's standing, rebuilding and verifying them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from leaderboard.models import Bucket, Challenge, ScoringConfig, SortedColumn, Standing
from leaderboard.models.built_once import Update
from leaderboard.models.challenge import NEXT_VERSION
from leaderboard.models.upkeep import vacuum
from leaderboard.rules.standing_draft import StandingDraft
from leaderboard.services.board import buckets, sorted_values
from leaderboard.services.board.comparisons import (
    compare_after_scores,
    compare_again,
    compare_what_waits,
    compared,
)
from leaderboard.services.board.derivation import derived
from leaderboard.services.board.editions import recount_editions
from leaderboard.services.board.sorted_columns import keep_columns
from leaderboard.services.board.standing_columns import COLUMNS, plain
from leaderboard.services.board.standing_drafts import add_tries, insert, keys_of, upsert
from leaderboard.services.transactions import snapshot

ROWS_PER_STATEMENT = 1000
_CHANGED = Update(
    lambda pk, shown: (
        Challenge.objects.filter(pk=pk, shown_config_id=shown),
        {**NEXT_VERSION, "board_changed_at": Now()},
    ),
    pk=UUID,
    shown=int,
)


def count_lines(config: ScoringConfig, lines: Iterable[StandingDraft]) -> None:
    """Count newly scored attempts into the standings, with one statement for up to 1000 of them.

    A participant's standing shows the attempt with the smallest pick key; the order in which
    attempts are counted makes no difference.
    """
    merged = sorted(_merge(lines).values(), key=lambda line: line.participant_id)
    for start in range(0, len(merged), ROWS_PER_STATEMENT):
        _count(config.pk, merged[start : start + ROWS_PER_STATEMENT])
    compare_after_scores(config)


def _count(config_id: int, lines: Sequence[StandingDraft]) -> None:
    """Count drafts of different participants.

    On a shown board an attempt that is not better than the one that counts changes only the number
    of tries, and no index.
    """
    held = buckets.lock(config_id)
    if not held:
        upsert(config_id, lines)
        return
    known = keys_of(config_id, [line.participant_id for line in lines])
    better, others, moved = [], [], Counter[bytes]()
    for line in lines:
        before = known.get(line.participant_id)
        if before and before.pick_key <= line.place.pick_key:
            others.append(line)
            continue
        better.append(line)
        moved[line.place.sort_key] += 1
        if before:
            moved[before.sort_key] -= 1
    upsert(config_id, better)
    if held.is_sorted:
        sorted_values.write(config_id, [line.participant_id for line in better])
    add_tries(config_id, others)
    buckets.move(config_id, moved)


def recount(config: ScoringConfig, participant_id: int) -> None:
    """Derive one participant's standing again, after an attempt was withdrawn or restored."""
    held = buckets.lock(config.pk)
    before = keys_of(config.pk, [participant_id])
    Standing.objects.filter(config=config, participant_id=participant_id).delete()
    for line in derived(config, participant_id):
        upsert(config.pk, [line])
    if held:
        if held.is_sorted:
            sorted_values.forget(config.pk, [participant_id])
            sorted_values.write(config.pk, [participant_id])
        moved = Counter(each.sort_key for each in keys_of(config.pk, [participant_id]).values())
        moved.subtract(each.sort_key for each in before.values())
        buckets.move(config.pk, moved)
    compare_again(config)


def rebuild_standings(challenge: Challenge) -> int:
    """Delete the standings that the board shows and derive them again; returns their number."""
    with transaction.atomic():
        locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
        config = locked.shown
        forget_older(config)
        configs = [config] if locked.newest_config_id == config.pk else [config, locked.newest]
        for each in configs:
            Standing.objects.filter(config=each).delete()
            SortedColumn.objects.filter(config=each).give_up()
            insert(each.pk, sorted(compared(each, derived(each)), key=_in_order))
            recount_editions(each)
        buckets.build(config.pk)
        board_changed(locked.pk, config.pk)
    vacuum(Standing)
    keep_columns(challenge)
    return Standing.objects.filter(config=config).count()


def forget_older(config: ScoringConfig) -> None:
    """Delete the standings of the configs before the one that a board shows."""
    older = {"config__challenge": config.challenge_id, "config__number__lt": config.number}
    Bucket.objects.filter(**older).delete()
    SortedColumn.objects.filter(**older).give_up()
    Standing.objects.filter(**older).delete()


def verify_standings(challenge: Challenge) -> list[str]:
    """The differences between stored and derived standings, a line each; empty if none.

    Attempts may be scored at the same time: both are read at one moment.
    """
    compare_what_waits(challenge)
    with snapshot():
        found = Challenge.objects.select_related("shown_config__challenge")
        return _differences(found.get(pk=challenge.pk).shown)


def _differences(config: ScoringConfig) -> list[str]:
    expected = {
        line.participant_id: _comparable(line) for line in compared(config, derived(config))
    }
    differences = []
    for standing in Standing.objects.filter(config=config).select_related("participant"):
        should = expected.pop(standing.participant_id, None)
        found = _stored(standing)
        if should is None:
            differences.append(f"{standing.participant.handle}: has a standing without a score")
        elif should != found:
            differences.append(f"{standing.participant.handle}: stored {found}, derived {should}")
    differences += [f"participant {key}: has no standing" for key in expected]
    return differences + buckets.differences(config.pk) + sorted_values.differences(config.pk)


def board_changed(challenge_id: Any, shown_config_id: int) -> bool:
    """Increase the board's version. Returns False if the board now shows another config."""
    return bool(_CHANGED.run(pk=challenge_id, shown=shown_config_id))


def _merge(lines: Iterable[StandingDraft]) -> dict[int, StandingDraft]:
    """One draft per participant: of the attempt that counts, with the number of all tries."""
    merged: dict[int, StandingDraft] = {}
    for line in lines:
        other = merged.get(line.participant_id)
        if other is None:
            merged[line.participant_id] = line
            continue
        best = line if line.place.pick_key < other.place.pick_key else other
        best.attempts = line.attempts + other.attempts
        merged[line.participant_id] = best
    return merged


def _in_order(line: StandingDraft) -> bytes:
    return line.place.sort_key


def _comparable(line: StandingDraft) -> dict[str, Any]:
    return {column.name: plain(column, column.of(line)) for column in COLUMNS}


def _stored(standing: Standing) -> dict[str, Any]:
    return {column.name: plain(column, getattr(standing, column.name)) for column in COLUMNS}
