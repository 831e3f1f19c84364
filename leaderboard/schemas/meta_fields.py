"""The fields of meta that a challenge declares, so that its board shows and filters them."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import Items, Strict
from leaderboard.schemas.choices import MetaType
from leaderboard.schemas.texts import Line

MAX_META_FIELDS: Final = 20


class MetaFieldBody(Strict):
    """A declared field of meta."""

    name: Annotated[
        str, Line(80), Field(description="As attempts name it in `meta`, such as `license`.")
    ]
    label: Annotated[
        str, Line(60, least=0), Field(description="The heading of its column; `name` without it.")
    ] = ""
    type: Annotated[
        MetaType,
        Field(strict=False, description="What its values are, which meta has as texts."),
    ] = MetaType.TEXT
    unit: Annotated[str, Line(12, least=0), Field(description="Of a number, such as `B`.")] = ""
    shown: Annotated[
        bool, Field(description="Whether the board shows it if the reader chooses no columns.")
    ] = False

    @field_validator("unit")
    @classmethod
    def _of_a_number(cls, unit: str, info: ValidationInfo) -> str:
        if unit and info.data.get("type") is not MetaType.NUMBER:
            raise ValueError(
                message(
                    "must be absent, because only a number has a unit; got {unit}", unit=sent(unit)
                )
            )
        return unit


def _unique(fields: tuple[MetaFieldBody, ...]) -> tuple[MetaFieldBody, ...]:
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                message("must name each field once; got {name} twice", name=sent(name))
            )
    return fields


MetaFields = Annotated[tuple[MetaFieldBody, ...], Items(MAX_META_FIELDS), AfterValidator(_unique)]
