"""What models answered, as it is submitted: documents and outputs of up to 100 000 instances.

`rules.documents` knows what is right. Errors say where: `evaluation.instances.17.actual-output`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from leaderboard.api.scoring_lists import TEXT_METRICS_SHAPE
from leaderboard.rules.documents import (
    ACTUAL,
    EXPECTED,
    ID,
    INPUT,
    INSTANCES,
    MAX_CHARACTERS,
    MAX_ID,
    MAX_INSTANCES,
    MAX_TEXTS,
    METRICS,
    Document,
    DocumentError,
    parse_document,
    parse_outputs,
)
from leaderboard.rules.instances import Instance

Read = TypeVar("Read")

TEXT = {"type": "string", "maxLength": MAX_CHARACTERS}
TEXTS: Final = {
    "nullable": True,
    "oneOf": [TEXT, {"type": "array", "items": TEXT, "maxItems": MAX_TEXTS}],
}
ID_SHAPE = {
    "oneOf": [{"type": "string", "minLength": 1, "maxLength": MAX_ID}, {"type": "integer"}],
    "description": "Unique; 1 and `1` as a text are the same.",
}
INSTANCE_SHAPE = {
    "type": "object",
    "required": [ID],
    "properties": {
        ID: ID_SHAPE,
        INPUT: {**TEXT, "nullable": True, "description": "What the model was asked."},
        ACTUAL: {
            **TEXTS,
            "description": "What it answered; of several outputs the best counts. Null: it failed.",
        },
        EXPECTED: {**TEXTS, "description": "What was expected, any of them."},
    },
    "additionalProperties": True,
}
DOCUMENT_SHAPE: Final = {
    "type": "object",
    "required": [INSTANCES],
    "properties": {
        INSTANCES: {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_INSTANCES,
            "items": INSTANCE_SHAPE,
        },
        METRICS: {**TEXT_METRICS_SHAPE, "nullable": True},
    },
    "additionalProperties": True,
}


@extend_schema_field(
    {
        **DOCUMENT_SHAPE,
        "description": "A HarpIA Lab input document. Its other fields are kept. Where the challenge"
        f" holds what is expected, it brings neither `{METRICS}` nor `{EXPECTED}`.",
    }
)
class EvaluationField(serializers.Field[Any, Any, Any, Any]):
    """A document of instances and metrics."""

    def to_internal_value(self, data: Any) -> Document:
        return _read(parse_document, data)

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field(
    {
        "oneOf": [
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": MAX_INSTANCES,
                "additionalProperties": TEXTS,
            },
            {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_INSTANCES,
                "items": {**INSTANCE_SHAPE, "required": [ID, ACTUAL]},
            },
        ],
        "description": "What the model answered, by the id of the instance, where the challenge"
        " holds what is expected; or a list of instances with it. An instance that is missing, or"
        " null, has failed.",
    }
)
class OutputsField(serializers.Field[Any, Any, Any, Any]):
    """Outputs by id."""

    def to_internal_value(self, data: Any) -> list[Instance]:
        return _read(parse_outputs, data)

    def to_representation(self, value: Any) -> Any:
        return value


def _read(parse: Callable[[object], Read], data: Any) -> Read:
    try:
        return parse(data)
    except DocumentError as error:
        wrong = {fault.path or "non_field_errors": [fault.message] for fault in error.faults}
        raise ValidationError(wrong) from None
