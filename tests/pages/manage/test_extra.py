"""Organisers give a participant extra attempts in a browser."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import AuditEntry, Challenge, Grant, User
from leaderboard.services.competition.participants.registration import register
from tests.pages.reading import get, words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("contexts")]
PAGE = "/c/sprint/manage/extra/"
OUTAGE = {"action": "give", "participant": "atlas", "phase": "main", "reason": "Outage"}


def test_extra_attempts_are_granted_and_revoked(
    sprint: Challenge, ann: User, ben: User, as_ann: Client
) -> None:
    register(sprint, ben, {"participant": "Atlas"})
    assert f"{PAGE}?participant=atlas" in get(as_ann, "/c/sprint/people/")
    assert 'value="atlas"' in get(as_ann, f"{PAGE}?participant=atlas")
    sent = {**OUTAGE, "extra": "3", "until": "2100-01-01T00:00"}
    assert as_ann.post(PAGE, sent).status_code == 302
    grant = Grant.objects.get()
    assert (grant.extra, grant.given_by, grant.reason) == (3, ann, "Outage")
    page = words(get(as_ann, PAGE))
    assert "Atlas +3" in page
    assert "until 1 Jan 2100, 00:00" in page
    remove = {"action": "remove", "grant": str(grant.pk)}
    assert as_ann.post(PAGE, remove).status_code == 302
    assert as_ann.post(PAGE, remove).status_code == 404
    assert AuditEntry.objects.filter(kind="grant", actor=ann).count() == 2


def test_all_participants_are_given_attempts_in_one_step(sprint: Challenge, as_ann: Client) -> None:
    for_all = {**OUTAGE, "participant": "", "everybody": "on", "extra": "1"}
    assert as_ann.post(PAGE, for_all).status_code == 302
    assert Grant.objects.get().participant is None
    assert "All participants +1" in words(get(as_ann, PAGE))
    for participant, everybody in (("", ""), ("atlas", "on")):
        answer = as_ann.post(PAGE, {**for_all, "participant": participant, "everybody": everybody})
        assert list(answer.context["form"].errors) == ["participant"]


def test_errors_are_at_their_fields(sprint: Challenge, ben: User, as_ann: Client) -> None:
    register(sprint, ben, {"participant": "Atlas"})
    for field, value in (
        ("participant", "nobody"),
        ("extra", "few"),
        ("extra", "0"),
        ("phase", "final"),
        ("until", "2020-01-01T00:00"),
        ("reason", ""),
    ):
        answer = as_ann.post(PAGE, {**OUTAGE, "extra": "3", field: value})
        assert answer.status_code == 422, field
        assert list(answer.context["form"].errors) == [field]
    assert as_ann.post(PAGE, {"action": "dance"}).status_code == 404
