"""Boards as Parquet: the CSV's columns with types, in row groups; pyarrow reads them."""

from __future__ import annotations

import csv
from datetime import UTC, date, datetime

import pyarrow as pa
import pytest

from leaderboard.api.files import parquet_file
from leaderboard.models import Attempt, Standing
from leaderboard.services.scoring import single
from tests.api.conftest import Api, refused
from tests.parquet_files import read_file, rows_in

CUP = "challenges/cup/"
FILE = f"{CUP}leaderboard.parquet"
FIELDS = [
    {"name": "size", "type": "number", "unit": "B"},
    {"name": "open", "type": "boolean"},
    {"name": "released", "type": "date"},
    {"name": "license"},
]
META = {"size": "7.5", "open": "yes", "released": "2026-03-18", "license": "=MIT"}


@pytest.fixture
def cup(organiser: Api) -> Api:
    """A challenge with a mean over tasks, an attempt with meta, one without, and an unranked one.

    Returns its organiser's client.
    """
    fields = {
        "name": "Cup",
        "scoring_strategy": "metric",
        "metrics": [{"type": "mean"}],
        "rank_by": [{"key": "mean"}],
        "columns": [
            {"key": "mean", "label": "Solved", "unit": "%", "decimals": 1},
            {"key": "submitted_at"},
        ],
        "meta_fields": FIELDS,
    }
    assert organiser.post("challenges/", fields).status_code == 201
    tasks = {f"t{at}": [at % 2] for at in range(8)}
    for body in (
        {"participant": "-atlas", "task_rewards": tasks, "metrics": {"elapsed_ms": 1500}},
        {"participant": "bolt", "task_rewards": {task: [0.25] for task in tasks}},
        {"participant": "comet", "metrics": {"elapsed_ms": 20}},
    ):
        answer = organiser.post(f"{CUP}attempts/", body)
        assert answer.status_code == 202, answer.content
    single.score_waiting()
    Attempt.objects.filter(participant__handle="-atlas").update(meta=META)
    return organiser


def test_columns_have_types(cup: Api) -> None:
    answer = cup.get(FILE)
    assert answer["Content-Type"] == "application/vnd.apache.parquet"
    assert answer["Content-Disposition"] == 'attachment; filename="cup.parquet"'
    file = read_file(answer.getvalue())
    schema = file.schema_arrow
    types = {field.name: field.type for field in schema}
    assert types["rank"] == types["attempts"] == types["mean (defined)"] == pa.int64()
    assert types["mean"] == types["elapsed_ms"] == types["meta.size"] == pa.float64()
    assert types["reached_at"] == types["submitted_at"] == pa.timestamp("us", tz="UTC")
    assert types["participant"] == types["attempt"] == types["meta.license"] == pa.string()
    assert (types["meta.open"], types["meta.released"]) == (pa.bool_(), pa.date32())
    field_metadata = schema.field("mean").metadata
    assert field_metadata == {b"label": b"Solved", b"unit": b"%", b"direction": b"desc"}
    about = (b"podium.challenge", b"podium.phase", b"podium.scoring_version")
    for metadata in (schema.metadata, file.metadata.metadata):
        assert [metadata[name] for name in about] == [b"cup", b"main", b"1"]


def test_values_are_those_of_the_csv(cup: Api) -> None:
    first, second, last = rows_in(cup.get(FILE).getvalue())
    assert (first["rank"], second["rank"], last["rank"]) == (1, 2, None)
    assert (first["participant"], last["unranked"], first["unranked"]) == (
        "-atlas",
        "no_value",
        None,
    )
    assert (first["mean"], second["mean"], last["mean"]) == (0.5, 0.25, None)
    assert (first["elapsed_ms"], second["elapsed_ms"]) == (1500.0, None)
    assert (first["mean (level)"], first["mean (total)"]) == ("computed", 8)
    assert (first["meta.size"], first["meta.open"], first["meta.released"]) == (
        7.5,
        True,
        date(2026, 3, 18),
    )
    assert first["meta.license"] == "=MIT"
    assert second["meta.size"] is second["meta.license"] is None
    assert isinstance(first["reached_at"], datetime)
    assert first["reached_at"] == first["submitted_at"]
    assert first["reached_at"].utcoffset() == datetime.now(UTC).utcoffset()
    assert first["reached_at"] == Standing.objects.get(participant__handle="-atlas").reached_at
    lines = cup.text(f"{CUP}leaderboard.csv").splitlines()
    assert list(first) == next(csv.reader(lines))
    margins = [row["mean (margin)"] for row in csv.DictReader(lines)]
    assert [f"{first['mean (margin)']}", second["mean (margin)"] or ""] == [*margins[:1], ""]


def test_marks_and_public_ranks_have_columns(cup: Api) -> None:
    pk = Attempt.objects.get(participant__handle="bolt").pk
    sent = {"by": "Ann", "link": "https://example.org/"}
    assert cup.put(f"attempts/{pk}/verification/", sent).status_code == 200
    first, second, _last = rows_in(cup.get(FILE).getvalue())
    assert (second["verified_by"], second["verified_link"]) == ("Ann", "https://example.org/")
    assert isinstance(second["verified_at"], datetime)
    assert first["verified_at"] is first["verified_by"] is None


def test_rows_come_in_groups(cup: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rows_in(cup.get(FILE).getvalue())
    monkeypatch.setattr(parquet_file, "ROWS_PER_BATCH", 2)
    monkeypatch.setattr(parquet_file, "ROWS_PER_GROUP", 2)
    monkeypatch.setattr(parquet_file, "IN_MEMORY", 1)
    monkeypatch.setattr(parquet_file, "PIECE", 100)
    pieces = list(cup.get(FILE).streaming_content)
    assert {len(piece) for piece in pieces[:-1]} == {100}
    file = read_file(b"".join(pieces))
    assert file.num_row_groups == 2
    assert file.read().to_pylist() == whole


def test_a_board_without_rows_has_its_columns(cup: Api) -> None:
    empty = cup.get(f"{FILE}?participant_kind=person").getvalue()
    assert rows_in(empty) == []
    whole = read_file(cup.get(FILE).getvalue()).schema_arrow
    here = pa.field("rank_here", pa.int64())
    place = whole.get_field_index("meta.size")
    expected = whole.insert(place, here)
    assert read_file(empty).schema_arrow.equals(expected, check_metadata=True)


def test_a_file_has_the_requested_rows_and_columns(cup: Api) -> None:
    asked = cup.get(f"{FILE}?search=bolt&columns=mean,meta.size").getvalue()
    (row,) = rows_in(asked)
    assert row["participant"] == "bolt"
    assert "meta.license" not in row
    assert "elapsed_ms" not in row
    refused(cup.get(f"{FILE}?columns=ghost"), 400, "invalid", "columns")
    etag = cup.get(FILE)["ETag"]
    assert cup.get(FILE, **{"If-None-Match": etag}).status_code == 304


def test_the_etag_is_weak_because_equal_files_may_differ_in_bytes(cup: Api, anyone: Api) -> None:
    """The writer orders the metadata of a file at random."""
    for reader in (cup, anyone):
        assert reader.get(FILE)["ETag"].startswith('W/"')
        assert reader.get(FILE.replace("parquet", "csv"))["ETag"].startswith('"')
        assert reader.get(FILE, **{"If-None-Match": reader.get(FILE)["ETag"]})["ETag"][0] == "W"
