"""Errors for JSON that a schema refuses: the place, what is accepted, and what was sent."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import pytest
from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from typing_extensions import TypedDict

from leaderboard.rules.texts.messages import Message, message
from leaderboard.schemas.base import STRICT, Accepts, Items, Strict, tagged
from leaderboard.schemas.errors import MAX_ERRORS, SchemaError, WrongPart, checked


class Lamp(Strict):
    kind: Literal["lamp"] = "lamp"
    watts: Annotated[int, Field(ge=1, le=60)] = 40
    share: Annotated[float, Field(gt=0, le=1)] | None = None
    name: Annotated[str, Field(min_length=1, max_length=8)] = "lamp"
    mood: Literal["dim", "bright"] = "dim"
    on: bool = False
    colours: Annotated[tuple[str, ...], Items(2)] = ()

    @model_validator(mode="after")
    def _bright_lamps_are_on(self) -> Self:
        if self.mood == "bright" and not self.on:
            raise WrongPart("on", message("must be true of a bright lamp"))
        return self


class Room(Strict):
    kind: Literal["room"]
    things: Annotated[tuple[Thing, ...], Items(3, least=1)]
    sizes: dict[str, float] = {}


def _tag(value: Any) -> str:
    is_room = isinstance(value, dict) and value.get("kind") == "room"
    return tagged("room") if is_room else tagged("lamp")


def _from_name(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


Thing = Annotated[
    Annotated[Lamp, Tag(tagged("lamp"))] | Annotated[Room, Tag(tagged("room"))],
    Discriminator(_tag),
    BeforeValidator(_from_name),
    Accepts(message("must be a name or an object")),
]
Room.model_rebuild()


class Plain(TypedDict):
    __pydantic_config__ = STRICT  # type: ignore[misc]
    task: str
    reward: float


THINGS: TypeAdapter[tuple[Any, ...]] = TypeAdapter(Annotated[tuple[Thing, ...], Items(5)])
PLAIN: TypeAdapter[list[Plain]] = TypeAdapter(list[Plain], config=STRICT)


def refused(value: object, schema: TypeAdapter[Any] = THINGS) -> dict[str, list[str]]:
    with pytest.raises(SchemaError) as caught:
        checked(schema, value, "things")
    return caught.value.fields


def test_valid_values_have_the_schemas_type() -> None:
    lamp, room = checked(THINGS, ["desk", {"kind": "room", "things": [{"watts": 5}]}])
    assert (lamp.name, room.things[0].watts) == ("desk", 5)


def test_errors_name_each_place_and_what_it_accepts() -> None:
    cases: list[tuple[Any, str, str]] = [
        ({"watts": 0}, ".watts", "must be a whole number from 1 to 60; got 0"),
        ({"watts": 5.0}, ".watts", "must be a whole number from 1 to 60; got 5.0"),
        ({"watts": True}, ".watts", "must be a whole number from 1 to 60; got true"),
        ({"share": 2}, ".share", "must be a number above 0, at most 1, or null; got 2"),
        ({"share": "1"}, ".share", 'must be a number above 0, at most 1, or null; got "1"'),
        ({"name": ""}, ".name", 'must be a text of 1 to 8 characters; got ""'),
        ({"name": "a long one"}, ".name", "of 1 to 8 characters; got 10 characters"),
        ({"name": None}, ".name", "must be a text of 1 to 8 characters; got null"),
        ({"mood": "one"}, ".mood", 'must be dim or bright; got "one"'),
        ({"on": 1}, ".on", "must be true or false; got 1"),
        ({"colours": "red"}, ".colours", 'must be a list of at most 2 entries; got "red"'),
        ({"colours": ["a", "b", "c"]}, ".colours", "must be a list of at most 2 entries; got 3"),
        ({"colours": ["a", 1]}, ".colours.1", "must be a text; got 1"),
        ({"mood": "bright"}, ".on", "must be true of a bright lamp"),
        (
            {"wats": 5},
            ".wats",
            'must be a known field; got "wats": did you mean watts? Known fields: kind, watts, ',
        ),
        (
            {"heat": 5},
            ".heat",
            'must be a known field (kind, watts, share, name, mood, on, colours); got "heat"',
        ),
        (5, "", "must be a name or an object; got 5"),
        ([], "", "must be a name or an object; got []"),
        ({"kind": "room"}, ".things", "is required; got nothing"),
        ({"kind": "room", "things": []}, ".things", "must be a list of 1 to 3 entries; got 0"),
        ({"kind": "room", "things": [{"on": 0}]}, ".things.0.on", "must be true or false; got 0"),
        ({"kind": "room", "things": ["a"], "sizes": {"x": "y"}}, ".sizes.x", "finite number"),
    ]
    for thing, path, text in cases:
        fields = refused(["lamp", thing])
        assert list(fields) == [f"things.1{path}"], thing
        assert text in fields[f"things.1{path}"][0]


def test_the_whole_value_may_be_wrong() -> None:
    assert refused(None) == {"things": ["must be a list of at most 5 entries; got null"]}


def test_errors_omit_fields_that_depend_on_a_wrong_one() -> None:
    class Named(Strict):
        kind: str
        name: str = Field(default_factory=lambda data: data["kind"])

    assert list(refused({"kind": 1}, TypeAdapter(Named))) == ["things.kind"]


def test_typed_dicts_are_as_strict_as_models() -> None:
    fields = refused([{"task": "a", "reward": True}, {"task": "b", "rewards": 1}], PLAIN)
    assert fields == {
        "things.0.reward": ["must be a finite number; got true"],
        "things.1.reward": ["is required; got nothing"],
        "things.1.rewards": [
            'must be a known field; got "rewards": did you mean reward? Known fields: task, reward'
        ],
    }


def test_errors_name_at_most_twenty_places() -> None:
    with pytest.raises(SchemaError) as caught:
        checked(PLAIN, [{}] * 50)
    assert (len(caught.value.fields), caught.value.more) == (MAX_ERRORS, 100 - MAX_ERRORS)


def test_sentences_can_be_translated() -> None:
    (text,) = refused([{"watts": 0}])["things.0.watts"]
    assert isinstance(text, Message)
    assert text.template == "{accepted}; got {sent}"
    assert isinstance(text.parameters["accepted"], Message)
    (own,) = refused([{"mood": "bright"}])["things.0.on"]
    assert isinstance(own, Message)


def test_an_unknown_error_has_pydantics_text() -> None:
    fields = refused({"a": "x"}, TypeAdapter(dict[str, bytes], config=STRICT))
    text = 'must be another value (Input should be a valid bytes); got "x"'
    assert fields == {"things.a": [text]}


def test_models_never_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Lamp().watts = 5  # type: ignore[misc]
