"""The boards of a challenge: one for each phase, under the shown scoring config and newer ones.

A board that is added after attempts have been scored is filled in pieces (`filling`). Readers get
a board from `board_at` or `board_of_phase`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.models import Attempt, Board, Challenge, Phase, Registration, Score, ScoringConfig
from leaderboard.models.board import BoardQuerySet
from leaderboard.models.built_once import Lookup, Values
from leaderboard.models.clock import moment, now_sql
from leaderboard.models.prepared import rows_of
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.rules.visibility.open_phases import face_phase
from leaderboard.services.board import buckets

_BOARDS = Lookup(
    lambda config: (
        Board.objects.filter(config=config)
        .select_related("phase")
        .order_by("phase__position", "phase")
    ),
    config=int,
)
BoardsById = Mapping[UUID, Board]
_FACTS = """
    id, until, is_out_of_ranking, filled_to,
    EXISTS (SELECT 1 FROM leaderboard_bucket WHERE board_id = leaderboard_board.id),
    (SELECT least_coverage FROM leaderboard_phase WHERE id = leaderboard_board.phase_id),
    (SELECT least_improvement FROM leaderboard_phase WHERE id = leaderboard_board.phase_id)"""
_THOSE = " WHERE config_id = %s AND phase_id = %s AND (until IS NULL OR until > %s)"
_READ = f"SELECT {_FACTS} FROM leaderboard_board{_THOSE}"  # noqa: S608 - texts of ours


_LOCK_SHOWN = Values(
    lambda pk, config: (
        Challenge.objects.select_for_update(no_key=True)
        .filter(pk=pk, shown_config_id=config)
        .values_list("pk")
    ),
    pk=UUID,
    config=int,
)


class WrittenBoard(NamedTuple):
    """A board that this transaction may write to.

    is_shown: it has buckets, which every change of its standings updates. least_coverage,
    least_improvement: those of the phase.
    """

    pk: int
    until: datetime | None
    is_out_of_ranking: bool
    filled_to: int | None
    is_shown: bool
    least_coverage: float | None
    least_improvement: float | None

    def takes(self, line: StandingDraft) -> bool:
        """Whether an attempt counts here now; filling counts those that come later."""
        in_time = self.until is None or line.reached_at < self.until
        is_there = self.filled_to is None or line.participant_id <= self.filled_to
        return in_time and is_there and line.is_out_of_ranking == self.is_out_of_ranking


def shown_boards(challenge: Challenge) -> list[Board]:
    """The boards of a challenge's phases under the shown config, in the order of the phases.

    Those of all attempts, with those of the attempts before a freeze as `before_freeze`. They refer
    to the challenge itself, so that nothing is read twice.
    """
    boards = list(_BOARDS.instances(config=challenge.shown.pk))
    if not boards:
        add_boards(challenge)
        boards = list(_BOARDS.instances(config=challenge.shown.pk))
    challenge.share(challenge.shown)
    for board in boards:
        board.config = challenge.shown
        board.phase.challenge = challenge
    paired = _paired(boards)
    challenge.has_several_boards = len(paired) > 1
    return paired


def board_at(challenge: Challenge, at: datetime | None = None) -> Board:
    """The board of a challenge's current phase: see `current_board`."""
    return current_board(shown_boards(challenge), at)


def current_boards(challenges: Sequence[Challenge], among: BoardQuerySet) -> BoardsById:
    """The board of each challenge's current phase, by the challenge's id, in one statement."""
    by_config = {
        challenge.shown_config_id: challenge
        for challenge in challenges
        if challenge.shown_config_id
    }
    boards = among.filter(config__in=by_config).select_related("phase")
    boards_by_challenge: dict[UUID, list[Board]] = {}
    for board in _paired(boards.order_by("phase__position", "phase")):
        boards_by_challenge.setdefault(by_config[board.config_id].pk, []).append(board)
    return {key: current_board(those) for key, those in boards_by_challenge.items()}


def _paired(boards: Iterable[Board]) -> list[Board]:
    """The boards of all attempts, each with the board of the same phase before its freeze.

    Both have the boards of their rows out of the ranking.
    """
    every = list(boards)
    ranked = [board for board in every if not board.is_out_of_ranking]
    whole = {(board.config_id, board.phase_id): board for board in ranked if board.until is None}
    for part in every:
        whole_board = whole.get((part.config_id, part.phase_id))
        if whole_board and part is not whole_board:
            part.phase, part.config = whole_board.phase, whole_board.config
            if part.until == whole_board.phase.freezes_at and not part.is_out_of_ranking:
                whole_board.before_freeze = part
    for part in every:
        whole_board = whole.get((part.config_id, part.phase_id))
        if whole_board and part.is_out_of_ranking:
            beside = whole_board if part.until is None else whole_board.before_freeze
            if beside:
                beside.board_out_of_ranking = part
    return list(whole.values())


def board_of_attempt(attempt: Attempt) -> Board:
    """The board of an attempt's phase; it is loaded with its challenge."""
    boards = shown_boards(attempt.challenge)
    return next((board for board in boards if board.phase_id == attempt.phase_id), boards[0])


def board_of(boards: Sequence[Board], slug: str) -> Board | None:
    """The board of the phase with this slug; None if there is no such phase."""
    return next((board for board in boards if board.phase.slug == slug), None)


def lock_shown_boards(challenge_id: UUID, config_id: int) -> bool:
    """Lock the boards that a challenge shows; False if they are not those of this config.

    No other transaction writes to them until this one ends.
    """
    return bool(_LOCK_SHOWN.all(pk=challenge_id, config=config_id))


def boards_to_write(
    config: ScoringConfig, phase_id: int, since: datetime, *, is_shown: bool
) -> list[WrittenBoard]:
    """The boards on which an attempt of a phase that was submitted at `since` or later counts.

    The boards of a shown config are locked until the transaction ends, and their versions raised.
    Those of another config are not, since its standings are built beside the shown ones by many
    workers. Adds the board of a phase that a former release has made.
    """
    written = _to_write(config, phase_id, since, is_shown)
    if all(board.until or board.is_out_of_ranking for board in written):
        add_boards(Challenge.objects.get(pk=config.challenge_id))
        written = _to_write(config, phase_id, since, is_shown)
    return written


class CountsIn(NamedTuple):
    """Where a change of attempts counts: in their phase, on boards that end after the moment."""

    phase_id: int
    since: datetime


def boards_to_change(config: ScoringConfig, only: CountsIn | None = None) -> list[Board]:
    """The boards of a config, locked until the transaction ends, their versions raised.

    only: those on which a change counts; None: all of them.
    """
    boards = Board.objects.of(config)
    if only is not None:
        boards = boards.taking(only.phase_id, only.since)
    list(boards.select_for_update().order_by("pk").values_list("pk"))
    boards.update(version=F("version") + 1, changed_at=Now())
    return list(boards.select_related("phase").order_by("pk"))


def add_boards(challenge: Challenge) -> list[Board]:
    """Add the missing boards of all phases, under the shown config and newer ones.

    Deletes the boards of freezes that were moved or taken back. Call it in a transaction that has
    locked the challenge. A board whose phase has scores already is incomplete until it is filled.
    Returns the boards that were added.
    """
    if challenge.shown_config_id is None:
        return []
    configs = ScoringConfig.objects.filter(
        challenge=challenge, number__gte=challenge.shown.number
    ).order_by("number")
    phases = list(challenge.phases.order_by("position", "pk"))
    registrations = Registration.objects.out_of_ranking().filter(challenge=challenge)
    sides = (False, True) if registrations.exists() else (False,)
    added = []
    for config in configs:
        unmatched = {
            (board.phase_id, board.until, board.is_out_of_ranking): board
            for board in Board.objects.of(config)
        }
        before = list(unmatched.values())
        for phase in phases:
            added += [
                _added(
                    challenge, config, phase, until, side, _visible_version(before, phase, until)
                )
                for until in _moments(phase)
                for side in sides
                if unmatched.pop((phase.pk, until, side), None) is None
            ]
        for unwanted in unmatched.values():
            unwanted.delete()
    return added


def current_board(boards: Sequence[Board], at: datetime | None = None) -> Board:
    """The board of the phase that the challenge shows: see `face_phase`.

    at: now, if it is not given. Raises Board.DoesNotExist if the challenge was just deleted.
    """
    if not boards:
        raise Board.DoesNotExist
    if len(boards) == 1:
        return boards[0]
    phase = face_phase([board.phase for board in boards], at or timezone.now())
    return next(board for board in boards if board.phase is phase)


def _moments(phase: Phase) -> list[datetime | None]:
    """The ends of a phase's boards: none for the board of all its attempts."""
    return [None] if phase.freezes_at is None else [None, phase.freezes_at]


def _visible_version(boards: Iterable[Board], phase: Phase, until: datetime | None) -> int:
    """The version of the board that readers saw before one that ends was added in its place.

    That of the former freeze, if there was one: that of all attempts would tell of later ones.
    """
    if until is None:
        return 0
    own = [board for board in boards if board.phase_id == phase.pk and not board.is_out_of_ranking]
    ended = [board for board in own if board.until]
    return max((board.version for board in ended or own), default=0)


def _added(
    challenge: Challenge,
    config: ScoringConfig,
    phase: Phase,
    until: datetime | None,
    is_out_of_ranking: bool,
    version: int,
) -> Board:
    """A new board. version: where it begins to count its changes."""
    scores = Score.objects.filter(config=config, attempt__phase=phase)
    board = Board.objects.create(
        phase=phase,
        config=config,
        until=until,
        is_out_of_ranking=is_out_of_ranking,
        version=version,
        filled_to=0 if scores.exists() else None,
    )
    if board.is_complete and config.pk == challenge.shown_config_id:
        buckets.start(board.pk)
    if until is not None and not board.is_complete:
        # Filling it raises its version by one. The board of all attempts, which readers see once
        # the freeze ends, may not be behind it.
        whole = Board.objects.filter(
            phase=phase, config=config, until=None, is_out_of_ranking=is_out_of_ranking
        )
        whole.filter(version__lte=version).update(version=version + 1)
    return board


def _to_write(
    config: ScoringConfig, phase_id: int, since: datetime, is_shown: bool
) -> list[WrittenBoard]:
    parameters: list[Any] = [config.pk, phase_id, connection.ops.adapt_datetimefield_value(since)]
    rows = rows_of(_lock_sql(now_sql()) if is_shown else _READ, parameters)
    return [
        WrittenBoard(
            pk,
            None if until is None else moment(until),
            bool(is_out_of_ranking),
            filled,
            bool(has),
            *least,
        )
        for pk, until, is_out_of_ranking, filled, has, *least in rows
    ]


@cache
def _lock_sql(now: str) -> str:
    return (
        f"UPDATE leaderboard_board SET version = version + 1, changed_at = {now}"  # noqa: S608 - texts of ours
        f"{_THOSE} RETURNING {_FACTS}"
    )
