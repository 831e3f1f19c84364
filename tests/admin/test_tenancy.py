"""Organisers see and edit the rows of their tenants, operators all rows, other staff none."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from leaderboard.models import ApiToken, Attempt, Challenge, Membership, Participant, Tenant, User
from leaderboard.services.tokens import create_token
from tests.admin.conftest import Submit
from tests.admin.pages import form_of, saved, typed, url

ROWS = ["challenge", "attempt", "participant", "membership", "tenant", "apitoken"]


@pytest.fixture
def rows(sprint: Challenge, submit: Submit, nora: User, north: Tenant) -> dict[str, object]:
    """Return one row of each kind in the north, by the name of its kind."""
    attempt = submit(sprint, "atlas", elapsed_ms=5)
    token, _ = create_token(user=nora, name="ci", scopes=["organise"], tenant=north)
    return {
        "challenge": sprint.pk,
        "attempt": attempt.pk,
        "participant": attempt.participant_id,
        "membership": Membership.objects.get(user=nora).pk,
        "tenant": north.pk,
        "apitoken": token.pk,
    }


def test_who_reaches_the_rows_of_a_tenant(
    rows: dict[str, object], as_nora: Client, as_sven: Client, as_paul: Client, as_rita: Client
) -> None:
    """Its organiser and the operator do, an organiser of another one and other staff do not."""
    for row in ROWS:
        assert as_nora.get(url(row)).context["cl"].result_count >= 1, row
        assert as_nora.get(url(row, "change", rows[row])).status_code == 200, row
        assert as_rita.get(url(row)).context["cl"].result_count >= 1, row
        assert as_paul.get(url(row)).status_code == 403, row
        listed = as_sven.get(url(row)).context["cl"].result_list
        assert rows[row] not in [entry.pk for entry in listed], row
        for page in ("change", "history", "delete"):
            answer = as_sven.get(url(row, page, rows[row]))
            assert answer.status_code in (302, 403, 404), (row, page)
            assert b"North" not in answer.content, (row, page)
    assert as_rita.get(url("user")).status_code == 200
    for client in (as_nora, as_paul):
        assert client.get(url("user")).status_code == 403


def test_staff_who_organise_nothing_have_an_empty_index(as_paul: Client) -> None:
    assert b"/leaderboard/" not in as_paul.get(reverse("admin:index")).content
    assert as_paul.get(reverse("admin:isolation")).status_code == 403


def test_an_organiser_without_staff_status_is_sent_to_sign_in(nora: User, as_nora: Client) -> None:
    User.objects.filter(pk=nora.pk).update(is_staff=False)
    assert as_nora.get(url("challenge")).status_code == 302


def test_a_challenge_of_another_tenant_cannot_be_changed_or_rescored(
    sprint: Challenge, as_sven: Client
) -> None:
    for page in ("change", "rescore"):
        assert as_sven.post(url("challenge", page, sprint.pk), {"name": "Mine"}).status_code == 404
    sprint.refresh_from_db()
    assert (sprint.name, sprint.newest.number) == ("Sprint", 1)


def test_an_attempt_of_another_tenant_cannot_be_withdrawn(
    rows: dict[str, object], as_sven: Client
) -> None:
    post = {"action": "withdraw", "_selected_action": rows["attempt"], "reason": "spite"}
    as_sven.post(url("attempt"), post)
    assert Attempt.objects.get().withdrawn_at is None


def test_a_challenge_can_be_created_only_in_an_own_tenant(
    as_sven: Client, north: Tenant, south: Tenant
) -> None:
    page = as_sven.get(url("challenge", "add"))
    assert list(form_of(page).fields["tenant"].queryset) == [south]
    post = typed(page, name="Mine", scoring_strategy="first")
    answer = as_sven.post(url("challenge", "add"), {**post, "tenant": north.pk})
    assert list(form_of(answer).errors) == ["tenant"]
    saved(as_sven, url("challenge", "add"), post)
    assert Challenge.objects.get().tenant == south


def test_an_organiser_adds_a_member_by_name(as_nora: Client, north: Tenant) -> None:
    User.objects.create_user("olga")
    page = as_nora.get(url("membership", "add"))
    assert b"olga" not in page.content
    post = {"tenant": north.pk, "user": "olga", "role": "organiser"}
    saved(as_nora, url("membership", "add"), post)
    assert Membership.objects.get(user__username="olga").role == "organiser"
    wrong = as_nora.post(url("membership", "add"), {**post, "user": "someone-else"})
    assert 'got "someone-else"' in form_of(wrong).errors["user"][0]


def test_a_membership_of_another_tenant_cannot_be_created(
    as_nora: Client, nora: User, south: Tenant
) -> None:
    post = {"tenant": south.pk, "user": "nora", "role": "organiser"}
    assert list(form_of(as_nora.post(url("membership", "add"), post)).errors) == ["tenant"]


def test_an_organiser_can_only_rename_the_tenant(as_nora: Client, north: Tenant) -> None:
    saved(as_nora, url("tenant", "change", north.pk), {"name": "Far North", "slug": "else"})
    north.refresh_from_db()
    assert (north.name, north.slug) == ("Far North", "north")
    assert as_nora.get(url("tenant", "add")).status_code == 403
    assert as_nora.get(url("tenant", "delete", north.pk)).status_code == 403


def test_a_renamed_tenant_changes_its_boards(
    client: Client, as_nora: Client, north: Tenant, sprint: Challenge
) -> None:
    path = reverse("board", args=[sprint.slug])
    tag = {"If-None-Match": client.get(path)["ETag"]}
    assert client.get(path, headers=tag).status_code == 304
    saved(as_nora, url("tenant", "change", north.pk), {"name": "Far North"})
    assert client.get(path, headers=tag).status_code == 200


def test_tokens_are_revoked_and_never_shown(as_nora: Client, nora: User, north: Tenant) -> None:
    token, text = create_token(user=nora, name="ci", scopes=["organise"], tenant=north)
    own, _ = create_token(user=nora, scopes=["submit"])
    listed = as_nora.get(url("apitoken"))
    assert token.token_key.encode() in listed.content
    assert text.encode() not in listed.content
    assert own.token_key.encode() not in listed.content
    post = {"action": "delete_selected", "_selected_action": token.pk}
    assert b"Are you sure" in as_nora.post(url("apitoken"), post).content
    as_nora.post(url("apitoken"), {**post, "post": "yes"})
    assert list(ApiToken.objects.all()) == [own]


def test_a_new_name_of_a_participant_updates_its_boards(
    as_nora: Client, sprint: Challenge, escape: Challenge, submit: Submit
) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=5)
    sprint.refresh_from_db()
    before = sprint.board_version, escape.board_version
    participant = attempt.participant
    page = url("participant", "change", participant.pk)
    saved(as_nora, page, {"name": "Atlas Two", "kind": "team", "owner": "nora"})
    participant.refresh_from_db()
    assert (participant.shown_name, participant.kind) == ("Atlas Two", "team")
    sprint.refresh_from_db()
    escape.refresh_from_db()
    assert (sprint.board_version, escape.board_version) == (before[0] + 1, before[1])


def test_a_name_with_invisible_characters_is_refused(
    as_nora: Client, sprint: Challenge, submit: Submit
) -> None:
    participant = submit(sprint, "atlas", elapsed_ms=5).participant
    post = {"name": "at\u202elas", "kind": "system", "owner": ""}
    answer = as_nora.post(url("participant", "change", participant.pk), post)
    assert list(form_of(answer).errors) == ["name"]
    assert Participant.objects.get().name == ""


def test_participants_and_attempts_are_never_deleted(
    rows: dict[str, object], as_rita: Client
) -> None:
    for row in ("participant", "attempt"):
        assert as_rita.get(url(row, "delete", rows[row])).status_code == 403
        assert as_rita.get(url(row, "add")).status_code == 403


def test_an_operator_creates_users(as_rita: Client) -> None:
    post = {
        "username": "olga",
        "password1": "vuXi-29-lamp",
        "password2": "vuXi-29-lamp",
        "usable_password": "true",
    }
    saved(as_rita, url("user", "add"), post)
    olga = User.objects.get(username="olga")
    page = as_rita.get(url("user", "change", olga.pk))
    assert b"groups" not in page.content
    assert olga.check_password("vuXi-29-lamp")


def test_the_site_has_the_operators_name(as_nora: Client, settings: LazySettings) -> None:
    assert f"{settings.SITE_NAME} admin".encode() in as_nora.get(reverse("admin:index")).content
