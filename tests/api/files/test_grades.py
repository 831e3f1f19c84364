"""People with their results in one table, for grades."""

from __future__ import annotations

import io
from typing import Any

import pytest
from openpyxl import load_workbook

from leaderboard.models import Challenge, Entry, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.teams.membership import join
from leaderboard.services.scoring.single import score_waiting
from leaderboard.services.tokens import create_token
from tests.api.conftest import Api, refused

PATH = "challenges/sprint/grades"


@pytest.fixture
def section(sprint: Challenge, bob: User) -> dict[str, User]:
    """Bob's team of two, and two others, of whom one has no attempt."""
    users = {"bob": bob}
    for name in ("eve", "ida", "joe"):
        users[name] = User.objects.create(username=name, email=f"{name}@example.org")
    rules = {
        "mode": "open",
        "largest_team": 2,
        "brackets": ["A", "B"],
        "bracket_choice": "chosen",
        "questions": [{"key": "sid", "kind": "text", "label": "Number", "required": True}],
    }
    declare_rules(sprint, rules)
    for at, (name, bracket) in enumerate((("bob", "A"), ("ida", "B"), ("joe", "B"))):
        fields = {"participant": name.title(), "bracket": bracket, "answers": {"sid": f"000{at}"}}
        register(sprint, users[name], fields)
    team = Entry.objects.get(user=bob).participant
    join(sprint, team, users["eve"], {"sid": "=0007"})
    for name, elapsed in (("bob", 100), ("bob", 300), ("ida", 200)):
        metrics = {"succeeded": True, "elapsed_ms": elapsed}
        new = NewAttempt(participant=name.title(), metrics=metrics)
        submit_attempt(challenge=sprint, user=users[name], new=new)
    score_waiting()
    return users


@pytest.mark.usefixtures("section")
def test_people_and_results_are_one_table(organiser: Api, submitter: Api, anyone: Api) -> None:
    refused(submitter.get(f"{PATH}.csv"), 403, "permission_denied")
    refused(anyone.get(f"{PATH}.xlsx"), 403, "permission_denied")
    refused(organiser.get(f"{PATH}.csv?phase=final"), 400, "invalid", "phase")
    rows = {row["participant"]: row for row in organiser.table(f"{PATH}.csv")}
    names = ("members", "answer_sid", "bracket", "rank", "rank_in_bracket", "attempts")
    assert {who: tuple(row[name] for name in names) for who, row in rows.items()} == {
        "Bob": ("bob eve", "0000; =0007", "A", "1", "1", "2"),
        "Ida": ("ida", "0001", "B", "2", "1", "1"),
        "Joe": ("joe", "0002", "B", "", "", "0"),
    }
    assert rows["Bob"]["emails"].endswith("eve@example.org")
    assert (rows["Bob"]["elapsed_ms"], rows["Joe"]["elapsed_ms"]) == ("100", "")
    assert rows["Ida"]["best_attempt"]


@pytest.mark.usefixtures("section")
def test_excel_reads_both_files_as_they_are_meant(organiser: Api) -> None:
    text = organiser.text(f"{PATH}.csv?for=excel&locale=de")
    assert text.startswith("\ufeffparticipant;slug;")
    content = organiser.get(f"{PATH}.xlsx").getvalue()
    head, *lines = load_workbook(io.BytesIO(content)).active.values
    table: list[dict[Any, Any]] = [dict(zip(head, line, strict=True)) for line in lines]
    assert [(row["answer_sid"], row["rank"], row["elapsed_ms"]) for row in table] == [
        ("0000; =0007", 1, 100),
        ("0001", 2, 200),
        ("0002", None, None),
    ]


def test_members_who_join_by_a_link_answer_the_questions(
    section: dict[str, User], sprint: Challenge, submitter: Api, organiser: Api
) -> None:
    Entry.objects.filter(user=section["eve"]).delete()
    code = submitter.post("challenges/sprint/team/links/").json()["code"]
    path = "challenges/sprint/team/join/"
    eve = Api(create_token(user=section["eve"], scopes=["submit"])[1])
    refused(eve.post(path, {"code": code}), 400, "invalid", "answers.sid")
    assert eve.post(path, {"code": code, "answers": {"sid": "0009"}}).status_code == 200
    assert Entry.objects.get(user=section["eve"]).answers == {"sid": "0009"}
    assert "0009" in organiser.text(f"{PATH}.csv")
