"""Organisers say in a browser who may take part."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import AuditEntry, Challenge, RegistrationRules, User
from leaderboard.services.competition.organisers.appointing import give_role
from tests.pages.reading import get, words
from tests.people import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/c/sprint/manage/registration/"
RULES = {
    "mode": "code",
    "code": "tulip",
    "smallest_team": "1",
    "largest_team": "4",
    "teams_fixed_at": "2030-03-01T12:30",
    "brackets": "Pupils\r\nStudents\r\n",
    "bracket_choice": "chosen",
    "terms": "Be *fair*.",
}
QUESTIONS = [
    {"label": "Your school", "kind": "text", "required": "on"},
    {"label": "How old are you?", "kind": "choice", "options": "under 18, 18 or older"},
    {"label": ""},
]


def sent(questions: list[dict[str, str]], **fields: str) -> dict[str, str]:
    """What the browser sends."""
    formset = {"questions-TOTAL_FORMS": f"{len(questions)}", "questions-INITIAL_FORMS": "0"}
    for at, question in enumerate(questions):
        asked = {"kind": "text", **question}
        formset |= {f"questions-{at}-{name}": value for name, value in asked.items()}
    return {"action": "save", **RULES, **formset, **fields}


def saved(client: Client, form: dict[str, Any]) -> Any:
    return client.post(PAGE, form, follow=True)


def test_an_organiser_sets_and_changes_the_rules(sprint: Challenge, as_ann: Client) -> None:
    assert saved(as_ann, sent(QUESTIONS)).status_code == 200
    rules = RegistrationRules.objects.get(challenge=sprint)
    assert (rules.mode, rules.code, rules.largest_team) == ("code", "tulip", 4)
    assert rules.teams_fixed_at is not None
    assert rules.teams_fixed_at.isoformat() == "2030-03-01T12:30:00+00:00"
    assert (rules.brackets, rules.terms) == (["Pupils", "Students"], "Be *fair*.")
    school, age = rules.questions
    assert school == {
        "key": "your_school",
        "kind": "text",
        "label": "Your school",
        "options": [],
        "required": True,
    }
    assert (age["key"], age["options"]) == ("how_old_are_you", ["under 18", "18 or older"])
    page = get(as_ann, PAGE)
    assert 'value="tulip"' in page
    assert 'value="2030-03-01T12:30"' in page
    assert "under 18, 18 or older" in page
    changed = {"key": "your_school", "label": "Your university", "kind": "text"}
    saved(as_ann, sent([changed], code="rose"))
    rules.refresh_from_db()
    (question,) = rules.questions
    assert (question["key"], question["label"], rules.code) == (
        "your_school",
        "Your university",
        "rose",
    )
    assert AuditEntry.objects.filter(challenge=sprint, kind="rules").count() == 2


def test_the_rules_are_removed(sprint: Challenge, as_ann: Client) -> None:
    saved(as_ann, sent([]))
    assert as_ann.post(PAGE, {"action": "remove"}).status_code == 302
    assert not RegistrationRules.objects.exists()


def test_errors_are_shown_at_their_fields(sprint: Challenge, as_ann: Client) -> None:
    choice = [{"label": "Which?", "kind": "choice"}]
    for fields, questions, field in (
        ({"code": ""}, [], "code"),
        ({"mode": "domain", "domains": "not a domain"}, [], "domains"),
        ({"smallest_team": "5"}, [], "largest_team"),
        ({"brackets": "A\nA"}, [], "brackets"),
        ({}, choice, "questions-0-options"),
        ({"largest_team": "x"}, [], "largest_team"),
    ):
        answer = saved(as_ann, sent(questions, **fields))
        assert answer.status_code == 422, fields
        assert f'id="id_{field}_error"' in answer.content.decode(), fields
    assert not RegistrationRules.objects.exists()


def test_a_reviewer_reads_the_rules(sprint: Challenge, as_ann: Client, ann: User) -> None:
    saved(as_ann, sent(QUESTIONS))
    User.objects.create_user("rita")
    give_role(sprint, "rita", {"role": "reviewer"}, by=ann)
    page = get(signed_in(User.objects.get(username="rita")), PAGE)
    assert '<form method="post"' not in page.partition("<main")[2]
    text = words(page)
    assert "tulip" in text
    assert "18 or older" in text
