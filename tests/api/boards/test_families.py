"""Families, declared choices and where rows come from, through the API and in files."""

from __future__ import annotations

import pytest

from leaderboard.models import Challenge
from leaderboard.schemas.meta_fields import DECLARATIONS
from leaderboard.services.scoring import single
from tests.api.conftest import METRICS, Api, refused

BOARD = "challenges/sprint/leaderboard"


@pytest.fixture
def rows(submitter: Api, sprint: Challenge, organiser: Api) -> None:
    declared = organiser.patch("challenges/sprint/", {"meta_fields": DECLARATIONS})
    assert declared.status_code == 200, declared.content
    for name, elapsed, about in (
        ("fir-1", 3, {"family": "Fir", "meta": {"openness": "open weights: Apache-2.0"}}),
        ("fir-2", 1, {"family": " Fir "}),
        ("oak", 2, {"meta": {"openness": "open"}}),
    ):
        body = {"participant": name, "metrics": {**METRICS, "elapsed_ms": elapsed}, **about}
        answer = submitter.post("challenges/sprint/attempts/", body)
        assert answer.status_code == 202, answer.content
    single.score_waiting()


def test_boards_and_files_have_all_rows_or_the_best_of_each_family(rows: None, anyone: Api) -> None:
    every = anyone.get(f"{BOARD}/").json()["rows"]
    assert [row["family"] for row in every] == ["Fir", None, "Fir"]
    best = anyone.get(f"{BOARD}/?families=best").json()["rows"]
    assert [(row["participant"]["handle"], row["rank_here"]) for row in best] == [
        ("fir-2", 1),
        ("oak", 2),
    ]
    lines = anyone.table(f"{BOARD}.csv?families=best")
    about = [(line["family"], line["rank_here"], line["provenance"]) for line in lines]
    assert about == [("Fir", "1", "reported unreviewed"), ("", "2", "reported unreviewed")]
    assert anyone.text(f"{BOARD}.md?family=Fir").count("reported unreviewed") == 2
    refused(anyone.get(f"{BOARD}/?families=some"), 400, "invalid", "families")


def test_a_choice_is_one_of_its_values_with_words(
    rows: None, anyone: Api, submitter: Api, organiser: Api
) -> None:
    asked = '{"openness": "open"}'
    chosen = anyone.get(f"{BOARD}/?meta={asked}").json()["rows"]
    assert [row["participant"]["handle"] for row in chosen] == ["oak"]
    for query in ("openness=open", "meta.openness=open"):
        assert anyone.get(f"{BOARD}/?{query}").json()["rows"] == chosen
        assert [row["participant"] for row in anyone.table(f"{BOARD}.csv?{query}")] == ["oak"]
    assert anyone.get(f"{BOARD}/?openness=closed&meta={asked}").json()["rows"] == []
    refused(anyone.get(f"{BOARD}/?openness=open&openness=closed"), 400, "invalid", "openness")
    refused(anyone.get(f"{BOARD}/?meta.size=1"), 400, "invalid", "meta.size")
    refused(anyone.get(f"{BOARD}/?oppenness=open"), 400, "invalid", "oppenness")
    body = {"participant": "elm", "metrics": METRICS, "meta": {"openness": "opened"}}
    answer = submitter.post("challenges/sprint/attempts/", body)
    refused(answer, 400, "invalid", "meta.openness")
    for choices in ({"choices": ["b: c"]}, {}):
        wrong = {"meta_fields": [{"name": "a", "type": "choice", **choices}]}
        assert organiser.patch("challenges/sprint/", wrong).status_code == 400
