"""Organisers give a participant of their tenant extra attempts."""

from __future__ import annotations

from typing import Any

from leaderboard.models import AuditEntry, Grant, Phase, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from tests.people import participant_named, signed_in

ADD = "/admin/leaderboard/grant/add/"


def phase_of(tenant: Tenant, user: User) -> Phase:
    fields = {"name": "Cup", "slug": f"cup-{tenant.slug}", "scoring_strategy": "fastest"}
    return create_challenge(tenant=tenant, user=user, fields=fields).phases.get()


def participant(phase: Phase, user: User) -> int:
    return participant_named(
        challenge=phase.challenge, handle="atlas", user=user, organiser=True
    ).pk


def given(phase: Phase, participant: int) -> dict[str, Any]:
    return {
        "phase": phase.pk,
        "participant": participant,
        "extra": 2,
        "until_0": "",
        "until_1": "",
        "reason": "The server was down.",
    }


def test_an_organiser_gives_extra_attempts(north: Tenant, nora: User) -> None:
    phase = phase_of(north, nora)
    answer = signed_in(nora).post(ADD, given(phase, participant(phase, nora)))
    assert answer.status_code == 302
    grant = Grant.objects.get()
    assert (grant.phase, grant.extra, grant.given_by) == (phase, 2, nora)
    page = signed_in(nora).get("/admin/leaderboard/grant/")
    assert "The server was down." in page.content.decode()


def test_organisers_give_nothing_at_other_tenants(
    north: Tenant, south: Tenant, nora: User, sven: User
) -> None:
    mine, theirs = phase_of(north, nora), phase_of(south, sven)
    for phase, receiver in ((theirs, participant(theirs, sven)), (mine, participant(theirs, sven))):
        answer = signed_in(nora).post(ADD, given(phase, receiver))
        assert answer.status_code == 200
    assert not Grant.objects.exists()
    Grant.objects.create(
        phase=theirs, participant_id=participant(theirs, sven), extra=1, reason="secret reason"
    )
    page = signed_in(nora).get("/admin/leaderboard/grant/")
    assert "secret reason" not in page.content.decode()


def test_grants_of_the_admin_are_in_the_log(north: Tenant, nora: User) -> None:
    phase = phase_of(north, nora)
    who = participant(phase, nora)
    client = signed_in(nora)
    client.post(ADD, given(phase, who))
    grant = Grant.objects.get()
    client.post(f"/admin/leaderboard/grant/{grant.pk}/change/", {**given(phase, who), "extra": 5})
    client.post(f"/admin/leaderboard/grant/{grant.pk}/delete/", {"post": "yes"})
    assert not Grant.objects.exists()
    log = AuditEntry.objects.filter(kind="grant", actor=nora).order_by("pk")
    assert [entry.before is None for entry in log] == [True, False, False]
    assert (log[1].before, log[1].after) == ({"extra": 2}, {"extra": 5})
    assert log[2].after is None


def test_a_participant_that_is_no_id_is_an_error_at_the_field(north: Tenant, nora: User) -> None:
    client, form = signed_in(nora), given(phase_of(north, nora), 0)
    for typed in ("abc", "\N{NO-BREAK SPACE}", "9" * 30, "-1"):
        assert client.get(ADD, {"participant": typed}).status_code == 200
        answer = client.post(ADD, {**form, "participant": typed})
        assert answer.status_code == 200
        assert list(answer.context["adminform"].form.errors) == ["participant"], typed
