"""Documents of instances: a HarpIA input document, outputs by id, and what a challenge expects.

An error of a challenge's own document never repeats an expected text as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, NotRequired

from pydantic import Field, SkipValidation, TypeAdapter
from typing_extensions import TypedDict

from leaderboard.rules.rewards.documents import (
    ACTUAL,
    ID,
    INSTANCES,
    MAX_INSTANCES,
    METRICS,
    Document,
)
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import Accepts
from leaderboard.schemas.errors import checked, wrong
from leaderboard.schemas.instances import (
    OPEN,
    InstanceFields,
    TextId,
    Texts,
    as_texts,
    check_count,
    read_instance,
    read_output,
    read_rows,
    spelt_right,
)
from leaderboard.schemas.slices import checked_fields
from leaderboard.schemas.text_metrics import MAX_TEXT_METRICS, DocumentTextMetric

SubmittedInstances = Annotated[
    list[Annotated[InstanceFields, SkipValidation]],
    Field(min_length=1, max_length=MAX_INSTANCES),
    Accepts(message("must be a list of 1 to {most} instances", most=MAX_INSTANCES)),
]


class ReferencesFields(TypedDict):
    """What a challenge expects. Its other fields are kept; metrics in it have no meaning."""

    __pydantic_config__ = OPEN  # type: ignore[misc]

    instances: SubmittedInstances


class DocumentFields(ReferencesFields):
    """A HarpIA input document. Its other fields are kept."""

    metrics: NotRequired[
        Annotated[
            list[Annotated[str | DocumentTextMetric, SkipValidation]],
            Field(max_length=MAX_TEXT_METRICS),
        ]
        | None
    ]


DOCUMENT: Final[TypeAdapter[DocumentFields]] = TypeAdapter(
    Annotated[
        DocumentFields,
        spelt_right((INSTANCES, METRICS)),
        Accepts(message("must be an object with instances")),
    ]
)
REFERENCES: Final = TypeAdapter(ReferencesFields)
OUTPUTS: Final[TypeAdapter[dict[str, str | list[str] | None]]] = TypeAdapter(
    dict[TextId, Texts | None], config=OPEN
)


def parse_document(value: object) -> Document:
    """Parse a JSON value as a document; texts and extra fields are kept unchanged.

    Of `metrics` only the type is checked; `schemas.text_metrics` reads them. Raises SchemaError.
    """
    fields = checked(DOCUMENT, value)
    rows = ((f"{INSTANCES}.{at}", row) for at, row in enumerate(fields["instances"]))
    instances = read_rows(rows, read_instance)
    metrics = fields.get("metrics")
    extra = {name: field for name, field in fields.items() if name not in (INSTANCES, METRICS)}
    return Document(instances, metrics or [], extra, lists_metrics=metrics is not None)


def parse_outputs(value: object) -> list[Instance]:
    """Outputs by id: `{"1": "a text", "2": ["one", "another"], "3": null}`, or a list of
    instances with them: `[{"id": 1, "actual-output": "a text"}]`.

    Raises SchemaError; its paths begin with the id, or with the place in the list.
    """
    if not isinstance(value, Mapping | list):
        text = message(
            "must be an object with the output for each id, or a list with {id} and {output};"
            " got {sent}",
            id=ID,
            output=ACTUAL,
            sent=sent(value),
        )
        raise wrong("", text)
    if not value:
        raise wrong("", message("must have at least one output; got {sent}", sent=sent(value)))
    if isinstance(value, list):
        return read_rows(((str(at), row) for at, row in enumerate(value)), read_output)
    check_count(len(value))
    return [
        Instance(name, outputs=as_texts(texts))
        for some in checked_fields(OUTPUTS, value)
        for name, texts in some.items()
    ]


def parse_instances(value: list[Any]) -> list[Instance]:
    """A list of instances, as they are in a document. Raises SchemaError."""
    return read_rows(((str(at), row) for at, row in enumerate(value)), read_instance)
