"""Files with outputs of models, and files with references."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.importers import ImportFailed, Source, instance_files, instance_tables
from leaderboard.importers.imports import ImportedAttempt
from leaderboard.importers.instance_files import read_references
from leaderboard.rules.documents import MAX_CHARACTERS, Document
from leaderboard.rules.instances import Instance
from leaderboard.schemas.instances import read_instance
from tests.importers.uploads import FIXTURES, imported, lines, refusal, zipped

ONE = {"id": "1", "input": "Bom dia", "actual-output": "hello", "expected-output": ["hi"]}


def brought(upload: bytes, **options: str) -> ImportedAttempt:
    (attempt,) = imported(upload, "file", participant="atlas", **options).attempts
    return attempt


def references(upload: bytes) -> Document:
    with Source.open(upload, "file") as source:
        return read_references(source)


def refused(upload: bytes, **options: str) -> list[str]:
    with pytest.raises(ImportFailed) as caught:
        imported(upload, "file", participant="atlas", **options)
    return [str(each) for each in (caught.value, *caught.value.others)]


def test_a_document_becomes_an_attempt_of_its_model() -> None:
    found = imported(FIXTURES / "harpia.json")
    (attempt,) = found.attempts
    assert (attempt.participant, attempt.meta) == ("atlas-2", {"model": "atlas-2"})
    assert attempt.evaluation is not None
    assert attempt.evaluation.extra == {"model": "atlas-2"}
    assert [each.id for each in attempt.evaluation.instances] == ["1", 2, "3"]
    assert attempt.evaluation.instances[0].extra == {"level": {"cefr": "A1"}}
    assert [each["id"] for each in attempt.evaluation.metrics] == ["bleu_nltk", "BERTSCORE"]
    assert found.suggested == {"text_metrics": attempt.evaluation.metrics}


def test_the_participant_of_a_document() -> None:
    named = {"instances": [ONE], "participant": "Atlas  II", "model": "x"}
    assert imported(json.dumps(named).encode()).attempts[0].participant == "Atlas II"
    assert "participant: must be given" in refusal(json.dumps({"instances": [ONE]}).encode())
    assert brought(json.dumps({"instances": [ONE]}).encode()).participant == "atlas"


def test_outputs_may_have_four_forms() -> None:
    for name in (
        "outputs.json",
        "outputs-list.json",
        "outputs.jsonl",
        "outputs.csv",
    ):
        attempt = brought((FIXTURES / name).read_bytes())
        assert attempt.outputs is not None, name
        assert [each.key for each in attempt.outputs] == ["1", "2", "3"], name
        assert attempt.outputs[0].outputs == ("the cat sat on the mat",), name
        assert attempt.outputs[2].outputs == (), name
        assert "participant: must be given" in refusal(FIXTURES / name), name


def test_references_may_be_a_list() -> None:
    found = references(json.dumps([ONE, {"id": 2, "expected-output": "bye"}]).encode())
    assert found.instances == [
        Instance("1", "Bom dia", ("hello",), ("hi",)),
        Instance(2, references=("bye",)),
    ]
    with pytest.raises(ImportFailed, match=r"file, 1\.expected-output: must"):
        references(json.dumps([ONE, {"id": 2, "expected-output": 5}]).encode())


def test_a_table_may_have_texts_of_several_lines() -> None:
    found = brought((FIXTURES / "outputs.csv").read_bytes()).outputs
    assert found is not None
    assert found[1] == Instance(
        "2", outputs=("good morning\nto you all",), extra={"seconds": "1.5"}
    )


def test_a_table_may_have_other_delimiters() -> None:
    for mark in (
        ";",
        "\t",
    ):
        rows = [["id", "actual-output"], ["1", " a, b "], [], ["2", ""]]
        upload = "\r\n".join(mark.join(row) for row in rows).encode("utf-8-sig")
        assert brought(upload).outputs == [Instance("1", outputs=(" a, b ",)), Instance("2")], mark


def test_a_table_may_have_several_outputs() -> None:
    upload = b"id,actual-output,actual-output-2,actual-output-10\n1,a,b,c\n2,a,,\n3,,,c\n4,,,\n"
    assert brought(upload).outputs == [
        Instance("1", outputs=("a", "b", "c")),
        Instance("2", outputs=("a",)),
        Instance("3", outputs=("c",)),
        Instance("4"),
    ]


def test_a_table_of_outputs_may_have_other_columns() -> None:
    upload = b"id,task,actual-output\n1,translate,a\n"
    assert brought(upload).outputs == [Instance("1", outputs=("a",), extra={"task": "translate"})]
    assert refused(b"participant,id,actual-output\natlas,1,a\n") == [
        "file, line 1: must be the file of one participant, whose name is given with it; got a "
        "column participant"
    ]


def test_a_long_text_fits_into_a_cell() -> None:
    text = "ü" * 200_000
    assert brought(f'id,actual-output\n1,"{text}"\n'.encode()).outputs == [
        Instance("1", outputs=(text,))
    ]
    (message,) = refused(f"id,actual-output\n1,{'x' * (MAX_CHARACTERS + 1)}\n".encode())
    assert message.startswith("file, line 2: must be CSV; got a syntax error: field larger than")


def test_a_later_broken_line_does_not_hide_the_format() -> None:
    """The seventh line is broken; the file is recognised by the lines before it."""
    rows = [json.dumps({"id": at, "actual-output": "a"}) for at in range(10)]
    rows[6] = rows[6][:-3]
    (message,) = refused("\n".join(rows).encode())
    assert message.startswith("file, line 7: must be JSON; got a syntax error: ")


def test_errors_name_every_wrong_line() -> None:
    upload = lines(
        {"id": 1, "actual-output": "a"},
        {"id": "1", "actual-output": "a"},
        {"id": 2, "actual-output": 7},
        {"id": 3},
        {"id": 4, "actual-output": "a", "expected-output": "the secret"},
        {"id": 5, "actual_output": "a"},
    )
    found = refused(upload)
    assert found == [
        "file, line 2, id: must be there once; got 1 twice",
        "file, line 3, actual-output: must be a text of at most 1048576 characters, or a list of "
        "at most 1000 of them; got 7",
        "file, line 4, actual-output: is required; got nothing",
        "file, line 5, expected-output: must be absent, because outputs are compared with what the "
        "challenge holds (for one that holds nothing, submit a document with instances); "
        "got a value",
        'file, line 6, actual_output: must be a known field; got "actual_output": did you mean '
        "actual-output?",
    ]


def test_errors_describe_almost_valid_references() -> None:
    cases: list[tuple[bytes, str]] = [
        (
            lines({"id": 1, "expected_output": "a"}),
            "file, line 1, expected_output: must be a known field",
        ),
        (b'{"instances": {"1": "a"}}', "file, instances: must be a list of 1 to 100000 instances"),
        (b"id,reference\n1,a\n", "file, line 1: must begin with a header"),
        (
            b"id,expected-output,expected_output_2\n1,a,b\n",
            "file, line 1: must have known columns; got 'expected_output_2': did you mean "
            "expected-output-2?",
        ),
        (lines({"id": 1, "reference": "a"}), "file: must be a document with instances, a list or"),
        (b"1,a\n", "file: must be a document with instances, a list or lines of instances"),
    ]
    for upload, message in cases:
        with pytest.raises(ImportFailed) as caught:
            references(upload)
        assert str(caught.value).startswith(message), upload


def test_errors_count_the_lines_of_a_table_as_in_the_file() -> None:
    upload = b'id,actual-output\n1,"a\nb\nc"\n\n1,x\n2\n'
    assert refused(upload) == ["file, line 7: must have 2 cells, as many as the header; got 1"]
    assert refused(b'id,actual-output\n1,"a\nb\nc"\n\n1,x\n') == [
        "file, line 6, id: must be there once; got 1 twice"
    ]


def test_a_wrong_table_is_refused_by_line() -> None:
    cases: list[tuple[bytes, str]] = [
        (b"1,hello\n2,hi\n", "line 1: must begin with a header that has the columns id and"),
        (b"id,output\n1,hello\n", "line 1: must begin with a header that has the columns id and"),
        (
            b"id,actual-output,actual-output\n1,a,b\n",
            "line 1: must have the column 'actual-output' once; got it twice",
        ),
        (b"id,actual-output,\n1,a,b\n", "line 1: must have columns with names that can be seen"),
        *(
            (
                f"id,actual-output,{name}\n1,a,b\n".encode(),
                f"line 1: must have known columns; got {name!r}: did you mean actual-output-2?",
            )
            for name in ("actual-output_2", "actual_output_2", "actualOutput2", "Actual-Output-2")
        ),
        (
            b'id,actual-output\n1,"a\n',
            "line 2: must be CSV; got a syntax error: unexpected end of data",
        ),
        (b'id,actual-output\n1,a"b"c\n2,"a"b\n', "line 3: must be CSV; got a syntax error: "),
        (b"id,actual-output\n1,\xff\n", "line 2: must be UTF-8; got another encoding"),
        (b"id,actual-output\n1,a\0b\n", "line 2: must not hold the NUL character; got one"),
        (b"id,actual-output\n", "must contain an instance; got a file without any"),
        (b"id,actual-output\n,a\n", "line 2, id: must be a whole number, or a text"),
    ]
    for upload, message in cases:
        if instance_files.header_of(Source.open(upload, "file")) == []:
            assert "known format" in refusal(upload, participant="atlas"), upload
            with pytest.raises(ImportFailed) as caught, Source.open(upload, "file") as source:
                instance_files.read_table(source, read_instance)
            assert message in str(caught.value), upload
        else:
            assert message in refused(upload, format="outputs")[0], upload


def test_a_document_is_checked_as_strictly_as_a_request() -> None:
    cases: list[tuple[str, str]] = [
        ('{"instances": [{"id": "a\\u0000"}]}', "instances.0.id: must be a text without the NUL"),
        (
            '{"instances": [{"id": 1, "x": "\\ud800"}]}',
            "instances.0.x: must be a text without half of a surrogate",
        ),
        ('{"instances": [{"id": 1, "x": NaN}]}', "instances.0.x: must be a finite number"),
        ('{"instances": [{"id": 1, "x": 1e999}]}', "instances.0.x: must be a finite number"),
        ('{"instances": [{"id": 1, "id": 2}]}', "instances.0.id: must be there once in its object"),
        ('{"instances": [{"id": 1}], "x": ' + "[" * 40 + "]" * 40 + "}", "nested at most 32"),
        (
            '{"instances": [{"id": 99999999999999999999}]}',
            "instances.0.id: must be an integer of at most 64 bits",
        ),
        ('{"instances": []}', "must be a list of 1 to 100000 instances; got 0"),
        ('{"instances": [{"id": 1, "input": 7}]}', "instances.0.input: must be a text"),
        ('{"instances": [7]}', "instances.0: must be an object"),
    ]
    for value, message in cases:
        assert message in refused(value.encode())[0], value


def test_outputs_are_checked_as_strictly_as_a_request() -> None:
    assert "NUL" in refused(b'{"1": "a\\u0000"}')[0]
    assert (
        "line 1, actual-output: must be a text without half of a surrogate pair"
        in (refused(b'{"id": 1, "actual-output": "\\ud800"}\n')[0])
    )
    assert refused(b'{"1": "a", "1": "b"}') == [
        "file, 1: must be there once in its object; got it twice"
    ]
    assert (
        "line 1, id: must be there once"
        in refused(b'{"id": 1, "id": 2, "actual-output": "x"}\n')[0]
    )


def test_files_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        name: (FIXTURES / name).read_bytes()
        for name in ("harpia.json", "outputs.jsonl", "outputs.csv")
    }
    monkeypatch.setattr(instance_files, "MAX_PARTS", 10)
    assert "must have at most 10 values" in refused(files["harpia.json"])[0]
    monkeypatch.setattr(instance_tables, "MAX_BYTES", 50)
    for content in files.values():
        assert "at most 0 MiB" in refused(content)[0]
        assert "at most 0 MiB" in refused(zipped({"x": content}))[0]


def test_the_same_outputs_have_the_same_id() -> None:
    assert brought(b'{"1": "a"}').source_id == brought(b'{ "1" :"a" }').source_id
    assert brought(b'{"1": "a"}').source_id != brought(b'{"1": "b"}').source_id
    (other,) = imported(b'{"1": "a"}', participant="borealis").attempts
    assert other.source_id != brought(b'{"1": "a"}').source_id


def test_references_may_have_three_forms() -> None:
    for upload in (
        json.dumps({"instances": [ONE, {**ONE, "id": 2}], "metrics": []}).encode(),
        json.dumps({"instances": [ONE, {**ONE, "id": 2}]}, indent=1).encode(),
        lines(ONE, {**ONE, "id": 2}),
        lines({"id": 1, "expected-output": "hi", "input": "Bom dia"}, {**ONE, "id": 2}),
        b"id,input,expected-output\n1,Bom dia,hi\n2,Bom dia,hi\n",
        b"expected-output;input;id\nhi;Bom dia;1\nhi;Bom dia;2\n",
    ):
        found = references(upload).instances
        assert [each.key for each in found] == ["1", "2"], upload
        assert all((each.input, each.references) == ("Bom dia", ("hi",)) for each in found), upload


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
        (b"hello", "must be a document with instances, a list or lines of instances"),
        (b'{"1": "a"}', "must be a document with instances, a list or lines of instances"),
        (b"id,text\n1,a\n", "line 1: must begin with a header"),
        (b'{"instances": [}', "must be JSON"),
        (b"", "must be a document with instances, a list or lines of instances"),
        (zipped({"a": b"id,expected-output\n1,a\n", "b": b""}), "must be a document"),
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
    told = [str(each) for each in (caught.value, *caught.value.others)]
    assert len(told) == 2
    assert "secret" not in str(told)
    with pytest.raises(ImportFailed) as caught:
        references(b'id,expected-output\n1,"the secret\n')
    assert "secret" not in str(caught.value)
