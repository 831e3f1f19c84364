"""Who takes part in a challenge, through the API."""

from __future__ import annotations

from typing import Any

from leaderboard.models import Challenge, Registration
from tests.api.competition.captains import submitter
from tests.api.conftest import ME, Api, refused

__all__ = ["submitter"]


RULES = "challenges/sprint/registration/rules/"
MINE = "challenges/sprint/registration/"
ALL = "challenges/sprint/registrations/"


def put(api: Api, body: Any) -> Any:
    return api.put(RULES, body)


def test_rules_are_read_by_all_without_their_secrets(
    organiser: Api, anyone: Api, sprint: Challenge
) -> None:
    refused(anyone.get(RULES), 404, "not_found")
    declared = put(organiser, {"mode": "code", "code": "tulip", "invited": ["eve"]}).json()
    assert declared["code"] == "tulip"
    assert organiser.get(RULES).json() == declared
    rules = anyone.get(RULES).json()
    assert declared == {**rules, "code": "tulip", "invited": ["eve"]}
    assert not {"code", "invited"} & rules.keys()


def test_rules_can_be_sent_back_and_withdrawn(organiser: Api, sprint: Challenge) -> None:
    sent = {"terms": "Be fair.", "teams_fixed_at": "2026-12-01T00:00:00Z", "largest_team": 3}
    rules = put(organiser, sent).json()
    assert rules["teams_fixed_at"] == "2026-12-01T00:00:00Z"
    version = rules.pop("terms_version")
    assert put(organiser, rules).json()["terms_version"] == version == 1
    assert organiser.delete(RULES).status_code == 204
    refused(organiser.get(RULES), 404, "not_found")


def test_only_organisers_declare_rules_and_read_registrations(
    submitter: Api, stranger: Api, anyone: Api, sprint: Challenge
) -> None:
    for api in (submitter, stranger):
        refused(put(api, {}), 403, "permission_denied")
        refused(api.delete(RULES), 403, "permission_denied")
        refused(api.get(ALL), 403, "permission_denied")
        refused(api.get("challenges/sprint/registrations.csv"), 403, "permission_denied")
        refused(api.patch(f"{ALL}atlas/", {}), 403, "permission_denied")
    refused(anyone.get(ALL), 403, "permission_denied")
    refused(anyone.get(MINE), 403, "permission_denied")
    refused(anyone.post(MINE, {"participant": "atlas"}), 401, "not_authenticated")


def test_wrong_fields_have_their_paths(organiser: Api, submitter: Api, sprint: Challenge) -> None:
    refused(put(organiser, {"mode": "all"}), 400, "invalid", "mode")
    put(organiser, {"questions": [{"key": "why", "label": "Why?", "required": True}]})
    refused(submitter.post(MINE, {"participant": "atlas"}), 400, "invalid", "answers.why")
    refused(submitter.post(MINE, {"participant": 5}), 400, "invalid", "participant")
    refused(submitter.post(MINE, {"name": "x"}), 400, "invalid", "name", "participant")


def test_a_class_registers_by_approval(organiser: Api, submitter: Api, sprint: Challenge) -> None:
    put(organiser, {"mode": "approval"})
    answer = submitter.post("challenges/sprint/attempts/", ME)
    assert answer.status_code == 403
    error = answer.json()["error"]
    assert (error["code"], error["register_at"]) == ("not_registered", "/c/sprint/register/")
    refused(submitter.get(MINE), 404, "not_found")
    assert submitter.post(MINE, {"participant": "atlas"}).json()["status"] == "pending"
    pending = organiser.get(f"{ALL}?status=pending").json()["results"]
    assert [registration["slug"] for registration in pending] == ["atlas"]
    assert organiser.patch(f"{ALL}atlas/", {"status": "accepted"}).json()["status"] == "accepted"
    assert organiser.get(f"{ALL}?status=pending").json()["results"] == []
    assert submitter.get(MINE).json()["decided_at"]
    assert submitter.post("challenges/sprint/attempts/", ME).status_code == 202
    error = refused(organiser.get(f"{ALL}?status=new"), 400, "invalid", "status")
    assert error["fields"]["status"][0].endswith('; got "new"')
    refused(organiser.patch(f"{ALL}boreas/", {"status": "accepted"}), 404, "not_found")


def test_the_table_has_answers_and_no_formulas(
    organiser: Api, submitter: Api, sprint: Challenge
) -> None:
    put(organiser, {"questions": [{"key": "why", "label": "Why?"}]})
    submitter.post(MINE, {"participant": "atlas", "answers": {"why": "=1+1"}})
    (row,) = organiser.table("challenges/sprint/registrations.csv")
    assert (row["participant"], row["members"], row["answer_why"]) == ("atlas", "bob", "'=1+1")
    refused(organiser.get("challenges/sprint/registrations.csv?for=word"), 400, "invalid", "for")


def test_the_list_has_pages(organiser: Api, submitter: Api, sprint: Challenge) -> None:
    for name in ("a", "b", "c"):
        submitter.post(MINE, {"participant": name})
    assert Registration.objects.count() == 3
    first = organiser.get(f"{ALL}?limit=2").json()
    rest = organiser.get(f"{ALL}?limit=2&cursor={first['next']}").json()
    both = first["results"] + rest["results"]
    assert [registration["slug"] for registration in both] == ["c", "b", "a"]
    assert rest["next"] is None
