"""A draft is tried with a sample attempt and published by its checklist."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache

from leaderboard.models import (
    Attempt,
    AuditEntry,
    Bucket,
    Challenge,
    Participant,
    QuotaUse,
    Registration,
    ScoringConfig,
    Standing,
    Tenant,
    User,
)
from leaderboard.schemas.choices import Counting
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.listing import listed
from leaderboard.services.board.reading.row_filter import RowFilter, RowsAsked
from leaderboard.services.board.reading.totals import Totals
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.challenges.challenges import (
    change_challenge,
    create_challenge,
    delete_challenge,
    publish_challenge,
)
from leaderboard.services.challenges.checklist import checklist
from leaderboard.services.challenges.samples import read_sample
from leaderboard.services.competition.organisers.overview import overview
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import visible_board
from leaderboard.services.imports.samples import send_sample
from leaderboard.services.scoring.claims import claim
from leaderboard.services.scoring.single import score_attempt
from tests.helpers.configs import rewrite
from tests.services.conftest import Create
from tests.services.refusals import refusal

pytestmark = pytest.mark.django_db

PAST = {"opens_at": "2020-01-01T00:00:00Z", "closes_at": "2020-02-01T00:00:00Z"}
FUTURE = {"opens_at": "2150-01-01T00:00:00Z", "closes_at": "2150-02-01T00:00:00Z"}
WEIGHTED = {
    "scoring_strategy": "custom",
    "scoring_entrypoint": "scorers.weighted:WeightedScorer",
    "scoring_config": {"rating_weight": 15.0, "time_penalty": 0.5, "token_penalty": 0.02},
}


@pytest.fixture
def create_draft(create: Create) -> Create:
    return lambda name="Plan", **fields: create(name, is_draft=True, **fields)


@pytest.fixture
def plan(create_draft: Create) -> Challenge:
    return create_draft()


def stored(challenge: Challenge) -> Challenge:
    return Challenge.objects.get(pk=challenge.pk)


def states(challenge: Challenge) -> dict[str, str]:
    return {point.key: point.state for point in checklist(stored(challenge)).points}


def scored_sample(challenge: Challenge, user: User) -> Attempt:
    """A sample attempt that a worker has scored."""
    attempt = send_sample(stored(challenge), user=user)
    assert score_attempt(attempt.pk)
    return attempt


def test_a_new_draft_lacks_a_sample_and_is_ready(plan: Challenge) -> None:
    plan_checklist = checklist(plan)
    assert plan_checklist.is_ready
    assert [point.key for point in plan_checklist.missing] == ["sample"]
    assert states(plan) == {
        "description": "warning",
        "scoring": "ok",
        "ranking": "ok",
        "references": "ok",
        "phases": "ok",
        "registration": "ok",
        "sample": "missing",
    }
    assert all(point.text and point.link.startswith("/") for point in plan_checklist.points)
    Challenge.objects.update(description="What it is about.")
    assert states(plan)["description"] == "ok"


def test_the_sample_goes_through_the_whole_line(plan: Challenge, ann: User) -> None:
    attempt = send_sample(plan, user=ann)
    assert states(plan)["sample"] == "warning"
    assert overview(stored(plan)).waiting.queued == 0
    waiting = read_sample(stored(plan))
    assert waiting
    assert waiting.state == "waiting"
    assert score_attempt(attempt.pk)
    sample = read_sample(stored(plan))
    assert sample
    assert (sample.state, sample.reading.rank) == ("ranked", 1)
    assert states(plan)["sample"] == "ok"
    assert verify_standings(stored(plan)) == []


def test_each_kind_has_a_sample_that_is_ranked(create_draft: Create, ann: User) -> None:
    kinds: dict[str, dict[str, Any]] = {
        "scorer": WEIGHTED,
        "outputs": {"rank_by": [{"key": "F1"}], "text_metrics": ["F1"]},
        "rewards": {"rank_by": [{"key": "pass@1"}], "metrics": ["pass@1"]},
        "values": {"rank_by": [{"key": "solved"}], "values": ["solved"]},
    }
    for kind, fields in kinds.items():
        draft = create_draft(kind, **{"scoring_strategy": "metric", **fields})
        scored_sample(draft, ann)
        assert (states(draft)["sample"], states(draft)["ranking"]) == ("ok", "ok"), kind


def test_the_sample_counts_nowhere(create_draft: Create, ann: User) -> None:
    for counting in Counting:
        plan = create_draft(counting.value, counting=counting.value)
        scored_sample(plan, ann)
        assert states(plan)["sample"] == "ok", counting
        draft = stored(plan)
        board = visible_board(board_at(draft), Access(draft.pk))
        assert board.totals() == Totals(0, 0), counting
        assert list(board.every_row()) == [], counting
        assert board.page_number(1).rows == [], counting
        assert [(listing.participants, listing.leaders) for listing in listed([draft], [])] == [
            (0, [])
        ]
        days = overview(draft).last.days
        assert (days[-1].attempts, days[-1].participants) == (0, 0), counting
        for rows in (Registration.objects, QuotaUse.objects, ann.attempts, ann.participants):
            assert not rows.exists(), (counting, rows.model)
        published = publish_challenge(draft, user=ann)
        assert not Standing.objects.exists(), counting
        assert verify_standings(published) == [], counting


def test_the_sample_is_in_no_list(plan: Challenge, ann: User) -> None:
    own = submit_attempt(
        challenge=plan,
        user=ann,
        new=NewAttempt(participant="atlas", metrics={"succeeded": True, "elapsed_ms": 5}),
    )[0]
    sample = send_sample(plan, user=ann)
    for attempt in (own, sample):
        assert score_attempt(attempt.pk)
    draft = stored(plan)
    board = visible_board(board_at(draft), Access(draft.pk))
    orders = [
        RowsAsked(key="elapsed_ms"),
        RowsAsked(wanted=RowFilter(sample.participant.handle[:5])),
        RowsAsked(wanted=RowFilter("atlas")),
    ]
    pages = [
        board.page_number(1),
        board.page_from(0),
        board.page_after(),
        *(board.page_of(asked, start=0, limit=50) for asked in orders),
    ]
    assert [[row.participant.handle for row in page.rows] for page in pages] == [
        *[["atlas"]] * 4,
        [],
        ["atlas"],
    ]
    assert board.standing_of(sample.participant) is not None


def test_publishing_removes_it_with_everything_about_it(plan: Challenge, ann: User) -> None:
    attempt = scored_sample(plan, ann)
    published = publish_challenge(stored(plan), user=ann)
    assert not published.is_draft
    assert published.sample_id is None
    for model in (Attempt, Participant, Standing, Registration):
        assert not model.objects.exists()
    assert sum(Bucket.objects.values_list("n", flat=True)) == 0
    assert verify_standings(published) == []
    assert rebuild_standings(published) == 0
    assert not Attempt.objects.filter(pk=attempt.pk).exists()


def test_a_refused_publication_keeps_the_sample(plan: Challenge, ann: User) -> None:
    scored_sample(plan, ann)
    change_challenge(stored(plan), user=ann, fields={"phases": [{"slug": "main", **PAST}]})
    entries = AuditEntry.objects.count()
    error = refusal(lambda: publish_challenge(stored(plan), user=ann))
    assert (error.code, list(error.fields)) == ("conflict", ["phases"])
    draft = stored(plan)
    assert draft.is_draft
    sample = read_sample(draft)
    assert sample
    assert sample.state == "ranked"
    assert AuditEntry.objects.count() == entries


def test_a_taken_slug_keeps_the_sample(plan: Challenge, ann: User) -> None:
    scored_sample(plan, ann)
    other = Tenant.objects.create(slug="other", name="Other")
    fields = {"name": "Plan", "scoring_strategy": "fastest"}
    create_challenge(tenant=other, user=None, fields=fields)
    assert list(refusal(lambda: publish_challenge(stored(plan), user=ann)).fields) == ["slug"]
    assert stored(plan).sample_id
    assert Standing.objects.count() == 1


def test_every_way_to_publish_asks_the_checklist(plan: Challenge, ann: User) -> None:
    phases = [{"slug": "main", **PAST}]
    fields = {"is_draft": False, "phases": phases}
    error = refusal(lambda: change_challenge(plan, user=ann, fields=fields))
    assert "phases" in error.fields
    assert stored(plan).is_draft
    later = [{"slug": "main", **FUTURE}]
    changed = change_challenge(plan, user=ann, fields={"is_draft": False, "phases": later})
    assert not changed.is_draft


def test_a_sample_that_is_being_scored_is_dropped(plan: Challenge, ann: User) -> None:
    attempt = send_sample(plan, user=ann)
    claimed = claim(attempt.pk)
    assert claimed
    publish_challenge(stored(plan), user=ann)
    assert not claimed.finish(Attempt.Status.SCORED)
    assert not Attempt.objects.exists()


def test_another_sample_replaces_it(plan: Challenge, ann: User) -> None:
    first = scored_sample(plan, ann)
    second = scored_sample(plan, ann)
    assert list(Attempt.objects.all()) == [second]
    assert first.pk != second.pk
    assert Participant.objects.count() == 1


def test_attempts_of_organisers_count_beside_it(plan: Challenge, ann: User) -> None:
    """A sample is known by the row of the challenge, whatever others are called."""
    name = scored_sample(plan, ann).participant.handle
    new = NewAttempt(participant=name, metrics={"succeeded": True, "elapsed_ms": 5})
    mine, _ = submit_attempt(challenge=stored(plan), user=ann, new=new, organiser=True)
    assert score_attempt(mine.pk)
    draft = stored(plan)
    board = visible_board(board_at(draft), Access(draft.pk))
    assert board.totals() == Totals(1, 1)
    assert [row.attempt_id for row in board.every_row()] == [mine.pk]
    published = publish_challenge(draft, user=ann)
    assert list(Attempt.objects.all()) == [mine]
    assert Standing.objects.get().attempt_id == mine.pk
    assert verify_standings(published) == []


def test_a_change_of_the_scoring_outdates_it(plan: Challenge, ann: User) -> None:
    scored_sample(plan, ann)
    changed = change_challenge(stored(plan), user=ann, fields={"scoring_strategy": "first"})
    assert changed.shown_config_id == changed.newest_config_id
    sample = read_sample(changed)
    assert sample
    assert sample.state == "outdated"
    assert states(plan)["sample"] == "warning"
    scored_sample(plan, ann)
    assert states(plan)["sample"] == "ok"
    assert verify_standings(stored(plan)) == []


def test_its_phase_can_be_removed(plan: Challenge, ann: User) -> None:
    scored_sample(plan, ann)
    change_challenge(
        stored(plan), user=ann, fields={"phases": [{"slug": "a", **PAST}, {"slug": "b", **FUTURE}]}
    )
    assert stored(plan).sample_id is None
    assert not Standing.objects.exists()


def test_a_draft_with_a_sample_alone_can_be_deleted(plan: Challenge, ann: User) -> None:
    scored_sample(plan, ann)
    delete_challenge(stored(plan))
    assert not Challenge.objects.exists()
    assert not Participant.objects.exists()


def test_only_drafts_have_samples(plan: Challenge, ann: User) -> None:
    publish_challenge(plan, user=ann)
    assert refusal(lambda: send_sample(stored(plan), user=ann)).code == "conflict"
    assert not Attempt.objects.exists()


def test_a_failed_sample_says_why_and_is_no_obstacle(plan: Challenge, ann: User) -> None:
    attempt = scored_sample(plan, ann)
    attempt.scores.update(value=None, error_code="bad_result", error_message="It was no number.")
    point = next(point for point in checklist(stored(plan)).points if point.key == "sample")
    assert point.state == "missing"
    assert "It was no number." in point.text
    assert point.link == attempt.get_absolute_url()
    assert checklist(stored(plan)).is_ready


def test_a_scorer_that_is_gone_is_missing(create_draft: Create, ann: User) -> None:
    draft = create_draft(**WEIGHTED)
    assert states(draft)["scoring"] == "ok"
    rewrite(ScoringConfig.objects.all(), entrypoint="scorers.gone:Gone")
    cache.clear()
    assert states(draft)["scoring"] == "missing"
    error = refusal(lambda: publish_challenge(stored(draft), user=ann))
    assert set(error.fields) == {"scoring", "sample"}


def test_a_metric_that_is_gone_is_missing(create_draft: Create) -> None:
    fields = {"scoring_strategy": "metric", "rank_by": [{"key": "F1"}], "text_metrics": ["F1"]}
    draft = create_draft(**fields)
    assert (states(draft)["references"], states(draft)["ranking"]) == ("warning", "ok")
    rewrite(ScoringConfig.objects.all(), text_metrics=[])
    assert states(draft)["ranking"] == "missing"


def test_an_undeclared_value_is_a_warning(create_draft: Create) -> None:
    draft = create_draft(scoring_strategy="metric", rank_by=[{"key": "solved"}])
    assert states(draft)["ranking"] == "warning"


def test_a_draft_needs_a_phase_that_is_not_over(create_draft: Create) -> None:
    cases: list[tuple[list[dict[str, str]], bool, str]] = [
        ([{"slug": "main", **PAST}], True, "missing"),
        ([{"slug": "main", **PAST}], False, "warning"),
        ([{"slug": "one", **PAST}, {"slug": "two", **FUTURE}], True, "ok"),
        ([{"slug": "main", **FUTURE}], True, "ok"),
    ]
    for phases, active, state in cases:
        draft = create_draft(phases=phases, is_active=active)
        assert states(draft)["phases"] == state, (phases, active)


CONSENT = {"key": "age", "kind": "consent", "label": "I am over 18.", "required": True}


def test_registration_needs_what_its_mode_asks_for_and_terms_a_text(
    create_draft: Create, ann: User
) -> None:
    cases: list[tuple[dict[str, Any], dict[str, Any], tuple[str, str]]] = [
        ({}, {}, ("ok", "ok")),
        ({"mode": "code", "code": "x"}, {}, ("ok", "ok")),
        ({"mode": "code", "code": "x"}, {"code": ""}, ("missing", "ok")),
        ({"mode": "domain", "domains": ["a.org"]}, {"domains": []}, ("missing", "ok")),
        ({"mode": "invited"}, {}, ("warning", "ok")),
        ({"mode": "approval"}, {}, ("warning", "ok")),
        ({"questions": [CONSENT]}, {}, ("ok", "warning")),
        ({"terms": "Be fair.", "questions": [CONSENT]}, {}, ("ok", "ok")),
        ({"terms": "  "}, {}, ("ok", "missing")),
    ]
    for rules, changed, expected in cases:
        draft = create_draft()
        stored_rules = declare_rules(draft, rules, by=ann)
        if changed:
            type(stored_rules).objects.filter(pk=stored_rules.pk).update(**changed)
        state_of = states(draft)
        assert (state_of["registration"], state_of["terms"]) == expected, (rules, changed)
