"""The best attempts of a closed phase move into the next one, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import Attempt, AuditEntry, Challenge, Evidence, Phase, QuotaUse, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.schemas.advances import ADVANCE
from leaderboard.services.attempts.advance import Advance, advance
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.boards import board_of, shown_boards
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.visible.board import visible_board
from leaderboard.services.competition.visible.viewers import Viewer, access_of
from leaderboard.services.scoring import single
from tests.databases import rows_taken_back
from tests.services.refusals import check_refusals, refusal
from tests.sight.world import World

pytestmark = pytest.mark.django_db
SCORES = {"ada": 5, "bea": 4, "cem": 4, "dan": 3, "eli": 2}
HOUR = timedelta(hours=1)


@pytest.fixture
def cup() -> Challenge:
    """Five participants, two of them tied at rank 2, in a phase that has closed."""
    world = World()
    cup = world._challenge(
        "League",
        rewards=[{"name": "reward", "min": 0, "max": 10}],
        metrics=["mean_reward"],
        rank_by=[{"key": "mean_reward"}],
    )
    declare(cup, world.ann, closes=timezone.now() + HOUR)
    for name, score in SCORES.items():
        submit(cup, User.objects.create_user(name), name, score)
    single.score_waiting()
    declare(cup, world.ann, closes=timezone.now() - HOUR)
    return cup


def declare(cup: Challenge, ann: User, *, closes: Any, **final: Any) -> None:
    phases = [
        {"slug": "main", "closes_at": closes.isoformat()},
        {"slug": "final", "opens_at": closes.isoformat(), "total": 1, **final},
    ]
    change_challenge(cup, user=ann, fields={"phases": phases})


def submit(cup: Challenge, user: User, name: str, score: float) -> Attempt:
    samples = [Sample("task", 0, {"reward": score})]
    new = NewAttempt(participant=name, samples=samples, note="Mine.", meta={"model": name})
    return submit_attempt(challenge=cup, user=user, new=new)[0]


def phase(cup: Challenge, slug: str = "main") -> Phase:
    return cup.phases.get(slug=slug)


def move(cup: Challenge, *, dry_run: bool = False, **fields: Any) -> Advance:
    ann = User.objects.get(username="ann")
    return advance(phase(cup), ADVANCE.validate_python(fields), user=ann, dry_run=dry_run)


def final_board(cup: Challenge) -> list[tuple[str, int | None]]:
    cup = Challenge.objects.get(pk=cup.pk)
    board = board_of(shown_boards(cup), "final")
    assert board is not None
    rows = visible_board(board, access_of(cup, Viewer())).every_row()
    return [(row.participant.slug, row.rank) for row in rows]


def test_the_first_ranks_move_with_all_ties(cup: Challenge) -> None:
    done = move(cup, best=2)
    assert [(moved.participant.slug, moved.rank) for moved in done.moved] == [
        ("ada", 1),
        ("bea", 2),
        ("cem", 2),
    ]
    assert done.into.slug == "final"
    entry = AuditEntry.objects.filter(kind=AuditEntry.Kind.PHASE, object="main").latest("pk")
    assert entry.actor == User.objects.get(username="ann")
    assert entry.after is not None
    assert (entry.after["advanced"], entry.after["into"]) == (3, "final")
    single.score_waiting()
    assert final_board(cup) == [("ada", 1), ("bea", 2), ("cem", 2)]
    assert verify_standings(cup) == []


def test_a_copy_is_what_was_submitted_and_says_where_it_comes_from(cup: Challenge) -> None:
    (moved,) = move(cup, best=1).moved
    source = Attempt.objects.get(pk=moved.attempt)
    copy = Attempt.objects.get(copied_from=source)
    assert copy.pk == moved.copy
    assert (copy.phase, copy.charged_day, copy.status) == (phase(cup, "final"), None, "queued")
    for name in ("participant", "submitted_at", "submitted_by", "note", "meta", "sample_count"):
        assert getattr(copy, name) == getattr(source, name)
    evidence = [Evidence.objects.get(attempt=attempt).read() for attempt in (source, copy)]
    assert evidence[0] == evidence[1]
    single.score_waiting()
    values = [
        attempt.scores.get().metric_values["mean_reward"]["value"] for attempt in (source, copy)
    ]
    assert values == [5.0, 5.0]


def test_a_copy_counts_towards_no_limit(cup: Challenge) -> None:
    move(cup, best=1)
    assert not QuotaUse.objects.filter(phase__slug="final").exists()
    submit(cup, User.objects.get(username="ada"), "ada", 9)
    ada = User.objects.get(username="ada")
    assert refusal(lambda: submit(cup, ada, "ada", 9)).code == "quota"


def test_outputs_of_models_move_with_their_instances() -> None:
    world = World()
    verses, now = world.verses, timezone.now()
    declare(verses, world.ann, closes=now - HOUR)
    rebuild_standings(verses)
    (moved,) = move_in(verses, best=1).moved
    copy = Attempt.objects.get(copied_from=moved.attempt)
    assert copy.instance_count == world.texts["eve"].instance_count
    rows = [
        [block.rows() for block in attempt.evaluation.blocks.order_by("number")]
        for attempt in (world.texts["eve"], copy)
    ]
    assert rows[0] == rows[1] != []


def move_in(challenge: Challenge, **fields: Any) -> Advance:
    return advance(phase(challenge), ADVANCE.validate_python(fields), user=None)


def test_a_dry_run_writes_nothing(cup: Challenge) -> None:
    done = move(cup, best=3, dry_run=True)
    assert (len(done.moved), done.at, {moved.copy for moved in done.moved}) == (3, None, {None})
    assert not Attempt.objects.exclude(copied_from=None).exists()
    assert phase(cup).advanced_at is None


def test_a_phase_advances_once(cup: Challenge) -> None:
    move(cup, best=1)
    error = refusal(lambda: move(cup, best=2, dry_run=True))
    assert (error.code, error.facts["advanced"]) == ("conflict", 1)
    assert error.facts["advanced_at"] is not None
    assert Attempt.objects.exclude(copied_from=None).count() == 1


def test_named_participants_move(cup: Challenge) -> None:
    done = move(cup, participants=["eli", "bea", "eli"])
    assert [moved.participant.slug for moved in done.moved] == ["bea", "eli"]


def test_who_has_no_rank_does_not_move(cup: Challenge) -> None:
    check_refusals(
        lambda name: move(cup, participants=["ada", name]), [("zanzibar", "participants.1")]
    )
    assert phase(cup).advanced_at is None


def test_a_phase_that_is_not_ready_does_not_advance(cup: Challenge) -> None:
    """The phase must be closed and scored, and the next one must be there and not over."""
    main, final = phase(cup), phase(cup, "final")
    error = refusal(lambda: advance(final, ADVANCE.validate_python({"best": 1}), user=None))
    assert "No phase follows" in error.message
    attempts = Attempt.objects.filter(participant__slug="eli")
    now = timezone.now()
    for rows, changed, part in (
        (cup.phases.filter(pk=main.pk), {"closes_at": now + 9 * HOUR}, "not closed"),
        (cup.phases.filter(pk=main.pk), {"closes_at": None}, "not closed"),
        (cup.phases.filter(pk=final.pk), {"closes_at": now - HOUR / 2}, "closed already"),
        (attempts, {"status": "queued"}, "still wait"),
    ):
        with rows_taken_back():
            rows.update(**changed)
            assert part in refusal(lambda: move(cup, best=1)).message, changed


def test_a_participant_with_several_rows_moves_with_the_best(cup: Challenge) -> None:
    cup.phases.filter(slug="main").update(closes_at=timezone.now() + HOUR)
    cup.phases.filter(slug="final").update(opens_at=timezone.now() + HOUR)
    submit(cup, User.objects.get(username="ada"), "ada", 4.5)
    single.score_waiting()
    cup.phases.filter(slug="main").update(counting="all", closes_at=timezone.now() - HOUR)
    rebuild_standings(cup)
    done = move(cup, best=2)
    assert [(moved.participant.slug, moved.rank) for moved in done.moved] == [
        ("ada", 1),
        ("bea", 2),
        ("cem", 2),
    ]
    assert Attempt.objects.exclude(copied_from=None).count() == 3
