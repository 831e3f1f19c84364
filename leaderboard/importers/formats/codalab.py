"""CodaLab and Codabench: the `scores.txt` or `scores.json` of a scoring program.

Lines of `key: value`, or one object of numbers. A zip of the scoring output may hold detailed
results and logs beside it, which are left out. Neither file names the participant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from leaderboard.importers.formats.ragas import is_means
from leaderboard.importers.reading.errors import ImportFailed, legible, not_utf8
from leaderboard.importers.reading.json_place import MAX_FIELD, JsonValue
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, in_text, says_nothing
from leaderboard.importers.reading.sheets import head
from leaderboard.importers.reading.source import BOM, Source
from leaderboard.importers.reading.tool import ToolRun, Upload, by_numbers, importer
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


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each file of scores."""
    source = upload.source
    for name in source.names if source.single else _files(source):
        numbers = _scores(source, name, upload.warnings)
        yield ToolRun(
            name,
            (upload.participant, numbers.values, numbers.rest),
            {"harness": "CodaLab"},
            numbers=numbers,
        )


def _files(source: Source) -> list[str]:
    """The files of scores; if a folder has both kinds, the JSON file, as in Codabench."""
    names = [name for name in source.names if name.rpartition("/")[2] in (JSON, TEXT)]
    both = {name.removesuffix(JSON) for name in names if name.endswith(JSON)}
    return [name for name in names if name.endswith(JSON) or name.removesuffix(TEXT) not in both]


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
        and all(score is None or type(score) in (int, float) for score in value.values())
        and not any(name.startswith("_") for name in value)
        and not is_means(value)
    )


def _pair(line: str) -> tuple[str, str] | None:
    """Key and value of a line; None for a line of another form."""
    key, colon, value = line.rpartition(":")
    key, value = key.strip().strip("\"'"), value.strip()
    is_score = in_text(value) is not None or says_nothing(value)
    return (key, value) if colon and key and is_score else None


def _scores(source: Source, name: str, warnings: list[str]) -> ReportedNumbers:
    reported = ReportedNumbers(KEY)
    document = source.try_json(name)
    numbers = _of_text(source, name) if document is None else _of_object(document)
    for label, value in numbers.items():
        if value is None:
            warnings.append(
                message(
                    "{name}: {label} is no number: left out",
                    name=legible(name),
                    label=legible(label),
                )
            )
        else:
            reported.add(label, value)
    if not reported.values:
        raise ImportFailed(message("must contain a score; got a file without any"), file=name)
    reported.warn(name, warnings)
    return reported


def _of_object(document: JsonValue) -> dict[str, float | None]:
    scores = {}
    if is_means(document.value):
        raise document.fail(message("must come with the format ragas; got means of Ragas"))
    for name, part in document.fields():
        if part.value is not None and type(part.value) not in (int, float):
            raise part.fail(message("must be a number"))
        scores[name] = part.finite()
    return scores


def _of_text(source: Source, name: str) -> dict[str, float | None]:
    scores: dict[str, float | None] = {}
    for number, line in source.lines(name):
        try:
            text = line.removeprefix(BOM).decode()
        except UnicodeDecodeError:
            raise not_utf8(name, number) from None
        pair = _pair(text)
        if pair is None:
            problem = message("must be `key: number`; got {got}", got=sent(text))
            raise ImportFailed(problem, file=name, line=number)
        key = JsonValue(None, name, number).checked(pair[0], MAX_FIELD)
        if key in scores:
            raise ImportFailed(
                message("must have {key!r} once; got it twice", key=legible(key)),
                file=name,
                line=number,
            )
        scores[key] = in_text(pair[1])
    return scores


IMPORTER = importer(
    KEY,
    message("CodaLab and Codabench"),
    message("the scores.txt or scores.json of a scoring program"),
    recognises,
    runs,
    missing=message("must contain {text} or {json}; got neither", text=TEXT, json=JSON),
    suggests=by_numbers,
)
