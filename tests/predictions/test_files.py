"""Files of predictions and truths: what is accepted, and what is said about the rest."""

from __future__ import annotations

import gzip
import io
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from leaderboard.predictions.checking import check_predictions
from leaderboard.predictions.layouts import Kind
from leaderboard.predictions.previews import preview
from leaderboard.predictions.problems import BadTable
from leaderboard.predictions.scoring import answers_of
from leaderboard.predictions.sent_texts import from_json, to_json
from leaderboard.rules.texts.messages import message
from tests.importers.tables import rows_in, workbook
from tests.predictions.comparing import lines, measured, truth_of

TRUTH = "id,y,Usage / 001,1.5,Public / NA,2,Private / None,3,Ignored"
ROWS = [("001", 1), ("NA", 2.5), ("None", 3)]


def parquet_file(**columns: Any) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def refused(content: bytes, form: bytes) -> BadTable:
    with pytest.raises(BadTable) as caught:
        check_predictions(content, form)
    return caught.value


PLAIN = lines("id,y / 001,1 / NA,2.5 / None,3")


@pytest.mark.parametrize(
    "content",
    [
        lines("id\ty / None\t3 / NA\t2.5 / 001\t1"),
        lines("id;y / 001;1 / NA;2,5 / None;3 / "),
        b"\xef\xbb\xbf" + lines('"id","y" / "001"," 1" / "NA","2.5" /  / "None","3"'),
        PLAIN.replace(b"\n", b"\r\n"),
        lines(",id,y / 0,001,1 / 1,NA,2.5 / 2,None,3"),
        gzip.compress(PLAIN[:10], mtime=0) + gzip.compress(PLAIN[10:], mtime=0),
        workbook(rows_in(("id", "y"), *ROWS)),
        parquet_file(id=[id_ for id_, _ in ROWS], y=[float(number) for _, number in ROWS]),
        parquet_file(y=["1", "2.5", "3"], id=[id_ for id_, _ in ROWS]),
    ],
)
def test_every_format_gives_the_same_predictions(content: bytes) -> None:
    form = truth_of(TRUTH, "values", usage_column="Usage").form
    assert check_predictions(content, form).packed == check_predictions(PLAIN, form).packed


BAD: list[tuple[bytes, list[tuple[int, str]]]] = [
    (b"", [(0, "empty")]),
    (gzip.compress(PLAIN, mtime=0)[:20], [(0, "gzip")]),
    (b"PAR1 and so on", [(0, "Parquet")]),
    (b"PK\x03\x04 and so on", [(0, "zip")]),
    (PLAIN.decode().encode("utf-16"), [(0, "UTF-8")]),
    (PLAIN.replace(b"NA", b"\xff"), [(3, "UTF-8")]),
    (lines("001,1 / NA,2"), [(1, "id, y")]),
    (lines("id,y,y / 001,1,1"), [(1, "several")]),
    (lines("1,y / 001,1 / NA,2 / None,3"), [(1, "no column id")]),
    (lines("id,y / 1,1 / NA,2 / None,3"), [(0, "001"), (2, "id 1 ")]),
    (lines("id,y / 001,1 / 001,2 / NA,2 / None,3"), [(3, "more than once")]),
    (lines("id,y / 001,1 / ,2 / NA,2 / None,3"), [(3, "empty"), (3, "not one of")]),
    (lines("id,y / 001,1 / NA,2,3 / None"), [(0, "2 ids"), (3, "got 3"), (4, "got 1")]),
    (lines("id,y / 001,nan / NA,inf / None,"), [(2, "nan"), (3, "inf"), (4, "empty")]),
    (lines("id,y / 001,1_0 / NA,0x10 / None,1e400"), [(2, "1_0"), (3, "0x10"), (4, "1e400")]),
    (
        workbook(rows_in(("id", "y"), ("001", "5%"), ("NA", 2), ("None", None))),
        [(2, "5%"), (4, "empty")],
    ),
    (parquet_file(id=["001", "NA", "None"], y=[1.0, None, 3.0]), [(3, "finite")]),
    (parquet_file(id=[1.5], y=[1.0]), [(0, "whole numbers")]),
]


@pytest.mark.parametrize(("content", "problems"), BAD)
def test_what_is_wrong_is_said_with_its_line(
    content: bytes, problems: list[tuple[int, str]]
) -> None:
    error = refused(content, truth_of(TRUTH, "values", usage_column="Usage").form)
    assert [problem.line for problem in error.problems] == [line for line, _ in problems]
    for problem, (_, part) in zip(error.problems, problems, strict=True):
        assert part in problem.text


CELLS: list[tuple[Kind, str, str, str]] = [
    ("labels", "cat dog", "0.37", "label (cat, dog); got 0.37"),
    ("labels", "cat dog", "", "empty"),
    ("probabilities", "0 1", "1.2", "outside 0 to 1"),
    ("masks", "1_2 5_1", "1", "pairs"),
    ("masks", "1_2 5_1", "3 2 1 1", "ascend"),
    ("masks", "1_2 5_1", "1 3 3 1", "overlap"),
    ("masks", "1_2 5_1", "0 3", "from 1"),
]


@pytest.mark.parametrize(("kind", "truths", "cell", "part"), CELLS)
def test_a_cell_of_another_kind_is_refused(kind: Kind, truths: str, cell: str, part: str) -> None:
    first, second = truths.replace("_", "|").split()
    truth = truth_of(f"id,y / 1,{first} / 2,{second}".replace("|", " "), kind)
    sample = truth.sample.decode().splitlines()
    (problem,) = refused("\n".join([*sample[:2], f"2,{cell}"]).encode(), truth.form).problems
    assert (problem.line, part in problem.text) == (3, True), problem


def test_metrics_may_refuse_small_numbers() -> None:
    truth = truth_of("id,y / 1,2 / 2,3", "values", above=-1.0)
    assert [p.line for p in refused(lines("id,y / 1,-0.5 / 2,-1"), truth.form).problems] == [3]


def test_a_near_name_is_named() -> None:
    truth = truth_of("id,target / 1,2", "values", ("target",))
    (problem,) = refused(lines("id,targte / 1,2"), truth.form).problems
    assert problem.text.endswith("targte?")


def test_the_first_problems_are_listed_and_the_others_counted() -> None:
    truth = truth_of("id,y / " + " / ".join(f"{at},1" for at in range(30)), "values")
    error = refused(lines("id,y / " + " / ".join(f"{at},x" for at in range(30))), truth.form)
    assert ([problem.line for problem in error.problems], error.more) == ([*range(2, 22)], 10)


@pytest.mark.parametrize(
    ("text", "settings", "line"),
    [
        ("id,y / 1,2 / 1,3", {}, 3),
        ("id,y / 1,2 / 2,", {}, 3),
        ("id,y,Usage / 1,2,Public / 2,2,Train", {"usage_column": "Usage"}, 3),
        ("id,y", {}, 0),
    ],
)
def test_a_truth_is_checked_too(text: str, settings: dict[str, Any], line: int) -> None:
    with pytest.raises(BadTable) as caught:
        truth_of(text, "values", **settings)
    assert caught.value.problems[0].line == line


class TestParts:
    def test_a_column_says_which_rows_count(self) -> None:
        truth = truth_of(TRUTH, "values", usage_column="Usage")
        assert truth.counts == (1, 1, 1)
        predictions = "id,y / 001,2.5 / NA,4 / None,90"
        values = {
            part: measured("mae", truth, predictions, part).values["mae"]
            for part in ("public", "private", "all")
        }
        assert values == {"public": 1, "private": 2, "all": 1.5}

    def test_a_share_is_drawn_by_the_ids(self) -> None:
        rows = [f"k{at},1" for at in range(100)]
        counts = truth_of("id,y / " + " / ".join(rows), "values", share=0.3, seed="s").counts
        assert counts == (30, 70, 0)
        keys = [
            answers_of(truth_of("id,y / " + " / ".join(order), "values", share=0.3).key, "public")
            for order in (rows, rows[::-1])
        ]
        assert keys[0].rows is not None
        assert keys[1].rows is not None
        assert [99 - at for at in keys[1].rows][::-1] == keys[0].rows.tolist()

    def test_a_part_without_rows_has_no_value(self) -> None:
        truth = truth_of("id,y / 1,2", "values")
        outcome = measured("mae", truth, "id,y / 1,2", "private")
        assert (outcome.values, bool(outcome.reason)) == ({"mae": None}, True)


class TestSeveralTargets:
    TRUTH = "id,a,b / 1,0,10 / 2,0,10"
    PREDICTIONS = "id,b,a / 2,13,1 / 1,13,1"

    def test_the_value_is_the_mean_over_them(self) -> None:
        truth = truth_of(self.TRUTH, "values", ("a", "b"))
        outcome = measured("rmse", truth, self.PREDICTIONS)
        assert (outcome.values, outcome.estimate.interval) == (
            {"rmse": 2, "a": 1, "b": 3},
            None,
        )

    def test_without_a_value_of_one_target_there_is_no_mean(self) -> None:
        truth = truth_of(self.TRUTH, "values", ("a", "b"))
        outcome = measured("r2", truth, self.PREDICTIONS)
        assert outcome.values == {"r2": None}
        assert outcome.reason.startswith("a: ")

    def test_each_label_of_several_targets_has_a_column(self) -> None:
        truth = truth_of("id,a,b / 1,x,0 / 2,y,1 / 3,z,1", "probabilities", ("a", "b"))
        assert truth.layout.columns == ("id", "a_x", "a_y", "a_z", "b")


class TestIntervals:
    def test_the_mean_of_rows_has_one_and_its_root_too(self) -> None:
        numbers = " / ".join(f"{at},{at}" for at in range(9))
        errors = " / ".join(f"{at},{at + at % 3}" for at in range(9))
        truth = truth_of(f"id,y / {numbers}", "values")
        mse, rmse = (measured(name, truth, f"id,y / {errors}") for name in ("mse", "rmse"))
        assert mse.estimate.interval is not None
        assert rmse.estimate.interval == tuple(end**0.5 for end in mse.estimate.interval)

    def test_other_metrics_have_none(self) -> None:
        truth = truth_of("id,y / 1,a / 2,b", "labels")
        outcome = measured("mcc", truth, "id,y / 1,a / 2,b")
        assert outcome.estimate.interval is None


def test_predictions_of_another_truth_are_not_measured() -> None:
    truth = truth_of("id,y / 1,2 / 2,3", "values")
    other = truth_of("id,y / 1,2", "values")
    with pytest.raises(ValueError, match="another truth"):
        measured("mae", truth._replace(form=other.form), "id,y / 1,2")


def test_the_sample_is_a_file_of_predictions() -> None:
    truth = truth_of('id,y / "a,b",x / c,y / d,z', "probabilities")
    assert truth.sample.splitlines()[0] == b'"id","x","y","z"'
    assert check_predictions(truth.sample, truth.form).rows == 3
    assert truth_of(TRUTH, "values", usage_column="Usage").sample == lines(
        "id,y / 001,0 / NA,0 / None,0 / "
    )


def test_a_preview_has_the_first_rows() -> None:
    table = preview(lines(TRUTH))
    assert (table.columns, table.row_count, table.usage) == (("id", "y", "Usage"), 3, "Usage")
    assert table.rows[1] == ("NA", "2", "Private")


def test_texts_of_a_child_only_insert_values() -> None:
    text = message("{place}: {text}", place="y", text=message("is empty"))
    assert from_json(to_json(text)) == text
    for template in ("{place.__class__}", "{place:>999999999}", "{other}"):
        with pytest.raises(ValueError, match="template"):
            from_json([template, "", {"place": "y"}])
