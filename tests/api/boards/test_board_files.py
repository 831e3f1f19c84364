"""Boards as files: the rows that are asked for, in their order, in each format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import LazySettings

from leaderboard.api.files.exports import markdown
from leaderboard.models import Challenge, Participant, Registration, RegistrationRules, User
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.row_filter import RowFilter, RowsAsked
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.visible import rows as visible_rows
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.scoring.single import score_waiting
from tests.api.conftest import Api
from tests.parquet_files import rows_in

PATH = "challenges/sprint/leaderboard"
FILES = ("csv", "json", "jsonl", "md")


@pytest.fixture
def sprint(organiser: Api, sprint: Challenge) -> Challenge:
    for who, elapsed, kind in (
        ("a|b *c*", 300, "system"),
        ("bolt", 100, "team"),
        ("comet", 200, "system"),
        ("delta", 200, "system"),
    ):
        metrics = {"succeeded": True, "elapsed_ms": elapsed}
        body = {"participant": who, "kind": kind, "metrics": metrics}
        assert organiser.post("challenges/sprint/attempts/", body).status_code == 202
    score_waiting()
    return sprint


def board_of(challenge: Challenge) -> VisibleBoard:
    return VisibleBoard(board_at(challenge), Access(challenge.pk))


def test_a_document_has_the_fields_of_a_page(anyone: Api, sprint: Challenge) -> None:
    page = anyone.get(f"{PATH}/").json()
    answer = anyone.get(f"{PATH}.json")
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"] == 'attachment; filename="sprint.json"'
    assert json.loads(answer.getvalue()) == page
    empty = json.loads(anyone.get(f"{PATH}.json?participant_kind=person").getvalue())
    assert empty == {**page, "rows": []}


def test_markdown_is_a_table_for_people(anyone: Api, sprint: Challenge) -> None:
    lines = anyone.get(f"{PATH}.md?columns=elapsed_ms").getvalue().decode().splitlines()
    assert lines == [
        "| Rank | Participant | Time, reported | Attempts | Provenance |",
        "| ---: | :--- | ---: | ---: | :--- |",
        "| 1 | bolt | 100 ms | 1 | reported unreviewed |",
        "| 2= | comet | 200 ms | 1 | reported unreviewed |",
        "| 2= | delta | 200 ms | 1 | reported unreviewed |",
        r"| 4 | a\|b \*c\* | 300 ms | 1 | reported unreviewed |",
    ]


@pytest.mark.parametrize("ending", FILES)
def test_a_file_has_the_requested_rows_and_columns(
    anyone: Api, sprint: Challenge, ending: str
) -> None:
    asked = "participant_kind=system&sort=-elapsed_ms"
    text = anyone.get(f"{PATH}.{ending}?{asked}").getvalue().decode()
    assert "bolt" not in text
    assert text.index("c") < text.index("comet") < text.index("delta")
    content = anyone.get(f"{PATH}.{ending}?search=bol").getvalue().decode()
    assert "bolt" in content
    assert "comet" not in content
    for wrong in ("participant_kind=ghost", "sort=ghost", "columns=ghost", "kind=team"):
        assert anyone.get(f"{PATH}.{ending}?{wrong}").status_code == 400


def test_pages_of_a_filter_have_cursors_of_their_own(anyone: Api, sprint: Challenge) -> None:
    first = anyone.get(f"{PATH}/?participant_kind=system&limit=2").json()
    assert [row["rank"] for row in first["rows"]] == [2, 2]
    rest = anyone.get(f"{PATH}/?participant_kind=system&limit=2&cursor={first['next']}").json()
    assert [row["rank"] for row in rest["rows"]] == [4]
    assert rest["next"] is None
    assert anyone.get(f"{PATH}/?limit=2&cursor={first['next']}").status_code == 400


def test_rows_in_pieces_are_all_rows(sprint: Challenge, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = RowsAsked(wanted=RowFilter(kind="system"), key="elapsed_ms", descending=True)
    whole = list(board_of(sprint).every_row(asked))
    assert [row.rank for row in whole] == [4, 2, 2]
    assert [row.here for row in whole] == [3, 1, 1]
    for size in (1, 2, 3):
        monkeypatch.setattr(visible_rows, "ROWS_PER_PIECE", size)
        assert list(board_of(sprint).every_row(asked)) == whole


def test_ranks_here_are_those_of_a_board_of_these_rows_alone(sprint: Challenge) -> None:
    board = board_at(sprint)
    Participant.objects.filter(handle="delta").update(kind="person")
    for kinds in (["team"], ["person"], ["system"]):
        page = ranking.matching(board, RowFilter(kind=kinds[0]))
        ranks = [row.rank for row in page.rows]
        assert page.matches == len(ranks)
        assert [row.here for row in page.rows] == [
            1 + sum(other < rank for other in ranks if other and rank) for rank in ranks
        ]


def test_rows_have_their_bracket_and_their_rank_within_it(
    anyone: Api, sprint: Challenge, alice: User
) -> None:
    RegistrationRules.objects.create(challenge=sprint, brackets=["A", "B"])
    for who, bracket in (("bolt", "A"), ("comet", "B"), ("delta", "B")):
        mine = Registration.objects.filter(challenge=sprint, participant__handle=who)
        assert mine.update(bracket=bracket) == 1
    expected = {"comet": (2, 1, "B"), "delta": (2, 1, "B")}
    page = anyone.get(f"{PATH}/?bracket=B").json()["rows"]
    columns = rows_in(anyone.get(f"{PATH}.parquet?bracket=B").getvalue())
    for rows in (page, anyone.json_lines(f"{PATH}.jsonl?bracket=B")):
        ranks = {
            row["participant"]["handle"]: (row["rank"], row["rank_here"], row["bracket"])
            for row in rows
        }
        assert ranks == expected
    for rows in (anyone.table(f"{PATH}.csv?bracket=B"), columns):
        ranks = {
            row["participant"]: (int(row["rank"]), int(row["rank_here"]), row["bracket"])
            for row in rows
        }
        assert ranks == expected
    assert "| 1 | 2= | comet |" in anyone.get(f"{PATH}.md?bracket=B").getvalue().decode()
    whole = anyone.get(f"{PATH}/").json()["rows"]
    assert [(row["rank_here"], row["bracket"]) for row in whole] == [
        *((None, bracket) for bracket in ("A", "B", "B", None)),
    ]
    assert "rank_here" not in anyone.get(f"{PATH}.csv").getvalue().decode()
    change_challenge(
        sprint,
        user=alice,
        fields={"phases": [{"slug": "main", "names": "anonymous"}]},
    )
    hidden = anyone.get(f"{PATH}/").json()["rows"]
    assert {row["bracket"] for row in hidden} == {None}


def test_a_table_of_nothing_has_a_head(sprint: Challenge) -> None:
    asked = RowsAsked(wanted=RowFilter(kind="person"))
    text = "".join(markdown(board_of(sprint), [], asked=asked))
    names = "| Here | Rank | Participant | Attempts | Provenance |"
    head = f"{names}\n| ---: | ---: | :--- | ---: | :--- |\n"
    assert text == head


@pytest.mark.parametrize("ending", [*FILES, "parquet"])
def test_a_file_is_rendered_once_per_version_and_query(
    ending: str,
    anyone: Api,
    organiser: Api,
    sprint: Challenge,
    tmp_path: Path,
    settings: LazySettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr("leaderboard.http.kept_files.LEAST_BYTES", 0)
    first = anyone.get(f"{PATH}.{ending}").getvalue()
    assert anyone.get(f"{PATH}.{ending}?participant_kind=team").getvalue() != first
    with monkeypatch.context() as once:
        once.setattr(VisibleBoard, "every_row", None)
        assert anyone.get(f"{PATH}.{ending}").getvalue() == first
    metrics = {"succeeded": True, "elapsed_ms": 1}
    organiser.post("challenges/sprint/attempts/", {"participant": "eagle", "metrics": metrics})
    score_waiting()
    assert anyone.get(f"{PATH}.{ending}").getvalue() != first
