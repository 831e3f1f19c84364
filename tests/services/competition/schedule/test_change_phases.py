"""Organisers declare phases; wrong ones are refused by their path, and changes are recorded."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from leaderboard.models import AuditEntry, Challenge, QuotaUse, User
from leaderboard.services.challenges.challenges import change_challenge, delete_challenge
from leaderboard.services.competition.schedule.change_phases import phase_as_json
from tests.helpers.phases import MAIN_PHASE
from tests.services.competition.moments import NOON, At
from tests.services.conftest import Create
from tests.services.refusals import check_refusals, refusal

pytestmark = pytest.mark.django_db

WARM_UP = {
    "slug": "warm-up",
    "name": "Warm-up",
    "time_zone": "Europe/Berlin",
    "opens_at": "2026-03-02T10:00",
    "closes_at": "2026-03-09T09:00:00Z",
    "per_day": 5,
}
FINAL = {"slug": "final", "opens_at": "2026-03-09T09:00:00Z", "total": 2, "count_failed": False}


def declare(challenge: Challenge, user: User, *phases: dict[str, Any]) -> list[str]:
    """Change the phases of a challenge; returns their slugs as they are stored."""
    change_challenge(challenge, user=user, fields={"phases": list(phases)})
    return list(challenge.phases.values_list("slug", flat=True))


@pytest.mark.parametrize("sends_phases", [True, False])
def test_a_least_coverage_needs_metrics(create: Create, alice: User, sends_phases: bool) -> None:
    wanted = {"phases": [{"slug": "main", "least_coverage": 0.5}]}
    check_refusals(
        lambda fields: create("Cup", **fields),
        [(wanted, "phases.0.least_coverage", "without metrics", "got 0.5")],
    )
    cup = create("Cup")
    refusal(lambda: change_challenge(cup, user=alice, fields=wanted))
    change_challenge(cup, user=alice, fields={**wanted, "metrics": ["mean"]})
    assert declare(cup, alice, {"slug": "main", "least_coverage": 0}) == ["main"]
    change_challenge(cup, user=alice, fields={**wanted, "metrics": ["mean"]})
    change = {"metrics": [], **(wanted if sends_phases else {})}
    error = refusal(lambda: change_challenge(cup, user=alice, fields=change))
    assert list(error.fields) == ["phases.0.least_coverage" if sends_phases else "metrics"]
    cup.refresh_from_db()
    assert cup.newest.metrics == ["mean"]


def test_a_new_challenge_has_the_phases_that_it_declares(create: Create) -> None:
    cup = create("Cup", phases=[WARM_UP, FINAL])
    warm_up, final = cup.phases.all()
    assert phase_as_json(warm_up) == {
        **MAIN_PHASE,
        **WARM_UP,
        "opens_at": "2026-03-02T09:00:00Z",
    }
    assert (final.closes_at, final.total, final.count_failed) == (None, 2, False)
    assert not AuditEntry.objects.exists()
    delete_challenge(cup)


def test_wrong_phases_are_refused_at_their_place(sprint: Challenge, alice: User) -> None:
    berlin = {"time_zone": "Europe/Berlin", "closes_at": "2026-03-29T02:30"}
    nine = "2026-03-02T09:00"
    side = {"slug": "side", "overlaps": True}
    cases: list[tuple[Any, ...]] = [
        ("now", "phases"),
        ([{"slug": "A b"}], "phases.0.slug", 'got "A b"'),
        ([{"open_at": None}], "phases.0.open_at", "did you mean opens_at?"),
        ([{"per_day": 0}], "phases.0.per_day", "got 0"),
        ([{"per_day": "5"}], "phases.0.per_day", 'got "5"'),
        ([{"time_zone": "UTC-12"}], "phases.0.time_zone", 'got "UTC-12"'),
        ([{"opens_at": "2026-02-30T00:00"}], "phases.0.opens_at", 'got "2026-02-30T00:00"'),
        ([berlin], "phases.0.closes_at", "skips"),
        ([{"opens_at": nine, "closes_at": nine}], "phases.0.closes_at", "after opens_at", nine),
        ([WARM_UP, WARM_UP], "phases.1.slug", "got warm-up"),
        ([{}, FINAL], "phases.0.closes_at", "another phase follows"),
        (
            [WARM_UP, {**FINAL, "opens_at": "2026-03-09T08:59:59Z"}],
            "phases.1.opens_at",
            "not be before 2026-03-09T09:00:00Z",
        ),
        ([WARM_UP, {"slug": "b"}], "phases.1.opens_at", "got null"),
        (
            [WARM_UP, side, {"slug": "b"}],
            "phases.2.opens_at",
            "not be before 2026-03-09T09:00:00Z",
            "got null",
        ),
        ([{}, side, FINAL], "phases.0.closes_at", "another phase follows"),
        ([{"decimals": 11}], "phases.0.decimals", "from 0 to 10", "got 11"),
        ([{"decimals": 1.5}], "phases.0.decimals", "got 1.5"),
        ([{"least_coverage": 1.1}], "phases.0.least_coverage", "got 1.1"),
        ([{"scores_delayed": 1}], "phases.0.scores_delayed", "got 1"),
        ([{"scores_delayed": True}], "phases.0.scores_delayed", "never closes", "got true"),
        ([{**WARM_UP, "freezes_at": "2026-03-02T10:00"}], "phases.0.freezes_at", "after opens_at"),
        (
            [{**WARM_UP, "freezes_at": "2026-03-09T09:00:01Z"}],
            "phases.0.freezes_at",
            "not be after closes_at",
        ),
        ([{"reveals_at": "2026-03-09T09:00Z"}], "phases.0.reveals_at", "after freezes_at"),
        (
            [{"freezes_at": "2026-03-09T09:00Z", "reveals_at": "2026-03-09T09:00Z"}],
            "phases.0.reveals_at",
            "after freezes_at",
        ),
        (
            [
                {
                    "freezes_at": "2026-03-09T09:00Z",
                    "reveals_at": "2026-03-09T10:00Z",
                    "closes_at": "2026-03-09T10:01Z",
                }
            ],
            "phases.0.reveals_at",
            "when the phase closes",
        ),
    ]
    check_refusals(
        lambda phases: change_challenge(sprint, user=alice, fields={"phases": phases}), cases
    )


def test_an_early_reveal_of_a_former_release_stays_until_its_dates_change(
    sprint: Challenge, alice: User
) -> None:
    old = {"freezes_at": NOON, "reveals_at": NOON + timedelta(hours=1)}
    sprint.phases.update(**old, closes_at=NOON + timedelta(hours=2))
    phase = phase_as_json(sprint.phases.get())
    assert declare(sprint, alice, {**phase, "name": "Named"}) == ["main"]
    later = {**phase, "closes_at": (NOON + timedelta(hours=3)).isoformat()}
    refusal(lambda: declare(sprint, alice, later))


def test_an_extension_can_be_read_by_everybody(sprint: Challenge, alice: User) -> None:
    declare(sprint, alice, WARM_UP)
    AuditEntry.objects.all().delete()
    declare(sprint, alice, WARM_UP)
    assert not AuditEntry.objects.exists()
    declare(sprint, alice, {**WARM_UP, "closes_at": "2026-03-10T09:00:00Z"})
    (event,) = AuditEntry.objects.filter(challenge=sprint)
    assert (event.object, event.actor) == ("warm-up", alice)
    assert event.before == {"closes_at": "2026-03-09T09:00:00Z"}
    assert event.after == {"closes_at": "2026-03-10T09:00:00Z"}


def test_the_only_phase_gets_another_slug_and_keeps_its_attempts(
    sprint: Challenge, alice: User, submit_at: At
) -> None:
    attempt = submit_at(NOON)
    assert declare(sprint, alice, WARM_UP) == ["warm-up"]
    attempt.refresh_from_db()
    assert attempt.phase == sprint.phases.get()


def test_a_phase_with_attempts_stays(sprint: Challenge, alice: User, submit_at: At) -> None:
    declare(sprint, alice, WARM_UP, FINAL)
    submit_at(NOON)
    error = refusal(lambda: declare(sprint, alice, {**FINAL, "opens_at": None}))
    assert (error.code, list(error.fields)) == ("conflict", ["phases"])
    assert "warm-up, which has attempts" in error.message
    assert declare(sprint, alice, WARM_UP) == ["warm-up"]


def test_no_phases_are_the_one_without_dates_and_limits(sprint: Challenge, alice: User) -> None:
    declare(sprint, alice, WARM_UP, FINAL)
    assert declare(sprint, alice) == ["main"]
    assert not sprint.phases.get().has_limits


def test_new_limits_count_the_attempts_that_are_there(
    sprint: Challenge, alice: User, submit_at: At
) -> None:
    submit_at(NOON)
    declare(sprint, alice, {"slug": "main", "total": 1})
    assert list(QuotaUse.objects.values_list("kind", "used")) == [("total", 1)]
    assert refusal(lambda: submit_at(NOON)).facts["used"] == 1
    declare(sprint, alice, {"slug": "main"})
    assert not QuotaUse.objects.exists()


def test_a_phase_may_overlap_all_others(create: Create) -> None:
    side = {"slug": "side", "overlaps": True, "opens_at": "2026-03-03T00:00Z"}
    cup = create("Cup", phases=[WARM_UP, side, FINAL])
    assert [phase.overlaps for phase in cup.phases.all()] == [False, True, False]
