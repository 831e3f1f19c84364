"""Organisers read who changed what."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.languages.translation import translated
from leaderboard.models import AuditEntry, Challenge, User
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.standing.condition_sets import (
    publish_rules,
    read_rules,
    rules_in_words,
)
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
PAGE = "/c/sprint/manage/log/"


def test_the_log_says_who_changed_what_from_what_to_what(
    sprint: Challenge, ann: User, ben: User, as_ann: Client
) -> None:
    change_challenge(sprint, user=ann, fields={"is_active": False, "summary": "<b>"})
    change_challenge(sprint, user=ann, fields={"is_active": True})
    registration = register(sprint, ben, {"participant": "Atlas"})
    decide(registration, by=ann, fields={"status": "declined", "reason": "Twice."})
    page = get(as_ann, PAGE)
    assert "The challenge takes attempts: yes → no" in words(page)
    assert "&lt;b&gt;" in page
    assert "Atlas" in words(page)
    assert "Status: Accepted → Declined" in words(page)
    assert "Reason: – → Twice." in words(page)
    assert words(page).count("ann") >= 3
    one_kind = words(get(as_ann, f"{PAGE}?kind=registration"))
    assert "Twice." in one_kind
    assert "The challenge takes attempts" not in one_kind
    assert as_ann.get(f"{PAGE}?kind=cats").status_code == 404


def test_changes_of_phases_are_public_and_others_are_not(
    sprint: Challenge, ann: User, as_ann: Client, client: Client
) -> None:
    fields = {"summary": "Secret plan", "phases": [{"slug": "main", "total": 3}]}
    change_challenge(sprint, user=ann, fields=fields)
    assert "In total: – → 3" in words(get(as_ann, PAGE))
    rules = words(get(client, "/c/sprint/rules/"))
    assert "In total: – → 3" in rules
    assert "Summary: " not in rules


def test_rules_of_admission_are_sentences_and_objects_are_written_out(
    sprint: Challenge, ann: User, as_ann: Client
) -> None:
    rules = [{"rule": "samples_per_task", "least": 3}]
    publish_rules(sprint, rules, by=ann)
    (sentence,) = rules_in_words(read_rules(rules))
    AuditEntry.objects.create(
        challenge=sprint, kind="challenge", actor=ann, after={"split": {"column": "Usage"}}
    )
    page = words(get(as_ann, PAGE))
    assert f"Rules: {translated(sentence)}" in page
    assert "column Usage" in page


def test_earlier_entries_are_on_further_pages(sprint: Challenge, ann: User, as_ann: Client) -> None:
    AuditEntry.objects.bulk_create(
        AuditEntry(
            challenge=sprint, kind="challenge", actor=ann, after={"summary": f"S{n:03}", "goal": ""}
        )
        for n in range(60)
    )
    assert "Summary: S059" in words(get(as_ann, PAGE))
    assert "Goal" not in words(get(as_ann, PAGE))
    assert "S000" not in get(as_ann, PAGE)
    assert "S000" in get(as_ann, f"{PAGE}?kind=challenge&page=2")


def test_a_registration_code_is_never_in_the_log(
    sprint: Challenge, ann: User, as_ann: Client
) -> None:
    for code in ("swordfish", "tadpole", ""):
        mode = "code" if code else "open"
        declare_rules(sprint, {"mode": mode, "code": code}, by=ann)
    stored = str(list(AuditEntry.objects.values_list("before", "after")))
    page = get(as_ann, PAGE)
    for code in ("swordfish", "tadpole"):
        assert code not in stored
        assert code not in page
    assert "Code: ••• → •••" in words(page)
