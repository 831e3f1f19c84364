"""Sessions, name, data and the end of an account: always one's own, and nobody else's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.models import (
    ApiToken,
    Attempt,
    Challenge,
    Evaluation,
    Evidence,
    Membership,
    Participant,
    Registration,
    Score,
    Standing,
    Tenant,
    User,
)
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.accounts import erase
from leaderboard.services.attempts.retry import withdraw_own_attempt
from leaderboard.services.board.reading import meta_order
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.competition.participants.disqualification import appeal, disqualify
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.scoring.single import score_attempt
from leaderboard.services.tokens import create_token
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import PASSWORD, Make, Submit
from tests.pages.reading import get
from tests.people import signed_in

pytestmark = pytest.mark.django_db


def confirmed(client: Client, path: str) -> Any:
    """What the path answers once the password has been given again."""
    asked = client.get(path)
    assert asked.headers["Location"].startswith("/account/confirm/")
    return client.post(asked.headers["Location"], {"password": PASSWORD}, follow=True)


def deleted(client: Client, username: str) -> Any:
    confirmed(client, "/account/delete/")
    return client.post("/account/delete/", {"username": username}, follow=True)


def password_given(username: str) -> Client:
    client = Client()
    client.post("/sign-in/", {"username": username, "password": PASSWORD})
    return client


@pytest.fixture
def lock_house(make: Make) -> Challenge:
    return make(
        "Lock house",
        "metric",
        metrics=[{"type": "mean"}],
        tasks=[{"name": "door"}],
        rank_by=[{"key": "mean"}],
    )


def sampled(challenge: Challenge, user: User, name: str) -> Attempt:
    sample = Sample("door", 0, {"reward": 0.5}, None, "My secret error.")
    attempt = attempt_of(
        user, challenge, name, samples=[sample], note="My secret note.", meta={"mine": "secret"}
    )
    assert score_attempt(attempt.pk)
    return attempt


class TestSessions:
    def test_sessions_are_listed_and_ended(self, as_ben: Client, ben: User) -> None:
        other, third = password_given("ben"), password_given("ben")
        page = get(as_ben, "/account/sessions/")
        assert page.count("signed in ") == 3
        assert page.count("This browser") == 1
        as_ben.post("/account/sessions/", {"session": "others"})
        assert other.get("/account/").status_code == third.get("/account/").status_code == 302
        assert as_ben.get("/account/").status_code == 200

    def test_sessions_of_others_cannot_be_ended(
        self, as_ben: Client, as_zoe: Client, zoe: User
    ) -> None:
        get(as_zoe, "/account/sessions/")
        rows = UserSession.objects.filter(user=zoe)
        for row in rows:
            as_ben.post("/account/sessions/", {"session": str(row.pk)})
        assert rows
        as_ben.post("/account/sessions/", {"session": "others"})
        assert as_zoe.get("/account/").status_code == 200

    def test_sessions_that_are_over_are_not_listed(self, as_ben: Client, ben: User) -> None:
        password_given("ben").post("/sign-out/")
        assert get(as_ben, "/account/sessions/").count("signed in ") == 1


def test_the_name_is_ones_own(as_ben: Client, ben: User) -> None:
    form = {"first_name": "Ben", "last_name": "Nevis", "is_staff": "on", "username": "ann"}
    as_ben.post("/account/name/", form)
    ben.refresh_from_db()
    assert (ben.get_full_name(), ben.username, ben.is_staff) == ("Ben Nevis", "ben", False)


class TestData:
    def test_own_data_are_complete_and_of_nobody_else(
        self, as_ben: Client, ben: User, zoe: User, lock_house: Challenge
    ) -> None:
        sampled(lock_house, ben, "atlas")
        sampled(lock_house, zoe, "zeppelin")
        create_token(user=ben, name="nightly", scopes=["submit"])
        answer = confirmed(as_ben, "/account/data/")
        text = answer.getvalue().decode()
        lines = [json.loads(line) for line in text.splitlines()]
        kinds = [next(iter(line)) for line in lines]
        assert kinds == ["account", "token", "entry", "registration", "participant", "attempt"]
        attempt = lines[-1]["attempt"]
        assert (attempt["note"], attempt["meta"]) == ("My secret note.", {"mine": "secret"})
        assert attempt["samples"][0][:3] == ["door", 0, {"reward": 0.5}]
        assert attempt["scores"][0]["metric_values"]
        assert "zeppelin" not in text
        assert "digest" not in text
        assert "pbkdf2" not in text

    def test_own_data_have_the_outputs(self, as_ben: Client, attempt: Attempt) -> None:
        text = confirmed(as_ben, "/account/data/").getvalue().decode()
        assert json.loads(text.splitlines()[-1])["attempt"]["instances"]

    def test_downloading_own_data_requires_the_password_again(
        self, client: Client, as_ben: Client
    ) -> None:
        assert client.get("/account/data/").status_code == 302
        assert as_ben.get("/account/data/").status_code == 302


class TestDeleting:
    def test_deleting_an_account_erases_texts_and_keeps_scores(
        self, as_ben: Client, ben: User, zoe: User, lock_house: Challenge, sprint: Challenge
    ) -> None:
        attempt = sampled(lock_house, ben, "atlas")
        sampled(lock_house, zoe, "zeppelin")
        Score.objects.update(details={"said": "secret"}, output="secret")
        EmailAddress.objects.create(user=ben, email="ben@example.org")
        create_token(user=ben, scopes=["submit"])
        before = dict(Standing.objects.values_list("participant", "values"))
        assert "atlas" in get(Client(), "/c/lock-house/")

        assert deleted(as_ben, "ben").status_code == 200

        number = attempt.participant_id
        board = get(Client(), "/c/lock-house/")
        assert "atlas" not in board
        assert f"withdrawn participant {number}" in board
        assert Client().get("/c/lock-house/p/atlas/").status_code == 404
        assert get(Client(), f"/c/lock-house/p/withdrawn-participant-{number}/")
        page = get(Client(), f"/attempts/{attempt.pk}/")
        api = Client().get(f"/api/v1/attempts/{attempt.pk}/").content.decode()
        assert "secret" not in page + api
        assert dict(Standing.objects.values_list("participant", "values")) == before
        assert verify_standings(lock_house) == []
        assert not User.objects.filter(username="ben").exists()
        assert not ApiToken.objects.exists()
        assert [evidence.attempt.participant.handle for evidence in Evidence.objects.all()] == [
            "zeppelin"
        ]
        assert Score.objects.get(attempt=attempt).metric_values
        assert as_ben.get("/account/").status_code == 302

    def test_deleting_an_account_erases_what_was_written_about_taking_part(
        self, as_ben: Client, ben: User, sprint: Challenge
    ) -> None:
        declare_rules(sprint, {"questions": [{"key": "why", "label": "Why?"}]})
        register(sprint, ben, {"participant": "atlas", "answers": {"why": "My secret."}})
        sprint.refresh_from_db()
        attempt = attempt_of(ben, sprint, "atlas", metrics={"elapsed_ms": 5})
        assert score_attempt(attempt.pk)
        withdraw_own_attempt(attempt, reason="My secret.")
        disqualify(Registration.objects.get(), {"reason": "Twice."}, by=None)
        appeal(sprint, ben, {"text": "My secret."})
        deleted(as_ben, "ben")
        registration = Registration.objects.get()
        assert (registration.answers, registration.appeal) == ({}, "")
        assert registration.disqualified_reason == "Twice."
        assert Attempt.objects.get().withdrawn_reason == ""

    def test_erasing_changes_the_version_of_boards_that_show_how_many_attempts_are_held(
        self, ben: User, sprint: Challenge
    ) -> None:
        """Nothing else of the board changes, as such an attempt has no standing."""
        Challenge.objects.update(on_code_change=Challenge.OnCodeChange.HOLD)
        attempt_of(ben, sprint, "atlas", metrics={"succeeded": True})
        Attempt.objects.update(status=Attempt.Status.HELD)
        path = "/api/v1/challenges/sprint/leaderboard/"
        before = Client().get(path)
        assert before.json()["held"] == 1
        erase.erase_account(ben)
        after = Client().get(path, headers={"If-None-Match": before["ETag"]})
        assert (after.status_code, after.json()["held"]) == (200, 0)

    def test_erasing_sorts_boards_by_meta_again(
        self, ben: User, zoe: User, sprint: Challenge, submit: Submit, monkeypatch: Any
    ) -> None:
        """The order of a large board is cached; it would tell what the meta was."""
        monkeypatch.setattr(meta_order, "LARGE", 1)
        Challenge.objects.update(meta_fields=[{"name": "model"}])
        mine = submit(sprint, "atlas", elapsed_ms=9)
        score_attempt(
            attempt_of(zoe, sprint, "zeppelin", metrics={"succeeded": True, "elapsed_ms": 5}).pk
        )
        Attempt.objects.update(meta={"model": "z"})
        Attempt.objects.filter(pk=mine.pk).update(meta={"model": "a"})
        path = "/api/v1/challenges/sprint/leaderboard/?sort=meta.model"

        def first() -> str:
            rows: list[Any] = Client().get(path).json()["rows"]
            return str(rows[0]["participant"]["slug"])

        assert first() == "atlas"
        erase.erase_account(ben)
        assert first() == "zeppelin"

    def test_deleting_an_account_erases_outputs(self, as_ben: Client, attempt: Attempt) -> None:
        deleted(as_ben, "ben")
        assert not Evaluation.objects.exists()
        assert get(Client(), f"/attempts/{attempt.pk}/")

    def test_deleting_an_account_deletes_attempts_without_a_result(
        self, as_ben: Client, sprint: Challenge, submit: Submit
    ) -> None:
        submit(sprint, "atlas", elapsed_ms=5)
        waiting = submit(sprint, "atlas", scored=False)
        deleted(as_ben, "ben")
        assert not Attempt.objects.filter(pk=waiting.pk).exists()
        assert Attempt.objects.count() == 1
        assert verify_standings(sprint) == []

    def test_deleting_an_account_needs_the_password_and_the_name(
        self, as_ben: Client, as_zoe: Client
    ) -> None:
        asked = as_ben.post("/account/delete/", {"username": "ben"})
        assert asked.headers["Location"] == "/account/delete/"
        assert deleted(as_ben, "zoe").status_code == 422
        assert User.objects.filter(username__in=["ben", "zoe"]).count() == 2

    def test_accounts_with_rights_are_not_deleted(
        self, as_ann: Client, ann: User, ben: User, tenant: Tenant
    ) -> None:
        assert 'name="username"' not in confirmed(as_ann, "/account/delete/").content.decode()
        as_ann.post("/account/delete/", {"username": "ann"})
        Membership.objects.create(tenant=tenant, user=ben, role=Membership.Role.ORGANISER)
        deleted(signed_in(ben), "ben")
        assert User.objects.count() == 2

    def test_an_account_with_very_many_attempts_is_deleted_by_an_operator(
        self,
        as_ben: Client,
        sprint: Challenge,
        submit: Submit,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        submit(sprint, "atlas", elapsed_ms=5)
        monkeypatch.setattr(erase, "MOST_AT_ONCE", 0)
        assert "operator" in deleted(as_ben, "ben").content.decode()
        assert User.objects.filter(username="ben").exists()
        call_command("erase_account", "ben")
        assert not User.objects.filter(username="ben").exists()
        with pytest.raises(CommandError):
            call_command("erase_account", "ben")

    def test_erasing_goes_on_after_it_was_killed(
        self, ben: User, sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(erase, "CHUNK", 1)
        for _ in range(3):
            submit(sprint, "atlas", elapsed_ms=5)
        Attempt.objects.update(note="secret")
        calls: list[Any] = []

        def killed(ids: Any) -> None:
            if calls:
                raise KeyboardInterrupt
            calls.append(ids)

        with monkeypatch.context() as patched:
            patched.setattr(erase, "_erase", killed)
            with pytest.raises(KeyboardInterrupt):
                erase.erase_account(ben)
        ben.refresh_from_db()
        assert not ben.is_active
        erase.erase_account(ben)
        assert not Attempt.objects.exclude(note="").exists()
        assert Participant.objects.get().owner is None

    def test_the_name_of_a_withdrawn_participant_avoids_names_that_are_taken(
        self, as_ben: Client, zoe: User, sprint: Challenge, submit: Submit
    ) -> None:
        mine = submit(sprint, "atlas", elapsed_ms=5).participant
        name = f"Withdrawn Participant {mine.pk}"
        attempt_of(zoe, sprint, name, metrics={"succeeded": True})
        deleted(as_ben, "ben")
        mine.refresh_from_db()
        assert mine.handle == f"withdrawn participant {mine.pk}-2"
