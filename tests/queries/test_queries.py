"""The number of queries of a page or list does not grow with its rows."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve

from leaderboard.pages.board.own_rows import clear_own_slots
from leaderboard.pages.board.section import KEPT
from leaderboard.pages.challenges.list import KEPT as KEPT_LISTS
from leaderboard.pages.participants.page import KEPT as KEPT_PARTICIPANTS
from tests.helpers.routes import refuses_get, routes_of_site
from tests.people import signed_in
from tests.queries.world import World

pytestmark = pytest.mark.django_db

SHOWS_NO_ROWS = {
    "api-docs",
    "api-docs-part",
    "healthz",
    "login",
    "logout",
    "password",
    "readyz",
    "favicon",
    "robots",
    "schema",
    "status-json",
    # Forms and answers of accounts.
    "account-data",
    "account-delete",
    "account-mail",
    "account-name",
    "account_confirm_email",
    "account_email",
    "account_email_verification_sent",
    "account_inactive",
    "account_reauthenticate",
    "account_signup",
    "link",
    "mfa_activate_totp",
    "mfa_add_webauthn",
    "mfa_authenticate",
    "mfa_deactivate_totp",
    "mfa_download_recovery_codes",
    "mfa_edit_webauthn",
    "mfa_generate_recovery_codes",
    "mfa_login_webauthn",
    "mfa_reauthenticate",
    "mfa_reauthenticate_webauthn",
    "mfa_remove_webauthn",
    "mfa_view_recovery_codes",
    "openid_connect_callback",
    "password-reset",
    "plugin",
    # One notice, and links of mails.
    "notice",
    "unsubscribe",
    "socialaccount_connections",
    "socialaccount_signup",
    # 404 before a board is frozen; tests/pages/challenges/test_reveal.py counts them.
    "reveal",
    # Not found without evidence.
    "evidence",
    "evidence-file",
    "api:evidence-file",
    "manage-site",
    "site-colours",
    "site-logo",
    "new",
    "hand-out",
    # Not found without the name of a script.
    "manage-script",
    "submit-token",
    # Not found without a large file.
    "api:import-job",
    "import-job",
    "api:registration",
    "api:registration-rules",
    # Files for organisers, which are written at a time.
    "api:attempts-zip",
    "api:grades-csv",
    "api:grades-xlsx",
    "api:outputs",
    # The computer of a participant: what it may do, and how it signs in.
    "device",
    "api:me",
    # Not found unless a challenge compares predictions with a truth, has plugins or takes votes.
    "manage-files",
    "manage-truth",
    "api:challenge-file",
    "api:attempt-file",
    "api:attempt-log",
    "api:attempt-labels",
    "arena",
    "arena-vote",
    "api:arena",
    "api:challenge-plugins",
    # Two attempts, which are named.
    "api:compare",
    # A folder or bundle of a whole challenge, which is sent.
    "new-import",
    "api:folder-schema",
    "api:upload",
    # One webhook.
    "api:webhook-deliveries",
}

MORE = dict.fromkeys(
    (
        "board",
        "board?q=r0",
        "board?intervals=1",
        "board?sort=-meta.size",
        "board?sort=elapsed_ms",
        "board?sort=-elapsed_ms",
        "board?participant_kind=system",
        "challenges",
        "board?participant_kind=system&sort=-tokens_total&columns=tokens_total",
        "badge",
        "tasks with samples",
        "attempt with outputs",
    ),
    1,
)
"""The first page of a board counts the ranked rows by a query, unless it has all rows.

A sorted page has its ranks counted by a query of its own. The list of challenges reads how certain
the orders of all boards are, once a board has one. A process reads the bounds of a board and
the references of new attempts once.
"""

FOR_MANY = -2
"""An organiser with more than a few participants has no row of their own, which is not read."""


def counted(client: Client, world: World) -> dict[str, tuple[int, int]]:
    """Return the status and the number of statements of each address, with empty caches."""
    statements = {}
    for name, address in world.addresses():
        cache.clear()
        for kept in (KEPT, KEPT_LISTS, KEPT_PARTICIPANTS):
            kept.clear()
        clear_own_slots()
        with CaptureQueriesContext(connection) as queries:
            response = client.get(address)
            response.getvalue()
        statements[name] = (response.status_code, len(queries))
    return statements


def counted_again(client: Client, world: World) -> dict[str, tuple[int, int]]:
    """The same, once this process has what it reads only once, such as content types."""
    counted(client, world)
    return counted(client, world)


@pytest.mark.once
def test_a_hundred_rows_take_an_organiser_as_many_queries_as_one() -> None:
    world = World()
    organiser = signed_in(world.ann)
    world.grow(1)
    with_one_row = counted_again(organiser, world)
    assert {name: status for name, (status, _) in with_one_row.items() if status != 200} == {}
    world.grow(100)
    boards = [name for name in with_one_row if name.partition("?")[0] == "board"]
    fewer = {name: MORE.get(name, 0) + FOR_MANY for name in boards}
    assert differences(with_one_row, counted(organiser, world)) == MORE | fewer


@pytest.mark.once
@pytest.mark.slow
def test_a_hundred_rows_take_anyone_as_many_queries_as_one() -> None:
    world, anyone = World(), Client()
    world.grow(1)
    with_one_row = counted_again(anyone, world)
    world.grow(100)
    assert differences(with_one_row, counted(anyone, world)) == MORE


def differences(
    with_one_row: Mapping[str, tuple[int, int]], with_a_hundred: Mapping[str, tuple[int, int]]
) -> dict[str, int]:
    """By how many queries the addresses differ that do."""
    return {
        name: with_a_hundred[name][1] - with_one_row[name][1]
        for name in with_one_row
        if with_a_hundred[name] != with_one_row[name]
    }


def test_every_page_and_list_is_tested() -> None:
    world = World()
    world.grow(1)
    reached = {resolve(address.split("?")[0]).view_name for _, address in world.addresses()}
    ours = {name for name, pattern in routes_of_site() if not refuses_get(pattern.callback)}
    # The pages of signing in and out have a second name, which django-allauth knows them by.
    assert ours - reached - {"metrics", "account_login", "account_logout"} == SHOWS_NO_ROWS
