"""`create_token` and `revoke_token`, as an operator runs them."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from leaderboard.models import ApiToken, Membership, Participant, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.tokens import token_of

pytestmark = pytest.mark.django_db


def run(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def token_printed(name: str, *arguments: str) -> ApiToken:
    """The token that the command makes and prints, alone in a line."""
    text = run("create_token", name, "--create", *arguments)
    assert text.endswith("\n")
    assert len(text.split()) == 1
    token = token_of(text.strip())
    assert token is not None
    return token


def test_create_token_prints_only_the_token() -> None:
    token = token_printed("alice", "--scope", "submit")
    assert token.user.username == "alice"
    assert token.scopes == ["submit"]
    assert token.tenant is None
    assert token.expiry is None


def test_create_token_creates_a_user_who_cannot_sign_in() -> None:
    run("create_token", "alice", "--create", "--scope", "read")
    assert not User.objects.get(username="alice").has_usable_password()


def test_a_misspelt_name_is_refused_unless_it_shall_be_made() -> None:
    run("create_token", "alice", "--create", "--scope", "organise", "--tenant", "acme")
    for words in (["alcie"], ["alice", "--tenant", "amce"], ["ALICE"]):
        with pytest.raises(CommandError, match="--create"):
            run("create_token", *words, "--scope", "submit")
    assert run("create_token", "alice", "--scope", "submit", "--tenant", "acme")
    assert (User.objects.count(), Tenant.objects.count()) == (1, 1)


def test_the_scope_organise_makes_an_organiser_of_the_only_tenant() -> None:
    token = token_printed("alice", "--scope", "submit", "--scope", "organise")
    assert token.tenant == Tenant.objects.get(slug="default")
    assert token.user.organises(token.tenant_id)


def test_a_member_may_become_an_organiser_but_not_the_reverse() -> None:
    run("create_token", "alice", "--create", "--scope", "submit", "--tenant", "acme")
    membership = Membership.objects.get(user__username="alice", tenant__slug="acme")
    assert membership.role == "member"
    run("create_token", "alice", "--create", "--scope", "organise", "--tenant", "acme")
    run("create_token", "alice", "--create", "--scope", "submit", "--tenant", "acme")
    membership.refresh_from_db()
    assert membership.role == "organiser"


def test_with_several_tenants_one_must_be_named() -> None:
    for slug in ("acme", "umbrella"):
        Tenant.objects.create(slug=slug, name=slug)
    with pytest.raises(CommandError, match="acme, umbrella"):
        run("create_token", "alice", "--create", "--scope", "organise")
    assert not User.objects.filter(username="alice").exists()


def test_the_lifetime_is_given_in_days() -> None:
    token = token_printed("alice", "--scope", "submit", "--days", "30")
    assert round((token.expiry - token.created).total_seconds() / 86400) == 30


def test_wrong_arguments_create_no_token() -> None:
    cases: list[tuple[str, ...]] = [
        ("--scope", "admin"),
        (),
        ("--scope", "submit", "--days", "0"),
        ("--scope", "submit", "--name", "n" * 81),
    ]
    for wrong in cases:
        with pytest.raises(CommandError):
            run("create_token", "alice", "--create", *wrong)
        assert not ApiToken.objects.exists(), wrong


def test_a_token_is_revoked_by_its_prefix() -> None:
    kept = run("create_token", "alice", "--create", "--scope", "submit").strip()
    gone = run("create_token", "bob", "--create", "--scope", "submit").strip()
    assert gone[:15] in run("revoke_token", gone[:15])
    assert token_of(gone) is None
    assert token_of(kept) is not None


def test_a_token_is_revoked_by_its_whole_text() -> None:
    text = run("create_token", "alice", "--create", "--scope", "submit").strip()
    answer = run("revoke_token", text)
    assert text not in answer
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("prefix", ["pod_", "pod_0123456789"])
def test_an_unknown_prefix_is_an_error(prefix: str) -> None:
    run("create_token", "alice", "--create", "--scope", "submit")
    with pytest.raises(CommandError):
        run("revoke_token", prefix)
    assert ApiToken.objects.count() == 1


def test_a_token_is_bound_to_a_challenge_and_a_participant() -> None:
    tenant = Tenant.objects.create(slug="default", name="Default")
    Tenant.objects.create(slug="acme", name="Acme")
    fields = {"name": "Sprint", "slug": "sprint", "scoring_strategy": "first"}
    sprint = create_challenge(tenant=tenant, user=None, fields=fields)
    run("create_token", "alice", "--create", "--scope", "read")
    alice = User.objects.get(username="alice")
    for any_tenant in Tenant.objects.all():
        Participant.objects.create(
            tenant=any_tenant, handle="atlas", handle_key="atlas", slug="atlas", owner=alice
        )
    bounds = ("--challenge", "sprint", "--participant", "atlas")
    token = token_printed("alice", "--scope", "submit", *bounds)
    assert (token.tenant, token.challenge) == (None, sprint)
    assert token.participant == Participant.objects.get(tenant=tenant)
    organising = token_printed("olivia", "--scope", "organise", "--challenge", "sprint")
    assert organising.user.organises(tenant.pk)
    for wrong in (
        ["--participant", "atlas"],
        ["--participant", "borea"],
        ["--challenge", "nothing"],
    ):
        with pytest.raises(CommandError):
            run("create_token", "alice", "--create", "--scope", "submit", *wrong)
