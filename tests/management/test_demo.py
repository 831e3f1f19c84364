"""The content of the demo. tests/embedded checks that a worker scores all of it."""

from __future__ import annotations

import re
import sys
from datetime import timedelta
from typing import Any

import pytest

from leaderboard.management.demo import WEEKS, libraries_are_missing, load_demo
from leaderboard.management.demo.competitions import COMPETITIONS
from leaderboard.management.demo.notices import LANGUAGES, SYSTEMS, notices, translations
from leaderboard.management.demo.participants import PARTICIPANTS
from leaderboard.models import Attempt, Challenge, Participant, Score, Standing
from leaderboard.rules.admission.standing import AttemptStanding
from leaderboard.services.board.boards import board_at, shown_boards
from leaderboard.services.board.standings.public_ranks import PublicRanks
from leaderboard.services.challenges.finals import begin_finals
from leaderboard.services.competition.visible.board import visible_board
from leaderboard.services.competition.visible.viewers import Viewer, access_of
from leaderboard.services.scoring.rescoring import work_on
from leaderboard.services.scoring.single import score_attempt
from leaderboard.strategies import known_strategies

pytestmark = pytest.mark.django_db


@pytest.fixture
def loaded(notifications: list[tuple[Any, ...]]) -> int:
    return load_demo()


def scored(slug: str) -> Challenge:
    """A challenge of the demo whose attempts are all scored."""
    challenge = Challenge.objects.get(slug=slug)
    for attempt in challenge.attempts.all():
        assert score_attempt(attempt.pk)
    return challenge


def test_the_demo_inserts_no_scores(loaded: int) -> None:
    assert not Score.objects.exists()
    assert not Standing.objects.exists()
    assert set(Attempt.objects.values_list("status", flat=True)) == {"queued"}


def test_the_demo_leaves_out_the_metrics_whose_libraries_are_missing(
    monkeypatch: pytest.MonkeyPatch, notifications: list[tuple[Any, ...]]
) -> None:
    assert not libraries_are_missing()
    module = sys.modules["leaderboard.management.demo.notices"]  # a function has its name too
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert libraries_are_missing()
    load_demo()
    config = Challenge.objects.get(slug="notices-on-the-quay").newest
    assert config.text_metrics == ["EDIT_DISTANCE"]
    assert config.ranked_keys == ["EDIT_DISTANCE"]


def test_the_demo_has_enough_attempts_and_boards(loaded: int) -> None:
    assert Attempt.objects.count() == loaded
    assert 250 <= loaded <= 500
    teams = sum(len(competition.teams) for competition in COMPETITIONS)
    assert Participant.objects.count() == len(PARTICIPANTS) + teams
    strategies = {challenge.newest.strategy for challenge in Challenge.objects.all()}
    assert strategies == set(known_strategies())
    times = sorted(Attempt.objects.values_list("submitted_at", flat=True))
    assert timedelta(weeks=WEEKS - 2) < times[-1] - times[0] < timedelta(weeks=WEEKS)
    assert all(challenge.summary and challenge.goal for challenge in Challenge.objects.all())


def test_the_class_is_frozen_with_a_baseline_and_one_disqualified(loaded: int) -> None:
    golf = scored("prompt-golf")
    board = visible_board(board_at(golf), access_of(golf, Viewer()))
    assert board.frozen_since is not None
    rows = list(board.every_row())
    assert [row.rank for row in rows if row.rank] == [1, 2, 3, 4, 5]
    assert {row.unranked for row in rows} == {"", "baseline", "disqualified"}
    frozen, final = board.board, board_at(golf)
    before = Standing.objects.of(frozen).values_list("attempt", flat=True)
    assert set(before) != set(Standing.objects.of(final).values_list("attempt", flat=True))


def test_the_shared_task_has_final_scores_and_public_ones(loaded: int) -> None:
    task = scored("harbour-names")
    assert begin_finals() == 1
    task.refresh_from_db()
    work_on(task.newest.pk)
    task.refresh_from_db()
    development, test = shown_boards(task)
    access = access_of(task, Viewer())
    rows = list(visible_board(development, access).every_row())
    ranked = [row for row in rows if row.rank]
    assert [row.rank for row in ranked] == [1, 2, 3, 4, 5]
    assert "human" in {row.unranked for row in rows}
    public = PublicRanks(development)
    before = [standing.rank for row in ranked if (standing := public.of(row))]
    assert sorted(before) == [1, 2, 3, 4, 5]
    assert before != sorted(before), "the private logbooks move nobody"
    assert {row.cells["f1"]["total"] for row in visible_board(test, access).every_row()} == {12}
    assert test.counting == "chosen"
    assert Standing.objects.of(test).count() == 5


def test_the_reviewed_benchmark_has_every_state_of_admission(loaded: int) -> None:
    watch = scored("night-watch")
    states = dict(watch.attempts.values_list("participant__handle", "standing"))
    assert states["orrery"] == AttemptStanding.IN_REVIEW
    assert states["juniper"] == AttemptStanding.RETURNED
    assert states["cairn"] == AttemptStanding.NOT_ADMITTED
    rows = Standing.objects.of(board_at(watch)).filter(unranked="")
    ranked = dict(rows.values_list("participant__handle", "cells"))
    assert set(ranked) == {"larch-3", "basalt", "palimpsest", "kestrel-8b", "sundew"}
    ruled = Attempt.objects.get(participant__handle="basalt", challenge=watch)
    assert [decision.kind for decision in ruled.decisions.all()] == ["infrastructure"]
    assert ruled.evidence.rulings


def test_the_challenge_of_code_runs_plans_that_differ(loaded: int) -> None:
    quay = scored("quay-order")
    standings = list(Standing.objects.of(board_at(quay)).select_related("attempt"))
    assert {standing.unranked for standing in standings} == {""}
    waits = [standing.values["waiting"] for standing in standings]
    assert waits == sorted(set(waits))
    assert standings[0].attempt.note == "shortest-first"


@pytest.mark.parametrize("slug", ["letter-to-the-council", "prompt-escape"])
def test_the_best_ratings_differ(loaded: int, slug: str) -> None:
    ratings = Attempt.objects.filter(challenge__slug=slug).values_list("rating", flat=True)
    best = sorted((rating or 0 for rating in ratings), reverse=True)[:5]
    assert best[0] < 10
    assert len(set(best)) >= 3


def test_a_benchmark_has_every_kind_of_cell(loaded: int) -> None:
    desk = scored("harbour-desk")
    assert (len(desk.newest.tasks), desk.newest.num_samples) == (12, 3)
    assert desk.attempts.count() == 20
    standings = list(Standing.objects.of(board_at(desk)))
    reasons = {cell.get("reason") for standing in standings for cell in standing.cells.values()}
    assert reasons == {None, "undefined", "failed", "not_run"}
    assert [standing.unranked for standing in standings if standing.unranked] == ["low_coverage"]
    assert all(
        standing.values["cost_per_task"] > 0 < standing.values["time_per_task"]
        for standing in standings
    )
    assert standings[0].values["solved"] > standings[1].values["solved"]


def test_a_ranking_needs_three_keys(loaded: int) -> None:
    fare = scored("flat-fare")
    keys = [key["key"] for key in fare.newest.rank_by]
    standings = Standing.objects.of(board_at(fare))
    values = [tuple(standing.values[key] for key in keys) for standing in standings]
    assert keys == ["pass@1", "cost_per_task", "time_per_task"]
    assert values == sorted(values, key=lambda row: (-row[0], row[1], row[2]))
    assert len({row[0] for row in values}) < len({row[:2] for row in values}) < len(set(values))


def test_translations_differ_in_quality(loaded: int) -> None:
    quay = scored("notices-on-the-quay")
    standings = list(Standing.objects.of(board_at(quay)).select_related("participant"))
    assert [standing.participant.handle for standing in standings] == [
        "larch-3",
        "palimpsest",
        "moth-and-flame",
        "juniper-flash",
        "kestrel-8b",
    ]
    values = [standing.values["CHRF"] for standing in standings]
    assert 85 < values[0] < 95
    assert values[-1] < 45
    assert [standing.cells["CHRF"]["total"] for standing in standings] == [36] * 5
    by_bleu = sorted(standings, key=lambda standing: -standing.values["BLEU_NLTK"])
    assert by_bleu != standings
    second = standings[1].attempt.evaluation.runs.get(key="CHRF")
    assert second.value
    assert second.value["CHRF"]["failed"] == 8


def test_the_translation_task_is_complete() -> None:
    instances = notices().instances
    assert len(instances) == 12 * len(LANGUAGES)
    assert all(len(set(instance.references)) == 2 for instance in instances)
    assert any("\u0600" <= letter <= "\u06ff" for letter in instances[-1].references[0])
    ids = {instance.id for instance in instances}
    for system in SYSTEMS:
        sent = translations(system)
        assert {translation.id for translation in sent} <= ids
        assert all(
            text and text == text.strip() for translation in sent for text in translation.outputs
        )
    assert [len(translations(system)) for system in SYSTEMS] == [36, 28, 36, 36, 36]
    assert max(len(translation.outputs) for translation in translations("larch-3")) == 2


def test_participants_have_realistic_names(db: None) -> None:
    handles = [participant.handle for participant in PARTICIPANTS]
    assert len(set(handles)) == len(handles)
    assert not [
        participant.name
        for participant in PARTICIPANTS
        if re.search(r"\d{3}|test|foo", participant.name)
    ]
