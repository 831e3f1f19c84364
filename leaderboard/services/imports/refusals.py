"""Error messages for users whose result file is refused."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.importers import ImportedAttempt, ImportFailed
from leaderboard.importers.reading.errors import located
from leaderboard.rules.rewards.documents import shown_id
from leaderboard.rules.texts.messages import message
from leaderboard.services.errors import ServiceError, first_and_more, invalid

MAX_TOLD = 10


def refusal(
    attempts: Sequence[ImportedAttempt], rejected: Sequence[tuple[int, ServiceError]]
) -> ServiceError:
    """The error for refused attempts of a file, with the first ten messages.

    rejected: positions in `attempts`, with the error of each.
    """
    first = rejected[0][1]
    lines = [
        located(attempts[at].participant, text)
        for at, rejection in rejected
        for text in _texts(rejection, attempts[at])
    ]
    untold = len(lines[MAX_TOLD:]) + sum(rejection.more for _, rejection in rejected)
    lines[MAX_TOLD:] = [message("and {count} more", count=untold)] if untold else []
    field = "participant" if "participant" in first.fields else "file"
    refused = ServiceError(first.code, lines[0], {field: lines}, facts=first.facts)
    refused.retry_after = first.retry_after
    return refused


def _texts(refused: ServiceError, one: ImportedAttempt) -> list[str]:
    """The messages of an error: one for each place if there are several.

    For a file of lines, they have line numbers.
    """
    lines = _lines_of(one)
    if len(refused.fields) < 2 and lines.keys().isdisjoint(refused.fields):
        return [refused.message]
    return [
        located(message("line {line}", line=lines[place]) if place in lines else place, text)
        for place, texts in refused.fields.items()
        for text in texts
    ]


def _lines_of(one: ImportedAttempt) -> dict[str, int]:
    """The line numbers of outputs in a file of lines, by their paths in error messages."""
    keys = (f"outputs.{shown_id(output.key)}" for output in one.outputs or ())
    return dict(zip(keys, one.lines, strict=False))


def failed(error: ImportFailed) -> ServiceError:
    """The error for a file that could not be read."""
    refused = invalid(error.field or "file", error.placed)
    if error.further:
        text = first_and_more(refused.message, len(error.further))
        refused = ServiceError(
            "invalid", text, {"file": [failure.text for failure in (error, *error.further)]}
        )
    refused.map = error.map
    return refused
