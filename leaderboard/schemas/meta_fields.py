"""The fields of meta that a challenge declares, so that its board shows and filters them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from leaderboard.rules.json.stored import StoredMetaField
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import Items, Strict
from leaderboard.schemas.choices import MetaType
from leaderboard.schemas.texts import Line

MAX_META_FIELDS: Final = 20
MAX_CHOICES: Final = 20


def _without_marks(choice: str) -> str:
    if "," in choice or ":" in choice:
        raise ValueError(
            message("must have neither a comma nor a colon; got {choice}", choice=sent(choice))
        )
    return choice


MetaChoices = Annotated[
    tuple[Annotated[str, Line(60), AfterValidator(_without_marks)], ...], Items(MAX_CHOICES)
]


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
    choices: Annotated[
        MetaChoices,
        Field(
            validate_default=True,
            description="Of a choice: its values. Attempts may add words of their own behind a"
            " colon: `open: Apache-2.0`.",
        ),
    ] = ()
    shown: Annotated[
        bool, Field(description="Whether the board shows it if the reader chooses no columns.")
    ] = False

    @field_validator("choices")
    @classmethod
    def _of_a_choice(cls, choices: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if bool(choices) != (info.data.get("type") is MetaType.CHOICE):
            raise ValueError(
                message(
                    "must be given for a choice, and for no other type; got {choices}",
                    choices=sent(list(choices)),
                )
            )
        return choices

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

DECLARATIONS: Final[Sequence[StoredMetaField]] = (
    {"name": "protocol", "type": "choice", "choices": ["as described", "changed"]},
    {"name": "tuning", "type": "choice", "choices": ["none", "prompts", "parameters", "weights"]},
    {
        "name": "training_data",
        "label": "training data",
        "type": "choice",
        "choices": ["no tasks of this kind", "other tasks of this kind", "these tasks", "unknown"],
    },
    {"name": "openness", "type": "choice", "choices": ["open", "open weights", "closed"]},
)
"""Declarations that challenges usually ask for, as fields of meta."""
