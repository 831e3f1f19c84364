"""Tables of predictions are read and measured in children, whatever files and metrics do."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import asdict

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from leaderboard.predictions.checking import Predictions
from leaderboard.predictions.comparing import ComparedFiles
from leaderboard.predictions.layouts import TruthSettings
from leaderboard.predictions.problems import BadTable
from leaderboard.predictions.scoring import Measured
from leaderboard.predictions.truths import Truth
from leaderboard.rules.plugins.kinds import is_searched
from leaderboard.rules.texts.messages import Message
from leaderboard.sandbox import Failure, Sandbox, prediction_settings
from tests.sandbox.conftest import SETTINGS

RMSE = "scorers.predictions.values.rmse:RootMeanSquaredError"
ODD = "hostile.predictions.odd:Odd"
TRUTH = b"id,y\n001,1\nNA,2\nNone,3\n"


@pytest.fixture(scope="module")
def predicting() -> Iterator[Sandbox]:
    with Sandbox(prediction_settings(SETTINGS)) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def truth(predicting: Sandbox) -> Truth:
    read = predicting.read_truth(TRUTH, TruthSettings("id", ("y",), "values"))
    assert isinstance(read, Truth), read
    return read


def workbook() -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in (("id", "y"), ("None", 3), ("NA", 2), ("001", 2)):
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def parquet_file() -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table({"id": ["None", "NA", "001"], "y": [3, 2, 2]}), file)
    return file.getvalue()


@pytest.mark.parametrize("content", [workbook(), parquet_file(), b"id,y\n001,2\nNA,2\nNone,3\n"])
def test_a_file_is_checked_and_measured(predicting: Sandbox, truth: Truth, content: bytes) -> None:
    checked = predicting.check_predictions(content, truth.form)
    assert isinstance(checked, Predictions), checked
    files = [checked.packed, None, b"broken"]
    several = predicting.measure_predictions(
        RMSE, {}, truth.key, files, part="all", timeout_ms=60_000
    )
    assert isinstance(several, list), several
    first, perfect, broken = several
    assert isinstance(first, Measured), first
    assert isinstance(perfect, Measured)
    assert first.values == {"rmse": pytest.approx(3**-0.5)}
    assert perfect.values == {"rmse": 0}
    assert isinstance(broken, Failure)
    compared = predicting.compare_predictions(
        RMSE,
        {},
        truth.key,
        [checked.packed, b"broken", checked.packed],
        part="all",
        timeout_ms=60_000,
    )
    assert isinstance(compared, list), compared
    unreadable, same = compared
    assert isinstance(unreadable, Failure)
    assert isinstance(same, ComparedFiles)
    assert same.first == pytest.approx(3**-0.5)
    assert same.comparison.difference == 0
    pictures = predicting.picture_predictions(checked.packed, truth.key, "public")
    assert isinstance(pictures, list), pictures
    (picture,) = pictures
    assert picture.cells == ((1, 2, 1), (2, 2, 1), (3, 3, 1))


def test_problems_arrive_as_messages(predicting: Sandbox, truth: Truth) -> None:
    with pytest.raises(BadTable) as caught:
        predicting.check_predictions(b"id,y\n001,x\nNA,2\n", truth.form)
    assert [problem.line for problem in caught.value.problems] == [0, 2]
    assert all(isinstance(problem.text, Message) for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("does", "code", "text"),
    [
        ("tell", "exception", "The metric stopped with ValueError."),
        ("nan", "invalid_result", "The metric returned nan, not a finite number."),
        ("text", "invalid_result", "The metric returned a value of type str."),
        ("sleep", "timeout", ""),
        ("end", "crashed", "The metric ended its own process."),
    ],
)
def test_a_metric_that_fails_tells_no_truth(
    predicting: Sandbox, truth: Truth, does: str, code: str, text: str
) -> None:
    answer = predicting.measure_predictions(
        ODD, {"does": does}, truth.key, [None], part="all", timeout_ms=2_000
    )
    failure = answer if isinstance(answer, Failure) else answer[0]
    assert isinstance(failure, Failure), failure
    assert failure.code == code
    assert text in failure.message


def test_a_metric_gives_values_by_name_or_a_reason(predicting: Sandbox, truth: Truth) -> None:
    results = []
    for does in ("several", "explain", "nothing"):
        answer = predicting.measure_predictions(
            ODD, {"does": does}, truth.key, [None], part="all", timeout_ms=60_000
        )
        assert isinstance(answer, list)
        assert isinstance(answer[0], Measured), answer
        results.append((answer[0].values, answer[0].reason))
    several, explained, silent = results
    assert several == ({"first": 2, "second": None}, "")
    assert explained == ({"odd": None}, "there is no wind")
    assert silent[0] == {"odd": None}


def test_a_metric_describes_itself(sandbox: Sandbox) -> None:
    described = sandbox.describe_prediction_metric(ODD)
    assert (described.name, described.rows, described.direction) == ("odd", "values", "asc")
    assert (described.above, described.bounds) == (-1, (0, None))
    assert is_searched("scorers.predictions.values.rmse", "prediction_metric")
    assert not is_searched("scorers.predictions.values.rmse", "scorer")


def test_without_the_libraries_it_says_what_to_install(sandbox: Sandbox, truth: Truth) -> None:
    settings = TruthSettings(**asdict(TruthSettings("id", ("y",), "values")))
    for answer in (
        sandbox.read_truth(TRUTH, settings),
        sandbox.measure_predictions(RMSE, {}, truth.key, [None], part="all", timeout_ms=60_000),
    ):
        assert isinstance(answer, Failure)
        assert answer.code == "not_installed"
        assert "podium[predictions]" in answer.message
