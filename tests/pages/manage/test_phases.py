"""Organisers add, change and remove phases in a browser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from leaderboard.models import AuditEntry, Challenge, Phase, User
from leaderboard.pages.manage.forms.phase_form import PhaseForm
from leaderboard.schemas.phase_fields import PhaseFields
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.one_phase import state_of
from leaderboard.services.competition.schedule.change_phases import phase_as_json
from tests.helpers.phases import MAIN_PHASE
from tests.pages.conftest import Submit
from tests.pages.reading import get, words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("contexts")]
PAGE = "/c/sprint/manage/phases/"
BERLIN = {"time_zone": "Europe/Berlin", "count_failed": "on", "own_while_frozen": "on"}


def save(client: Client, slug: str, /, **fields: Any) -> HttpResponse:
    phase = Phase.objects.filter(slug=slug).first() if slug else None
    state = state_of(phase) if phase else ""
    sent = {"action": "save", "state": state, "time_zone": "UTC", **fields}
    return client.post(f"{PAGE}?phase={slug}", sent)  # type: ignore[return-value]


def wrong(answer: HttpResponse) -> dict[str, list[str]]:
    assert answer.status_code == 422
    errors: dict[str, list[str]] = answer.context["form"].errors  # type: ignore[attr-defined]
    return errors


def warm_up_and_final(challenge: Challenge, user: User) -> None:
    phases = [
        {"slug": "warm-up", "name": "Warm-up", "closes_at": "2026-03-09T09:00:00Z", "per_day": 5},
        {"slug": "final", "opens_at": "2026-04-01T00:00:00Z"},
    ]
    change_challenge(challenge, user=user, fields={"phases": phases})


def test_the_first_phase_gets_dates_and_limits(sprint: Challenge, as_ann: Client) -> None:
    answer = save(
        as_ann,
        "main",
        **BERLIN,
        slug="warm-up",
        name="Warm-up",
        opens_at="2026-03-02T10:00",
        closes_at="2026-03-09T10:00",
        per_day="5",
        end="on",
    )
    assert answer.status_code == 302
    assert phase_as_json(sprint.phases.get()) == {
        **MAIN_PHASE,
        "slug": "warm-up",
        "name": "Warm-up",
        "time_zone": "Europe/Berlin",
        "opens_at": "2026-03-02T09:00:00Z",
        "closes_at": "2026-03-09T09:00:00Z",
        "per_day": 5,
    }
    page = words(get(as_ann, PAGE))
    assert "2 Mar 2026, 10:00 Europe/Berlin" in page
    assert "5 attempts" in page
    assert 'value="2026-03-02T10:00"' in get(as_ann, f"{PAGE}?phase=warm-up")


def test_a_further_phase_stands_where_its_dates_are(
    sprint: Challenge, ann: User, as_ann: Client
) -> None:
    warm_up_and_final(sprint, ann)
    dates = {"opens_at": "2026-03-20T00:00", "closes_at": "2026-03-31T00:00"}
    assert save(as_ann, "", name="Second round", **dates).status_code == 302
    slugs = list(sprint.phases.values_list("slug", flat=True))
    assert slugs == ["warm-up", "second-round", "final"]


def test_errors_are_those_of_the_api_at_the_fields(
    sprint: Challenge, ann: User, as_ann: Client
) -> None:
    warm_up_and_final(sprint, ann)
    before = [phase_as_json(phase) for phase in sprint.phases.all()]
    for slug, fields, field, message in (
        ("final", {"slug": "A b"}, "slug", "lower-case"),
        ("final", {"slug": "warm-up"}, "slug", "no other phase"),
        ("final", {"per_day": "few"}, "per_day", 'got "few"'),
        ("final", {"per_day": "0"}, "per_day", "got 0"),
        ("final", {"time_zone": "UTC-12"}, "time_zone", "IANA"),
        ("final", {"closes_at": "soon"}, "closes_at", "date and time"),
        ("final", {"opens_at": "2026-03-09T08:00"}, "opens_at", "not be before"),
        ("warm-up", {"closes_at": ""}, "closes_at", "another phase"),
        ("", {"slug": "b", "opens_at": "2026-05-01T00:00"}, "__all__", "final, closes_at: must"),
    ):
        opens = {"opens_at": "2026-04-01T00:00"} if slug == "final" else {}
        errors = wrong(save(as_ann, slug, **{"slug": slug, **opens, **fields}))
        assert list(errors) == [field], fields
        assert message in errors[field][0]
    assert [phase_as_json(phase) for phase in sprint.phases.all()] == before


def test_a_time_that_the_zone_skips_is_refused_and_one_that_it_has_twice_is_asked_for(
    sprint: Challenge, as_ann: Client
) -> None:
    errors = wrong(save(as_ann, "main", **BERLIN, slug="main", opens_at="2026-03-29T02:30"))
    assert "skips" in errors["opens_at"][0]
    twice = {**BERLIN, "slug": "main", "closes_at": "2026-10-25T02:30"}
    answer = save(as_ann, "main", **twice)
    assert "twice" in wrong(answer)["closes_at"][0]
    page = words(answer.content.decode())
    assert page.index("UTC+02:00") < page.index("UTC+01:00")
    assert save(as_ann, "main", **twice, closes_at_offset="+01:00", end="on").status_code == 302
    assert phase_as_json(sprint.phases.get())["closes_at"] == "2026-10-25T01:30:00Z"
    assert '<option value="+01:00" selected>' in get(as_ann, f"{PAGE}?phase=main")


def test_what_is_not_changed_stays_exact(sprint: Challenge, ann: User, as_ann: Client) -> None:
    exact = {"slug": "main", "closes_at": "2026-03-09T09:00:30.123456Z"}
    change_challenge(sprint, user=ann, fields={"phases": [exact]})
    fields = {"slug": "main", "closes_at": "2026-03-09T09:00:30", "count_failed": "on"}
    assert save(as_ann, "main", **fields, name="Only").status_code == 302
    assert phase_as_json(sprint.phases.get())["closes_at"] == "2026-03-09T09:00:30.123456Z"
    zone = {**fields, "time_zone": "Etc/GMT+12"}
    assert save(as_ann, "main", **zone).status_code == 302
    assert phase_as_json(sprint.phases.get())["closes_at"] == "2026-03-09T21:00:30Z"


def test_a_change_that_ends_a_phase_asks_first(
    sprint: Challenge, ann: User, as_ann: Client
) -> None:
    fields = {
        "split": {"share": 0.5, "seed": ""},
        "metrics": ["mean"],
        "phases": [{"slug": "main", "names": "anonymous", "scores_delayed": False}],
    }
    change_challenge(sprint, user=ann, fields=fields)
    past = {"slug": "main", "names": "anonymous", "closes_at": "2026-03-09T09:00"}
    answer = save(as_ann, "main", **past)
    assert (answer.status_code, sprint.phases.get().closes_at) == (422, None)
    page = words(answer.content.decode())
    for published in ("final scores on the private tasks", "names of the participants"):
        assert published in page
    assert save(as_ann, "main", **past, end="on").status_code == 302
    confirm = 'value="confirm-end"'
    assert confirm in get(as_ann, PAGE)
    as_ann.post(f"{PAGE}?phase=main", {"action": "confirm-end"})
    assert confirm not in get(as_ann, PAGE)
    # A phase that has ended, and a draft, are not asked about.
    assert save(as_ann, "main", **past, name="Over").status_code == 302
    change_challenge(sprint, user=ann, fields={"phases": []})
    Challenge.objects.update(is_draft=True)
    assert save(as_ann, "main", **past).status_code == 302


@pytest.mark.parametrize(("answer", "hours"), [("move", 48), ("keep", 0)])
def test_the_dates_that_hang_on_the_end_move_with_it_if_that_is_wanted(
    sprint: Challenge, ann: User, as_ann: Client, answer: str, hours: int
) -> None:
    dates = {
        "opens_at": "2100-01-01T00:00",
        "closes_at": "2100-01-10T12:00",
        "freezes_at": "2100-01-10T11:00",
        "choose_until": "2100-01-11T12:00",
        "reveals_at": "2100-01-14T12:00",
    }
    change_challenge(sprint, user=ann, fields={"phases": [{"slug": "main", **dates}]})
    before = phase_as_json(sprint.phases.get())
    moved = {"slug": "main", "count_failed": "on", "own_while_frozen": "on", **dates}
    moved |= {"closes_at": "2100-01-12T12:00", "reveals_at": "2100-01-14T12:00"}
    page = save(as_ann, "main", **moved)
    assert (page.status_code, phase_as_json(sprint.phases.get())) == (422, before)
    assert "still freezes at 10 Jan 2100, 11:00" in words(page.content.decode())
    assert save(as_ann, "main", **moved, dates=answer).status_code == 302
    after = sprint.phases.get()
    for name in ("freezes_at", "choose_until", "reveals_at"):
        was = datetime.fromisoformat(dates[name]).replace(tzinfo=UTC)
        assert getattr(after, name) == was + timedelta(hours=hours)
    # A date that the same change sets is meant as it is.
    own = {**moved, "closes_at": "2100-01-13T12:00", "freezes_at": "2100-01-13T01:00"}
    own |= {"choose_until": "", "reveals_at": ""}
    assert save(as_ann, "main", **own).status_code == 302


def test_a_form_that_is_out_of_date_changes_nothing(
    sprint: Challenge, ann: User, as_ann: Client
) -> None:
    warm_up_and_final(sprint, ann)
    answer = save(as_ann, "final", slug="final", state="0" * 16)
    assert list(wrong(answer)) == ["__all__"]


def test_phases_without_attempts_are_removed(
    sprint: Challenge, ann: User, as_ann: Client, submit: Submit
) -> None:
    phases = [
        {"slug": "main", "closes_at": "2100-01-01T00:00:00Z"},
        {"slug": "final", "opens_at": "2100-01-01T00:00:00Z"},
    ]
    change_challenge(sprint, user=ann, fields={"phases": phases})
    submit(sprint, "atlas", scored=False)
    for slug, left in (("main", ["main", "final"]), ("final", ["main"])):
        sent = {"action": "remove", "state": state_of(Phase.objects.get(slug=slug))}
        assert as_ann.post(f"{PAGE}?phase={slug}", sent).status_code == 302
        assert list(sprint.phases.values_list("slug", flat=True)) == left
    assert AuditEntry.objects.filter(actor=ann, after__isnull=True).exists()


def test_unknown_phases_and_actions_are_not_found(sprint: Challenge, as_ann: Client) -> None:
    assert as_ann.get(f"{PAGE}?phase=x").status_code == 404
    assert as_ann.post(f"{PAGE}?phase=main", {"action": "dance"}).status_code == 404
    assert as_ann.post(PAGE, {"action": "save"}).status_code == 404


def test_a_frozen_board_of_a_closed_phase_is_revealed(sprint: Challenge, as_ann: Client) -> None:
    phase = sprint.phases.get()
    dates = {"opens_at": 2, "freezes_at": 8, "closes_at": 9}
    for name, day in dates.items():
        setattr(phase, name, datetime(2026, 3, day, 9, tzinfo=UTC))
    phase.save()
    button = 'value="reveal"'
    assert button in get(as_ann, PAGE)
    for _ in ("once", "in vain"):
        assert as_ann.post(f"{PAGE}?phase=main", {"action": "reveal"}).status_code == 302
        assert button not in get(as_ann, PAGE)
    phase.refresh_from_db()
    assert phase.reveals_at is not None


def test_the_best_of_a_closed_phase_are_moved(
    sprint: Challenge, ann: User, as_ann: Client, submit: Submit
) -> None:
    change_challenge(sprint, user=ann, fields={"phases": [{"slug": "warm-up"}]})
    for name, elapsed in (("Atlas", 1), ("Borea", 2)):
        submit(sprint, name, elapsed_ms=elapsed)
    warm_up_and_final(sprint, ann)
    page = get(as_ann, PAGE)
    assert "?advance=warm-up" in page
    assert "Atlas" not in words(get(as_ann, f"{PAGE}?advance=warm-up"))
    listed = words(get(as_ann, f"{PAGE}?advance=warm-up&best=1"))
    assert "Into final: 1 attempt" in listed
    assert "Atlas" in listed
    assert "Borea" not in listed
    assert "got 0" in words(get(as_ann, f"{PAGE}?advance=warm-up&best=0"))
    sent = {"action": "advance", "best": "1"}
    answer = as_ann.post(f"{PAGE}?phase=warm-up", sent, follow=True)
    assert "final: 1 attempt" in words(answer.content.decode())
    assert "?advance=warm-up" not in answer.content.decode()
    as_ann.post(f"{PAGE}?phase=warm-up", sent)
    copy = sprint.attempts.get(phase__slug="final")
    assert "phase final" in words(get(as_ann, copy.get_absolute_url()))
    assert "Advanced: – → 1" in words(get(Client(), "/c/sprint/rules/"))


def test_a_phase_may_overlap_others(sprint: Challenge, ann: User, as_ann: Client) -> None:
    warm_up_and_final(sprint, ann)
    dates = {"opens_at": "2026-03-01T00:00", "closes_at": "2026-05-01T00:00"}
    assert wrong(save(as_ann, "", slug="side", **dates))
    assert save(as_ann, "", slug="side", overlaps="on", **dates).status_code == 302
    assert sprint.phases.get(slug="side").overlaps


def test_the_form_shows_every_field_once() -> None:
    names = [field.name for section in PhaseForm(None).sections() for field in section]
    assert sorted(names) == sorted(PhaseForm(None).fields)
    assert set(PhaseFields.model_fields) <= set(names)
