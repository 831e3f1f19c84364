"""Plugins of several challenges of a tenant: taken over, and replaced together or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import LazySettings

from leaderboard.models import AuditEntry, Challenge, ChallengeRole, Tenant, User
from leaderboard.services.challenge_code.packages import stored_upload
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.challenges.code_changes import code_state
from leaderboard.services.challenges.drafts import copy_challenge
from leaderboard.services.challenges.own_plugins import put_own_plugins
from leaderboard.services.challenges.shared_plugins import (
    other_uploads,
    sent_plugins,
    sharing_challenges,
)
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring import single
from tests.people import organiser_of
from tests.services.challenge_code.conftest import FILES, Put, refused
from tests.services.conftest import Submit

OTHERS = {**FILES, "numbers.py": "FIVE = 55"}


@pytest.fixture
def ann(tenant: Tenant) -> User:
    """An organiser of every challenge of the tenant."""
    return organiser_of(tenant, "ann")


@pytest.fixture
def twin(five: Challenge, alice: User) -> Challenge:
    """Another challenge, which is scored by the same plugins."""
    return copy_challenge(five, user=alice)


def digest(challenge: Challenge) -> str:
    upload = stored_upload(challenge.pk)
    return upload.sha256 if upload else ""


def stored(folder: Path) -> set[Path]:
    return {path for path in (folder / "files").rglob("*") if path.is_file()}


def test_the_same_plugins_are_replaced_together_by_the_rules_of_each_challenge(
    five: Challenge, twin: Challenge, alice: User, put: Put, submit: Submit
) -> None:
    change_challenge(twin, user=alice, fields={"is_draft": False, "on_code_change": "hold"})
    first, second = submit(twin, "atlas"), submit(twin, "borea")
    assert single.score_attempt(first.pk)
    assert not code_state(twin).changed
    put(five, OTHERS, also=[twin])
    assert digest(five) == digest(twin)
    assert code_state(twin).changed
    assert single.score_attempt(second.pk)
    second.refresh_from_db()
    assert second.status == "held"
    entry = AuditEntry.objects.filter(challenge=twin, actor=alice).latest("pk")
    assert entry.after == {"plugins": digest(five)}


def test_they_are_replaced_in_all_challenges_or_in_none(
    five: Challenge, twin: Challenge, ann: User, put: Put, folder: Path
) -> None:
    change_challenge(five, user=ann, fields={"scoring_strategy": "first"})
    before, written = digest(five), stored(folder)
    with pytest.raises(ServiceError, match=rf"^also: .*; {twin.slug}: "):
        put(five, {"other.py": ""}, also=[twin])
    assert (digest(five), digest(twin)) == (before, before)
    assert stored(folder) == written
    sharing = sharing_challenges(five, [twin.slug], organiser=ann)
    assert sharing == [twin]
    put(twin, OTHERS)  # by somebody else, in the meantime
    written = stored(folder)
    for content in (OTHERS, {**FILES, "numbers.py": "FIVE = 6"}):
        with pytest.raises(ServiceError, match=r"^also: "):
            put(five, content, also=sharing)
    assert digest(five) == before
    assert stored(folder) == written


def test_only_those_who_may_configure_a_challenge_learn_of_its_plugins(
    five: Challenge, twin: Challenge, plain: Challenge, bob: User, ann: User, put: Put
) -> None:
    other_tenant = Tenant.objects.create(slug="acme", name="Acme")
    fields = {"name": "Theirs", "scoring_strategy": "first"}
    theirs = create_challenge(tenant=other_tenant, user=ann, fields=fields)
    put(theirs, FILES)
    ChallengeRole.objects.create(challenge=five, user=bob, role="organiser")
    role = ChallengeRole.objects.create(challenge=twin, user=bob, role="reviewer")
    root = User.objects.create_user("root", is_superuser=True)

    def reached(challenge: Challenge, organiser: User | None) -> list[tuple[Challenge, bool]]:
        uploads = other_uploads(challenge, organiser=organiser)
        return [(upload.challenge, upload.same) for upload in uploads]

    assert reached(plain, ann) == reached(plain, root) == [(twin, False), (five, False)]
    assert reached(five, root) == [(twin, True)]
    assert reached(plain, bob) == [(five, False)]
    assert reached(five, bob) == reached(five, None) == []
    for slug in (twin.slug, theirs.slug, plain.slug, "nothing", five.slug):
        with refused("invalid"):
            sharing_challenges(five, [slug], organiser=bob)
        with refused("invalid"):
            sent_plugins(five, None, slug, organiser=bob)
    role.role = "organiser"
    role.save()
    assert sharing_challenges(five, [twin.slug], organiser=bob) == [twin]
    bob.is_active = False
    assert reached(five, bob) == []


def test_what_is_taken_over_is_checked_like_an_upload(
    five: Challenge, plain: Challenge, ann: User, settings: LazySettings
) -> None:
    files = sent_plugins(plain, None, five.slug, organiser=ann)
    settings.CHALLENGE_CODE = False
    with refused("permission_denied"):
        put_own_plugins(plain, files, user=ann)
    settings.CHALLENGE_CODE = True
    put_own_plugins(plain, files, user=ann)
    assert digest(plain) == digest(five) != ""
    assert [upload.challenge for upload in other_uploads(plain, organiser=ann)] == [five]
    with refused("invalid"):
        sent_plugins(plain, None, "", organiser=ann)
