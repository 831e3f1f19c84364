"""CodaLab and Codabench: the `scores.txt` or `scores.json` of a scoring program.

Lines of `key: value`, or one object of numbers. A zip of the scoring output may hold detailed
results and logs beside it, which are left out. Neither file names the participant.
"""

from __future__ import annotations

from typing import Any, Final

from leaderboard.importers.formats.ragas import is_means
from leaderboard.importers.reading.errors import ImportFailed, shown
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import MAX_FIELD, Part
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.reported_numbers import (
    ReportedNumbers,
    finite,
    in_text,
    ranked_by,
    says_nothing,
    whose,
)
from leaderboard.importers.reading.sheets import head
from leaderboard.importers.reading.source import BOM, Source
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent

KEY: Final = "codalab"
JSON: Final = "scores.json"
TEXT: Final = "scores.txt"
PEEKED: Final = 2000


def recognises(source: Source) -> bool:
    """A file of this name with a number for each key. A single file needs the name too, because
    many other files have such contents.
    """
    return any(_is_scores(source, name) for name in _files(source)[:20])


def reads(source: Source, participant: str) -> Import:
    """One attempt for each file of scores. Raises ImportFailed with the line or place."""
    warnings: list[str] = []
    names = [source.names[0]] if source.single else _files(source)
    if not names:
        raise ImportFailed(
            message("must contain {text} or {json}; got neither", text=TEXT, json=JSON),
            file=source.label,
        )
    attempts: list[ImportedAttempt] = []
    labels: dict[str, str] = {}
    for name in names:
        found = _scores(source, name, warnings)
        labels = labels or found.labels
        attempts.append(
            ImportedAttempt(
                participant=whose(participant, "", "", name),
                source_id=source_id(KEY, participant, found.values, found.rest),
                meta={"harness": "CodaLab"},
                values=found.values,
                file_metrics=found.rest,
            )
        )
    return Import(KEY, attempts, warnings=warnings, suggested=ranked_by(labels))


def _files(source: Source) -> list[str]:
    """The files of scores; if a folder has both kinds, the JSON file, as in Codabench."""
    found = [name for name in source.names if name.rpartition("/")[2] in (JSON, TEXT)]
    both = {name.removesuffix(JSON) for name in found if name.endswith(JSON)}
    return [name for name in found if name.endswith(JSON) or name.removesuffix(TEXT) not in both]


def _is_scores(source: Source, name: str) -> bool:
    if name.endswith(JSON):
        part = source.try_json(name)
        return part is not None and _are_scores(part.value)
    lines = [line for line in head(source, name, PEEKED).splitlines() if line.strip()]
    return bool(lines) and _pair(lines[0]) is not None


def _are_scores(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(each is None or type(each) in (int, float) for each in value.values())
        and not any(name.startswith("_") for name in value)
        and not is_means(value)
    )


def _pair(line: str) -> tuple[str, str] | None:
    """Key and value of a line; None for a line of another form."""
    key, colon, value = line.rpartition(":")
    key, value = key.strip().strip("\"'"), value.strip()
    known = in_text(value) is not None or says_nothing(value)
    return (key, value) if colon and key and known else None


def _scores(source: Source, name: str, warnings: list[str]) -> ReportedNumbers:
    found = ReportedNumbers(KEY)
    document = source.try_json(name)
    numbers = _of_text(source, name) if document is None else _of_object(document)
    for label, value in numbers.items():
        if value is None:
            warnings.append(
                message(
                    "{name}: {label} is no number: left out", name=shown(name), label=shown(label)
                )
            )
        else:
            found.add(label, value)
    if not found.values:
        raise ImportFailed(message("must contain a score; got a file without any"), file=name)
    found.warn(name, warnings)
    return found


def _of_object(document: Part) -> dict[str, float | None]:
    found = {}
    if is_means(document.value):
        raise document.fail(message("must come with the format ragas; got means of Ragas"))
    for name, part in document.fields():
        if part.value is not None and type(part.value) not in (int, float):
            raise part.fail(message("must be a number"))
        found[name] = finite(part.value)
    return found


def _of_text(source: Source, name: str) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for number, line in source.lines(name):
        try:
            text = line.removeprefix(BOM).decode()
        except UnicodeDecodeError:
            raise ImportFailed(
                message("must be UTF-8; got another encoding"), file=name, line=number
            ) from None
        pair = _pair(text)
        if pair is None:
            said = message("must be `key: number`; got {got}", got=sent(text))
            raise ImportFailed(said, file=name, line=number)
        key = Part(None, name, number).checked(pair[0], MAX_FIELD)
        if key in found:
            raise ImportFailed(
                message("must have {key!r} once; got it twice", key=shown(key)),
                file=name,
                line=number,
            )
        found[key] = in_text(pair[1])
    return found


IMPORTER = Importer(
    KEY,
    message("CodaLab and Codabench"),
    message("the scores.txt or scores.json of a scoring program"),
    recognises,
    reads,
)
