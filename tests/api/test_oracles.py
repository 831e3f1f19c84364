"""What is refused tells nothing of private challenges that whoever asks cannot see."""

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
    """A public challenge of acme's with the slug of the private one of default's."""
    return create_challenge(tenant=acme, user=carol, fields={**NEW, "slug": "secret"})


def test_a_taken_slug_of_a_private_challenge_is_free_to_others(
    stranger: Api, secret: Challenge
) -> None:
    answer = stranger.post("challenges/", {**NEW, "slug": "secret"})
    assert answer.status_code == 201, answer.content
    assert answer.json()["slug"] == "secret"
    assert answer.json()["scoring_strategy"] == "fastest"


def test_a_slug_that_is_made_from_a_name_counts_no_private_challenge(
    stranger: Api, secret: Challenge
) -> None:
    assert stranger.post("challenges/", NEW).json()["slug"] == "secret"
    assert stranger.post("challenges/", NEW).json()["slug"] == "secret-2"


def test_a_private_challenge_may_have_the_slug_of_another_private_one(
    stranger: Api, secret: Challenge
) -> None:
    private = {**NEW, "slug": "secret", "visibility": "private"}
    assert stranger.post("challenges/", private).status_code == 201
    refused(stranger.post("challenges/", private), 409, "conflict", "slug")


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_a_slug_that_can_be_seen_is_taken(
    stranger: Api, secret: Challenge, visibility: str
) -> None:
    change_challenge(secret, user=None, fields={"visibility": visibility})
    refused(stranger.post("challenges/", {**NEW, "slug": "secret"}), 409, "conflict", "slug")


def test_ones_own_private_slug_is_taken(organiser: Api, secret: Challenge) -> None:
    refused(organiser.post("challenges/", {**NEW, "slug": "secret"}), 409, "conflict", "slug")


@pytest.mark.usefixtures("theirs")
def test_a_challenge_becomes_public_under_a_slug_that_is_free(
    organiser: Api, secret: Challenge
) -> None:
    refused(
        organiser.patch("challenges/secret/", {"visibility": "public"}), 409, "conflict", "slug"
    )
    change = {"visibility": "public", "slug": "ours"}
    assert organiser.patch("challenges/secret/", change).status_code == 200


def test_an_address_opens_the_private_challenge_for_members_only(
    organiser: Api, stranger: Api, submitter: Api, anyone: Api, secret: Challenge, theirs: Challenge
) -> None:
    for api, wanted in (
        (organiser, secret),
        (stranger, theirs),
        (submitter, theirs),
        (anyone, theirs),
    ):
        shown = api.get("challenges/secret/").json()
        assert shown["tenant"] == wanted.tenant.slug
        page = api.client.get("/c/secret/", headers=api.headers).content.decode()
        assert "Secret" in page


def test_nobody_leads_members_elsewhere(
    organiser: Api, secret: Challenge, theirs: Challenge
) -> None:
    body = {"participant": "atlas", "metrics": {"succeeded": True}}
    sent = organiser.post("challenges/secret/attempts/", body)
    assert sent.status_code == 202
    assert secret.attempts.count() == 1
    assert theirs.attempts.count() == 0


def test_pages_open_the_same_as_the_api(
    alice: User, bob: User, secret: Challenge, theirs: Challenge
) -> None:
    change_challenge(theirs, user=None, fields={"summary": "Acme's own board"})
    for user, is_theirs in ((alice, False), (bob, True), (None, True)):
        client = Client()
        if user:
            client.force_login(user)
        assert ("Acme&#x27;s own board" in client.get("/c/secret/").content.decode()) is is_theirs


def test_who_may_see_everything_gets_their_own_first(
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
def test_commands_ask_which_one_is_meant() -> None:
    with pytest.raises(CommandError, match="name one of acme/secret, default/secret"):
        call_command("rebuild_standings", "secret", stdout=StringIO())
    assert challenge_named("acme/secret").tenant.slug == "acme"
    with pytest.raises(CommandError, match="there is no challenge"):
        challenge_named("acme/other")


@pytest.mark.usefixtures("secret")
def test_a_copy_of_a_hidden_challenge_is_one_of_none(stranger: Api) -> None:
    body: dict[str, Any] = {**NEW, "url": "/api/v1/challenges/secret/"}
    there = stranger.post("challenges/", body)
    nowhere = stranger.post("challenges/", {**body, "url": "/api/v1/challenges/nothing/"})
    told = refused(there, 400, "invalid", "url"), refused(nowhere, 400, "invalid", "url")
    assert told[0]["message"].replace("secret", "nothing") == told[1]["message"]


def test_the_database_keeps_open_slugs_apart(acme: Tenant, sprint: Challenge) -> None:
    with pytest.raises(ServiceError):
        create_challenge(tenant=acme, user=None, fields={**NEW, "slug": "sprint"})


class TestNames:
    """Names of participants of private challenges are free elsewhere."""

    @pytest.fixture
    def hidden(self, organiser: Api, secret: Challenge) -> Participant:
        """Alice's atlas, which has only attempted the private challenge."""
        assert organiser.post("challenges/secret/attempts/", ME).status_code == 202
        return Participant.objects.get()

    def test_a_name_tells_nothing(
        self, hidden: Participant, submitter: Api, sprint: Challenge
    ) -> None:
        for name in ("atlas", "never-seen"):
            body = {**ME, "participant": name}
            answer = submitter.post("challenges/sprint/attempts/", body)
            assert answer.status_code == 202
            assert answer.json()["participant"] == answer.json()["participant_slug"] == name

    def test_a_bulk_tells_nothing(
        self, hidden: Participant, submitter: Api, sprint: Challenge
    ) -> None:
        answer = submitter.lines("challenges/sprint/attempts/bulk/", ME, ME).json()
        assert (answer["accepted"], answer["rejected"]) == (2, [])
        assert "renamed" not in answer

    def test_each_goes_on_as_their_own(
        self, hidden: Participant, organiser: Api, alice: User, submitter: Api, sprint: Challenge
    ) -> None:
        submitter.post("challenges/sprint/attempts/", ME)
        assert organiser.post("challenges/secret/attempts/", ME).status_code == 202
        assert Participant.objects.get(is_private=True).attempts.count() == 2
        assert Participant.objects.get(is_private=False).attempts.count() == 1
        mine = Api(create_token(user=alice, scopes=["submit"])[1])
        refused(mine.post("challenges/sprint/attempts/", ME), 403, "permission_denied")

    def test_addresses_open_the_one_that_took_part(
        self, hidden: Participant, organiser: Api, submitter: Api, sprint: Challenge
    ) -> None:
        submitter.post("challenges/sprint/attempts/", ME)
        single.score_waiting()
        for slug, owner in (("secret", "alice"), ("sprint", "bob")):
            shown = organiser.get(f"challenges/{slug}/standings/atlas/").json()
            attempt = Attempt.objects.get(pk=shown["attempt"])
            assert attempt.participant.owner is not None
            assert attempt.participant.owner.username == owner
            page = signed_in(attempt.participant.owner).get(f"/c/{slug}/p/atlas/")
            assert page.status_code == 200

    def test_a_public_name_is_known_at_private_challenges(
        self, submitter: Api, organiser: Api, alice: User, sprint: Challenge, secret: Challenge
    ) -> None:
        submitter.post("challenges/sprint/attempts/", ME)
        mine = Api(create_token(user=alice, scopes=["submit"])[1])
        refused(mine.post("challenges/secret/attempts/", ME), 403, "permission_denied")
        assert Participant.objects.count() == 1

    def test_a_challenge_that_is_opened_brings_its_names(
        self, hidden: Participant, organiser: Api, submitter: Api, sprint: Challenge
    ) -> None:
        change_challenge(hidden.tenant.challenges.get(slug="secret"), user=None, fields=OPEN)
        refused(submitter.post("challenges/sprint/attempts/", ME), 403, "permission_denied")
        assert not Participant.objects.get().is_private

    def test_names_that_others_have_by_then_stay_apart(
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
