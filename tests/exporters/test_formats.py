"""Each format of the exchange, written from one small board."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID
from zipfile import ZipFile

import pytest
import yaml

from leaderboard.exporters import (
    CannotExport,
    ExportedAttempt,
    ExportedBoard,
    ExportedColumn,
    ExportedPhase,
    ExportedRow,
    ExportedValue,
    known_exporters,
)
from leaderboard.exporters.board import ExportedSample
from leaderboard.importers import Source, read

START = datetime(2026, 11, 1, 10, tzinfo=UTC)
ACCURACY = ExportedColumn("accuracy", "Accuracy", "Solved", "desc", "", ranked=True, low=0, high=1)
COST = ExportedColumn("cost_usd", "Cost", "", "asc", "USD", ranked=False)


def row(number: int, **fields: Any) -> ExportedRow:
    whole = {
        "slug": f"entry-{number}",
        "name": f"Entry {number}",
        "rank": number,
        "rank_interval": (1, 2),
        "unranked": "",
        "attempt": f"attempt-{number}",
        "address": f"https://board.example/attempts/{number}",
        "reached_at": START + timedelta(hours=number),
        "values": {
            "accuracy": ExportedValue(1 / number, None, False, 0.1, (0.2, 1.0), 9, 10),
            "cost_usd": ExportedValue(None, "undefined"),
        },
        "meta": {"Org": "Acme", "model": f"m {number}", "weights": "open"},
    }
    return ExportedRow(**{**whole, **fields})


def attempt(number: int, score: float | None) -> ExportedAttempt:
    at = START + timedelta(minutes=number)
    done = None if score is None else at + timedelta(seconds=1)
    return ExportedAttempt(f"a{number}", f"entry-{number}", at, done, "scored", score)


BOARD = ExportedBoard(
    slug="exams",
    name="Exams",
    summary="Two entries",
    address="https://board.example/c/exams/",
    files="https://board.example/exams.csv",
    server="1.0",
    scorer="metric",
    code="",
    scoring_version=3,
    created_at=START,
    updated_at=START + timedelta(days=1),
    is_whole=True,
    columns=[ACCURACY, COST],
    rows=[row(1), row(2)],
    phase=ExportedPhase(
        "main", START, START + timedelta(hours=5), START + timedelta(hours=4), False
    ),
    organisation="Example",
    dataset_url="https://huggingface.co/datasets/acme/exams",
    samples=lambda: {"attempt-1": [ExportedSample("t", 0, "accuracy", 1.0, 5, 6)]},
    rates=lambda: {"attempt-1": {"t": 1.0, "u": 0.5}, "attempt-2": {"t": 0.0}},
    attempts=lambda: [attempt(1, 1.0), attempt(2, None)],
)


def files(key: str, board: ExportedBoard = BOARD) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(known_exporters()[key].file(board))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("key", known_exporters())
def test_the_same_board_gives_the_same_bytes(key: str) -> None:
    exporter = known_exporters()[key]
    assert exporter.file(BOARD) == exporter.file(BOARD)


def test_every_eval_ever_says_what_the_board_says() -> None:
    written = files("every-eval-ever")
    (name,) = (
        name for name in written if name.startswith("data/exams/Acme/m-1/") and "_" not in name
    )
    assert UUID(name.rpartition("/")[2].removesuffix(".json")).version == 4
    document = json.loads(written[name])
    (contents,) = document["evaluation_results"]  # the missing cost is no result
    assert contents["score_details"]["score"] == 1.0
    assert contents["metric_config"]["min_score"] == 0
    assert contents["source_data"]["hf_repo"] == "acme/exams"
    assert document["model_info"]["additional_details"]["no_value:cost_usd"] == "undefined"
    assert document["model_info"]["additional_details"]["model_availability"] == "open_weights"
    details = document["detailed_evaluation_results"]
    lines = written[details["file_path"]]
    assert details["checksum"] == sha256(lines).hexdigest()
    assert [json.loads(line)["evaluation"]["score"] for line in lines.splitlines()] == [1.0]


def test_what_every_eval_ever_has_is_imported_again() -> None:
    board = replace(BOARD, samples=dict)
    contents = read(Source.open(known_exporters()["every-eval-ever"].file(board), "eee.zip"))
    assert contents.format == "every-eval-ever"
    assert [entry.values for entry in contents.attempts] == [{"accuracy": 1.0}, {"accuracy": 0.5}]
    assert [entry.submitted_at for entry in contents.attempts] == [
        entry.reached_at for entry in board.rows
    ]


def test_a_board_of_harbors_hub_comes_back() -> None:
    contents = read(Source.open(known_exporters()["harbor-hub"].file(BOARD), "board.json"))
    assert contents.format == "harbor-hub"
    assert [entry.values for entry in contents.attempts] == [{"accuracy": 1.0}, {"accuracy": 0.5}]
    assert contents.suggested["rank_by"] == [{"key": "accuracy", "direction": "desc"}]


def test_hugging_face_gets_a_list_that_yaml_reads() -> None:
    (entry,) = yaml.safe_load(files("hugging-face")["entry-2/.eval_results/exams.yaml"])
    assert entry["dataset"] == {"id": "acme/exams", "task_id": "accuracy"}
    assert (entry["value"], entry["date"]) == (0.5, "2026-11-01")


def test_model_cards_name_their_metrics() -> None:
    card = files("model-card")["entry-1/README.md"].decode().split("---\n")[1]
    (index,) = yaml.safe_load(card)["model-index"]
    assert index["results"][0]["metrics"] == [
        {"type": "accuracy", "value": 1.0, "name": "Accuracy"}
    ]


def test_a_contest_keeps_its_freeze() -> None:
    written = {name: text.decode() for name, text in files("icpc").items()}
    contest, state = json.loads(written["contest.json"]), json.loads(written["state.json"])
    assert contest["scoreboard_freeze_duration"] == "1:00:00.000"
    assert state["frozen"]
    assert state["thawed"] is None
    assert state["finalized"] is None
    assert len(json.loads(written["submissions.json"])) == 2
    (judgement,) = json.loads(written["judgements.json"])
    assert (judgement["score"], judgement["end_contest_time"]) == (1.0, "0:01:01.000")
    tokens = [json.loads(line)["token"] for line in written["event-feed.ndjson"].splitlines()]
    assert tokens == [str(number) for number in range(1, len(tokens) + 1)]


def test_harbors_hub_and_honestboard_get_numbers_by_name() -> None:
    hub = json.loads(known_exporters()["harbor-hub"].file(BOARD))
    assert hub["rows"][1]["metrics"] == {"accuracy": 0.5, "cost_usd": None}
    assert hub["leaderboard"]["rank_by"] == [
        {"accessor": "metrics.accuracy", "direction": "desc", "nulls": "last"}
    ]
    rates = json.loads(known_exporters()["honestboard"].file(BOARD))
    assert rates["tasks"] == ["t", "u"]
    assert rates["systems"][1]["rates"] == {"t": 0.0}


ASCENDING = replace(BOARD, columns=[replace(ACCURACY, direction="asc")])


@pytest.mark.parametrize(
    ("key", "board"),
    [
        ("hugging-face", replace(BOARD, dataset_url="")),
        ("hugging-face", ASCENDING),
        ("icpc", ASCENDING),
        ("icpc", replace(BOARD, attempts=list)),
        ("icpc", replace(BOARD, attempts=lambda: [attempt(1, -1.0)])),
        ("honestboard", replace(BOARD, rates=dict)),
        ("honestboard", replace(BOARD, rates=lambda: {"attempt-1": {"t": 7.0}})),
        ("every-eval-ever", replace(BOARD, rows=[])),
        ("model-card", replace(BOARD, rows=[])),
        ("harbor-hub", replace(BOARD, rows=[])),
    ],
)
def test_what_a_format_cannot_say_is_refused(key: str, board: ExportedBoard) -> None:
    with pytest.raises(CannotExport):
        known_exporters()[key].file(board)
