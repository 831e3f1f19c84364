"""Common parts of all schemas: strict frozen models, and annotations of their fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidatorFunctionWrapHandler,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from leaderboard.rules.texts.messages import Message

ACCEPTED: Final = "accepted"
"""The key in a core schema's metadata under which `Accepts` keeps its sentence."""

HIDDEN: Final = "\0"
"""The first character of a union's tag, which is in pydantic's paths and is removed in ours."""


class Strict(BaseModel):
    """An object with known fields. `Model.model_validate` takes what the JSON reader returns."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


STRICT: Final = Strict.model_config
"""Values are not converted: `"5"` is no number, and `true` is not 1.

For TypedDicts (`__pydantic_config__ = STRICT`) and TypeAdapters.
"""


@dataclass(frozen=True)
class Accepts:
    """The sentence of an error about what a field accepts, if the schema cannot express it well."""

    sentence: Message

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema: Any = handler(source)
        metadata = schema.get("metadata", {})
        return cast(CoreSchema, {**schema, "metadata": {**metadata, ACCEPTED: self.sentence}})


@dataclass(frozen=True)
class Items:
    """A JSON list of `least` to `most` entries, for `tuple[X, ...]`.

    A list of a wrong length has one error, and no errors of its entries.
    """

    most: int
    least: int = 0

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema: Any = handler(source)
        sized = {"strict": False, "min_length": self.least, "max_length": self.most}
        return core_schema.no_info_before_validator_function(self._checked, {**schema, **sized})

    def _checked(self, value: object) -> object:
        if not isinstance(value, list | tuple):
            raise PydanticKnownError("list_type")
        sizes = {"field_type": "List", "actual_length": len(value)}
        if len(value) < self.least:
            raise PydanticKnownError("too_short", {**sizes, "min_length": self.least})
        if len(value) > self.most:
            raise PydanticKnownError("too_long", {**sizes, "max_length": self.most})
        return value


@dataclass(frozen=True)
class NotNull:
    """A field that may be absent, but not null: for `X | None` with the default None."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema: Any = handler(source)
        return cast(CoreSchema, schema["schema"] if schema["type"] == "nullable" else schema)


@dataclass(frozen=True)
class Shorthand:
    """Accepts a text for the object with only this field: `"mean"` for `{"type": "mean"}`.

    most: the largest length of the text, for the JSON schema.
    """

    field: str
    most: int

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._written_out, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        text = {"type": "string", "minLength": 1, "maxLength": self.most}
        inner = handler(schema)
        return {"anyOf": [text, *inner.get("oneOf", [inner])]}

    def _written_out(self, value: object) -> object:
        return {self.field: value} if isinstance(value, str) else value


@dataclass(frozen=True)
class AsSent:
    """Checks JSON by another type but keeps it unchanged: for `list[Any]`."""

    type: Any

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(
            self._kept, handler.generate_schema(self.type)
        )

    def _kept(self, value: object, check: ValidatorFunctionWrapHandler) -> object:
        check(value)
        return value


def tagged(name: str) -> str:
    """The tag of a union's member, which paths omit."""
    return HIDDEN + name
