"""The page of organisers and reviewers, and the pages of organisers as reviewers see them."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from leaderboard.models import ApiToken, AuditEntry, Challenge, ChallengeRole, User
from leaderboard.services.competition.organisers.announcements import announce
from leaderboard.services.competition.organisers.appointing import give_role
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.quotas.grants import give_extra
from leaderboard.services.scoring.single import score_attempt
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make, Submit
from tests.pages.manage.forms import PAGES
from tests.pages.reading import get, words
from tests.people import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("contexts")]
PAGE = "/c/sprint/manage/organisers/"


@pytest.fixture
def as_rita(sprint: Challenge, ann: User) -> Client:
    """A reviewer."""
    rita = User.objects.create_user("rita")
    give_role(sprint, "rita", {"role": "reviewer"}, by=ann)
    return signed_in(rita)


@pytest.fixture
def as_cody(sprint: Challenge, ann: User) -> Client:
    """A co-organiser."""
    cody = User.objects.create_user("cody")
    give_role(sprint, "cody", {"role": "organiser"}, by=ann)
    return signed_in(cody)


def test_somebody_is_added_changed_and_removed(
    sprint: Challenge, ann: User, ben: User, as_ann: Client
) -> None:
    sent = {"action": "add", "user": "ben", "role": "reviewer"}
    assert as_ann.post(PAGE, sent).status_code == 302
    assert "ben Reviewer" in words(get(as_ann, PAGE))
    assert as_ann.post(PAGE, sent | {"action": "change", "role": "organiser"}).status_code == 302
    assert ChallengeRole.objects.get().role == "organiser"
    assert as_ann.post(PAGE, sent | {"action": "change", "role": "king"}).status_code == 302
    assert "role: " in words(get(as_ann, PAGE))
    assert as_ann.post(PAGE, {"action": "remove", "user": "ben"}).status_code == 302
    assert not ChallengeRole.objects.exists()
    assert AuditEntry.objects.filter(kind="role", actor=ann).count() == 3
    assert as_ann.post(PAGE, {"action": "dance"}).status_code == 404


def test_a_name_that_proves_little_is_confirmed(
    sprint: Challenge, ben: User, as_ann: Client
) -> None:
    """One that somebody chose, or that another one looks like; an address is enough by itself."""
    sent = {"action": "add", "user": "ben", "role": "reviewer"}
    User.objects.filter(pk=ben.pk).update(is_self_named=True, first_name="Benedict")
    answer = as_ann.post(PAGE, sent)
    assert answer.status_code == 200
    assert "Benedict" in answer.content.decode()
    assert not ChallengeRole.objects.exists()
    for confirmed, status in (("benn", 200), ("ben", 302)):
        assert as_ann.post(PAGE, sent | {"confirmed": confirmed}).status_code == status
    assert ChallengeRole.objects.get().user == ben
    User.objects.create_user("modern")
    User.objects.create_user("modem")
    answer = as_ann.post(PAGE, sent | {"user": "modem"})
    assert "modern" in answer.content.decode()
    assert ChallengeRole.objects.count() == 1
    ChallengeRole.objects.all().delete()
    EmailAddress.objects.create(user=ben, email="ben@example.org", verified=True)
    assert as_ann.post(PAGE, sent | {"user": "ben@example.org"}).status_code == 302
    assert ChallengeRole.objects.get().user == ben


def test_errors_are_at_their_fields(sprint: Challenge, as_ann: Client) -> None:
    for user, field in (("nobody", "user"), ("", "user"), ("ann", "__all__")):
        answer = as_ann.post(PAGE, {"action": "add", "user": user, "role": "reviewer"})
        assert answer.status_code == 422, user
        assert list(answer.context["form"].errors) == [field], user


@pytest.mark.usefixtures("ben")
def test_reviewers_see_every_page_and_no_form(
    sprint: Challenge, ann: User, as_rita: Client
) -> None:
    past = "2020-01-01T00:00:00Z"
    zoe = User.objects.create_user("zoe")
    register(sprint, zoe, {"participant": "Atlas"})
    give_extra(
        sprint, {"participant": "atlas", "phase": "main", "extra": 1, "reason": "So"}, by=ann
    )
    announcement = announce(sprint, {"title": "Hello", "text": ""}, by=ann)
    set_phase(sprint, closes_at=past, freezes_at=past)
    Challenge.objects.update(is_draft=True)
    for address in (*PAGES, f"/c/sprint/manage/announcements/?announcement={announcement.pk}"):
        page = get(as_rita, address)
        main = page[page.index("<main") : page.index("</main>")]
        assert 'method="post"' not in main, address
        assert not {*re.findall(r"<button[^>]*>([^<]*)", main)} - {"Show"}, address
        assert as_rita.post(address, {"action": "add"}).status_code in (404, 405), address
    for name in ("manage/copy", "manage/publish", "manage/sample", "code"):
        assert as_rita.post(f"/c/sprint/{name}/").status_code == 404, name
    assert 'href="/c/sprint/manage/"' in get(as_rita, "/c/sprint/")


def test_reviewers_see_the_organisers_part_of_an_attempt(
    make: Make, submit: Submit, sprint: Challenge, as_rita: Client, as_ann: Client
) -> None:
    attempt = submit(sprint, "atlas")
    score_attempt(attempt.pk)
    path = f"/attempts/{attempt.pk}/"
    page = get(as_rita, path)
    assert "Delivered to workers" in page
    main = page[page.index("<main") : page.index("</main>")]
    assert set(re.findall(r'method="post" action="([^"]*)"', main)) == {f"{path}decisions/"}
    assert 'method="post"' in get(as_ann, path).partition("<main")[2].partition("</main>")[0]
    for action in ("verification", "annotations"):
        assert as_rita.post(f"{path}{action}/", {"text": "x"}).status_code == 404
    as_rita.post(f"{path}withdraw/", {"reason": "x"})
    attempt.refresh_from_db()
    assert attempt.withdrawn_at is None


def test_co_organisers_manage_one_challenge(make: Make, sprint: Challenge, as_cody: Client) -> None:
    make("Other")
    for address in PAGES:
        assert 'method="post"' in get(as_cody, address) or "log" in address
    assert "Copy this challenge" not in get(as_cody, "/c/sprint/manage/")
    assert as_cody.post("/c/sprint/manage/copy/").status_code == 404
    assert as_cody.get("/c/other/manage/").status_code == 404
    sent = {"action": "save", "title": "Hello", "text": ""}
    assert as_cody.post("/c/sprint/manage/announcements/", sent).status_code == 302
    assert as_cody.post("/c/other/manage/announcements/", sent).status_code == 404


def test_the_account_page_lists_challenges_with_a_role(
    sprint: Challenge, as_rita: Client, as_ann: Client
) -> None:
    page = words(get(as_rita, "/account/"))
    assert "Sprint Reviewer" in page
    assert "· ann · Manage Leave" in page
    assert 'href="/new/"' not in get(as_rita, "/account/")
    assert "Sprint" not in words(get(as_ann, "/account/")).partition("Leave")[0]


def test_a_new_role_is_shown_and_can_be_left(sprint: Challenge, ann: User, as_rita: Client) -> None:
    page = get(as_rita, "/account/")
    assert 'href="#roles"' in page
    leave = f"/account/roles/{sprint.pk}/leave/"
    assert f'action="{leave}"' in page
    assert as_rita.get(leave).status_code == 405
    assert signed_in(ann).post(leave).status_code == 404
    assert as_rita.post(leave).status_code == 302
    assert not ChallengeRole.objects.exists()
    assert as_rita.get("/c/sprint/manage/").status_code == 404
    assert as_rita.post(leave).status_code == 404
    entry = AuditEntry.objects.latest("pk")
    assert (entry.kind, entry.actor and entry.actor.username) == ("role", "rita")


def test_a_role_allows_a_token_for_its_challenge(
    make: Make, sprint: Challenge, as_cody: Client
) -> None:
    make("Other")
    wanted = {"name": "ci", "scopes": ["organise"], "lifetime": "90"}
    for challenge in ("", "other"):
        answer = as_cody.post("/account/", wanted | {"challenge": challenge})
        assert answer.status_code == 422
    assert list(as_cody.post("/account/", wanted).context["form"].errors) == ["challenge"]
    as_cody.post("/account/", wanted | {"challenge": "sprint"})
    token = ApiToken.objects.get()
    assert (token.challenge, token.scopes) == (sprint, ["organise"])
