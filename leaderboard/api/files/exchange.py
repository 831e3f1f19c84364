"""The board of a challenge as exporters get it, with what its reader may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Final, cast
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request

from leaderboard import version
from leaderboard.api.files.board_shapes import CellJson, RowJson
from leaderboard.api.files.boards import row_facts, row_json
from leaderboard.api.permissions import organises, user_of
from leaderboard.columns import Column
from leaderboard.exporters import (
    ExportedAttempt,
    ExportedBoard,
    ExportedPhase,
    ExportedRow,
    ExportedValue,
)
from leaderboard.exporters.board import ExportedSample
from leaderboard.http.links import absolute
from leaderboard.models import Attempt, Phase
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.services.attempts.read import read_attempts
from leaderboard.services.board.reading.row_filter import RowsAsked
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.entry_parts import entry_parts
from leaderboard.services.competition.visible.exports import board_outline
from leaderboard.services.competition.visible.news import ranked_value
from leaderboard.services.competition.visible.samples import samples_of
from leaderboard.services.errors import ServiceError

MOST_ROWS: Final = 5_000
MOST_ATTEMPTS: Final = 20_000
DEFAULT_TENANT: Final = "default"
"""The tenant of a site with only one, whose name says nothing."""


def exported_board(
    request: Request,
    board: VisibleBoard,
    columns: Sequence[Column],
    *,
    asked: RowsAsked,
    meta: Sequence[MetaField],
) -> ExportedBoard:
    """The rows that are asked for. Raises ServiceError: `too_large`, `permission_denied`."""
    challenge, config = board.challenge, board.board.config
    if not board.is_whole:
        raise ServiceError(
            "permission_denied", _("Only boards whose rows you see all are exported.")
        )
    rows = [*islice(board.every_row(asked), MOST_ROWS + 1)]
    if len(rows) > MOST_ROWS:
        text = _("At most {most} rows are exported in this format; ask for fewer with a filter.")
        raise ServiceError("too_large", text.format(most=MOST_ROWS))
    facts = row_facts(board, rows, meta)
    home = absolute(request._request, reverse("board", args=[challenge.slug]))
    tenant = challenge.tenant
    outline = board_outline(board, columns)
    return ExportedBoard(
        slug=challenge.slug,
        name=challenge.name,
        summary=challenge.summary,
        address=home,
        files=absolute(request._request, reverse("api:csv", args=[challenge.slug])),
        server=version.VERSION,
        scorer=config.entrypoint or config.strategy,
        code=config.code,
        scoring_version=config.number,
        created_at=challenge.created_at,
        updated_at=board.changed_at,
        is_whole=board.is_whole,
        columns=outline.columns,
        has_task_rates=outline.has_task_rates,
        has_attempts=outline.has_attempts,
        rows=[_row(request, row_json(row, columns, None, facts), columns, home) for row in rows],
        phase=_phase(board.board.phase),
        organisation=challenge.organisation
        or (settings.SITE_NAME if tenant.slug == DEFAULT_TENANT else tenant.name),
        dataset=outline.dataset,
        dataset_url=outline.dataset_url,
        dataset_revision=challenge.dataset_revision,
        license=challenge.license,
        samples=partial(_samples, board, rows),
        rates=partial(_rates, board, rows, columns),
        attempts=partial(_attempts, request, board),
    )


def _row(request: Request, row: RowJson, columns: Sequence[Column], home: str) -> ExportedRow:
    numbers = {**row["values"], "score": row["score"]}
    attempt, ends, verified = row["attempt"], row["rank_interval"], row["verified"]
    address = reverse("attempt", args=[attempt]) if attempt else ""
    return ExportedRow(
        slug=row["participant"]["slug"],
        name=row["participant"]["name"],
        rank=row["rank"],
        rank_interval=(ends[0], ends[1]) if ends else None,
        unranked=row["unranked"] or "",
        attempt=attempt,
        address=absolute(request._request, address) if address else home,
        reached_at=datetime.fromisoformat(row["reached_at"]),
        values={
            column.key: _value(
                numbers.get(column.key), cast(CellJson | None, row["cells"].get(column.key))
            )
            for column in columns
        },
        meta=row.get("meta", {}),
        verified_by=verified["by"] if verified else "",
        bracket=row["bracket"] or "",
    )


def _value(number: float | None, cell: CellJson | None) -> ExportedValue:
    if cell is None:
        return ExportedValue(number)
    ends = cell.get("interval")
    return ExportedValue(
        number,
        reason=cell.get("reason"),
        is_reported=cell.get("level") == "reported",
        standard_error=cell.get("standard_error"),
        interval=(ends[0], ends[1]) if ends else None,
        defined=cell.get("defined"),
        total=cell.get("total"),
    )


def _phase(phase: Phase) -> ExportedPhase:
    return ExportedPhase(
        slug=phase.slug,
        opens_at=phase.opens_at,
        closes_at=phase.closes_at,
        freezes_at=phase.freezes_at,
        is_revealed=phase.reveals_at is not None and phase.reveals_at <= received_now(),
    )


def _samples(
    board: VisibleBoard, rows: Sequence[BoardRow]
) -> Mapping[str, Sequence[ExportedSample]]:
    return {
        str(attempt): [
            ExportedSample(
                sample.task,
                sample.sample,
                reward,
                value,
                _whole((sample.usage or {}).get("input_tokens")),
                _whole((sample.usage or {}).get("output_tokens")),
            )
            for samples in evidence.samples
            for sample in samples
            for reward, value in (sample.rewards or {}).items()
            if value is not None
        ]
        for attempt, evidence in samples_of(board, rows).evidence.items()
    }


def _rates(
    board: VisibleBoard, rows: Sequence[BoardRow], columns: Sequence[Column]
) -> Mapping[str, Mapping[str, float]]:
    """The mean of each task in each attempt, for the first value that the board ranks by."""
    ranked = [column for column in columns if column.ranked]
    evidence = samples_of(board, rows).evidence
    ids: list[UUID] = [*evidence]
    parts = entry_parts(board.board.config, ranked[0], [*evidence.values()]) if ranked else None
    if parts is None:
        return {}
    above, below = parts.parts.above, parts.parts.below
    return {
        str(attempt): {
            task: float(above[place, at] / below[place, at])
            for at, task in enumerate(parts.tasks)
            if below[place, at]
        }
        for place, attempt in enumerate(ids)
    }


def _attempts(request: Request, board: VisibleBoard) -> list[ExportedAttempt]:
    """The attempts of the phase that the reader sees. Raises ServiceError: `too_large`."""
    challenge, access = board.challenge, board.access
    attempts = Attempt.objects.filter(
        access.attempts(), challenge=challenge, phase=board.phase_id, withdrawn_at=None
    ).without_sample(challenge)
    chosen = [
        *attempts.select_related("participant", "phase", "scoring_config").order_by(
            "submitted_at", "pk"
        )[: MOST_ATTEMPTS + 1]
    ]
    if len(chosen) > MOST_ATTEMPTS:
        text = _("At most {most} attempts are exported in this format.")
        raise ServiceError("too_large", text.format(most=MOST_ATTEMPTS))
    readings = read_attempts(
        challenge,
        chosen,
        reader=user_of(request),
        organiser=organises(request, challenge),
        access=access,
    )
    return [
        ExportedAttempt(
            id=str(reading.attempt.pk),
            participant=reading.attempt.participant.slug,
            submitted_at=reading.attempt.submitted_at,
            finished_at=None if reading.score_hidden else reading.attempt.finished_at,
            status=reading.attempt.status,
            score=ranked_value(reading.attempt, reading.score) if reading.score else None,
        )
        for reading in readings
    ]


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)
