"""Why a result file is refused, in texts for the user who uploaded it."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.importers import ImportedAttempt, ImportFailed
from leaderboard.rules.documents import shown_id
from leaderboard.services.errors import ServiceError, invalid

MAX_TOLD = 10


def refusal(
    attempts: Sequence[ImportedAttempt], rejected: Sequence[tuple[int, ServiceError]]
) -> ServiceError:
    """The error for attempts in a file, by their positions: the first ten faults."""
    first = rejected[0][1]
    lines = [
        f"{attempts[at].participant}: {text}"
        for at, each in rejected
        for text in _texts(each, attempts[at])
    ]
    untold = len(lines[MAX_TOLD:]) + sum(each.more for _, each in rejected)
    lines[MAX_TOLD:] = [f"and {untold} more"] if untold else []
    field = "participant" if "participant" in first.fields else "file"
    return ServiceError(first.code, lines[0], {field: lines})


def _texts(refused: ServiceError, one: ImportedAttempt) -> list[str]:
    """The texts of a refusal, place by place if there are several, and by lines in a
    file of lines.
    """
    lines = _lines_of(one)
    if len(refused.fields) < 2 and lines.keys().isdisjoint(refused.fields):
        return [refused.message]
    return [
        f"line {lines[place]}: {text}" if place in lines else f"{place}: {text}"
        for place, texts in refused.fields.items()
        for text in texts
    ]


def _lines_of(one: ImportedAttempt) -> dict[str, int]:
    """The line numbers of a refusal, by the places of outputs."""
    keys = (f"outputs.{shown_id(each.key)}" for each in one.outputs or ())
    return dict(zip(keys, one.lines, strict=False))


def failed(error: ImportFailed) -> ServiceError:
    """The error for a file that could not be read."""
    field = _field(error)
    refused = invalid(field, str(error).removeprefix(f"{field}: "))
    if error.others:
        texts = [str(each) for each in (error, *error.others)]
        message = f"{refused.message} (and {len(texts) - 1} more)"
        refused = ServiceError("invalid", message, {"file": texts})
    refused.map = error.map
    return refused


def _field(error: ImportFailed) -> str:
    """The field of the request that caused the error."""
    said = error.message.split(":", 1)[0]
    return said if said in ("format", "map", "participant") else "file"
