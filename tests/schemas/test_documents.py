"""Documents of instances: what is read, and how errors name the place of a fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.rules.rewards.documents import (
    MAX_CHARACTERS,
    MAX_INSTANCES,
    MAX_TEXTS,
    without_outputs,
)
from leaderboard.rules.rewards.instances import Instance
from leaderboard.schemas.documents import parse_document, parse_outputs
from leaderboard.schemas.errors import MAX_ERRORS, SchemaError
from leaderboard.schemas.instances import read_instance, read_output, read_rows
from tests.schemas.refusals import refused

ONE = {"id": "1", "input": "Bom dia", "actual-output": "hello", "expected-output": ["hi", "hello"]}


def faults_of(error: SchemaError) -> list[tuple[str, str]]:
    return list(error.errors)


def test_a_document_is_read_unchanged() -> None:
    document = parse_document(
        {
            "instances": [{**ONE, "level": {"cefr": "A1"}}, {"id": 2}],
            "metrics": [{"id": "bleu_nltk", "colour": 1}],
            "model": "atlas",
        }
    )
    assert document.instances == [
        Instance("1", "Bom dia", ("hello",), ("hi", "hello"), {"level": {"cefr": "A1"}}),
        Instance(2),
    ]
    assert document.metrics == [{"id": "bleu_nltk", "colour": 1}]
    assert document.extra == {"model": "atlas"}


def test_the_documents_of_the_source_system_are_read() -> None:
    path = Path(__file__).parents[1] / "seeds" / "harpia_documents.json"
    for vector in json.loads(path.read_text())["vectors"]:
        document = parse_document(vector["input"])
        assert [instance.id for instance in document.instances] == [
            instance["id"] for instance in vector["input"]["instances"]
        ]
        assert document.metrics == vector["input"]["metrics"]


def test_texts_are_not_copied() -> None:
    text = "x" * 1000
    (instance,) = parse_document({"instances": [{**ONE, "actual-output": [text]}]}).instances
    assert instance.outputs[0] is text


def test_an_output_is_a_text_a_list_or_nothing() -> None:
    cases: list[tuple[Any, tuple[str, ...]]] = [
        ("a", ("a",)),
        ("", ("",)),
        (["a", ""], ("a", "")),
        ([], ()),
        (None, ()),
    ]
    for output, outputs in cases:
        document = parse_document({"instances": [{**ONE, "actual-output": output}]})
        assert document.instances[0].outputs == outputs, output
        assert parse_outputs({"1": output}) == [Instance("1", outputs=outputs)], output
        assert parse_outputs([{"id": 1, "actual-output": output}]) == [Instance(1, outputs=outputs)]


def test_a_document_without_metrics_has_an_empty_list() -> None:
    assert parse_document({"instances": [ONE]}).metrics == []
    assert parse_document({"instances": [ONE], "metrics": None}).metrics == []


def test_references_are_instances_without_outputs() -> None:
    instances = parse_document({"instances": [ONE]}).instances
    assert list(without_outputs(instances)) == [Instance("1", "Bom dia", (), ("hi", "hello"))]


WRONG: list[tuple[Any, str, str]] = [
    (None, "", "must be an object with instances"),
    ([ONE], "", "must be an object with instances"),
    ({}, "instances", "is required; got nothing"),
    ({"instances": None}, "instances", "must be a list"),
    ({"instances": {"1": ONE}}, "instances", "must be a list"),
    ({"instances": []}, "instances", "1 to 100000 instances; got 0"),
    ({"instances": [ONE], "metrics": {}}, "metrics", "must be a list"),
    ({"instances": [ONE], "metrics": "F1"}, "metrics", "must be a list"),
    ({"Instances": [ONE]}, "Instances", "must be a known field; got"),
    ({"instances": [ONE], "Metrics": ["F1"]}, "Metrics", "must be a known field; got"),
    ({"instances": [ONE, "x"]}, "instances.1", "with id, input"),
    ({"instances": [None]}, "instances.0", "with id, input"),
    ({"instances": [{"input": "a"}]}, "instances.0.id", "is required; got nothing"),
]
NO_IDS: list[Any] = [None, True, 1.5, 1.0, "", "x" * 256, "a\nb", "a\0b", "\ud800", [], {}, 2**63]
NO_TEXTS: list[Any] = [0, 1, False, [], ["a"], {}, "x" * (MAX_CHARACTERS + 1)]
WRONG += [
    ({"instances": [{**ONE, "id": wrong}]}, "instances.0.id", "a whole number, or a text")
    for wrong in NO_IDS
]
WRONG += [
    ({"instances": [{**ONE, "input": wrong}]}, "instances.0.input", "must be a text")
    for wrong in NO_TEXTS
]
WRONG += [
    ({"instances": [{**ONE, name: wrong}]}, f"instances.0.{name}{below}", "text")
    for name in ("actual-output", "expected-output")
    for wrong, below in [
        (0, ""),
        (False, ""),
        ({}, ""),
        ("x" * (MAX_CHARACTERS + 1), ""),
        (["a", None], ".1"),
        ([["a"]], ".0"),
        ([1], ".0"),
        (["a"] * (MAX_TEXTS + 1), ""),
    ]
]
WRONG += [
    ({"instances": [{"id": 1, name: "a"}]}, f"instances.0.{name}", f"did you mean {meant}?")
    for name, meant in [
        ("actual_output", "actual-output"),
        ("Expected_Output", "expected-output"),
        ("expectedOutput", "expected-output"),
        ("actual output", "actual-output"),
        ("actual-output ", "actual-output"),
        ("Input", "input"),
    ]
]


def test_errors_name_the_place_of_a_fault() -> None:
    for value, place, message in WRONG:
        error = refused(parse_document, value)
        assert error.errors[0].path == place, value
        assert message in error.errors[0].message


def test_a_similar_name_beside_the_right_one_is_an_extra_field() -> None:
    (instance,) = parse_document({"instances": [{**ONE, "actual_output": "x"}]}).instances
    assert instance.extra == {"actual_output": "x"}


def test_ids_as_text_or_number_are_unique() -> None:
    rows = [{"id": 1}, {"id": "2"}, {"id": "1"}, {"id": 2}]
    third, fourth = faults_of(refused(parse_document, {"instances": rows}))
    assert third[0] == "instances.2.id"
    assert third[1].endswith("got 1 twice")
    assert fourth[0] == "instances.3.id"
    assert fourth[1].endswith("got 2 twice")


def test_more_than_100_000_instances_are_refused() -> None:
    rows = [{"id": at} for at in range(MAX_INSTANCES + 1)]
    with pytest.raises(SchemaError, match="1 to 100000 instances; got 100001"):
        parse_document({"instances": rows})
    with pytest.raises(SchemaError, match="at most 100000 instances"):
        read_rows(((str(at), row) for at, row in enumerate(rows)), read_instance)
    with pytest.raises(SchemaError, match="at most 100000 instances"):
        parse_outputs({str(row["id"]): "" for row in rows})
    assert len(parse_document({"instances": rows[1:]}).instances) == MAX_INSTANCES


def test_the_number_of_named_faults_is_limited() -> None:
    error = refused(parse_document, {"instances": [{"id": None, "input": 7}] * 100})
    assert len(error.errors) == MAX_ERRORS


def test_no_message_reveals_an_expected_text() -> None:
    secret = {"id": 1, "expected-output": ["the secret", 7], "expected_output": "the secret"}
    error = refused(parse_document, {"instances": [secret, secret, {**secret, "id": None}]})
    assert "secret" not in str(faults_of(error))


def test_errors_name_the_place_of_a_wrong_output() -> None:
    cases: list[tuple[Any, str, str]] = [
        (None, "", "the output for each id"),
        ([], "", "at least one output"),
        (["hello"], "0", "with id, input"),
        (
            [{"id": 1, "actual-output": "a", "expected-output": "b"}],
            "0.expected-output",
            "must be absent",
        ),
        ({}, "", "at least one output"),
        ({"1": 7}, "1", "got 7"),
        ({"1": "a", "2": ["a", 7]}, "2.1", "must be a text"),
        ({"": "a"}, "", "1 to 255 visible"),
        ({"a\n": "a"}, "a?", "1 to 255 visible"),
        ({"x" * 256: "a"}, "x" * 120, "the name must be"),
    ]
    for value, place, message in cases:
        error = refused(parse_outputs, value)
        assert error.errors[0].path == place, value
        assert message in error.errors[0].message


def test_a_row_of_outputs_has_no_expected_output() -> None:
    good: dict[str, Any] = {
        "id": 1,
        "actual-output": None,
        "expected-output": [],
        "note": "timed out",
    }
    assert read_rows([("7", good)], read_output) == [Instance(1, extra={"note": "timed out"})]
    wrong = [("1", {"id": 1}), ("2", {**ONE, "id": 2}), ("3", {"id": "4", "actual-output": 4})]
    missing, given, number = faults_of(refused(read_rows, wrong, read_output))
    assert missing == ("1.actual-output", "is required; got nothing")
    assert given[0] == "2.expected-output"
    assert given[1].startswith("must be absent")
    assert number[0] == "3.actual-output"
    assert number[1].endswith("got 4")
