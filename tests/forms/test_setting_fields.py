"""A scorer's schema becomes form fields."""

from __future__ import annotations

from typing import Any

import pytest
from django import forms
from django.core.exceptions import ValidationError
from hypothesis import example, given
from hypothesis import strategies as st

from leaderboard.forms.json_fields import NumberField, ObjectField
from leaderboard.forms.setting_fields import REST, config_fields

STORABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\0")


def fields_for(
    properties: dict[str, Any], stored: dict[str, Any] | None = None, **schema: Any
) -> dict[str, forms.Field]:
    return config_fields({"properties": properties, **schema}, stored or {})


def test_a_field_reads_a_value_of_its_type() -> None:
    cases: list[tuple[Any, str, Any]] = [
        ({"type": "number"}, "0.5", 0.5),
        ({"type": "number"}, "100", 100),
        ({"type": "integer"}, "-3", -3),
        ({"type": "boolean"}, "on", True),
        ({"type": "string"}, " a ", " a "),
        ({"enum": ["low", "high"]}, '"low"', "low"),
        ({"enum": [1, 2]}, "2", 2),
        ({"const": "v1"}, '"v1"', "v1"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "7", 7),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, "false", False),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, '"x"', "x"),
        ({"type": "array", "items": {"type": "number"}}, "[1, 2]", [1, 2]),
        ({"type": "array", "items": {"type": "number"}}, "0.25, 0.5,1", [0.25, 0.5, 1]),
        ({"type": "array", "items": {"type": "string"}}, "a, b\n c \n", ["a, b", "c"]),
        ({"type": "array", "items": {"$ref": "#/$defs/Level"}}, "high, low", ["high", "low"]),
        ({"type": "array", "items": {"type": "array"}}, "[[1]]", [[1]]),
        ({"type": "array"}, '["x"]', ["x"]),
        ({"type": "array", "items": {"type": "string", "writeOnly": True}}, '"***"', "***"),
        ({"$ref": "#/$defs/Level"}, '"high"', "high"),
        ({}, '{"a": null}', {"a": None}),
    ]
    for schema, typed, value in cases:
        levels = {"Level": {"enum": ["low", "high"], "type": "string"}}
        field = fields_for({"x": schema}, **{"$defs": levels})["x"]
        read = field.clean(typed)
        assert read == value, schema
        assert isinstance(read, type(value)), schema


def test_a_list_is_shown_as_it_is_typed() -> None:
    cases: list[tuple[Any, Any, str]] = [
        ({"type": "number"}, [0.25, 1], "0.25, 1"),
        ({"type": "string"}, ["a, b", "c"], "a, b\nc"),
        ({"enum": ["low", "high"]}, ["low"], "low"),
    ]
    for items, value, text in cases:
        field = fields_for({"x": {"type": "array", "items": items}})["x"]
        assert field.prepare_value(value) == text, items
        assert field.clean(text) == value, items
        assert not field.has_changed(value, text), items
        assert field.has_changed(value, "7" if items == {"type": "number"} else "high"), items
        assert field.clean("") is None, items


@given(value=st.lists(st.text(STORABLE, max_size=6)))
@example(value=[" price"])
@example(value=["[1]"])
@example(value=[""])
def test_a_list_of_texts_is_read_as_it_was_shown(value: list[str]) -> None:
    field = fields_for({"x": {"type": "array", "items": {"type": "string"}}})["x"]
    assert (field.clean(field.prepare_value(value)) or []) == value


def test_a_wrong_item_of_a_list_is_named() -> None:
    cases: list[tuple[Any, str, str]] = [
        ({"enum": ["low", "high"]}, "low, middle", "low, high; got middle"),
        ({"type": "number"}, "1, two", "number"),
        ({"type": "number"}, "[1", "JSON"),
    ]
    for items, typed, message in cases:
        with pytest.raises(ValidationError, match=message):
            fields_for({"x": {"type": "array", "items": items}})["x"].clean(typed)


def test_a_number_must_be_finite() -> None:
    cases: list[str] = ["NaN", "inf", "1e999", "five"]
    for typed in cases:
        with pytest.raises(ValidationError):
            NumberField().clean(typed)


def test_further_settings_are_a_json_object() -> None:
    cases: list[str] = [
        "[1]",
        '"text"',
        "NaN",
        '{"a": Infinity}',
        '{"a": 1e999}',
        "{",
        '{"a": "\\u0000"}',
    ]
    for typed in cases:
        with pytest.raises(ValidationError):
            ObjectField().clean(typed)


def test_label_help_and_initial_value_are_those_of_the_scorer() -> None:
    schema = {
        "type": "number",
        "title": "Bonus",
        "description": "Points.",
        "default": 5,
        "minimum": 0,
    }
    field = fields_for({"bonus": schema})["bonus"]
    assert (field.label, field.initial, field.required) == ("Bonus", 5, False)
    assert field.help_text == "Points. At least 0. Default: 5."


def test_the_help_has_whole_sentences() -> None:
    cases: list[tuple[Any, str]] = [
        ({"minimum": 0, "maximum": 2.5}, "At least 0, at most 2.5."),
        ({"exclusiveMinimum": 0, "maximum": 1000}, "Above 0, at most 1000."),
        ({"minimum": 1, "exclusiveMaximum": 9}, "At least 1, below 9."),
        ({"exclusiveMinimum": -1, "exclusiveMaximum": 1}, "Above −1, below 1."),
        ({"exclusiveMinimum": 3}, "Above 3."),
        ({"maximum": 3}, "At most 3."),
        ({"exclusiveMaximum": 3}, "Below 3."),
        ({"description": "How many there are"}, "How many there are."),
        ({}, ""),
    ]
    for limits, help_text in cases:
        assert fields_for({"x": {"type": "number", **limits}})["x"].help_text == help_text, limits


def test_descriptions_of_a_scorer_are_escaped() -> None:
    field = fields_for({"x": {"type": "string", "description": "<script>alert(1)</script>"}})["x"]
    assert "<script>" not in str(field.help_text)


def test_a_scorer_without_a_description_has_a_json_field() -> None:
    assert list(config_fields({}, {})) == [REST]


def test_stored_settings_without_a_field_can_be_edited() -> None:
    fields = fields_for({"x": {"type": "string"}}, {"x": "a", "old": 1})
    assert list(fields) == ["x", REST]
