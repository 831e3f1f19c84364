"""Tables that people write, with the values that an import must read."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from openpyxl import Workbook

from leaderboard.importers import Import
from leaderboard.importers.reading.imports import ColumnMap
from tests.importers.uploads import imported

Values = dict[str, dict[str, float]]


def text(*rows: str) -> bytes:
    return "\n".join(rows).encode()


def workbook(fill: Callable[[Any], None]) -> bytes:
    """Return an `.xlsx` whose first sheet is written by `fill`."""
    book = Workbook()
    fill(book.active)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def rows_in(*rows: Sequence[object]) -> Callable[[Any], None]:
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


def read_as(contents: Import) -> Values:
    return {attempt.participant: attempt.values for attempt in contents.attempts}


EXAMPLES: dict[str, tuple[bytes, Values]] = {
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


def mapped(upload: bytes, *entries: str, participant: str = "") -> Import:
    return imported(upload, "a.csv", participant=participant, columns=ColumnMap(entries))


TABLE = text("Model,Team,Acc (%),Votes,Day", 'a,x,71.2%,"1,234",2025-01-05', "b,y,3%,12,")
