"""One table of people for organisers: who they are, and what their best attempt has reached.

A row for each registered participant, also for those without an attempt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from io import BytesIO
from typing import Any, Final, NamedTuple

from leaderboard.api.files.board_table import RANKS
from leaderboard.api.files.boards import attempt_in, rank_interval, value_in
from leaderboard.columns import Column
from leaderboard.models import Entry, Registration
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.participants.listing import registrations_with_members
from leaderboard.services.competition.participants.registration_rules import questions_of
from leaderboard.services.competition.participants.taking_part import rules_of
from leaderboard.services.competition.quotas.agreements import LateRows
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainty_of

PEOPLE: Final = ("participant", "slug", "name", "kind", "status", "members", "emails", "bracket")
RESULT: Final = ("rank", "rank_in_bracket", "unranked", "attempts", "best_attempt", "reached_at")
INTERVAL: Final = RANKS[:2]
"""The ends of the rank interval, on boards that have such intervals."""


class Grades(NamedTuple):
    """The names of the columns, and the rows; moments are datetimes, absent cells None."""

    names: Sequence[str]
    rows: Iterator[Sequence[Any]]


def grades_of(board: VisibleBoard) -> Grades:
    """The table of the phase of a board."""
    challenge = board.challenge
    columns = ranking.columns_of(challenge)
    questions = [question.key for question in questions_of(rules_of(challenge))]
    certainty = certainty_of(board)
    if certainty is not None and not certainty.has_intervals:
        certainty = None
    result = RESULT if certainty is None else (*RESULT, *INTERVAL)
    names = [*PEOPLE, *(f"answer_{key}" for key in questions), *result, "late_by_agreement"]
    names += [column.key for column in columns if column.key not in names]
    value_columns = [
        column for column in columns if column.key in names[len(names) - len(columns) :]
    ]
    return Grades(names, _rows(board, value_columns, questions, certainty))


def grades_table(board: VisibleBoard) -> Iterator[Sequence[Any]]:
    """The table with the names of its columns first; moments are texts, absent cells None."""
    grades = grades_of(board)
    yield grades.names
    for row in grades.rows:
        yield [_plain(value) for value in row]


def grades_workbook(board: VisibleBoard) -> bytes:
    """The table as an Excel workbook: numbers are numbers, and texts, such as 0007, are texts."""
    from openpyxl import Workbook  # takes long to import, and only workbooks need it
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Grades")
    sheet.freeze_panes = "B2"

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        made = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("", value))
        made.data_type = "s"  # also a text that begins like a formula
        return made

    for row in grades_table(board):
        sheet.append([cell(value) for value in row])
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _rows(
    board: VisibleBoard,
    columns: Sequence[Column],
    questions: Sequence[str],
    certainty: VisibleCertainty | None,
) -> Iterator[Sequence[Any]]:
    """certainty: that of the board if it has rank intervals."""
    standings: dict[int, BoardRow] = {}
    for row in board.every_row():  # The first row of a participant is that of the best attempt.
        standings.setdefault(row.participant.pk, row)
    late, registrations = LateRows(board.board), list(registrations_with_members(board.challenge))
    brackets = {registration.participant_id: registration.bracket for registration in registrations}
    places = _places(standings.values(), brackets)
    for registration in registrations:
        best = standings.get(registration.participant_id)
        yield [
            *_person(registration),
            *(_answers(registration, key) for key in questions),
            *_result(best, places.get(registration.participant_id)),
            *(() if certainty is None else _interval(best, certainty)),
            None if best is None else late.has(best),
            *(None if best is None else value_in(best, column) for column in columns),
        ]


def _person(registration: Registration) -> Sequence[str]:
    participant, members = registration.participant, _members(registration)
    return [
        participant.handle,
        participant.slug,
        participant.shown_name,
        participant.kind,
        registration.status,
        " ".join(member.user.username for member in members),
        " ".join(member.user.email for member in members if member.user.email),
        registration.bracket,
    ]


def _answers(registration: Registration, key: str) -> str:
    """The answers of the captain and of those who joined, in their order."""
    given = [registration.answers, *(member.answers for member in _members(registration))]
    return "; ".join(str(answers[key]) for answers in given if key in answers)


def _members(registration: Registration) -> list[Entry]:
    members: list[Entry] = registration.participant.members  # type: ignore[attr-defined]
    return members


def _result(row: BoardRow | None, place: int | None) -> Sequence[Any]:
    if row is None:
        return [None, None, None, 0, None, None]
    return [row.rank, place, row.unranked or None, row.attempts, attempt_in(row), row.reached_at]


def _interval(row: BoardRow | None, certainty: VisibleCertainty) -> Sequence[int | None]:
    ends = None if row is None else rank_interval(row, certainty)[0]
    return [None, None] if ends is None else ends


def _places(rows: Any, brackets: dict[int, str]) -> dict[int, int]:
    """The rank of each participant among those of its bracket; equal ranks stay equal."""
    ranked = sorted((row for row in rows if row.rank is not None), key=lambda row: row.rank)
    count: Counter[str] = Counter()
    last: dict[str, tuple[int, int]] = {}
    places: dict[int, int] = {}
    for row in ranked:
        bracket = brackets.get(row.participant.pk, "")
        if not bracket:
            continue
        count[bracket] += 1
        rank, place = last.get(bracket, (0, 0))
        last[bracket] = (row.rank, place if rank == row.rank else count[bracket])
        places[row.participant.pk] = last[bracket][1]
    return places


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
