"""The API and exports have reported values that are not listed as columns."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Challenge
from leaderboard.services.board.reading import reported_columns
from leaderboard.services.scoring import single
from leaderboard.services.scoring.rescoring import work_on
from tests.api.conftest import Api, refused

PATH = "challenges/league/"


@pytest.fixture
def league(organiser: Api, submitter: Api) -> Api:
    """A challenge ranked by `solved`; `zeal` and `penalty` are reported too, and e has no rank."""
    fields = {
        "name": "League",
        "scoring_strategy": "metric",
        "rank_by": [{"key": "solved"}],
        "columns": [{"key": "penalty", "label": "Penalty"}],
    }
    assert organiser.post("challenges/", fields).status_code == 201
    values: list[tuple[str, dict[str, Any]]] = [
        ("a", {"solved": 9, "zeal": 0.5, "penalty": 3}),
        ("b", {"solved": 8, "alpha": 1}),
        ("c", {"solved": 7}),
        ("e", {"only_of_e": 4}),
    ]
    for participant, reported in values:
        body = {"participant": participant, "values": reported}
        assert submitter.post(f"{PATH}attempts/", body).status_code == 202
    single.score_waiting()
    return submitter


def rows(answer: Any) -> dict[str, dict[str, Any]]:
    return {row["participant"]["handle"]: row["values"] for row in answer.json()["rows"]}


def test_reported_values_are_in_a_page_of_the_board(league: Api) -> None:
    answer = league.get(f"{PATH}leaderboard/")
    rows_by_name = rows(answer)
    listed = {column["key"] for column in answer.json()["columns"]}
    assert {"solved", "penalty"} <= listed
    assert not {"zeal", "alpha", "only_of_e"} & listed
    assert {key: rows_by_name["a"][key] for key in ("solved", "penalty", "zeal")} == {
        "solved": 9,
        "penalty": 3,
        "zeal": 0.5,
    }
    assert set(rows_by_name["a"]) - listed == {"zeal"}
    assert set(rows_by_name["b"]) - listed == {"alpha"}
    assert set(rows_by_name["c"]) - listed == set()
    assert set(rows_by_name["e"]) - listed == {"only_of_e"}


def test_reported_values_are_in_a_standing(league: Api) -> None:
    body = league.get(f"{PATH}standings/b/").json()
    assert body["values"]["alpha"] == 1
    assert body["above"][0]["values"]["zeal"] == 0.5


def test_reported_values_are_in_json_lines(league: Api) -> None:
    page = league.get(f"{PATH}leaderboard/").json()["rows"]
    assert league.json_lines(f"{PATH}leaderboard.jsonl") == page


def test_csv_has_columns_for_the_values_of_ranked_rows(league: Api) -> None:
    lines = league.table(f"{PATH}leaderboard.csv")
    names = list(lines[0])
    assert names.index("penalty") < names.index("alpha") < names.index("zeal")
    assert names.index("zeal") < names.index("attempts")
    assert "only_of_e" not in names
    assert [(row["participant"], row["alpha"], row["zeal"]) for row in lines] == [
        ("a", "", "0.5"),
        ("b", "1.0", ""),
        ("c", "", ""),
        ("e", "", ""),
    ]


def test_the_number_of_csv_columns_is_limited(league: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reported_columns, "MAX_COLUMNS", 1)
    first = league.table(f"{PATH}leaderboard.csv")[0]
    assert "alpha" in first
    assert "zeal" not in first


def test_chosen_columns_exclude_other_reported_values(league: Api) -> None:
    answer = league.get(f"{PATH}leaderboard/?columns=zeal,solved")
    assert [column["key"] for column in answer.json()["columns"]] == ["zeal", "solved"]
    assert rows(answer)["a"] == {"zeal": 0.5, "solved": 9}
    assert "alpha" not in league.table(f"{PATH}leaderboard.csv?columns=zeal")[0]
    for path in ("leaderboard/", "leaderboard.csv", "leaderboard.jsonl"):
        refused(league.get(f"{PATH}{path}?columns=zeel"), 400, "invalid", "columns")


def test_boards_can_be_sorted_by_reported_values(league: Api) -> None:
    answer = league.get(f"{PATH}leaderboard/?sort=-zeal")
    assert [row["participant"]["handle"] for row in answer.json()["rows"]] == ["a", "b", "c", "e"]
    answer = league.get(f"{PATH}leaderboard/?sort=only_of_e")
    assert answer.json()["rows"][0]["participant"]["handle"] == "e"
    refused(league.get(f"{PATH}leaderboard/?sort=zeel"), 400, "invalid", "sort")


def test_values_of_a_later_metric_are_not_shown(organiser: Api, league: Api) -> None:
    """After a metric of the same name was added, the reported values no longer count."""
    metrics = ["mean_reward", {"type": "mean", "name": "zeal"}]
    assert organiser.patch(PATH, {"metrics": metrics}).status_code == 200
    assert organiser.send("post", f"{PATH}rescore/", b"").status_code == 202
    work_on(Challenge.objects.get(slug="league").newest.pk)
    board = league.get(f"{PATH}leaderboard/")
    assert board.json()["scoring_version"] == 2
    assert rows(board)["a"]["zeal"] is None


def test_names_are_queried_once_for_each_version(league: Api) -> None:
    league.get(f"{PATH}leaderboard.csv").getvalue()
    with CaptureQueriesContext(connection) as queries:
        league.get(f"{PATH}leaderboard.csv").getvalue()
    assert not [query for query in queries if "DISTINCT" in (query["sql"] or "")]
