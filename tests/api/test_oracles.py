"""Errors reveal nothing about private challenges that the user cannot see."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.management.arguments import challenge_named
from leaderboard.models import Attempt, Challenge, Membership, Participant, Tenant, User
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from tests.api.conftest import ME, Api, refused
from tests.people import signed_in

OPEN = {"visibility": "public"}
NEW = {"name": "Secret", "scoring_strategy": "fastest"}


@pytest.fixture
def theirs(acme: Tenant, carol: User, secret: Challenge) -> Challenge:
    """A public challenge of acme with the slug of default's private one."""
    return create_challenge(tenant=acme, user=carol, fields={**NEW, "slug": "secret"})


def test_others_may_use_the_slug_of_a_private_challenge(stranger: Api, secret: Challenge) -> None:
    answer = stranger.post("challenges/", {**NEW, "slug": "secret"})
    assert answer.status_code == 201, answer.content
    assert answer.json()["slug"] == "secret"
    assert answer.json()["scoring_strategy"] == "fastest"


def test_generated_slugs_ignore_private_challenges(stranger: Api, secret: Challenge) -> None:
    assert stranger.post("challenges/", NEW).json()["slug"] == "secret"
    assert stranger.post("challenges/", NEW).json()["slug"] == "secret-2"


def test_a_private_challenge_may_have_the_slug_of_another_private_one(
    stranger: Api, secret: Challenge
) -> None:
    private = {**NEW, "slug": "secret", "visibility": "private"}
    assert stranger.post("challenges/", private).status_code == 201
    refused(stranger.post("challenges/", private), 409, "conflict", "slug")


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_a_visible_slug_is_taken(stranger: Api, secret: Challenge, visibility: str) -> None:
    change_challenge(secret, user=None, fields={"visibility": visibility})
    refused(stranger.post("challenges/", {**NEW, "slug": "secret"}), 409, "conflict", "slug")


def test_a_private_slug_of_the_same_tenant_is_taken(organiser: Api, secret: Challenge) -> None:
    refused(organiser.post("challenges/", {**NEW, "slug": "secret"}), 409, "conflict", "slug")


@pytest.mark.usefixtures("theirs")
def test_a_challenge_needs_an_unused_slug_to_become_public(
    organiser: Api, secret: Challenge
) -> None:
    refused(
        organiser.patch("challenges/secret/", {"visibility": "public"}), 409, "conflict", "slug"
    )
    change = {"visibility": "public", "slug": "ours"}
    assert organiser.patch("challenges/secret/", change).status_code == 200


def test_a_shared_url_opens_the_private_challenge_for_members_only(
    organiser: Api, stranger: Api, submitter: Api, anyone: Api, secret: Challenge, theirs: Challenge
) -> None:
    for api, wanted in (
        (organiser, secret),
        (stranger, theirs),
        (submitter, theirs),
        (anyone, theirs),
    ):
        body = api.get("challenges/secret/").json()
        assert body["tenant"] == wanted.tenant.slug
        page = api.client.get("/c/secret/", headers=api.headers).content.decode()
        assert "Secret" in page


def test_a_challenge_of_the_same_slug_does_not_redirect_members(
    organiser: Api, secret: Challenge, theirs: Challenge
) -> None:
    body = {"participant": "atlas", "metrics": {"succeeded": True}}
    sent = organiser.post("challenges/secret/attempts/", body)
    assert sent.status_code == 202
    assert secret.attempts.count() == 1
    assert theirs.attempts.count() == 0


def test_pages_and_the_api_open_the_same_challenge(
    alice: User, bob: User, secret: Challenge, theirs: Challenge
) -> None:
    change_challenge(theirs, user=None, fields={"summary": "Acme's own board"})
    for user, is_theirs in ((alice, False), (bob, True), (None, True)):
        client = Client()
        if user:
            client.force_login(user)
        assert ("Acme&#x27;s own board" in client.get("/c/secret/").content.decode()) is is_theirs


def test_a_superuser_gets_the_challenge_of_their_tenant_first(
    alice: User, carol: User, secret: Challenge, theirs: Challenge
) -> None:
    carol.is_superuser = True
    carol.save()
    assert Challenge.objects.called("secret", carol) == theirs
    Membership.objects.create(tenant=secret.tenant, user=carol)
    assert Challenge.objects.called("secret", carol) == secret
    assert Challenge.objects.called("secret", alice) == secret
    alice.is_active = False
    assert Challenge.objects.called("secret", alice) == theirs


@pytest.mark.usefixtures("secret", "theirs")
def test_commands_require_the_tenant_of_an_ambiguous_slug() -> None:
    with pytest.raises(CommandError, match="acme/secret, default/secret"):
        call_command("rebuild_standings", "secret", stdout=StringIO())
    assert challenge_named("acme/secret").tenant.slug == "acme"
    with pytest.raises(CommandError, match="there is no challenge"):
        challenge_named("acme/other")


@pytest.mark.usefixtures("secret")
def test_copying_a_hidden_challenge_answers_as_for_a_missing_one(stranger: Api) -> None:
    body: dict[str, Any] = {**NEW, "url": "/api/v1/challenges/secret/"}
    hidden = stranger.post("challenges/", body)
    nowhere = stranger.post("challenges/", {**body, "url": "/api/v1/challenges/nothing/"})
    errors = refused(hidden, 400, "invalid", "url"), refused(nowhere, 400, "invalid", "url")
    assert errors[0]["message"].replace("secret", "nothing") == errors[1]["message"]


def test_the_database_keeps_visible_slugs_unique(acme: Tenant, sprint: Challenge) -> None:
    with pytest.raises(ServiceError):
        create_challenge(tenant=acme, user=None, fields={**NEW, "slug": "sprint"})


class TestNames:
    """Names of participants of private challenges are available elsewhere."""

    @pytest.fixture
    def hidden(self, organiser: Api, secret: Challenge) -> Participant:
        """Alice's atlas, which has attempted only the private challenge."""
        assert organiser.post("challenges/secret/attempts/", ME).status_code == 202
        return Participant.objects.get()

    def test_a_hidden_name_may_be_used_by_others(
        self, hidden: Participant, submitter: Api, sprint: Challenge
    ) -> None:
        for name in ("atlas", "never-seen"):
            body = {**ME, "participant": name}
            answer = submitter.post("challenges/sprint/attempts/", body)
            assert answer.status_code == 202
            assert answer.json()["participant"] == answer.json()["participant_slug"] == name

    def test_a_bulk_does_not_reveal_a_hidden_name(
        self, hidden: Participant, submitter: Api, sprint: Challenge
    ) -> None:
        answer = submitter.lines("challenges/sprint/attempts/bulk/", ME, ME).json()
        assert (answer["accepted"], answer["rejected"]) == (2, [])
        assert "renamed" not in answer

    def test_both_participants_of_one_name_stay_separate(
        self, hidden: Participant, organiser: Api, alice: User, submitter: Api, sprint: Challenge
    ) -> None:
        submitter.post("challenges/sprint/attempts/", ME)
        assert organiser.post("challenges/secret/attempts/", ME).status_code == 202
        assert Participant.objects.get(is_private=True).attempts.count() == 2
        assert Participant.objects.get(is_private=False).attempts.count() == 1
        mine = Api(create_token(user=alice, scopes=["submit"])[1])
        refused(mine.post("challenges/sprint/attempts/", ME), 403, "permission_denied")

    def test_urls_open_the_participant_of_the_challenge(
        self, hidden: Participant, organiser: Api, submitter: Api, sprint: Challenge
    ) -> None:
        submitter.post("challenges/sprint/attempts/", ME)
        single.score_waiting()
        for slug, owner in (("secret", "alice"), ("sprint", "bob")):
            standing = organiser.get(f"challenges/{slug}/standings/atlas/").json()
            attempt = Attempt.objects.get(pk=standing["attempt"])
            assert attempt.participant.owner is not None
            assert attempt.participant.owner.username == owner
            page = signed_in(attempt.participant.owner).get(f"/c/{slug}/p/atlas/")
            assert page.status_code == 200

    def test_a_private_challenge_uses_public_participants(
        self, submitter: Api, organiser: Api, alice: User, sprint: Challenge, secret: Challenge
    ) -> None:
        submitter.post("challenges/sprint/attempts/", ME)
        mine = Api(create_token(user=alice, scopes=["submit"])[1])
        refused(mine.post("challenges/secret/attempts/", ME), 403, "permission_denied")
        assert Participant.objects.count() == 1

    def test_a_challenge_that_becomes_public_publishes_its_names(
        self, hidden: Participant, organiser: Api, submitter: Api, sprint: Challenge
    ) -> None:
        change_challenge(hidden.tenant.challenges.get(slug="secret"), user=None, fields=OPEN)
        refused(submitter.post("challenges/sprint/attempts/", ME), 403, "permission_denied")
        assert not Participant.objects.get().is_private

    def test_a_new_slug_is_on_all_boards_at_once(
        self,
        alice: User,
        organiser: Api,
        submitter: Api,
        sprint: Challenge,
        secret: Challenge,
    ) -> None:
        """Pages of another private board are read again, though its rows have not changed."""
        fields = {**NEW, "slug": "other", "visibility": "private"}
        create_challenge(tenant=secret.tenant, user=alice, fields=fields)
        submitter.post("challenges/sprint/attempts/", {**ME, "participant": "a b"})
        for slug in ("secret", "other"):
            organiser.post(f"challenges/{slug}/attempts/", {**ME, "participant": "a-b"})
        single.score_waiting()
        before = Challenge.objects.get(slug="other").board_version
        change_challenge(Challenge.objects.get(slug="secret"), user=None, fields=OPEN)
        assert Participant.objects.get(handle="a-b").slug.startswith("a-b-")
        assert Challenge.objects.get(slug="other").board_version > before

    def test_published_names_that_are_taken_stay_separate(
        self, hidden: Participant, organiser: Api, submitter: Api, sprint: Challenge
    ) -> None:
        submitter.post("challenges/sprint/attempts/", ME)
        submitter.post("challenges/sprint/attempts/", {**ME, "participant": "a b"})
        organiser.post("challenges/secret/attempts/", {**ME, "participant": "a-b"})
        opened = change_challenge(Challenge.objects.get(slug="secret"), user=None, fields=OPEN)
        single.score_waiting()
        rows = organiser.get("challenges/secret/leaderboard/").json()["rows"]
        slugs = {row["participant"]["handle"]: row["participant"]["slug"] for row in rows}
        assert slugs.keys() == {"atlas", "a-b"}
        assert slugs["a-b"].startswith("a-b-")
        for slug in slugs.values():
            assert organiser.get(f"challenges/secret/standings/{slug}/").status_code == 200
        assert opened.attempts.count() == 2
