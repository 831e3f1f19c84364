"""Files with outputs of models, and files with references."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.importers import ImportFailed, Source
from leaderboard.importers.reading import instance_files, instance_tables
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.instance_files import read_references
from leaderboard.rules.rewards.documents import MAX_CHARACTERS, Document
from leaderboard.rules.rewards.instances import Instance
from leaderboard.schemas.instances import read_instance
from tests.importers.uploads import (
    FIXTURES,
    assert_refused,
    imported,
    lines,
    only_attempt,
    refusal,
    zipped,
)

ONE = {"id": "1", "input": "Bom dia", "actual-output": "hello", "expected-output": ["hi"]}


def atlas_attempt(upload: bytes) -> ImportedAttempt:
    return only_attempt(upload, "file", participant="atlas")


def references(upload: bytes) -> Document:
    with Source.open(upload, "file") as source:
        return read_references(source)


def refusals(upload: bytes, **options: str) -> list[str]:
    with pytest.raises(ImportFailed) as caught:
        imported(upload, "file", participant="atlas", **options)
    return [str(error) for error in (caught.value, *caught.value.further)]


def test_a_document_becomes_an_attempt_of_its_model() -> None:
    contents = imported(FIXTURES / "harpia.json")
    (attempt,) = contents.attempts
    assert (attempt.participant, attempt.meta) == ("atlas-2", {"model": "atlas-2"})
    assert attempt.evaluation is not None
    assert attempt.evaluation.extra == {"model": "atlas-2"}
    assert [instance.id for instance in attempt.evaluation.instances] == ["1", 2, "3"]
    assert attempt.evaluation.instances[0].extra == {"level": {"cefr": "A1"}}
    assert [metric["id"] for metric in attempt.evaluation.metrics] == ["bleu_nltk", "BERTSCORE"]
    assert contents.suggested == {"text_metrics": attempt.evaluation.metrics}


def test_a_document_names_its_participant_or_the_upload_does() -> None:
    named = {"instances": [ONE], "participant": "Atlas  II", "model": "x"}
    assert only_attempt(json.dumps(named).encode()).participant == "Atlas II"
    assert "participant: must be given" in refusal(json.dumps({"instances": [ONE]}).encode())
    assert atlas_attempt(json.dumps({"instances": [ONE]}).encode()).participant == "atlas"


def test_outputs_may_have_four_forms() -> None:
    for name in ("outputs.json", "outputs-list.json", "outputs.jsonl", "outputs.csv"):
        attempt = atlas_attempt((FIXTURES / name).read_bytes())
        assert attempt.outputs is not None, name
        assert [output.key for output in attempt.outputs] == ["1", "2", "3"], name
        assert attempt.outputs[0].outputs == ("the cat sat on the mat",), name
        assert attempt.outputs[2].outputs == (), name


def test_references_may_be_a_list() -> None:
    document = references(json.dumps([ONE, {"id": 2, "expected-output": "bye"}]).encode())
    assert document.instances == [
        Instance("1", "Bom dia", ("hello",), ("hi",)),
        Instance(2, references=("bye",)),
    ]
    with pytest.raises(ImportFailed, match=r"file, 1\.expected-output: must"):
        references(json.dumps([ONE, {"id": 2, "expected-output": 5}]).encode())


def test_a_table_may_have_texts_of_several_lines() -> None:
    outputs = atlas_attempt((FIXTURES / "outputs.csv").read_bytes()).outputs
    assert outputs is not None
    assert outputs[1] == Instance(
        "2", outputs=("good morning\nto you all",), extra={"seconds": "1.5"}
    )


def test_a_table_may_have_other_delimiters() -> None:
    for mark in (";", "\t"):
        rows = [["id", "actual-output"], ["1", " a, b "], [], ["2", ""]]
        upload = "\r\n".join(mark.join(row) for row in rows).encode("utf-8-sig")
        outputs = atlas_attempt(upload).outputs
        assert outputs == [Instance("1", outputs=(" a, b ",)), Instance("2")], mark


def test_a_table_may_have_several_outputs() -> None:
    upload = b"id,actual-output,actual-output-2,actual-output-10\n1,a,b,c\n2,a,,\n3,,,c\n4,,,\n"
    assert atlas_attempt(upload).outputs == [
        Instance("1", outputs=("a", "b", "c")),
        Instance("2", outputs=("a",)),
        Instance("3", outputs=("c",)),
        Instance("4"),
    ]


def test_a_table_of_outputs_may_have_other_columns() -> None:
    upload = b"id,task,actual-output\n1,translate,a\n"
    translated = Instance("1", outputs=("a",), extra={"task": "translate"})
    assert atlas_attempt(upload).outputs == [translated]
    upload = b"participant,id,actual-output\natlas,1,a\n"
    assert_refused(upload, "line 1: got a column participant", participant="atlas")


def test_a_long_text_fits_into_a_cell() -> None:
    text = "ü" * 200_000
    upload = f'id,actual-output\n1,"{text}"\n'.encode()
    assert atlas_attempt(upload).outputs == [Instance("1", outputs=(text,))]
    longer = f"id,actual-output\n1,{'x' * (MAX_CHARACTERS + 1)}\n".encode()
    assert_refused(longer, "line 2: CSV", participant="atlas")


def test_a_later_broken_line_does_not_hide_the_format() -> None:
    """The seventh line is broken; the file is recognised by the lines before it."""
    rows = [json.dumps({"id": at, "actual-output": "a"}) for at in range(10)]
    rows[6] = rows[6][:-3]
    assert_refused("\n".join(rows).encode(), "line 7: JSON", participant="atlas")


def test_errors_name_every_wrong_line() -> None:
    upload = lines(
        {"id": 1, "actual-output": "a"},
        {"id": "1", "actual-output": "a"},
        {"id": 2, "actual-output": 7},
        {"id": 3},
        {"id": 4, "actual-output": "a", "expected-output": "the secret"},
        {"id": 5, "actual_output": "a"},
    )
    twice, number, missing, given, misspelt = refusals(upload)
    assert twice == "file, line 2, id: must be there once; got 1 twice"
    assert number.startswith("file, line 3, actual-output: must be a text")
    assert missing == "file, line 4, actual-output: is required; got nothing"
    assert given.startswith("file, line 5, expected-output: must be absent")
    assert "secret" not in given
    assert misspelt.startswith("file, line 6, actual_output: must be a known field")
    assert misspelt.endswith("did you mean actual-output?")


def test_errors_count_the_lines_of_a_table_as_in_the_file() -> None:
    upload = b'id,actual-output\n1,"a\nb\nc"\n\n1,x\n'
    assert_refused(upload + b"2\n", "line 7: got 1", participant="atlas")
    assert_refused(upload, "line 6, id: got 1 twice", participant="atlas")


def test_a_wrong_table_is_refused_by_line() -> None:
    cases: list[tuple[bytes, str]] = [
        (b"id,actual-output,actual-output\n1,a,b\n", "line 1: 'actual-output' once"),
        (b"id,output\n1,hello\n", "line 1: id and"),
        (b"id,actual-output,\n1,a,b\n", "line 1: can be seen"),
        (b'id,actual-output\n1,"a\n', "line 2: CSV"),
        (b'id,actual-output\n1,a"b"c\n2,"a"b\n', "line 3: CSV"),
        (b"id,actual-output\n1,\xff\n", "line 2: UTF-8"),
        (b"id,actual-output\n1,a\0b\n", "line 2: NUL"),
        (b"id,actual-output\n", "contain an instance"),
        (b"id,actual-output\n,a\n", "line 2, id: a whole number, or a text"),
    ]
    for upload, expected in cases:
        assert_refused(upload, expected, format="outputs", participant="atlas")
    for name in ("actual-output_2", "actual_output_2", "actualOutput2", "Actual-Output-2"):
        upload = f"id,actual-output,{name}\n1,a,b\n".encode()
        text = refusal(upload, format="outputs", participant="atlas")
        assert f"line 1: must have known columns; got {name!r}" in text
        assert text.endswith("did you mean actual-output-2?")


def test_a_table_without_the_header_of_outputs_has_no_known_format() -> None:
    upload = b"1,hello\n2,hi\n"
    assert "known format" in refusal(upload, participant="atlas")
    wrong = pytest.raises(ImportFailed, match=r"line 1: .* id and")
    with wrong, Source.open(upload, "file") as source:
        instance_files.read_table(source, read_instance)


def test_files_are_checked_as_strictly_as_requests() -> None:
    """The rules are those of `rules.json.strict` and `schemas.documents`."""
    assert_refused(b'{"instances": [{"id": 1, "x": NaN}]}', "instances.0.x: finite")
    assert_refused(b'{"instances": [{"id": 1, "id": 2}]}', "instances.0.id: once")
    assert_refused(b'{"instances": []}', "instances: got 0")
    assert_refused(b'{"1": "a", "1": "b"}', "1: once", participant="atlas")
    row = b'{"id": 1, "actual-output": "\\ud800"}\n'
    assert_refused(row, "line 1, actual-output: surrogate", participant="atlas")


def test_files_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        name: (FIXTURES / name).read_bytes()
        for name in ("harpia.json", "outputs.jsonl", "outputs.csv")
    }
    monkeypatch.setattr(instance_files, "MAX_PARTS", 10)
    assert "at most 10 values" in refusals(files["harpia.json"])[0]
    monkeypatch.setattr(instance_tables, "MAX_BYTES", 50)
    for content in files.values():
        assert "at most 0 MiB" in refusals(content)[0]
        assert "at most 0 MiB" in refusals(zipped({"x": content}))[0]


def test_the_same_outputs_have_the_same_id() -> None:
    assert atlas_attempt(b'{"1": "a"}').source_id == atlas_attempt(b'{ "1" :"a" }').source_id
    assert atlas_attempt(b'{"1": "a"}').source_id != atlas_attempt(b'{"1": "b"}').source_id
    other = only_attempt(b'{"1": "a"}', participant="borealis")
    assert other.source_id != atlas_attempt(b'{"1": "a"}').source_id


def test_references_may_have_three_forms() -> None:
    for upload in (
        json.dumps({"instances": [ONE, {**ONE, "id": 2}], "metrics": []}).encode(),
        json.dumps({"instances": [ONE, {**ONE, "id": 2}]}, indent=1).encode(),
        lines(ONE, {**ONE, "id": 2}),
        lines({"id": 1, "expected-output": "hi", "input": "Bom dia"}, {**ONE, "id": 2}),
        b"id,input,expected-output\n1,Bom dia,hi\n2,Bom dia,hi\n",
        b"expected-output;input;id\nhi;Bom dia;1\nhi;Bom dia;2\n",
    ):
        instances = references(upload).instances
        assert [instance.key for instance in instances] == ["1", "2"], upload
        assert all(
            (instance.input, instance.references) == ("Bom dia", ("hi",)) for instance in instances
        ), upload


def test_a_table_may_have_further_columns_of_references() -> None:
    upload = (
        b"id,expected-output,expected-output-2,expected-output-x,note\n1,a,b,c,\n2,a,,,yes\n3,,,,\n"
    )
    assert references(upload).instances == [
        Instance("1", "", (), ("a", "b"), {"expected-output-x": "c"}),
        Instance("2", "", (), ("a",), {"note": "yes"}),
        Instance("3"),
    ]


def test_other_files_have_no_references() -> None:
    cases: list[tuple[bytes, str]] = [
        (b"hello", "file: .* document with instances"),
        (b'{"1": "a"}', "file: .* document with instances"),
        (b"", "file: .* document with instances"),
        (b"1,a\n", "file: .* document with instances"),
        (lines({"id": 1, "reference": "a"}), "file: .* document with instances"),
        (zipped({"a": b"id,expected-output\n1,a\n", "b": b""}), "document with instances"),
        (b"id,text\n1,a\n", "line 1: .* header"),
        (b"id,reference\n1,a\n", "line 1: .* header"),
        (b'{"instances": [}', "must be JSON"),
        (b'{"instances": {"1": "a"}}', "file, instances: must be a list"),
        (lines({"id": 1, "expected_output": "a"}), "line 1, expected_output: .* known field"),
        (
            b"id,expected-output,expected_output_2\n1,a,b\n",
            "line 1: .* 'expected_output_2': did you mean expected-output-2",
        ),
    ]
    for upload, message in cases:
        with pytest.raises(ImportFailed, match=message):
            references(upload)


def test_no_message_reveals_the_references() -> None:
    rows: list[Any] = [
        {"id": 1, "expected-output": "the secret"},
        {"id": 1, "expected-output": ["the secret", 7]},
        {"id": 1, "expected_output": "the secret"},
    ]
    with pytest.raises(ImportFailed) as caught:
        references(lines(*rows))
    errors = [str(error) for error in (caught.value, *caught.value.further)]
    assert len(errors) == 2
    assert "secret" not in str(errors)
    with pytest.raises(ImportFailed) as caught:
        references(b'id,expected-output\n1,"the secret\n')
    assert "secret" not in str(caught.value)
