"""Documents of instances: a HarpIA input document, outputs by id, and what a challenge expects.

Plain JSON values in, `Instance`s out; their texts are shared, not copied. What is wrong is named by
its place (`instances.3.actual-output`). An expected text never stands in a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from leaderboard.rules.instances import Instance
from leaderboard.rules.misspelt import misspelt
from leaderboard.rules.strict_json import MAX_INTEGER

MAX_INSTANCES: Final = 100_000
MAX_TEXTS: Final = 1000
"""Outputs, or references, of one instance."""
MAX_CHARACTERS: Final = 1 << 20
"""Of one text."""
MAX_ID: Final = 255
MAX_FAULTS: Final = 20
"""Wrong places that one answer names."""
MAX_SHOWN: Final = 80
MAX_NAMED: Final = 10
"""Further fields that one answer names."""

ID, INPUT, ACTUAL, EXPECTED = "id", "input", "actual-output", "expected-output"
FIELDS: Final = (ID, INPUT, ACTUAL, EXPECTED)
INSTANCES, METRICS = "instances", "metrics"

_ID_SHAPE = f"must be a whole number, or a text of 1 to {MAX_ID} characters that can be seen"
_TEXT_SHAPE = f"must be a text of at most {MAX_CHARACTERS} characters"
_TEXTS_SHAPE = "must be a text or a list of texts"
_NOT_EXPECTED = (
    "must not be there: outputs are compared with what the challenge holds; "
    "for one that holds nothing, bring a document with instances"
)


class Fault(NamedTuple):
    """Something wrong. at: where its row stands, as `instances.3` or the number of a line."""

    at: str | int
    field: str
    message: str

    @property
    def path(self) -> str:
        return ".".join(part for part in (str(self.at), self.field) if part)


class DocumentError(ValueError):
    """What is wrong with a document: its first faults, at least one."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        first = self.faults[0]
        super().__init__(f"{first.path}: {first.message}" if first.path else first.message)


class Document(NamedTuple):
    """A HarpIA input document. metrics: as they stand there; extra: its other fields.

    lists_metrics: whether it has a list of metrics at all, which may be empty.
    """

    instances: list[Instance]
    metrics: list[Any]
    extra: dict[str, Any]
    lists_metrics: bool = False


Row = tuple[str | int, Any]
"""Where a row stands, and its JSON value."""

Reader = Callable[[str | int, Any], Instance]


def parse_document(value: object) -> Document:
    """The document that a JSON value is; texts and extra fields are those of the value.

    `metrics` are only known to be a list: `rules.text_specs` reads them. Raises DocumentError.
    """
    if not isinstance(value, Mapping):
        raise _wrong("", "must be an object with instances")
    for name, message in misspelt(value, (INSTANCES, METRICS)):
        raise _wrong(name, message)
    extra = {name: value[name] for name in value if name not in (INSTANCES, METRICS)}
    metrics = value.get(METRICS)
    if not isinstance(metrics, list | None):
        raise _wrong(METRICS, "must be a list")
    instances = read_rows(_listed(value), read_instance)
    return Document(instances, metrics or [], extra, lists_metrics=metrics is not None)


def parse_outputs(value: object) -> list[Instance]:
    """Outputs by id: `{"1": "a text", "2": ["one", "another"], "3": null}`, or a list of
    instances with them: `[{"id": 1, "actual-output": "a text"}]`. Raises DocumentError.

    The ids, or the places in the list, stand alone in their faults.
    """
    if not isinstance(value, Mapping | list):
        text = f"must be an object: the output for each id, or a list with {ID} and {ACTUAL}"
        raise _wrong("", text)
    if not value:
        raise _wrong("", "must hold at least one output")
    if isinstance(value, list):
        return read_rows(((str(at), row) for at, row in enumerate(value)), read_output)
    rows = ((shown_id(each), (each, value[each])) for each in value)
    return read_rows(rows, _read_pair)


def parse_instances(value: list[Any]) -> list[Instance]:
    """A list of instances, as they stand in a document. Raises DocumentError."""
    return read_rows(((str(at), row) for at, row in enumerate(value)), read_instance)


def read_rows(rows: Iterable[Row], read: Reader) -> list[Instance]:
    """The instances of rows, each id once; of a wrong list up to 20 faults.

    read: `read_instance` or `read_output`. Raises DocumentError.
    """
    found: dict[str, Instance] = {}
    faults: list[Fault] = []
    for at, row in rows:
        try:
            instance = read(at, row)
            if instance.key in found:
                raise _wrong_at(at, ID, f"{shown_id(instance.id)} is there twice")
            found[instance.key] = instance
        except DocumentError as error:
            faults += error.faults
        if len(found) > MAX_INSTANCES:
            raise _wrong("", f"must have at most {MAX_INSTANCES} instances")
        if len(faults) >= MAX_FAULTS:
            break
    if faults:
        raise DocumentError(faults[:MAX_FAULTS])
    return list(found.values())


def read_instance(at: str | int, row: Any) -> Instance:
    """The instance of a row with HarpIA's names; other fields are kept in `extra`.

    An output that is absent or null, and an empty list, is a failed instance. Raises DocumentError.
    """
    if not isinstance(row, Mapping):
        raise _wrong_at(at, "", f"must be an object with {', '.join(FIELDS)}")
    faults = list(islice(_faults_of(at, row), MAX_FAULTS))
    if faults:
        raise DocumentError(faults)
    return Instance(
        row[ID],
        row.get(INPUT) or "",
        _as_texts(row.get(ACTUAL)),
        _as_texts(row.get(EXPECTED)),
        {name: row[name] for name in row if name not in FIELDS},
    )


def read_output(at: str | int, row: Any) -> Instance:
    """The instance of a row with an output: a reference in it is refused by its name."""
    instance = read_instance(at, row)
    if ACTUAL not in row:
        raise _wrong_at(at, ACTUAL, "is required; null says that there is no output")
    if instance.references:
        raise _wrong_at(at, EXPECTED, _NOT_EXPECTED)
    return instance


def told_further(instances: Iterable[Instance]) -> Iterator[str]:
    """What is said of fields, or columns, that instances have beside those that are known."""
    names = dict.fromkeys(name for each in instances for name in each.extra)
    if names:
        some = ", ".join(map(shown_id, islice(names, MAX_NAMED)))
        more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
        yield (
            f"further fields of instances are kept and have no meaning here: {some}{more}; "
            f"known are {', '.join(FIELDS)}"
        )


def without_outputs(instances: Iterable[Instance]) -> Iterator[Instance]:
    """The instances as a challenge holds them."""
    return (each._replace(outputs=()) for each in instances)


def shown_id(value: str | int) -> str:
    """An id as it may stand in a message or a path."""
    text = str(value)
    cut = text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
    return "".join(each if each.isprintable() else "?" for each in cut)


def _listed(value: Mapping[str, Any]) -> Iterator[Row]:
    """The rows of a document. Raises DocumentError unless there are 1 to 100 000."""
    if INSTANCES not in value:
        raise _wrong(INSTANCES, "is required: a list of instances")
    rows = value[INSTANCES]
    if not isinstance(rows, list):
        raise _wrong(INSTANCES, "must be a list of instances")
    if not 1 <= len(rows) <= MAX_INSTANCES:
        raise _wrong(INSTANCES, f"must have 1 to {MAX_INSTANCES} instances, not {len(rows)}")
    return ((f"{INSTANCES}.{at}", row) for at, row in enumerate(rows))


def _read_pair(at: str | int, pair: tuple[str, Any]) -> Instance:
    name, outputs = pair
    if not _is_id(name):
        raise _wrong_at(at, "", f"the id {_ID_SHAPE}")
    if fault := _wrong_texts(outputs):
        raise DocumentError([Fault(at, *fault)])
    return Instance(name, outputs=_as_texts(outputs))


def _faults_of(at: str | int, row: Mapping[str, Any]) -> Iterator[Fault]:
    if ID not in row:
        yield Fault(at, ID, "is required")
    elif not _is_id(row[ID]):
        yield Fault(at, ID, _ID_SHAPE)
    if row.get(INPUT) is not None and not _is_text(row[INPUT]):
        yield Fault(at, INPUT, _TEXT_SHAPE)
    for name in (ACTUAL, EXPECTED):
        if fault := _wrong_texts(row.get(name)):
            below, message = fault
            yield Fault(at, f"{name}.{below}" if below else name, message)
    for name, message in misspelt(row, FIELDS):
        yield Fault(at, name, message)


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return 1 <= len(value) <= MAX_ID and value.isprintable()
    return type(value) is int and abs(value) <= MAX_INTEGER


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_CHARACTERS


def _wrong_texts(value: object) -> tuple[str, str] | None:
    """What is wrong with outputs or references: where below them, and the message."""
    if value is None or _is_text(value):
        return None
    if not isinstance(value, list):
        return "", _TEXT_SHAPE if isinstance(value, str) else _TEXTS_SHAPE
    if len(value) > MAX_TEXTS:
        return "", f"must have at most {MAX_TEXTS} texts"
    wrong = next((at for at, text in enumerate(value) if not _is_text(text)), None)
    return None if wrong is None else (str(wrong), _TEXT_SHAPE)


def _as_texts(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _wrong(field: str, message: str) -> DocumentError:
    return _wrong_at("", field, message)


def _wrong_at(at: str | int, field: str, message: str) -> DocumentError:
    return DocumentError([Fault(at, field, message)])
