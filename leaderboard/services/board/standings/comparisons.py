"""Values that compare participants with each other: they belong to a board, not to an attempt.

A new score changes the values of all participants, so the whole board is compared again, within the
transaction that counts the score. On a large board one comparison serves all attempts that wait
together: until then the new standing lacks these values, and the sweeper finds it by that. A board
that is being built is compared when the challenge switches to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from django.db.models import F

from leaderboard.models import Attempt, Board, Challenge, ScoringConfig, Standing
from leaderboard.rules.ranking.places import Facts, StandingPlace, Unranked, place
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.rules.ranking.win_rates import WIN_RATE, WinRate, win_rates
from leaderboard.rules.rewards.cells import BoardCell
from leaderboard.schemas.metrics import MetricSpec
from leaderboard.services.board import buckets
from leaderboard.services.board.standing_columns import COMPARED, plain
from leaderboard.services.board.standings.drafts import rewrite
from leaderboard.services.board.standings.own_facts import own_facts
from leaderboard.services.one_by_one import one_by_one
from leaderboard.services.transactions import retried

SMALL = 100
"""Boards up to this many standings are compared after each score, even if attempts wait."""
NO_WIN_RATE = WinRate(None, 0)


def compared(config: ScoringConfig, lines: Sequence[StandingDraft]) -> Sequence[StandingDraft]:
    """The standings of a whole board, completed in place by the values that compare them.

    A standing that cannot rank for another reason takes no part, and neither does a value that does
    not rank.
    """
    specs = config.comparing_specs
    if not specs:
        return lines
    names = {spec.name for spec in specs}
    for line in lines:
        for name in names:
            line.values.pop(name, None)
            line.cells.pop(name, None)
    facts = [own_facts(config, line) for line in lines]
    win_rates_by_name = {spec.name: _win_rates(config, spec, facts) for spec in specs}
    for at, (line, own) in enumerate(zip(lines, facts, strict=True)):
        for spec in specs:
            _add(line, spec, win_rates_by_name[spec.name][at])
        line.place = _place(config, line, own)
    return lines


def compare_after_scores(config: ScoringConfig, board_id: int) -> None:
    """Compare a board again, unless it is large and more attempts wait to be scored."""
    if not config.comparing_specs:
        return
    queued = Attempt.objects.filter(challenge=config.challenge_id, status=Attempt.Status.QUEUED)
    if queued.exists() and Standing.objects.filter(board=board_id)[SMALL:].exists():
        return
    compare_again(Board.objects.select_related("config", "phase").get(pk=board_id))


def compare_again(board: Board) -> None:
    """Compare all participants on a shown board, after some of its standings have changed.

    Call it in a transaction that has locked the challenge and raised the version of the board.
    """
    config = board.config
    if not config.comparing_specs or not board.is_complete or board.is_out_of_ranking:
        return
    if not Challenge.objects.filter(pk=config.challenge_id, shown_config=config.pk).exists():
        return
    if compare_all(board):
        buckets.build(board.pk)


def compare_what_waits(challenge: Challenge | None = None) -> int:
    """Compare the boards with a standing that was not compared yet; returns how many.

    challenge: only its board.
    """
    boards = (
        Board.objects.under_shown_config()
        .complete()
        .filter(config__metrics__icontains=WIN_RATE, is_out_of_ranking=False)
    )
    if challenge is not None:
        boards = boards.filter(config__challenge=challenge)
    waiting = [board for board in boards.select_related("config", "phase") if _lacks_some(board)]
    return len(one_by_one(lambda board: retried(partial(_catch_up, board)), waiting))


def _lacks_some(board: Board) -> bool:
    """Whether a standing of the board lacks values that compare it with the others."""
    standings = Standing.objects.filter(board=board)
    specs = board.config.comparing_specs
    return any(standings.exclude(cells__has_key=spec.name).exists() for spec in specs)


def _catch_up(board: Board) -> None:
    Challenge.objects.lock_boards(board.config.challenge_id)
    Board.objects.filter(pk=board.pk).update(version=F("version") + 1)
    compare_again(board)


def compare_all(board: Board) -> bool:
    """Compare the standings of a board; no other process may write to it at the same time.

    Returns whether a standing has changed.
    """
    config = board.ranked_by
    if not config.comparing_specs or board.is_out_of_ranking:
        return False
    standings = list(Standing.objects.filter(board=board))
    lines = compared(config, [_line(standing) for standing in standings])
    changed = [
        line for line, was in zip(lines, standings, strict=True) if not _is_as_stored(line, was)
    ]
    if changed:
        rewrite(board.pk, changed)
    return bool(changed)


def _win_rates(config: ScoringConfig, spec: MetricSpec, board: Sequence[Facts]) -> list[WinRate]:
    """The win rate of each attempt on a board; attempts that take no part have none."""
    part = [facts for facts in board if _takes_part(config, facts)]
    decimals = config.shown_decimals
    keys = [key if decimals is None else key.rounded_to(decimals) for key in spec.compared]
    rates = iter(win_rates([[facts.values.get(key.key) for key in keys] for facts in part], keys))
    return [next(rates) if _takes_part(config, facts) else NO_WIN_RATE for facts in board]


def _takes_part(config: ScoringConfig, facts: Facts) -> bool:
    out = facts.withdrawn or facts.disqualified or facts.failed or facts.not_counting
    if out or facts.succeeded is False:
        return False
    return config.min_coverage is None or facts.coverage >= config.min_coverage


def _add(line: StandingDraft, spec: MetricSpec, rate: WinRate) -> None:
    cell: BoardCell = {"defined": rate.over, "total": len(spec.compared)}
    if rate.value is None:
        cell["reason"] = "not_compared"
    else:
        line.values[spec.name] = rate.value
        cell["interval_reason"] = "not_estimated"
        if rate.over < (spec.min_coverage or 0) * len(spec.compared):
            cell["not_ranked"] = "low_coverage"
    line.cells[spec.name] = cell


def _place(config: ScoringConfig, line: StandingDraft, own: Facts) -> StandingPlace:
    """The sort and rank keys of a standing, made from all ranked values.

    This does not change which attempt counts.
    """
    added = {spec.name: line.cells[spec.name] for spec in config.comparing_specs}
    low = [name for name, cell in added.items() if "not_ranked" in cell]
    values = {name: line.values.get(name) for name in added if name not in low}
    facts = replace(own, values={**own.values, **values}, low_coverage=[*own.low_coverage, *low])
    new_place = place(config.ranking, facts)
    return StandingPlace(new_place.sort_key, line.place.pick_key, new_place.unranked)


def _line(standing: Standing) -> StandingDraft:
    sort_key, pick_key = bytes(standing.sort_key), bytes(standing.pick_key)
    unranked = cast("Unranked | None", standing.unranked or None)
    return StandingDraft(
        standing.participant_id,
        standing.attempt_id,
        StandingPlace(sort_key, pick_key, unranked),
        dict(standing.values),
        dict(standing.cells),
        standing.reached_at,
        standing.attempts,
        standing.slot,
        family=standing.family,
    )


def _is_as_stored(line: StandingDraft, standing: Standing) -> bool:
    return all(
        plain(column, column.of(line)) == plain(column, getattr(standing, column.name))
        for column in COMPARED
    )
