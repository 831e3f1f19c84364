"""Libraries that plugins often use, imported once for all children.

These must be trusted: their code runs here before any right is dropped.
"""

import importlib
from collections.abc import Callable, Iterable
from contextlib import suppress


def preload(names: Iterable[str]) -> None:
    """Import libraries, ignoring errors: a child that imports a broken one reports its error."""
    for name in names:
        with suppress(Exception):
            importlib.import_module(name)
            _FIRST_USE.get(name, _noop)()


def _make_a_model() -> None:
    """Make a pydantic model, because pydantic delays most of its imports until then: 100 ms."""
    from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

    class First(BaseModel):
        model_config = ConfigDict(extra="forbid", strict=True)

        number: float = Field(default=1.0, ge=0, description="A number")
        word: str | None = None

        @field_validator("word")
        @classmethod
        def _any_word(cls, word: str | None) -> str | None:
            return word

        @model_validator(mode="before")
        @classmethod
        def _any_config(cls, config: object) -> object:
            return config

    First.model_validate({"number": 2.0}).model_dump(mode="json")
    First.model_json_schema()


def _noop() -> None:
    """Most libraries are complete once they are imported."""


_FIRST_USE: dict[str, Callable[[], None]] = {"pydantic": _make_a_model}
