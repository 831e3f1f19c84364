"""Instances of an evaluation with HarpIA's names, in a document, a list, or a line of a file.

Further fields are kept and mean nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Required

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
)
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from leaderboard.rules.json.strict import MAX_INTEGER
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.documents import (
    ACTUAL,
    EXPECTED,
    FIELDS,
    ID,
    INPUT,
    MAX_CHARACTERS,
    MAX_ID,
    MAX_INSTANCES,
    MAX_TEXTS,
    shown_id,
)
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.misspelt import misspelt
from leaderboard.schemas.base import STRICT, Accepts, tagged
from leaderboard.schemas.errors import (
    MAX_ERRORS,
    SchemaError,
    WrongPart,
    WrongPlace,
    checked,
    joined,
    wrong,
)

OPEN: Final[ConfigDict] = {**STRICT, "extra": "allow"}
"""The configuration of an object whose further fields are kept."""

_NUMBER, _TEXT, _LIST = tagged("number"), tagged("text"), tagged("list")


def _kind_of_id(value: object) -> str:
    return _NUMBER if type(value) is int else _TEXT


def _kind_of_texts(value: object) -> str:
    return _LIST if isinstance(value, list) else _TEXT


def _visible(text: str) -> str:
    if not text.isprintable():
        raise PydanticCustomError("not_visible", "not visible")
    return text


def spelt_right(fields: tuple[str, ...]) -> BeforeValidator:
    """A validator that refuses misspelt names of fields; other unknown names are kept."""

    names = frozenset(fields)

    def check(value: object) -> object:
        if isinstance(value, Mapping) and not names.issuperset(value):
            for name, text in (*misspelt(value, fields), *_numbered(value, fields)):
                raise WrongPart(name, text)
        return value

    return BeforeValidator(check)


def _numbered(names: Iterable[str], fields: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Columns of CSV files for further texts (`actual-output-2`), which JSON has in a list."""
    for name in names:
        field, _, number = name.rpartition("-")
        if field in fields and number.isdecimal():
            text = message(
                "must be absent, because several texts are a list in {field}; got a value",
                field=field,
            )
            yield name, text


InstanceText = Annotated[str, Field(max_length=MAX_CHARACTERS)]
Texts = Annotated[
    Annotated[InstanceText, Tag(_TEXT)]
    | Annotated[Annotated[list[InstanceText], Field(max_length=MAX_TEXTS)], Tag(_LIST)],
    Discriminator(_kind_of_texts),
    Accepts(
        message(
            "must be a text of at most {length} characters, or a list of at most {most} of them",
            length=MAX_CHARACTERS,
            most=MAX_TEXTS,
        )
    ),
]
TextId = Annotated[
    str,
    Field(min_length=1, max_length=MAX_ID),
    AfterValidator(_visible),
    Accepts(message("must be a text of 1 to {most} visible characters", most=MAX_ID)),
]
Id = Annotated[
    Annotated[Annotated[int, Field(ge=-MAX_INTEGER, le=MAX_INTEGER)], Tag(_NUMBER)]
    | Annotated[TextId, Tag(_TEXT)],
    Discriminator(_kind_of_id),
    Accepts(
        message("must be a whole number, or a text of 1 to {most} visible characters", most=MAX_ID)
    ),
]

_FIELDS: Final[JsonObject] = {
    ID: Required[Annotated[Id, Field(description="Unique; 1 and `1` as a text are the same.")]],
    INPUT: Annotated[InstanceText | None, Field(description="What the model was asked.")],
    ACTUAL: Annotated[
        Texts | None,
        Field(description="What it answered; of several outputs the best counts. Null: it failed."),
    ],
    EXPECTED: Annotated[Texts | None, Field(description="What was expected, any of them.")],
}

if TYPE_CHECKING:
    InstanceFields = TypedDict(
        "InstanceFields",
        {
            "id": Required[int | str],
            "input": str | None,
            "actual-output": str | list[str] | None,
            "expected-output": str | list[str] | None,
        },
        total=False,
    )
    OutputFields = InstanceFields
else:
    InstanceFields = TypedDict("InstanceFields", _FIELDS, total=False)
    OutputFields = TypedDict(
        "OutputFields", {**_FIELDS, ACTUAL: Required[_FIELDS[ACTUAL]]}, total=False
    )
    InstanceFields.__pydantic_config__ = OutputFields.__pydantic_config__ = OPEN

_KNOWN: Final = frozenset(FIELDS)
_OBJECT: Final = Accepts(message("must be an object with {fields}", fields=", ".join(FIELDS)))
INSTANCE: Final[TypeAdapter[InstanceFields]] = TypeAdapter(
    Annotated[InstanceFields, spelt_right(FIELDS), _OBJECT]
)
OUTPUT: Final[TypeAdapter[OutputFields]] = TypeAdapter(
    Annotated[OutputFields, spelt_right(FIELDS), _OBJECT]
)

LocatedRow = tuple[str, Any]
"""Where a row is, such as `instances.3`, and its JSON value."""
ReadInstance = Callable[[Any], Instance]


def read_instance(row: Any) -> Instance:
    """The instance of a row; fields without a meaning are in its `extra`, texts are shared.

    An output that is absent or null, and an empty list, is a failed instance. Raises SchemaError.
    """
    return _instance(checked(INSTANCE, row))


def read_output(row: Any) -> Instance:
    """The instance of a row that has an output and no reference. Raises SchemaError."""
    instance = _instance(checked(OUTPUT, row))
    if instance.references:
        text = message(
            "must be absent, because outputs are compared with what the challenge holds"
            " (for one that holds nothing, submit a document with instances); got a value"
        )
        raise wrong(EXPECTED, text)
    return instance


def _instance(fields: InstanceFields) -> Instance:
    return Instance(
        fields[ID],
        fields.get(INPUT) or "",
        as_texts(fields.get(ACTUAL)),
        as_texts(fields.get(EXPECTED)),
        {} if _KNOWN.issuperset(fields) else _further(fields),
    )


def _further(fields: InstanceFields) -> JsonObject:
    return {name: value for name, value in fields.items() if name not in _KNOWN}


def read_rows(rows: Iterable[LocatedRow], read: ReadInstance) -> list[Instance]:
    """The instances of rows, each id once.

    read: `read_instance` or `read_output`. Raises SchemaError for the first 20 wrong places.
    """
    by_key: dict[str, Instance] = {}
    errors: list[WrongPlace] = []
    for at, row in rows:
        try:
            instance = read(row)
            if instance.key in by_key:
                error_text = message("must be there once; got {id} twice", id=shown_id(instance.id))
                raise wrong(ID, error_text)
            by_key[instance.key] = instance
        except SchemaError as error:
            errors += (WrongPlace(joined(at, path), text) for path, text in error.errors)
        check_count(len(by_key))
        if len(errors) >= MAX_ERRORS:
            break
    if errors:
        raise SchemaError(errors[:MAX_ERRORS])
    return list(by_key.values())


def check_count(count: int) -> None:
    """Raises SchemaError for more than 100 000 instances."""
    if count > MAX_INSTANCES:
        text = message("must have at most {most} instances; got more", most=MAX_INSTANCES)
        raise wrong("", text)


def as_texts(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """Outputs or references as a tuple, which is empty for null."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)
