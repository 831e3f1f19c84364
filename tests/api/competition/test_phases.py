"""Phases and quotas through the API: declared, enforced and read."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from leaderboard.models import Challenge, Participant, Phase, User
from leaderboard.services.competition.clock import iso, received_now
from tests.api.conftest import ME, Api

HOUR = timedelta(hours=1)


def phase(**fields: Any) -> dict[str, Any]:
    """A phase that is open now for an hour before and after."""
    now = received_now()
    dates = {"opens_at": iso(now - HOUR), "closes_at": iso(now + HOUR)}
    return {"slug": "main", **dates, **fields}


def test_organisers_declare_phases(sprint: Challenge, organiser: Api, submitter: Api) -> None:
    declared = phase(per_day=5, time_zone="Europe/Berlin")
    path = f"challenges/{sprint.slug}/"
    (stored_phase,) = organiser.patch(path, {"phases": [declared]}).json()["phases"]
    assert declared.items() <= stored_phase.items()
    whole = organiser.get(path).json()
    assert organiser.patch(path, whole).json()["phases"] == [stored_phase]
    error = organiser.patch(path, {"phases": [{"per_day": 0}]}).json()["error"]
    assert list(error["fields"]) == ["phases.0.per_day"]
    assert submitter.patch(path, {"phases": []}).status_code == 403


def test_attempts_out_of_time_are_refused(
    sprint: Challenge, submitter: Api, organiser: Api
) -> None:
    now = received_now()
    Phase.objects.update(opens_at=now + HOUR)
    path = f"challenges/{sprint.slug}/attempts/"
    early = submitter.post(path, ME)
    assert (early.status_code, early.json()["error"]["code"]) == (403, "not_open")
    assert early.json()["error"]["opens_at"] == iso(now + HOUR)
    assert submitter.lines(f"{path}bulk/", ME).json()["error"]["code"] == "not_open"
    assert organiser.post(path, ME).status_code == 202
    Phase.objects.update(opens_at=None, closes_at=now)
    late = submitter.post(path, ME).json()["error"]
    assert (late["code"], late["closed_at"]) == ("closed", iso(now))


def test_quotas_are_shown_by_the_api(sprint: Challenge, submitter: Api) -> None:
    Phase.objects.update(total=1, at_once=3)
    path = f"challenges/{sprint.slug}/"
    assert Api().get(f"{path}quota/").json() == {
        "phase": "main",
        "state": "open",
        "opens_at": None,
        "closes_at": None,
        "time_zone": "UTC",
        "limits": {"per_day": None, "per_week": None, "per_month": None, "total": 1, "at_once": 3},
        "participants": [],
    }
    assert submitter.post(f"{path}attempts/", ME).status_code == 202
    full = submitter.post(f"{path}attempts/", ME)
    error = full.json()["error"]
    assert (full.status_code, error["code"], error["quota"]) == (429, "quota", "total")
    assert (error["limit"], error["used"], error["next_at"]) == (1, 1, None)
    (mine,) = submitter.get(f"{path}quota/").json()["participants"]
    assert mine == {
        "participant": "atlas",
        "agreed_until": None,
        "quotas": [
            {"quota": "total", "limit": 1, "used": 1, "next_at": None},
            {"quota": "at_once", "limit": 3, "used": 1, "next_at": None},
        ],
    }
    bulk = submitter.lines(f"{path}attempts/bulk/", ME).json()
    assert bulk["rejected"][0]["error"] == error


def test_quotas_of_participants_that_take_part_come_first(
    sprint: Challenge, bob: User, submitter: Api
) -> None:
    """A user may have more participants than an answer shows."""
    Participant.objects.bulk_create(
        Participant(tenant=sprint.tenant, handle=name, handle_key=name, slug=name, owner=bob)
        for name in (f"aaa-{number}" for number in range(100))
    )
    assert submitter.post(f"challenges/{sprint.slug}/attempts/", ME).status_code == 202
    quotas = submitter.get(f"challenges/{sprint.slug}/quota/").json()["participants"]
    slugs = [quota["participant"] for quota in quotas]
    assert len(slugs) == 100
    assert slugs == sorted(slugs)
    assert slugs[-1] == "atlas"


def overlapping(sprint: Challenge) -> None:
    sprint.phases.create(slug="side", position=1, overlaps=True, total=1)


def test_an_attempt_names_its_phase(sprint: Challenge, submitter: Api) -> None:
    overlapping(sprint)
    path = f"challenges/{sprint.slug}/attempts/"
    error = submitter.post(path, ME).json()["error"]
    assert (error["code"], [*error["fields"]]) == ("invalid", ["phase"])
    assert "main, side" in error["message"]
    answer = submitter.post(path, {**ME, "phase": "side"})
    assert (answer.status_code, answer.json()["phase"]) == (202, "side")
    assert {attempt["phase"] for attempt in submitter.get(path).json()["results"]} == {"side"}
    body = submitter.lines(f"{path}bulk/", {**ME, "phase": "main"}, ME).json()
    assert (body["accepted"], [rejection["line"] for rejection in body["rejected"]]) == (1, [2])
    slugs = sprint.attempts.order_by("pk").values_list("phase__slug", flat=True)
    assert list(slugs) == ["side", "main"]
    assert submitter.post(path, {**ME, "phase": 5}).status_code == 400


def test_the_limits_of_each_open_phase_are_read(sprint: Challenge, submitter: Api) -> None:
    overlapping(sprint)
    path = f"challenges/{sprint.slug}/quota/"
    assert submitter.get(path).json()["phase"] == "main"
    side = submitter.get(f"{path}?phase=side").json()
    assert (side["phase"], side["limits"]["total"]) == ("side", 1)
    error = submitter.get(f"{path}?phase=finals").json()["error"]
    assert [*error["fields"]] == ["phase"]
