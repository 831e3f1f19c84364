"""Standings derived from attempts and scores, in one pass over all of them.

For each attempt this computes only the key that says which one counts. It computes the values of a
standing only for the attempts that count: usually one of ten.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from leaderboard.facts import get_fact
from leaderboard.models import Attempt, Board, Registration, Score, ScoringConfig
from leaderboard.models.streams import streamed
from leaderboard.rules.json.stored_numbers import read_numbers
from leaderboard.rules.ranking.least_improvement import improving
from leaderboard.rules.ranking.places import RANKED, TIME, CountingMode, PickKeys
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.rules.rewards.cells import coverage, ranked_number
from leaderboard.rules.sortkey import micros_key, micros_of
from leaderboard.rules.visibility.families import FAMILY, family_name
from leaderboard.services.board.standings.drafts import (
    SHOWN_FACTS,
    ScoredAttempt,
    standing_draft_of,
)
from leaderboard.services.board.standings.improvements import PairedErrors
from leaderboard.services.board.standings.means import mean_of
from leaderboard.services.evaluation.reported_values import is_reported

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EMPTY = "{}"
EVERYBODY = 2**63 - 1

DerivedRow = tuple[Any, ...]
"""An attempt and its score: participant, id as 16 bytes, microseconds since 1970, succeeded,
withdrawn, failed, metric values and reported values as JSON, whether the participant is
disqualified, whether the attempt is chosen, its standing, its family, then the numbers of
`NUMBERS`."""

NUMBERS = ("score", *SHOWN_FACTS)
BEFORE_NUMBERS = 12
SURELY = 2
"""Values that differ by so many units of the last decimal that is compared have different keys."""


class RowValues(NamedTuple):
    """The ranked values of an attempt, and the share of the tasks that they cover."""

    values: list[float | None]
    covered: float


@dataclass(slots=True)
class BestSoFar:
    """A participant's row with the smallest pick key, this key, and how many attempts count."""

    key: bytes
    row: DerivedRow
    attempts: int = 0


def derived(
    board: Board, participant_id: int | None = None, *, after: int = 0, to: int = EVERYBODY
) -> list[StandingDraft]:
    """The standings of a board: of all participants with a score, or of a single one.

    after, to: only of the participants with ids `after` < id <= `to`. The standings lack the values
    that compare participants, which `comparisons` adds.
    """
    config = board.ranked_by
    if participant_id is not None:
        after, to = participant_id - 1, participant_id
    asked = _asked(board)
    if some := to != EVERYBODY:
        asked += [after, to]
    sql = _sql(
        connection.vendor,
        is_until=board.until is not None,
        is_for_some=some,
        is_out_of_ranking=board.is_out_of_ranking,
    )
    with streamed(sql, asked) as rows:
        as_row = _row_of(connection.vendor)
        derived_rows = map(as_row, rows) if as_row else rows
        if board.counting == "all":
            return [_line(board, config, row, 1) for row in derived_rows if not row[4]]
        if board.counting == "mean":
            return _means(board, config, derived_rows)
        if board.phase.least_improvement is not None:
            return _improving(board, config, derived_rows)
        return _one_each(board, config, derived_rows)


def each_attempt(board: Board, most: int) -> list[StandingDraft]:
    """The scored attempts of a board, each as a standing of its own; at most so many, in no order.

    Like those of `derived`, they lack the values that compare participants.
    """
    config = board.ranked_by
    is_until = board.until is not None
    sql = _sql(
        connection.vendor,
        is_until=is_until,
        is_for_some=False,
        is_out_of_ranking=board.is_out_of_ranking,
    )
    with streamed(f"{sql} LIMIT %s", [*_asked(board), most]) as rows:
        as_row = _row_of(connection.vendor)
        return [_line(board, config, as_row(row) if as_row else row, 1) for row in rows]


def attempts_of_one(board: Board, participant_id: int, most: int) -> list[StandingDraft]:
    """The newest scored attempts of a participant, at most so many, in the order of time.

    Like those of `each_attempt`, but for withdrawn ones.
    """
    config = board.ranked_by
    is_until = board.until is not None
    sql = _sql(
        connection.vendor,
        is_until=is_until,
        is_for_some=True,
        is_out_of_ranking=board.is_out_of_ranking,
    )
    newest = f"{sql} AND a.withdrawn_at IS NULL ORDER BY a.submitted_at DESC LIMIT %s"
    with connection.cursor() as cursor:
        cursor.execute(newest, [*_asked(board), participant_id - 1, participant_id, most])
        rows = cursor.fetchall()
    as_row = _row_of(connection.vendor)
    return [_line(board, config, as_row(row) if as_row else row, 1) for row in rows[::-1]]


def _one_each(
    board: Board, config: ScoringConfig, rows: Iterable[DerivedRow]
) -> list[StandingDraft]:
    """The standings of participants with one attempt that counts: that with the smallest key."""
    pick_key, is_worse = _pick_key(config, board.counting), _is_worse(config, board.counting)
    best_by_participant: dict[int, BestSoFar] = {}
    for row in rows:
        best = best_by_participant.get(row[0])
        if best is None:
            best = best_by_participant[row[0]] = BestSoFar(pick_key(row), row)
        elif not is_worse(row, best) and (key := pick_key(row)) < best.key:
            best.key, best.row = key, row
        if not row[4]:
            best.attempts += 1
    return [_line(board, config, best.row, best.attempts) for best in best_by_participant.values()]


def _improving(
    board: Board, config: ScoringConfig, rows: Iterable[DerivedRow]
) -> list[StandingDraft]:
    """The standings of participants with the last attempt that has improved enough.

    A participant without an attempt that can be ranked has the one with the smallest key.
    """
    pick_key, values_of = _pick_key(config, board.counting), _values_of(config)
    withheld = board.phase.withheld
    least, decimals = withheld.least_improvement or 0.0, withheld.shown_decimals or 0
    rows_of: dict[int, list[DerivedRow]] = {}
    for row in rows:
        rows_of.setdefault(row[0], []).append(row)
    lines = []
    for those in rows_of.values():
        those.sort(key=itemgetter(2, 1))
        keys = [pick_key(row) for row in those]
        values = [
            values_of(row)[0][0] if key[:1] == RANKED else None
            for row, key in zip(those, keys, strict=True)
        ]
        direction, error = config.own_ranking.keys[0].direction, None
        if board.phase.significant_improvement:
            error = _errors_between(board, config, [UUID(bytes=bytes(row[1])) for row in those])
        counted = improving(values, direction, least, decimals, error)
        at = counted[-1] if counted else min(range(len(keys)), key=keys.__getitem__)
        attempts = sum(not row[4] for row in those)
        lines.append(_line(board, config, those[at], attempts))
    return lines


def _errors_between(
    board: Board, config: ScoringConfig, attempts: Sequence[UUID]
) -> Callable[[int, int], float]:
    """The standard error of the difference between two of the attempts, by their places."""
    errors = PairedErrors(config, board.phase_id)
    return lambda new, holder: errors.between(attempts[new], attempts[holder])


def _means(board: Board, config: ScoringConfig, rows: Iterable[DerivedRow]) -> list[StandingDraft]:
    """The standings of participants with the mean of their last attempts."""
    pick_key = _pick_key(config, board.counting)
    most = board.phase.number_counted
    last: dict[int, list[tuple[bytes, DerivedRow]]] = {}
    attempts: Counter[int] = Counter()
    for row in rows:
        those = last.setdefault(row[0], [])
        insort(those, (pick_key(row), row), key=itemgetter(0))
        del those[most:]
        attempts[row[0]] += not row[4]
    return [
        mean_of(config, [_line(board, config, row, attempts[who]) for _, row in those])
        for who, those in last.items()
    ]


def _pick_key(config: ScoringConfig, counting: CountingMode) -> Callable[[DerivedRow], bytes]:
    """A function of a row whose result says which of a participant's attempts counts."""
    pick, values_of = PickKeys(config.picking(counting)), _values_of(config)

    def pick_key(row: DerivedRow) -> bytes:
        _, key, micros, succeeded, withdrawn, failed, _, _, _, chosen, standing = row[
            : BEFORE_NUMBERS - 1
        ]
        values, covered = values_of(row)
        reached = micros_key(micros) + key
        return pick(
            reached, values, succeeded, failed, withdrawn, covered, bool(chosen), standing > 0
        )

    return pick_key


def _values_of(config: ScoringConfig) -> Callable[[DerivedRow], RowValues]:
    """A function of a row that gives its values of the keys of `own_ranking`, and its coverage.

    It parses JSON only in rows that have some. No reported value and no metric has the name of a
    fact.
    """
    keys = [key.key for key in config.own_ranking.keys]
    numbers = {name: BEFORE_NUMBERS + at for at, name in enumerate(NUMBERS)}
    places = [numbers.get(key) for key in keys]
    reported_keys = {key for key in keys if is_reported(config, key)}
    by_time = TIME in keys

    def values_of(row: DerivedRow) -> RowValues:
        _, _, micros, _, _, _, metric_values, reported = row[:8]
        values = [None if at is None else row[at] for at in places]
        covered = 0.0
        if by_time:
            values[keys.index(TIME)] = micros / 1_000_000
        if reported_keys and reported != EMPTY:
            numbers = read_numbers(reported)
            for at, name in enumerate(keys):
                if name in reported_keys and name in numbers:
                    values[at] = numbers[name]
        if metric_values != EMPTY:
            numbers = read_numbers(metric_values)
            covered = coverage(keys, numbers)
            for at, name in enumerate(keys):
                if name in numbers:
                    values[at] = ranked_number(numbers[name])
        return RowValues(values, covered)

    return values_of


def _is_worse(
    config: ScoringConfig, counting: CountingMode
) -> Callable[[DerivedRow, BestSoFar], bool]:
    """A function of a row and its participant's best one: whether its pick key is surely larger.

    This compares the first ranked value if rows have it as a number. Most rows need no pick key
    then.
    """
    first = config.own_ranking.keys[:1]
    if counting != "best" or not first or first[0].key not in NUMBERS:
        return lambda row, best: False
    at, least = BEFORE_NUMBERS + NUMBERS.index(first[0].key), SURELY * 10.0 ** -first[0].decimals
    sign = 1 if first[0].direction == "desc" else -1

    def is_worse(row: DerivedRow, best: BestSoFar) -> bool:
        value = row[at]
        if value is None or best.key[:1] != RANKED:
            return False
        return bool((best.row[at] - value) * sign > least)

    return is_worse


def _line(board: Board, config: ScoringConfig, row: DerivedRow, attempts: int) -> StandingDraft:
    who, key, micros, succeeded, withdrawn, failed, *more = row
    metric_values, reported, out, chosen, standing, family, *rest = more
    scored = ScoredAttempt(
        attempt_id=UUID(bytes=bytes(key)),
        participant_id=who,
        submitted_at=EPOCH + timedelta(microseconds=micros),
        succeeded=succeeded,
        withdrawn=withdrawn,
        failed=failed,
        disqualified=bool(out),
        is_out_of_ranking=board.is_out_of_ranking,
        chosen=bool(chosen),
        standing=standing,
        family=family_name(family),
        values=dict(zip(NUMBERS, rest, strict=True)),
        reported=read_numbers(reported),
        metric_values=read_numbers(metric_values),
    )
    line = standing_draft_of(config, board.counting, scored)
    line.attempts = attempts
    return line


def _asked(board: Board) -> list[Any]:
    """The first parameters of `_sql`."""
    if board.until is None:
        return [board.ranked_by.pk, board.phase_id]
    until = connection.ops.adapt_datetimefield_value(board.until)
    return [until, board.ranked_by.pk, board.phase_id, until]


@cache
def _sql(vendor: str, *, is_until: bool, is_for_some: bool, is_out_of_ranking: bool) -> str:
    """The statement whose rows are `DerivedRow`s; on SQLite after `_row_of` has converted them.

    On a board that ends, only what was submitted and chosen before its end counts.
    """
    quote = connection.ops.quote_name
    attempt, score, registration = (
        quote(model._meta.db_table) for model in (Attempt, Score, Registration)
    )
    key, micros, text = "a.id", "a.submitted_at", ""
    if vendor == "postgresql":
        key, text = "uuid_send(a.id)", "::text"
        micros = "(extract(epoch FROM a.submitted_at) * 1000000)::bigint"
    facts = ", ".join(f"a.{quote(get_fact(key).field)}" for key in SHOWN_FACTS)
    chosen = "a.chosen_at IS NOT NULL" + (" AND a.chosen_at < %s" if is_until else "")
    return (
        f"SELECT a.participant_id, {key}, {micros}, a.succeeded, a.withdrawn_at IS NOT NULL,"  # noqa: S608 - names of the models
        f" s.error_code <> '', s.metric_values{text}, a.{quote('values')}{text},"
        f" r.disqualified_at IS NOT NULL, {chosen}, a.standing, a.meta ->> '{FAMILY}',"
        f" s.value, {facts}"
        f" FROM {score} s JOIN {attempt} a ON a.id = s.attempt_id"
        f" LEFT JOIN {registration} r ON r.challenge_id = a.challenge_id"
        " AND r.participant_id = a.participant_id"
        " AND (r.disqualified_at IS NOT NULL OR r.row_kind <> 'ranked')"
        " WHERE s.config_id = %s"
        " AND a.phase_id = %s"
        " AND (r.id IS NOT NULL AND r.disqualified_at IS NULL)"
        f" = {'true' if is_out_of_ranking else 'false'}"
        + (" AND a.submitted_at < %s" if is_until else "")
        + (" AND a.participant_id > %s AND a.participant_id <= %s" if is_for_some else "")
    )


def _row_of(vendor: str) -> Callable[[DerivedRow], DerivedRow] | None:
    """A function that converts a row of SQLite; None on PostgreSQL.

    SQLite stores ids as hexadecimal digits and times as texts, and has no booleans.
    """

    def plain(row: DerivedRow) -> DerivedRow:
        who, key, moment, succeeded, withdrawn, failed, *rest = row
        at = moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)
        has_succeeded = None if succeeded is None else bool(succeeded)
        micros = micros_of(at.replace(tzinfo=UTC))
        return who, bytes.fromhex(key), micros, has_succeeded, bool(withdrawn), bool(failed), *rest

    return None if vendor == "postgresql" else plain
