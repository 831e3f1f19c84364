"""Rows of a board as JSON. Written by hand, because a board may have 100 000 of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, cast
from uuid import UUID

from leaderboard.api.files.board_shapes import (
    CellJson,
    CertaintyJson,
    ColumnJson,
    ParticipantJson,
    ReportedJson,
    RescoringJson,
    RowJson,
    VerifiedJson,
)
from leaderboard.columns import Column
from leaderboard.models import Challenge, Participant
from leaderboard.rules.rewards.cells import margin
from leaderboard.rules.statistics.certainties import NothingKnown
from leaderboard.rules.statistics.verdict_sentences import shortly
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.services.board.reading.reported_columns import Unlisted
from leaderboard.services.board.reading.row_filter import EVERY_ROW, RowsAsked
from leaderboard.services.board.reading.rows import BoardRow, RowParticipant
from leaderboard.services.board.standings.public_ranks import PublicRanks
from leaderboard.services.challenges.rescores import progress_of
from leaderboard.services.competition.organisers.marks import RowMarks
from leaderboard.services.competition.organisers.provenance import RowProvenance
from leaderboard.services.competition.quotas.agreements import LateRows
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.brackets import RowBrackets
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainty_of
from leaderboard.services.competition.visible.medals import RowMedals

ROWS_PER_CHUNK = 200
OVER = ("defined", "total")
REPORTED: ReportedJson = {"level": "reported"}


def column_json(column: Column) -> ColumnJson:
    return {
        "key": column.key,
        "label": column.label,
        "description": column.description,
        "direction": column.direction,
        "unit": column.unit,
        "decimals": column.decimals,
        "ranked": column.ranked,
    }


class RowFacts(NamedTuple):
    """What is known of rows besides their values.

    marks: what organisers say of them. provenance: where their values come from. late: which were
    late by agreement. brackets: those of the participants. public: their ranks on public tasks.
    certainty: that of the board, if the reader may know it. meta: the declared fields to show.
    """

    marks: RowMarks
    provenance: RowProvenance
    medals: RowMedals
    late: LateRows
    brackets: RowBrackets
    public: PublicRanks
    certainty: VisibleCertainty | None
    meta: Sequence[MetaField] = ()


def row_facts(
    board: VisibleBoard, rows: Sequence[BoardRow] | None = None, meta: Sequence[MetaField] = ()
) -> RowFacts:
    """The facts about some rows of a board, or about any row (None)."""
    marks = RowMarks(board.challenge, rows)
    return RowFacts(
        marks,
        RowProvenance(board, marks, rows),
        RowMedals(board),
        LateRows(board.board, rows),
        RowBrackets(board, rows),
        PublicRanks(board.board, rows),
        certainty_of(board) if rows is None else certainty_of(board, rows),
        meta,
    )


def row_json(
    row: BoardRow, columns: Sequence[Column], unlisted: Unlisted | None, facts: RowFacts
) -> RowJson:
    """A row with the values of `columns`, and a cell for each: its level, or why it is empty.

    unlisted: adds the reported values that no column shows.
    """
    values = {column.key: value_in(row, column) for column in columns}
    cells = {column.key: _cell(row, column, values[column.key]) for column in columns}
    beside = unlisted.of(row) if unlisted else {}
    ranks, reason = rank_interval(row, facts.certainty)
    shown_row: RowJson = {
        "rank": row.rank,
        "rank_here": row.here,
        "tied": row.tied,
        "public_rank": public_rank_of(row, facts.public),
        "rank_interval": ranks,
        "rank_interval_reason": reason,
        "rank_interval_all": _rank_interval_all(row, facts.certainty),
        "unranked": row.unranked or None,
        "disqualified_reason": facts.marks.reason(row),
        "verified": _verified(row, facts.marks),
        "provenance": facts.provenance.of(row),
        "ruled_samples": facts.marks.ruled(row),
        "medal": facts.medals.of(row),
        "late_by_agreement": facts.late.has(row),
        "participant": participant_json(row.participant),
        "bracket": facts.brackets.of(row),
        "family": row.family or None,
        "attempt": attempt_in(row),
        "score": row.values.get("score"),
        "values": {**{key: value for key, value in values.items() if key != "score"}, **beside},
        "cells": cells | dict.fromkeys(beside, REPORTED),
        "attempts": row.attempts,
        "reached_at": moment(row.reached_at),
    }
    if facts.meta:
        texts = row.meta
        shown_row["meta"] = {
            field.name: texts[field.name] for field in facts.meta if field.name in texts
        }
    return shown_row


def participant_json(participant: Participant | RowParticipant) -> ParticipantJson:
    return {
        "handle": participant.handle,
        "slug": participant.slug,
        "name": participant.shown_name,
        "kind": participant.kind,
    }


def certainty_json(certainty: VisibleCertainty | None) -> CertaintyJson | None:
    """The verdict of a board; None while it is not computed, or if the reader may not know it."""
    if certainty is None:
        return None
    smallest = certainty.verdict.smallest
    return {
        "verdict": certainty.verdict.state,
        "text": " ".join([*certainty.headline(shortly), *certainty.remarks(shortly)]),
        "smallest_difference": smallest.difference if smallest else None,
        "compared": certainty.compared,
        "computed_at": moment(certainty.computed_at),
    }


def rescoring_json(challenge: Challenge, access: Access) -> RescoringJson | None:
    """The progress of a rescore while the board shows an older version; None without one.

    None also for readers from whom attempts are hidden, as it tells how many there are.
    """
    if challenge.shown_config_id == challenge.newest_config_id or not access.counts_attempts:
        return None
    newest = challenge.newest
    if not newest.is_rescoring:
        return None
    progress = progress_of(newest)
    return {"scoring_version": newest.number, "done": progress.done, "total": progress.total}


def jsonl(
    board: VisibleBoard,
    columns: Sequence[Column],
    unlisted: Unlisted | None = None,
    *,
    asked: RowsAsked = EVERY_ROW,
    meta: Sequence[MetaField] = (),
) -> Iterator[str]:
    """A row per line, for each row that is asked for."""
    facts = row_facts(board, meta=meta)
    rows = (row_json(row, columns, unlisted, facts) for row in board.every_row(asked))
    yield from in_chunks(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def value_in(row: BoardRow, column: Column) -> float | None:
    """The value of a column in a row; the time it was reached is in seconds since 1970."""
    if column.key == "submitted_at":
        return row.reached_at.timestamp()
    return column.value(row.values)


def values_in(columns: Sequence[Column]) -> Callable[[BoardRow], list[float | None]]:
    """A function that returns what `value_in` returns for each column, but is quicker."""
    keys = [column.key for column in columns]
    if "submitted_at" in keys:
        return lambda row: [value_in(row, column) for column in columns]
    return lambda row: [*map(row.values.get, keys)]


def moment(at: Any) -> str:
    """ISO 8601 in UTC, as all moments of the API."""
    return str(at.isoformat()).replace("+00:00", "Z")


def rank_interval(
    row: BoardRow, certainty: VisibleCertainty | None
) -> tuple[list[int] | None, NothingKnown | None]:
    """From the best to the worst rank, or the reason why there is none."""
    if certainty is None or row.rank is None:
        return None, None
    rank_range = certainty.of(row)
    if rank_range is None:
        return None, "not_compared"
    if rank_range.best is None or rank_range.worst is None:
        return None, rank_range.reason
    return [rank_range.best, rank_range.worst], None


def interval_of(certainty: VisibleCertainty | None, attempt: UUID) -> list[int] | None:
    """The rank interval of an attempt that counts."""
    certain_row = None if certainty is None else certainty.of_attempt(attempt)
    if certain_row is None or certain_row.best is None or certain_row.worst is None:
        return None
    return [certain_row.best, certain_row.worst]


def _rank_interval_all(row: BoardRow, certainty: VisibleCertainty | None) -> list[int] | None:
    """The rank interval that holds for all rows at once."""
    certain_row = certainty.of(row) if certainty is not None and row.rank is not None else None
    if certain_row is None or certain_row.all_best is None or certain_row.all_worst is None:
        return None
    return [certain_row.all_best, certain_row.all_worst]


def public_rank_of(row: BoardRow, public: PublicRanks) -> int | None:
    public_rank = public.of(row)
    return None if public_rank is None else public_rank.rank


def _verified(row: BoardRow, marks: RowMarks) -> VerifiedJson | None:
    verification = marks.verified(row)
    if verification is None:
        return None
    return {"by": verification.name, "link": verification.link, "at": moment(verification.at)}


def attempt_in(row: BoardRow) -> str | None:
    return None if row.attempt_id is None else str(row.attempt_id)


def _cell(row: BoardRow, column: Column, value: float | None) -> CellJson:
    """The facts about a value: at least its level, or the reason why there is none."""
    facts = stored_facts(row, column.key)
    if ends := facts.get("interval"):
        facts = {**facts, "margin": margin(ends)}
    if value is not None:
        return {"level": column.level, **facts}
    if "reason" in facts:
        return facts
    return {"reason": "failed" if row.unranked == "failed" else "undefined", **facts}


def stored_facts(row: BoardRow, key: str) -> CellJson:
    """The stored facts about a metric value; a reported one is computed over no tasks."""
    facts = cast(CellJson, row.cells.get(key) or {})
    if facts.get("level") == "reported":
        return cast(CellJson, {name: fact for name, fact in facts.items() if name not in OVER})
    return facts


def in_chunks(lines: Iterator[str]) -> Iterator[str]:
    """Lines joined into fewer, larger pieces, because sending a piece costs more than a line."""
    waiting: list[str] = []
    for line in lines:
        waiting.append(line)
        if len(waiting) == ROWS_PER_CHUNK:
            yield "".join(waiting)
            waiting.clear()
    yield "".join(waiting)
