"""Tables as people have them: each comes in with the right participants and numbers."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, date, datetime
from time import process_time
from typing import Any

import pytest
from openpyxl import Workbook

from leaderboard.importers import Import, ImportFailed
from leaderboard.importers.imports import ColumnMap
from leaderboard.importers.samples import reward_names
from tests.importers.uploads import imported, zipped

Values = dict[str, dict[str, float]]


def text(*rows: str) -> bytes:
    return "\n".join(rows).encode()


def workbook(fill: Callable[[Any], None]) -> bytes:
    """An `.xlsx` whose first sheet somebody has filled."""
    book = Workbook()
    fill(book.active)
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


def rows_in(*rows: list[Any]) -> Callable[[Any], None]:
    def fill(sheet: Any) -> None:
        for row in rows:
            sheet.append(row)

    return fill


def titled(sheet: Any) -> None:
    rows_in(["Results of the spring round"], [], ["Model", "Accuracy"], ["a", 71.2], ["b", 68])(
        sheet
    )


def formatted(sheet: Any) -> None:
    rows_in(["Model", "Accuracy", "Date"], ["a", 0.712, date(2025, 1, 5)])(sheet)
    sheet["B2"].number_format = "0.0%"


def read_as(found: Import) -> Values:
    return {attempt.participant: attempt.values for attempt in found.attempts}


ZOO: dict[str, tuple[bytes, Values]] = {
    "a paper's table": (
        text(
            "Model,Params,MMLU (5-shot),ARC-C ↑,WER ↓",
            "Llama-2-7B,7B,45.3 ± 0.4,53.1,12.9",
            "Mistral-7B,7B,60.1 ± 0.3,60.0,-",
        ),
        {
            "Llama-2-7B": {"Params": 7e9, "MMLU_5-shot": 45.3, "ARC-C": 53.1, "WER": 12.9},
            "Mistral-7B": {"Params": 7e9, "MMLU_5-shot": 60.1, "ARC-C": 60.0},
        },
    ),
    "a paper's table in LaTeX": (
        text(
            "Method;F1;EM",
            r"\textbf{Ours};\textbf{91.2} $\pm$ 0.1;$84.5$",
            "BERT;88.5 \\pm 0.2;80.8",
        ),
        {"Ours": {"F1": 91.2, "EM": 84.5}, "BERT": {"F1": 88.5, "EM": 80.8}},
    ),
    "a table in Markdown": (
        text("| Model | Acc |", "|:------|----:|", "| **a** | 71.2% |", "| [b](http://b) | 3% |"),
        {"a": {"Acc": 71.2}, "b": {"Acc": 3.0}},
    ),
    "Kaggle's leaderboard": (
        text(
            "Rank,TeamId,TeamName,LastSubmissionDate,Score,SubmissionCount,TeamMemberUserNames",
            "1,8123,Deep Sea,2024-03-01 12:30:00,0.98123,44,ann",
            '2,8124,"Fish, Inc.",2024-03-02 08:00:00,0.97001,3,"ben,zoe"',
        ),
        {
            "Deep Sea": {"Score": 0.98123, "SubmissionCount": 44},
            "Fish, Inc.": {"Score": 0.97001, "SubmissionCount": 3},
        },
    ),
    "an arena's leaderboard": (
        text(
            "Rank* (UB),Model,Arena Score,95% CI,Votes,Organization,License,Knowledge Cutoff",
            '1,alpha-1,1287,+5/-4,"40,123",A,Proprietary,2023/10',
            '2,beta-2,1250,+3/-3,"1,234",B,Apache 2.0,Unknown',
        ),
        {
            "alpha-1": {"Arena_Score": 1287, "Votes": 40123},
            "beta-2": {"Arena_Score": 1250, "Votes": 1234},
        },
    ),
    "pandas with its index": (
        text(",model,acc", "0,a,0.5", "1,b,0.25"),
        {"a": {"acc": 0.5}, "b": {"acc": 0.25}},
    ),
    "pandas read and written again": (
        text("Unnamed: 0,model,acc", "0,a,0.5", "1,b,"),
        {"a": {"acc": 0.5}},
    ),
    "pandas with names as its index": (
        text(",acc,f1", "a,0.5,0.4", "b,0.25,nan"),
        {"a": {"acc": 0.5, "f1": 0.4}, "b": {"acc": 0.25}},
    ),
    "a German Excel's CSV": (
        "\ufeffModell;Genauigkeit;Kosten (€)\r\nÄquator;71,2 %;1.234,50\r\nBär;68;-\r\n".encode(),
        {"Äquator": {"Genauigkeit": 71.2, "Kosten": 1234.5}, "Bär": {"Genauigkeit": 68}},
    ),
    "Latin-1 with umlauts": (
        "Modell;Punkte\nÄquator;71,25\nBär;3,5\n".encode("latin-1"),
        {"Äquator": {"Punkte": 71.25}, "Bär": {"Punkte": 3.5}},
    ),
    "Excel's Unicode text": (
        "Model\tAccuracy\r\nÄ\t71.2\r\nB\t68.0\r\n".encode("utf-16"),
        {"Ä": {"Accuracy": 71.2}, "B": {"Accuracy": 68.0}},
    ),
    "UTF-16 without a mark": (
        "Model,Accuracy\r\nA,71.2\r\n".encode("utf-16-le"),
        {"A": {"Accuracy": 71.2}},
    ),
    "UTF-8 with a mark": (
        "\ufeffmodel,accuracy\r\na,71.2\r\n".encode(),
        {"a": {"accuracy": 71.2}},
    ),
    "tabs": (
        text("Team\tSolved\tPenalty", "a\t9\t995", "b\t7\t1,003"),
        {"a": {"Solved": 9, "Penalty": 995}, "b": {"Solved": 7, "Penalty": 1003}},
    ),
    "Excel's line for the delimiter": (
        text("sep=;", "system;a, b", "x;1", "y;2"),
        {"x": {"a_b": 1}, "y": {"a_b": 2}},
    ),
    "an Excel sheet": (
        workbook(rows_in(["System", "Score", "Note"], ["a", 1.234, "x1"], ["b", 2, None])),
        {"a": {"Score": 1.234}, "b": {"Score": 2}},
    ),
    "an Excel sheet with a title": (
        workbook(titled),
        {"a": {"Accuracy": 71.2}, "b": {"Accuracy": 68}},
    ),
    "an Excel sheet with formats": (workbook(formatted), {"a": {"Accuracy": 71.2}}),
    "booleans": (
        text("name,success,open source,score2", "a,True,yes,1", "b,False,no,2"),
        {"a": {"score2": 1}, "b": {"score2": 2}},
    ),
    "nothing in many spellings": (
        text("model,a,b,c,d", "x,NaN,N/A,-,1", "y,–,,n/a,2", "z,1,2,3,#DIV/0!"),
        {"x": {"d": 1}, "y": {"d": 2}, "z": {"a": 1, "b": 2, "c": 3}},
    ),
    "line breaks in cells": (
        b'"Model\nname",Acc,Remark\n"a\nlong one",1,"two\nlines"\nb,2,\n',
        {"a long one": {"Acc": 1}, "b": {"Acc": 2}},
    ),
    "a label twice": (
        text("model,score,score", "a,1,2", "b,3,4"),
        {"a": {"reported_score": 1, "score_2": 2}, "b": {"reported_score": 3, "score_2": 4}},
    ),
    "an average and blank lines below": (
        text("model,acc", "a,1", "b,2", "", "Average,1.5", "", "", ","),
        {"a": {"acc": 1}, "b": {"acc": 2}},
    ),
    "a total without a name": (
        text("Team;Punkte", "a;1", "b;2", ";3"),
        {"a": {"Punkte": 1}, "b": {"Punkte": 2}},
    ),
    "headings and footnotes among the rows": (
        text("model,acc", "Open models,", "a,1", "Closed models,", "b,2", "* as published,"),
        {"a": {"acc": 1}, "b": {"acc": 2}},
    ),
    "units": (
        text("model,time,price,size", "a,12.5 s,$0.04,350M", 'b,8 s,"$1,200.50",1.5B'),
        {
            "a": {"time": 12.5, "price": 0.04, "size": 350e6},
            "b": {"time": 8, "price": 1200.5, "size": 1.5e9},
        },
    ),
    "a decimal comma in quotes": (
        text("model,acc,f1", 'a,"71,2","0,123"', 'b,"68,25","0,5"'),
        {"a": {"acc": 71.2, "f1": 0.123}, "b": {"acc": 68.25, "f1": 0.5}},
    ),
    "thousands in three fashions": (
        text("model;a;b;c", "x;1'234;1 234 567;1.234.567,5", "y;12;13;14"),
        {"x": {"a": 1234, "b": 1234567, "c": 1234567.5}, "y": {"a": 12, "b": 13, "c": 14}},
    ),
    "agents with models": (
        text("agent,model,acc", "t,m1,1", "t,m2,2", "u,m1,3"),
        {"t (m1)": {"acc": 1}, "t (m2)": {"acc": 2}, "u (m1)": {"acc": 3}},
    ),
    "a trailing delimiter": (
        text("model,acc,", "a,1,", "b,2,"),
        {"a": {"acc": 1}, "b": {"acc": 2}},
    ),
    "groups of columns above the header": (
        text(",Reasoning,,Math,", "Model,MMLU,ARC,GSM8K,MATH", "a,1,2,3,4", "b,5,6,7,8"),
        {
            "a": {"MMLU": 1, "ARC": 2, "GSM8K": 3, "MATH": 4},
            "b": {"MMLU": 5, "ARC": 6, "GSM8K": 7, "MATH": 8},
        },
    ),
    "our own word with other people's cells": (
        text("participant;score %;org", "atlas;71,2;A", "borealis;68;B"),
        {"atlas": {"reported_score": 71.2}, "borealis": {"reported_score": 68}},
    ),
    "a label in another script": (
        text("モデル,正解率,F値", "a,0.5,1", "b,0.25,2"),
        {"a": {"column_2": 0.5, "F": 1}, "b": {"column_2": 0.25, "F": 2}},
    ),
    "old line ends": (b"model,acc\ra,1\rb,2\r", {"a": {"acc": 1}, "b": {"acc": 2}}),
    "names without a word for them": (
        text("Which,How good", "a,1", "b,2"),
        {"a": {"How_good": 1}, "b": {"How_good": 2}},
    ),
    "a semicolon in every name": (
        text("model;size,acc", "a;7B,1", "b;7B,2"),
        {"a;7B": {"acc": 1}, "b;7B": {"acc": 2}},
    ),
    "so many of so many": (
        text("team,solved", "a,9/12", "b,3 / 12"),
        {"a": {"solved": 0.75}, "b": {"solved": 0.25}},
    ),
    "an open board with links and symbols": (
        'T,Model,Average ⬆️,ARC\n🟢,"<a href=""https://x"">org/m</a>",71.2,60\n🔶,org/n,70.1,61\n'.encode(),
        {"org/m": {"Average": 71.2, "ARC": 60}, "org/n": {"Average": 70.1, "ARC": 61}},
    ),
    "marks of footnotes and minus signs": (
        text("model,a,b", "x,71.2*,−3.5", "y,68.0†,+2"),
        {"x": {"a": 71.2, "b": -3.5}, "y": {"a": 68, "b": 2}},
    ),
}


@pytest.mark.parametrize("name", ZOO)
def test_an_ordinary_table_comes_in(name: str) -> None:
    upload, expected = ZOO[name]
    assert read_as(imported(upload, "table")) == expected


@pytest.mark.parametrize("name", ZOO)
def test_a_table_is_the_same_when_it_comes_again(name: str) -> None:
    upload, _ = ZOO[name]
    first, again = imported(upload, "a.csv"), imported(upload, "b.csv")
    assert [one.source_id for one in first.attempts] == [one.source_id for one in again.attempts]
    assert len({one.source_id for one in first.attempts}) == len(first.attempts)


def mapped(upload: bytes, *entries: str, participant: str = "") -> Import:
    return imported(upload, "a.csv", participant=participant, columns=ColumnMap(entries))


TABLE = text("Model,Team,Acc (%),Votes,Day", 'a,x,71.2%,"1,234",2025-01-05', "b,y,3%,12,")


def test_the_guess_is_told_column_by_column() -> None:
    found = {each.column: each for each in mapped(TABLE, "Team=note").map}
    assert {label: each.use for label, each in found.items()} == {
        "Model": "participant",
        "Team": "note",
        "Acc (%)": "value:Acc",
        "Votes": "value:Votes",
        "Day": "submitted_at",
    }
    assert [label for label, each in found.items() if not each.guessed] == ["Team"]
    assert found["Acc (%)"].examples == ("71.2%", "3%")
    assert found["Votes"].note == "1,234 is read as 1234"


def test_another_column_may_be_the_participant() -> None:
    found = mapped(TABLE, "team=participant", "Model=meta", "Votes=ignore", "Acc (%)=value:acc")
    assert read_as(found) == {"x": {"acc": 71.2}, "y": {"acc": 3}}
    assert found.attempts[0].meta == {"Model": "a"}
    assert found.attempts[0].submitted_at == datetime(2025, 1, 5, tzinfo=UTC)


def test_a_column_may_be_a_task() -> None:
    found = mapped(TABLE, "Acc (%)=reward", "Votes=reward:votes")
    assert found.attempts[0].samples == [
        {"task": "Acc (%)", "sample": 0, "rewards": {"reward": 71.2}, "usage": {}, "error": ""},
        {"task": "Votes", "sample": 0, "rewards": {"votes": 1234.0}, "usage": {}, "error": ""},
    ]


def test_labels_are_kept_for_the_board() -> None:
    found = imported(ZOO["a paper's table"][0])
    assert found.suggested["columns"][1:] == [
        {"key": "MMLU_5-shot", "label": "MMLU (5-shot)", "direction": "desc"},
        {"key": "ARC-C", "label": "ARC-C", "direction": "desc"},
        {"key": "WER", "label": "WER", "direction": "asc"},
    ]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("Modle=participant", "there is no column 'Modle'; the columns are 'Model', 'Team'"),
        ("Model", "must be COLUMN=USE; got 'Model'"),
        ("Model=who", "'Model=who': the use must be one of participant, value[:NAME]"),
        ("Votes=value:a b", "'Votes=value:a b': the key of a value must have 1 to 80"),
        ("Votes=task:x", "'Votes=task:x': the use must be one of"),
        ("Votes=reward:", "'Votes=reward:': the name must have 1 to 120 characters"),
        ("Team=value", "the column 'Team' holds no numbers, such as 'x'"),
        ("Votes=sample", "sample needs a column that is the task"),
        ("Team=task", "a table of samples has rewards"),
    ],
)
def test_a_wrong_mapping_is_named(entry: str, said: str) -> None:
    entries = [entry, "Acc (%)=value:acc"]
    with pytest.raises(ImportFailed) as caught:
        mapped(TABLE, *entries)
    assert f"map: {said}" in str(caught.value)


def test_a_use_of_two_columns_is_refused() -> None:
    with pytest.raises(
        ImportFailed, match=r"columns 'Acc \(%\)' and 'Votes' cannot both be value:a"
    ):
        mapped(TABLE, "Votes=value:a", "Acc (%)=value:a")
    with pytest.raises(ImportFailed, match="the column 'Votes' is there twice"):
        mapped(TABLE, "Votes=value:a", "votes=value:b")


def test_only_tables_are_mapped() -> None:
    with pytest.raises(ImportFailed, match="map: is for tables, whose columns have labels"):
        imported(b"a,b\n", format="podium-jsonl", columns=ColumnMap(("a=value",)))


def test_a_table_of_one_participant_needs_no_column_for_it() -> None:
    found = mapped(text("acc,f1", "0.5,0.25"), participant="atlas")
    assert read_as(found) == {"atlas": {"acc": 0.5, "f1": 0.25}}


def test_without_a_participant_the_columns_are_named() -> None:
    with pytest.raises(ImportFailed, match="no column says who the participant is; say which"):
        imported(text("acc,f1", "0.5,0.25", "0.1,0.2"), format="table")


def test_a_long_table_has_samples() -> None:
    rows = "model,question,correct,seconds", "a,q1,True,1.5", "a,q2,False,2", "b,q1,1,", "b,q1,,"
    a, b = imported(text(*rows)).attempts
    assert [(each["task"], each["sample"], each["rewards"]) for each in a.samples] == [
        ("q1", 0, {"correct": 1.0, "seconds": 1.5}),
        ("q2", 0, {"correct": 0.0, "seconds": 2.0}),
    ]
    assert [each["rewards"] for each in b.samples] == [{"correct": 1.0}, None]
    assert reward_names(a.samples) == ["correct", "seconds"]


def test_a_long_table_may_say_more() -> None:
    rows = (
        "model,task,trial,reward,tokens_total,error,version",
        "a,t1,0,1,10,,v1",
        "a,t1,1,null,20,died,v1",
        "b,t1,0,0,5,,v2",
        "b,t2,0,0,5,,v3",
    )
    a, b = imported(text(*rows), format="table").attempts
    assert a.samples[1] == {
        "task": "t1",
        "sample": 1,
        "rewards": {"reward": None},
        "usage": {"tokens_total": 20},
        "error": "died",
    }
    assert a.metrics == {"tokens_total": 30}
    assert (a.meta, b.meta) == ({"version": "v1"}, {})


def test_a_sample_twice_is_refused() -> None:
    with pytest.raises(ImportFailed, match="line 3, task: has this sample a second time"):
        imported(text("model,task,sample,r", "a,t,0,1", "a,t,0,1"), format="table")


def test_numbers_of_which_some_have_a_unit_are_warned_of() -> None:
    found = imported(text("model,acc", "a,0.712", "b,71.2%"))
    assert found.warnings == [
        "acc: some cells have % and some do not; all numbers are kept as written"
    ]


def test_a_participant_in_several_rows_is_told() -> None:
    found = imported(text("model,acc", "a,1", "b,3", "a,2"))
    assert [(one.participant, one.values) for one in found.attempts] == [
        ("a", {"acc": 1}),
        ("b", {"acc": 3}),
        ("a", {"acc": 2}),
    ]
    assert found.warnings == ["in several rows, each of which is an attempt: 'a'"]


@pytest.mark.parametrize(
    "cell", ["[" * 1_000_000, "1, " * 300_000, "<a " * 300_000, "1" * 1_000_000, "*" * 1_000_000]
)
def test_a_long_cell_takes_no_time(cell: str) -> None:
    begun = process_time()
    imported(text("model,acc,note", f'a,1,"{cell}"'))
    assert process_time() - begun < 2


def test_an_odd_cell_is_told_of_and_left_undefined() -> None:
    found = imported(text("model,acc", "a,1", "b,2", "c,soon"))
    assert read_as(found) == {"a": {"acc": 1}, "b": {"acc": 2}, "c": {}}
    assert found.warnings == ["acc: 1 cell that is not read: 'soon'"]


def test_what_is_left_out_is_told() -> None:
    found = imported(ZOO["headings and footnotes among the rows"][0])
    assert found.warnings == [
        "left out, as there is no number in them: 'Open models' in line 2, "
        "'Closed models' in line 4, '* as published' in line 6"
    ]
    found = imported(ZOO["an average and blank lines below"][0])
    assert found.warnings == ["left out, as they sum up the others: Average in line 5"]
    found = imported(ZOO["groups of columns above the header"][0])
    assert found.warnings == ["1 row above its header is left out"]


@pytest.mark.parametrize(
    ("cells", "moment"),
    [
        (["2025-01-05"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["05.01.2025"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["01/05/2025"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["05/01/2025", "31/01/2025"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["2025/1/5"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["Jan 5, 2025"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["5 January 2025"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["2025-01-05 12:30:00"], datetime(2025, 1, 5, 12, 30, tzinfo=UTC)),
        (["2025-01-05T12:30:00+01:00"], datetime(2025, 1, 5, 11, 30, tzinfo=UTC)),
        (["2025-01-05 12:30:00 UTC"], datetime(2025, 1, 5, 12, 30, tzinfo=UTC)),
    ],
)
def test_dates_are_read(cells: list[str], moment: datetime) -> None:
    rows = (f'm{number},{number},"{cell}"' for number, cell in enumerate(cells, 3))
    found = imported(text("model,acc,date", *rows))
    assert found.attempts[0].submitted_at == moment


def test_a_row_of_another_width_is_named() -> None:
    with pytest.raises(ImportFailed, match=r"a\.csv, line 3: must have as many cells .* got 4"):
        imported(text("model,x,y", "a,1,2", "b,1,2,3"), "a.csv")


def test_a_participant_that_is_missing_is_named() -> None:
    with pytest.raises(ImportFailed, match="line 3, model: must name the participant"):
        imported(text("model,x", "a,1", ",2", "c,3"))


def test_a_table_in_an_archive() -> None:
    for name, upload in (("x.csv", TABLE), ("x.xlsx", ZOO["an Excel sheet"][0])):
        assert imported(zipped({name: upload}), "x.zip").format == "table"


def test_a_workbook_that_is_a_bomb_is_refused() -> None:
    upload = ZOO["an Excel sheet"][0]
    with_bomb = {"xl/workbook.xml": b"<a/>", "xl/styles.xml": b" " * (5 << 20)}
    for files in (with_bomb, {"xl/workbook.xml": b"", "xl/sharedStrings.xml": b" " * (129 << 20)}):
        with pytest.raises(ImportFailed, match="inflates to more than"):
            imported(zipped(files), "x.xlsx")
    with pytest.raises(ImportFailed, match="is no workbook that can be read"):
        imported(zipped({"xl/workbook.xml": b"<!DOCTYPE x []><x/>"}), "x.xlsx")
    assert imported(upload, "x.xlsx").format == "table"


def test_names_that_a_challenge_computes_are_changed() -> None:
    computed = {"acc"}.__contains__
    found = imported(text("model,acc", "a,1"), columns=ColumnMap((), computed))
    assert read_as(found) == {"a": {"reported_acc": 1.0}}
    assert found.warnings == [
        "acc means a metric or a fact here, so the column’s numbers are kept as reported_acc"
    ]


@pytest.mark.parametrize(
    ("upload", "why"),
    [
        (b"model,score\n", "has a header and no row below it"),
        (b"Model;MMLU;ARC", "has a header and no row below it"),
        (b"model,score\n,\n", "has a header and no row below it"),
        (b"model\nalpha\nbeta\n", "has one column; a table has at least two"),
        (b"", "is empty: a table has a header and a row for each participant or sample"),
        (b"\n \n", "is empty"),
        (b"model,score\nx,n/a\n", "no column is a value, a reward or a fact"),
    ],
)
def test_a_csv_without_a_number_hears_what_it_lacks(upload: bytes, why: str) -> None:
    with pytest.raises(ImportFailed, match=why) as refused:
        imported(upload, "results.csv")
    assert "comes nearest" not in str(refused.value)


def test_a_day_in_a_sheet_is_written_without_a_time() -> None:
    """Excel keeps days as moments at midnight."""
    day, moment = datetime(2025, 1, 5), datetime(2025, 1, 5, 10, 30)  # noqa: DTZ001
    sheet = workbook(rows_in(["Model", "Accuracy", "From", "Until"], ["a", 0.712, day, moment]))
    meta = imported(sheet, "results.xlsx").attempts[0].meta
    assert (meta["From"], meta["Until"]) == ("2025-01-05", "2025-01-05T10:30:00")


def test_columns_that_are_tasks_may_share_the_name_of_their_reward() -> None:
    columns = ColumnMap(("NQ=reward:dps", "STS=reward:dps"), lambda _: False)
    found = imported(text("model,NQ,STS", "a,1,2"), columns=columns)
    assert [(each["task"], each["rewards"]) for each in found.attempts[0].samples] == [
        ("NQ", {"dps": 1.0}),
        ("STS", {"dps": 2.0}),
    ]
    with pytest.raises(ImportFailed, match="cannot both be reward:dps"):
        imported(text("model,task,NQ,STS", "a,t,1,2", "a,u,1,2"), columns=columns)
