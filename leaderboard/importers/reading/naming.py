"""Texts that imports make: names of participants, ids of sources, errors of samples."""

from __future__ import annotations

import json
import unicodedata
from hashlib import sha256
from typing import Any

from leaderboard.importers.reading.errors import ImportFailed, problem_of
from leaderboard.rules.texts.joiners import readable
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.names import MAX_LENGTH, clean_name

MAX_ERROR = 200


def given_name(participant: str) -> str:
    """The name that the user gave, cleaned. Raises ImportFailed."""
    try:
        return clean_name(participant)
    except ValueError as error:
        raise ImportFailed(problem_of(error), field="participant") from None


def participant_name(agent: str, model: str) -> str:
    """`agent (model)`, or the known one of the two, as a valid name."""
    name = f"{agent} ({model})" if agent and model else agent or model
    try:
        normal = unicodedata.normalize("NFKC", readable(name))
        return clean_name(" ".join(normal.split())[:MAX_LENGTH])
    except ValueError as error:
        raise ImportFailed(
            message(
                "must be given, because the name in the file is refused: {problem}",
                problem=problem_of(error),
            ),
            field="participant",
        ) from None


def participant_of(given: str, agent: str, model: str, file: str) -> str:
    """The participant of results: the given name, else `agent (model)`.

    Raises ImportFailed for a file that names none of them.
    """
    if given or agent or model:
        return given or participant_name(agent, model)
    raise ImportFailed(
        message(
            "must be given with the upload, because nothing in the file says whose results they "
            "are; got none"
        ),
        file=file,
        field="participant",
    )


def source_id(key: str, *parts: Any) -> str:
    """One id for the same parts, at most 80 characters: `harbor-job:` and a digest."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"{key}:{sha256(text.encode()).hexdigest()[:40]}"


def failure(kind: str, message: str) -> str:
    """`Kind: first line of the message`, shortened; further lines may hold paths or secrets."""
    first = next((line.strip() for line in message.splitlines() if line.strip()), "")
    text = ": ".join(part for part in (kind.strip(), first) if part)
    printable = "".join(character if character.isprintable() else " " for character in text)
    return printable[:MAX_ERROR] or "failed"
