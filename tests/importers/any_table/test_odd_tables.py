"""Tables whose header, names or rows could be mistaken: read rightly, reported, or refused."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from leaderboard.importers import Source
from leaderboard.importers.tables import records
from tests.importers.tables import mapped, read_as, rows_in, text, workbook
from tests.importers.uploads import imported, lines, only_attempt, refusal, zipped

Values = dict[str, dict[str, float]]

EM_F1: Values = {
    "a": {"dev_EM": 1, "dev_F1": 2, "test_EM": 3, "test_F1": 4},
    "b": {"dev_EM": 5, "dev_F1": 6, "test_EM": 7, "test_F1": 8},
}
BODY = ("a,1,2,3,4", "b,5,6,7,8")
TWO_ROWS = {
    "pandas with an index that has a name": text(
        "split,dev,dev,test,test", "metric,EM,F1,EM,F1", "system,,,,", *BODY
    ),
    "pandas without": text(",dev,dev,test,test", ",EM,F1,EM,F1", *BODY),
    "groups above": text(",dev,,test,", "Model,EM,F1,EM,F1", *BODY),
    "groups beside the first label": text("Model,dev,,test,", ",EM,F1,EM,F1", *BODY),
    "a title above": text("Results,,,,", ",dev,,test,", "Model,EM,F1,EM,F1", *BODY),
    "Excel": workbook(
        rows_in(
            ["Model", "dev", None, "test", None],
            [None, "EM", "F1", "EM", "F1"],
            ["a", 1, 2, 3, 4],
            ["b", 5, 6, 7, 8],
        )
    ),
}


@pytest.mark.parametrize("name", TWO_ROWS)
def test_a_header_of_two_rows_is_joined(name: str) -> None:
    contents = imported(TWO_ROWS[name], "t.csv")
    assert read_as(contents) == EM_F1
    assert any("joined" in warning for warning in contents.warnings)
    assert [column["label"] for column in contents.suggested["columns"]][:2] == ["dev EM", "dev F1"]


def test_numbers_or_units_may_be_the_second_row_of_a_header() -> None:
    for rows, keys in (
        (["model,acc,acc", ",2023,2024"], {"acc_2023", "acc_2024"}),
        (["model,acc,acc", "model,0,5"], {"acc_0", "acc_5"}),
        (["model,lag,loss", "(name),(s),(nats)"], {"lag_s", "loss_nats"}),
        (["model,en,de", ",mean,mean", "model,,"], {"en_mean", "de_mean"}),
    ):
        assert {*read_as(imported(text(*rows, "a,1,2"), "t.csv"))["a"]} == keys
    assert {*read_as(imported(text("model,acc,acc", "x,2023,2024", "a,1,2")))} == {"x", "a"}


def test_the_only_label_may_stand_beside_an_index_without_one() -> None:
    for rows in ([",acc", "a,1", "b,2"], [",Results", "Model,acc", "a,1", "b,2"]):
        contents = imported(text(*rows), "t.csv")
        assert read_as(contents) == {"a": {"acc": 1}, "b": {"acc": 2}}


def test_a_table_without_a_header_is_refused_or_reported() -> None:
    for rows in (
        ["alpha,gsm8k,5-shot,0.512", "beta,gsm8k,5-shot,0.498"],
        ["alpha,0.5,0.6", "beta,0.4,0.3"],
        ["alpha,71%", "beta,70%"],
        ["alpha,3,3", "beta,4,5"],
    ):
        assert "line 1: must begin with a header" in refusal(text(*rows), "t.csv")
    assert any(
        "looks like data" in warning for warning in imported(text("x,12,7", "y,9,8")).warnings
    )
    for header in ("model,1,5,10", ",0.1,0.5,0.9", "Team,2019,2020,2021"):
        assert imported(text(header, "a,1,2,3", "b,2,3,4"), "t.csv").warnings == []


def test_rows_with_fewer_cells_are_named() -> None:
    contents = imported(text("model,MMLU,GSM8K,ARC", "a,1,2,3", "b,4,5", "Heading", "c,7,8,"))
    assert read_as(contents)["b"] == {"MMLU": 4, "GSM8K": 5}
    assert [warning for warning in contents.warnings if "cells" in warning] == [
        "what is missing in a row is undefined: line 3 has 3 of 4 cells"
    ]
    assert imported(text("model,acc,", "a,1", "b,2")).warnings == []


NAMES: list[tuple[list[str], list[str]]] = [
    (["org__m1", "orgm1", "__init__"], ["org__m1", "orgm1", "__init__"]),
    (["m<v1>", "m<v2>", "<b>m</b>"], ["m<v1>", "m<v2>", "m"]),
    (["GPT-4*", "Beta†", "x [12]", "Ours‡§", r"Z\dagger"], ["GPT-4", "Beta", "x", "Ours", "Z"]),
    (["Qwen^a", "Phi^{b}", "T5[^1]"], ["Qwen", "Phi", "T5"]),
    (["GPT-4", "GPT-4*", "A*"], ["GPT-4", "GPT-4*", "A*"]),
    (["Alpha¹", "Beta²", "C<sup>3</sup>"], ["Alpha", "Beta", "C"]),
    (["TD³", "a*b*c", "$5 to $6", "x_y_"], ["TD3", "a*b*c", "$5 to $6", "x_y_"]),
    (["**Ours**", "`code`", "**Best***"], ["Ours", "code", "Best"]),
]


@pytest.mark.parametrize(("written", "names"), NAMES)
def test_names_lose_markup_and_footnotes_but_never_become_one(
    written: list[str], names: list[str]
) -> None:
    rows = [f"{name},{at}" for at, name in enumerate(written)]
    assert [attempt.participant for attempt in imported(text("model,acc", *rows)).attempts] == names


def test_two_names_that_become_one_are_reported() -> None:
    for first, second in (("**a**", "a"), ("x " * 60 + "1", "x " * 60 + "2")):
        warnings = imported(text("model,acc", f"{first},1", f"{second},2")).warnings
        assert any(w.startswith("several names are read as the participant") for w in warnings)


def test_underscores_of_labels_meta_and_tasks_are_data() -> None:
    rows = ["model,task,acc__norm,a__b", "m,hendrycks__math,1,x__y", "m,hendrycksmath,2,x__y"]
    attempt = only_attempt(text(*rows))
    assert [(sample["task"], sample["rewards"]) for sample in attempt.samples] == [
        ("hendrycks__math", {"acc__norm": 1.0}),
        ("hendrycksmath", {"acc__norm": 2.0}),
    ]
    assert attempt.meta == {"a__b": "x__y"}


def bars(*rows: str) -> str:
    return "\n".join([rows[0], "|---|---|", *rows[1:]])


DESK = bars("| System | Acc |", "| __a__ | 1 |", "| *b* | 2 |", r"| c\_d__e | 3 |")


def test_a_markdown_table_may_stand_anywhere_in_a_text() -> None:
    for upload in (f"# T\n\nSome text.\n\n{DESK}\n\nMore text.\n", "x\n" * 100 + "\n" + DESK):
        contents = imported(upload.encode(), "README.md")
        assert read_as(contents) == {"a": {"Acc": 1}, "b": {"Acc": 2}, "c_d__e": {"Acc": 3}}
        assert contents.warnings == []
    drawn = (
        "+---+-----+\n| m | acc |\n+===+=====+\n| a | 1   |\n+---+-----+\n| b | 2   |\n+---+-----+"
    )
    assert read_as(imported(drawn.encode(), "t.txt")) == {"a": {"acc": 1}, "b": {"acc": 2}}


def test_several_tables_in_one_text_are_refused_with_their_headings() -> None:
    for first, second in (("## Ferry", "## Parcel"), ("**Ferry**", "**Parcel**")):
        error = refusal(f"# D\n\n{first}\n\n{DESK}\n\n{second}\n\n{DESK}\n".encode(), "README.md")
        assert "several tables" in error
        assert "Ferry (line 5), Parcel (line 13)" in error
    assert "several tables" in refusal(text("model,acc", "a,1", "model,acc", "a,2"), "t.csv")
    for rows in (
        ["model,acc", "a,1", "model,f1", "b,2"],
        ["Model,acc,n", "a,1,2", "model,f1,", "b,2,3"],
        ["model,acc,model,f1", "a,1,a,2", "b,1,c,2"],
    ):
        assert "several tables" in refusal(text(*rows), "t.csv")
    quoted = DESK.replace("|", "> |", 1).replace("\n|", "\n> |")
    assert "several tables" in refusal(f"{DESK}\n\n{quoted}\n".encode(), "README.md")
    csv = text("model,acc", "a,1")
    assert "must hold one table; got 2" in refusal({"dev.csv": csv, "test.csv": csv}, "t.zip")
    joined = imported(text("model,acc", "a,1", "model,acc", "b,2"), "t.csv")
    assert read_as(joined) == {"a": {"acc": 1}, "b": {"acc": 2}}
    assert joined.warnings == ["left out, as it repeats the header: line 3"]


RECORDS: list[dict[str, Any]] = [
    {"model": "a", "MMLU": 71.234, "scores": {"x": 1}, "open": True, "tags": ["t"]},
    {"model": "b", "MMLU": "68.9%", "scores": {"x": None}},
]
ONE = {"a": {"MMLU": 71.234, "scores.x": 1}, "b": {"MMLU": 68.9}}


def test_rows_as_json_are_a_table() -> None:
    lines = "\n".join(map(json.dumps, RECORDS))
    for upload, name in ((json.dumps(RECORDS, indent=1), "t.json"), (lines, "t.jsonl")):
        contents = imported(upload.encode(), name)
        assert (contents.format, read_as(contents)) == ("table", ONE)
        assert contents.warnings[0] == "left out, as there are lists in it: tags"
        assert imported(zipped({name: upload.encode()}), "t.zip").format == "table"
    for document in (
        {"columns": ["model", "acc"], "index": [0, 1], "data": [["a", 1.5], ["b", None]]},
        {"model": {"0": "a", "1": "b"}, "acc": {"0": 1.5, "1": None}},
        {"schema": {"fields": []}, "data": [{"model": "a", "acc": 1.5}]},
        {"updated": "May", "results": [{"model": "a", "acc": 1.5}]},
        {"model": ["a", "b"], "acc": [1.5, None]},
        [["model", "acc"], ["a", 1.5]],
        [{"model": "a", "acc": "1.5"}],
    ):
        assert read_as(imported(json.dumps(document).encode(), "t.json")) == {"a": {"acc": 1.5}}


def test_other_json_is_no_table() -> None:
    for document in (
        {"model": "a", "acc": 1},
        [1, 2],
        [{"model": "a"}],
        {"runs": [{"a": 1}]},
        {"a": [1, 2]},
    ):
        assert "known format" in refusal(json.dumps(document).encode(), "t.json")


def test_a_column_of_not_available_is_undefined() -> None:
    contents = imported(text("model,acc,f1,empty", "a,N/A,1,", "b,n/a,2,-"))
    assert read_as(contents) == {"a": {"f1": 1}, "b": {"f1": 2}}
    assert [column["key"] for column in contents.suggested["columns"]] == ["acc", "f1"]
    assert contents.suggested["rank_by"] == [{"key": "f1", "direction": "desc"}]
    attempt = only_attempt(text("model,task,acc,f1", "a,t,N/A,1", "a,u,N/A,0"))
    assert [sample["rewards"] for sample in attempt.samples] == [{"f1": 1.0}, {"f1": 0.0}]


OTHERS: list[tuple[list[str], Values]] = [
    (["participant,acc", "a,1", "b,2", "Average,1.5"], {"a": {"acc": 1}, "b": {"acc": 2}}),
    (["participant,rank,acc", "a,1,3", "b,2,2"], {"a": {"acc": 3}, "b": {"acc": 2}}),
    (["participant,Avg ⬆️", "a,1", "b,2"], {"a": {"Avg": 1}, "b": {"Avg": 2}}),
    (["participant,score", "a,1", "b,2"], {"a": {"reported_score": 1}, "b": {"reported_score": 2}}),
]


@pytest.mark.parametrize(("rows", "values"), OTHERS)
def test_a_column_called_participant_does_not_make_a_table_ours(
    rows: list[str], values: Values
) -> None:
    contents = imported(text(*rows), "t.csv")
    assert (contents.format, read_as(contents)) == ("table", values)
    assert imported(text("participant,acc", "a,1"), "t.csv").format == "podium-csv"


PARTS = ["split,acc", "Overall,85", "random,86", "popular,84"]


def test_of_rows_by_split_the_one_for_all_of_them_counts() -> None:
    cases: list[tuple[list[str], str, Values]] = [
        (PARTS, "m", {"m": {"acc": 85}}),
        (["subject,acc", "math,1", "bio,2", "Average,1.5"], "m", {"m": {"acc": 1.5}}),
        (
            ["model,split,acc", "a,all,1", "a,x,2", "b,all,3", "b,x,4"],
            "",
            {"a": {"acc": 1}, "b": {"acc": 3}},
        ),
        (["Which,acc", "x,2", "overall,1"], "m", {"m": {"acc": 1}}),
    ]
    for rows, participant, values in cases:
        contents = imported(text(*rows), "t.csv", participant=participant)
        assert read_as(contents) == values, rows
        assert any("the one for all of them counts" in warning for warning in contents.warnings)


def test_rows_by_split_without_one_for_all_need_an_answer() -> None:
    rows = ["model,split,acc", "a,dev,1", "a,test,2", "b,dev,3"]
    assert "map: must say which row counts, as 'a' has several by 'split'" in refusal(text(*rows))
    assert "upload must give the participant" in refusal(text(*PARTS), "t.csv")
    by_task = mapped(text(*rows), "split=task").attempts
    assert [len(attempt.samples) for attempt in by_task] == [2, 1]
    assert len(mapped(text(*rows), "split=ignore").attempts) == 3
    (tasks,) = mapped(text(*PARTS), "split=task", participant="m").attempts
    assert [sample["task"] for sample in tasks.samples] == ["random", "popular"]


def test_tables_with_very_many_columns_are_refused_early() -> None:
    """A row of each of 20 000 columns would otherwise need 400 million cells."""
    sparse = [{"model": f"m{at}", f"k{at}": 1} for at in range(20_000)]
    for upload, name in (
        (text("model,acc", "a" + "," * 500_000), "t.csv"),
        (json.dumps(sparse).encode(), "t.json"),
        ("\n".join(map(json.dumps, sparse)).encode(), "t.jsonl"),
    ):
        assert "must have at most 1000 columns" in refusal(upload, name)


def test_rows_as_json_are_not_held_beside_their_file() -> None:
    rows = [
        {"model": f"m{at}", **{f"v{no}": at + no / 8 for no in range(20)}} for at in range(2000)
    ]
    for upload in (lines(*rows), json.dumps(rows).encode()):
        with Source.open(upload, "t.json") as source:
            assert records.holds_records(source)
            tracemalloc.start()
            count = sum(len(cells) for _, cells in records.record_rows(source)[1])
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert count == 21 * 2001
        assert peak < len(upload) / 2, upload[:9]


def test_one_json_value_is_refused_when_it_is_too_large_to_read_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(records, "MAX_JSON", 100)
    rows = [{"model": f"m{at}", "score": at} for at in range(9)]
    assert len(imported(lines(*rows), "t.jsonl").attempts) == 9
    for sent in (
        json.dumps(rows),
        json.dumps(rows, indent=1),
        json.dumps({"a": rows[:1], "b": "x" * 99}),
    ):
        error = refusal(sent.encode(), "t.json", format="table")
        assert error.startswith("t.json: must hold at most"), sent
    assert "must hold at most" in refusal(json.dumps(rows).encode(), "t.json")
