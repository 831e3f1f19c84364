"""Standings: counting a score into its participant's standing, rebuilding and verifying them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.db import transaction
from django.db.models import F

from leaderboard.models import Board, Bucket, Challenge, ScoringConfig, Standing
from leaderboard.models.upkeep import vacuum
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.ranking.places import CountingMode, uncovered
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.rules.rewards.cells import coverage
from leaderboard.services.board import buckets
from leaderboard.services.board.boards import (
    CountsIn,
    WrittenBoard,
    add_boards,
    boards_to_change,
    boards_to_write,
)
from leaderboard.services.board.editions import recount_editions
from leaderboard.services.board.standing_columns import COLUMNS, plain
from leaderboard.services.board.standings.comparisons import (
    compare_after_scores,
    compare_again,
    compare_what_waits,
    compared,
)
from leaderboard.services.board.standings.corrections import correct, corrections
from leaderboard.services.board.standings.derivation import derived
from leaderboard.services.board.standings.drafts import add_tries, keys_of, upsert
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.transactions import snapshot

ROWS_PER_STATEMENT = 1000


class PhaseOfLines(NamedTuple):
    """The phase of newly scored attempts, and which attempts of a participant count in it."""

    pk: int
    counting: CountingMode


LinesByPhase = Mapping[PhaseOfLines, Sequence[StandingDraft]]
"""Drafts of newly scored attempts, by their phases."""


def count_lines(config: ScoringConfig, lines: LinesByPhase, *, is_shown: bool) -> None:
    """Count newly scored attempts into the standings, with one statement for up to 1000 of them.

    A participant's standing shows the attempt with the smallest pick key; the order in which
    attempts are counted makes no difference. is_shown: whether the challenge shows the config.
    """
    for phase, drafts in sorted(lines.items()):
        since = min(draft.reached_at for draft in drafts)
        for board in boards_to_write(config, phase.pk, since, is_shown=is_shown):
            taken = [draft for draft in drafts if board.takes(draft)]
            taken = list(_with_coverage(board, config, taken, phase.counting))
            has_moved = _count_on(board, taken, phase.counting)
            if is_shown and not has_moved and config.challenge.is_restricted:
                Board.objects.filter(pk=board.pk).update(unseen_changes=F("unseen_changes") + 1)
            compare_after_scores(config, board.pk)


def _count_on(board: WrittenBoard, taken: Sequence[StandingDraft], counting: CountingMode) -> bool:
    """Count drafts on a board; returns whether a row may have changed other than by its tries."""
    # A board that ends takes no later choices, and a draft does not say when it was chosen.
    # Whether an attempt improves enough depends on all that came before it.
    if (
        counting == "mean"
        or (counting == "chosen" and board.until)
        or board.least_improvement is not None
    ):
        _derive_again(board, {draft.participant_id for draft in taken})
        return bool(taken)
    if counting == "all":
        rows = [draft for draft in taken if draft.place.unranked != "withdrawn"]
        for start in range(0, len(rows), ROWS_PER_STATEMENT):
            _add_rows(board, rows[start : start + ROWS_PER_STATEMENT])
        return bool(rows)
    merged = sorted(_merge(taken).values(), key=lambda draft: draft.participant_id)
    pieces = range(0, len(merged), ROWS_PER_STATEMENT)
    return sum(_count(board, merged[at : at + ROWS_PER_STATEMENT]) for at in pieces) > 0


def _with_coverage(
    board: WrittenBoard,
    config: ScoringConfig,
    drafts: Sequence[StandingDraft],
    counting: CountingMode,
) -> Sequence[StandingDraft]:
    """The drafts; those below the coverage that the board's phase requires become unranked."""
    least = board.least_coverage
    if least is None:
        return drafts
    keys = [key.key for key in config.own_ranking.keys]
    return [
        line
        if coverage(keys, line.cells) >= least
        else replace(line, place=uncovered(counting, line.place))
        for line in drafts
    ]


def _count(board: WrittenBoard, lines: Sequence[StandingDraft]) -> bool:
    """Count drafts of different participants; returns whether one of them changed a row.

    On a shown board an attempt that is not better than the one that counts changes only the number
    of tries, and no index.
    """
    if not board.is_shown:
        upsert(board.pk, lines)
        return True
    stored_keys = keys_of(board.pk, [line.participant_id for line in lines])
    better, not_better, moved = [], [], Counter[bytes]()
    for line in lines:
        before = stored_keys.get(line.participant_id)
        if before and before.pick_key <= line.place.pick_key:
            not_better.append(line)
            continue
        better.append(line)
        moved[line.place.sort_key] += 1
        if before:
            moved[before.sort_key] -= 1
    upsert(board.pk, better)
    add_tries(board.pk, not_better)
    buckets.move(board.pk, moved)
    return bool(better)


def _add_rows(board: WrittenBoard, lines: Sequence[StandingDraft]) -> None:
    """Count attempts of which each is a row."""
    upsert(board.pk, lines)
    if board.is_shown:
        buckets.move(board.pk, Counter(line.place.sort_key for line in lines))


def _derive_again(written: WrittenBoard, participants: Iterable[int]) -> None:
    """Derive the standings of participants from all their attempts, newly stored ones included."""
    boards = Board.objects.select_for_update(of=("self",), no_key=True)
    board = boards.select_related("phase", "config__challenge").get(pk=written.pk)
    for participant in sorted(participants):
        _recount(board, participant)


def recount(config: ScoringConfig, participant_id: int, only: CountsIn | None = None) -> None:
    """Derive one participant's standings again, after an attempt was withdrawn or restored.

    only: where the change counts; None: everywhere. Call it in a transaction that has locked the
    challenge.
    """
    for board in boards_to_change(config, only):
        if board.is_complete or participant_id <= (board.filled_to or 0):
            _recount(board, participant_id)
            compare_again(board)


def recount_participants(
    challenge: Challenge, participants: Iterable[int], only: CountsIn | None = None
) -> None:
    """Derive the lines of participants on all boards that are shown or being built.

    only: as of `recount`.
    """
    configs = ScoringConfig.objects.filter(challenge=challenge, number__gte=challenge.shown.number)
    ordered = sorted(participants)
    for config in configs if ordered else ():
        for participant in ordered:
            recount(config, participant, only)


def _recount(board: Board, participant_id: int) -> None:
    has_buckets = Bucket.objects.filter(board=board).exists()
    before = _sort_keys(board, participant_id)
    Standing.objects.filter(board=board, participant_id=participant_id).delete()
    lines = derived(board, participant_id)
    upsert(board.pk, lines)
    if not has_buckets:
        return
    moved = Counter(line.place.sort_key for line in lines)
    moved.subtract(before)
    buckets.move(board.pk, moved)


def _sort_keys(board: Board, participant_id: int) -> list[bytes]:
    rows = Standing.objects.filter(board=board, participant=participant_id)
    return [bytes(key) for key in rows.values_list("sort_key", flat=True)]


def rebuild_standings(challenge: Challenge) -> int:
    """Derive the standings of a challenge again, and write those that differ.

    Returns how many there are on the boards of all attempts.
    """
    with transaction.atomic():
        locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
        shown_config = locked.shown
        add_boards(locked)
        forget_older(shown_config)
        configs = (
            [shown_config]
            if locked.newest_config_id == shown_config.pk
            else [shown_config, locked.newest]
        )
        for config in configs:
            for board in boards_to_change(config):
                _rebuild(board, is_shown=config.pk == shown_config.pk)
            recount_editions(config)
    vacuum(Standing)
    return Standing.objects.filter(board__config=shown_config, board__until=None).count()


def _rebuild(board: Board, *, is_shown: bool) -> None:
    expected = sorted(_expected(board), key=_in_order)
    wrong = corrections(board, expected)
    if wrong.number:
        correct(board, wrong)
    if is_shown:
        buckets.build(board.pk)
    Board.objects.filter(pk=board.pk).update(filled_to=None)


def forget_older(config: ScoringConfig) -> None:
    """Delete the standings of the configs before the one that a challenge shows."""
    older = {
        "board__config__challenge": config.challenge_id,
        "board__config__number__lt": config.number,
    }
    Bucket.objects.filter(**older).delete()
    Standing.objects.filter(**older).delete()


def verify_standings(challenge: Challenge) -> list[str]:
    """The differences between stored and derived standings, a line each; empty if none.

    Attempts may be scored at the same time: both are read at one moment. A board that another
    process begins to make meanwhile is left out.
    """
    fill_boards(challenge)
    compare_what_waits(challenge)
    with snapshot():
        shown_config_id = Challenge.objects.get(pk=challenge.pk).shown_config_id
        complete = Board.objects.complete().filter(config=shown_config_id)
        boards = complete.select_related("phase", "config__challenge")
        differences = [(board, _differences(board)) for board in boards.order_by("phase", "until")]
    if len(differences) == 1:
        return differences[0][1]
    return [f"{_named(board)}: {line}" for board, lines in differences for line in lines]


def _expected(board: Board) -> Sequence[StandingDraft]:
    """The standings that follow from attempts and scores; rows out of the ranking are not compared
    with others."""
    lines = derived(board)
    return lines if board.is_out_of_ranking else compared(board.ranked_by, lines)


def _named(board: Board) -> str:
    until = f" until {board.until.isoformat()}" if board.until else ""
    suffix = ", out of the ranking" if board.is_out_of_ranking else ""
    return f"phase {board.phase.slug}{until}{suffix}"


def _differences(board: Board) -> list[str]:
    expected = {(line.participant_id, line.slot): _comparable(line) for line in _expected(board)}
    differences = []
    for standing in Standing.objects.filter(board=board).select_related("participant"):
        should = expected.pop((standing.participant_id, standing.slot), None)
        stored = _stored(standing)
        if should is None:
            differences.append(f"{standing.participant.handle}: has a standing without a score")
        elif should != stored:
            differences.append(f"{standing.participant.handle}: stored {stored}, derived {should}")
    differences += [f"participant {key}: has no standing" for key, _ in expected]
    return differences + buckets.differences(board.pk)


def _merge(lines: Iterable[StandingDraft]) -> dict[int, StandingDraft]:
    """One draft per participant: of the attempt that counts, with the number of all tries."""
    merged: dict[int, StandingDraft] = {}
    for line in lines:
        other = merged.get(line.participant_id)
        if other is None:
            merged[line.participant_id] = line
            continue
        best = line if line.place.pick_key < other.place.pick_key else other
        merged[line.participant_id] = replace(best, attempts=line.attempts + other.attempts)
    return merged


def _in_order(line: StandingDraft) -> bytes:
    return line.place.sort_key


def _comparable(line: StandingDraft) -> JsonObject:
    return {column.name: plain(column, column.of(line)) for column in COLUMNS}


def _stored(standing: Standing) -> JsonObject:
    return {column.name: plain(column, getattr(standing, column.name)) for column in COLUMNS}
