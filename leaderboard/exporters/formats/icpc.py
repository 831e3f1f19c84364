"""An ICPC contest package: a phase as a contest, for resolvers and presentation tools.

Source: the CCS specification (Contest API and Contest Package). A phase is a contest with one
problem, an attempt is a submission, its score a judgement. Scores count upwards there and are never
below 0. Of a frozen board the reader gets what the public knew: submissions without judgements.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from leaderboard.exporters.archive import zipped
from leaderboard.exporters.board import BoardOutline, ExportedAttempt, ExportedBoard, ExportedRow
from leaderboard.exporters.exporter import CannotExport, Exporter
from leaderboard.exporters.names import in_utc, short_id
from leaderboard.rules.texts.messages import message

PROBLEM: Final = "A"
LANGUAGE: Final = "result"
SCORED: Final = "AC"
FAILED: Final = "JE"
NO_ATTEMPTS: Final = message("A contest needs attempts, and you see none of this phase.")
SECONDS: Final = timedelta(seconds=1)

Objects = Sequence[dict[str, object]]
LANGUAGE_OF_ALL: Final[dict[str, object]] = {
    "id": LANGUAGE,
    "name": "result",
    "entry_point_required": False,
    "extensions": ["json"],
}
PROBLEM_OF_ALL: Final[dict[str, object]] = {
    "id": PROBLEM,
    "label": "A",
    "name": "",
    "ordinal": 1,
    "test_data_count": 1,
}


def problem(board: BoardOutline) -> str:
    ranked = board.ranked_columns
    if not ranked or ranked[0].direction == "asc":
        return message("In a contest more is better; this board ranks by what is low.")
    if not board.has_attempts:
        return NO_ATTEMPTS
    return ""


def write(board: ExportedBoard) -> bytes:
    """A zip with a JSON file for each endpoint, and the event feed."""
    phase = board.phase
    attempts = board.attempts()
    if not attempts:
        raise CannotExport(NO_ATTEMPTS)
    if any(attempt.score is not None and attempt.score < 0 for attempt in attempts):
        raise CannotExport(message("A contest has no scores below 0; this board has."))
    start = phase.opens_at or attempts[0].submitted_at
    end = max(phase.closes_at or attempts[-1].submitted_at, start + SECONDS)
    contest = _Contest(board, start, end, attempts)
    files = {f"{name}.json": _json(objects) for name, objects in contest.endpoints().items()}
    files["event-feed.ndjson"] = contest.feed()
    return zipped(files)


class _Contest:
    """The objects of a contest. start, end: of the phase, or of its attempts."""

    def __init__(
        self,
        board: ExportedBoard,
        start: datetime,
        end: datetime,
        attempts: Sequence[ExportedAttempt],
    ) -> None:
        self._board, self._start, self._end, self._attempts = board, start, end, attempts

    def endpoints(self) -> dict[str, object]:
        return {
            "contest": self._contest(),
            **self._collections(),
            "state": self._state(),
            "scoreboard": self._scoreboard(),
        }

    def feed(self) -> bytes:
        """The event feed: every object once, then the state."""
        events: list[dict[str, object]] = [{"type": "contest", "id": None, "data": self._contest()}]
        for name, objects in self._collections().items():
            events += ({"type": name, "id": one["id"], "data": one} for one in objects)
        events.append({"type": "state", "id": None, "data": self._state()})
        lines = (
            json.dumps({**event, "token": str(number)}, ensure_ascii=False)
            for number, event in enumerate(events, 1)
        )
        return ("\n".join(lines) + "\n").encode()

    def _contest(self) -> dict[str, object]:
        freezes_at = self._board.phase.freezes_at
        return {
            "id": short_id(self._board.address),
            "name": self._board.name,
            "start_time": in_utc(self._start),
            "duration": _span(self._end - self._start),
            "scoreboard_type": "score",
            **(
                {"scoreboard_freeze_duration": _span(self._end - freezes_at)}
                if freezes_at and self._start <= freezes_at < self._end
                else {}
            ),
        }

    def _collections(self) -> dict[str, Objects]:
        board, submitted = self._board, self._submitted()
        return {
            "judgement-types": [
                {"id": SCORED, "name": "scored", "penalty": False, "solved": True},
                {"id": FAILED, "name": "not scored", "penalty": False, "solved": False},
            ],
            "languages": [LANGUAGE_OF_ALL],
            "problems": [{**PROBLEM_OF_ALL, "name": board.name}],
            "groups": [
                {"id": short_id(name), "name": name}
                for name in sorted({row.bracket for row in board.rows if row.bracket})
            ],
            "teams": [_team(row, number) for number, row in enumerate(board.rows, 1)],
            "submissions": [self._submission(attempt) for attempt in submitted],
            "judgements": [
                self._judgement(attempt) for attempt in submitted if attempt.finished_at
            ],
        }

    def _submission(self, attempt: ExportedAttempt) -> dict[str, object]:
        return {
            "id": short_id(attempt.id),
            "language_id": LANGUAGE,
            "problem_id": PROBLEM,
            "team_id": short_id(attempt.participant),
            **self._when("time", "contest_time", attempt.submitted_at),
        }

    def _judgement(self, attempt: ExportedAttempt) -> dict[str, object]:
        return {
            "id": f"j{short_id(attempt.id)}",
            "submission_id": short_id(attempt.id),
            "judgement_type_id": FAILED if attempt.score is None else SCORED,
            **({} if attempt.score is None else {"score": attempt.score}),
            "current": True,
            **self._when("start_time", "start_contest_time", attempt.submitted_at),
            **self._when("end_time", "end_contest_time", attempt.finished_at),
        }

    def _submitted(self) -> list[ExportedAttempt]:
        """The attempts of the rows: others have no team."""
        teams = {row.slug for row in self._board.rows}
        return [attempt for attempt in self._attempts if attempt.participant in teams]

    def _state(self) -> dict[str, object]:
        phase, now = self._board.phase, self._board.moment
        is_over = phase.closes_at is not None and phase.closes_at <= now
        frozen = phase.freezes_at if phase.freezes_at and phase.freezes_at <= now else None
        ended = in_utc(self._end) if is_over else None
        return {
            "started": in_utc(self._start),
            "frozen": in_utc(frozen) if frozen else None,
            "ended": ended,
            "thawed": in_utc(now) if frozen and phase.is_revealed else None,
            "finalized": ended if not frozen or phase.is_revealed else None,
            "end_of_updates": None,
        }

    def _scoreboard(self) -> dict[str, object]:
        counts: dict[str, tuple[int, int]] = {}
        for attempt in self._submitted():
            judged, pending = counts.get(attempt.participant, (0, 0))
            is_judged = attempt.finished_at is not None
            counts[attempt.participant] = judged + is_judged, pending + (not is_judged)
        key = self._board.ranked_columns[0].key
        return {
            **self._when("time", "contest_time", self._board.moment),
            "state": self._state(),
            "rows": [
                {
                    "rank": row.rank,
                    "team_id": short_id(row.slug),
                    "score": {"score": score, "time": None},
                    "problems": [
                        {
                            "problem_id": PROBLEM,
                            "num_judged": counts.get(row.slug, (0, 0))[0],
                            "num_pending": counts.get(row.slug, (0, 0))[1],
                            "score": score,
                            "time": _span(max(row.reached_at - self._start, timedelta())),
                        }
                    ],
                }
                for row in self._board.ranked_rows
                for score in [row.values[key].value]
                if score is not None
            ],
        }

    def _when(self, name: str, relative: str, moment: datetime | None) -> dict[str, object]:
        """A time by the clock and by that of the contest."""
        if moment is None:
            return {name: None, relative: None}
        return {name: in_utc(moment), relative: _span(moment - self._start)}


def _team(row: ExportedRow, number: int) -> dict[str, object]:
    group = {"group_ids": [short_id(row.bracket)]} if row.bracket else {}
    return {"id": short_id(row.slug), "name": row.name, "label": str(number), **group}


def _span(span: timedelta) -> str:
    """`h:mm:ss.uuu`, with a sign before the start of the contest."""
    thousandths = round(abs(span) / timedelta(milliseconds=1))
    seconds, rest = divmod(thousandths, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{'-' if span < timedelta() else ''}{hour}:{minute:02}:{second:02}.{rest:03}"


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


EXPORTER = Exporter(
    "icpc",
    message("ICPC contest package"),
    message("The phase as a contest with its freeze, for resolvers and presentations."),
    "icpc.zip",
    "application/zip",
    write,
    problem,
)
