"""Everybody locks a challenge before what belongs to it, so that nobody waits in a circle."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Challenge, Registration, User
from leaderboard.services.accounts.team_links import make_team_link
from leaderboard.services.competition.participants.creating import change_participant
from leaderboard.services.competition.participants.disqualification import disqualify
from leaderboard.services.competition.participants.importing import register_from_table
from leaderboard.services.competition.participants.names import rename
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.participants.row_kinds import set_row_kind
from leaderboard.services.competition.teams.membership import leave, make_captain, remove_member
from leaderboard.services.competition.teams.merge_requests import ask_to_merge
from leaderboard.services.competition.teams.merging import accept_merge
from leaderboard.services.notices.relay import relay_notices
from leaderboard.services.scoring.single import score_waiting
from tests.services.competition.relays import joined, registration_named, submitted

pytestmark = pytest.mark.django_db

LOCK = re.compile(r"FOR (NO KEY UPDATE|UPDATE|KEY SHARE)|^(UPDATE|DELETE)\b")
TABLE = re.compile(r'(?:FROM|UPDATE) "?leaderboard_(\w+)')
FREE = {"apitoken", "participant"}
"""Tables that a statement may change first: nobody holds a challenge and waits for them."""


def _tulips(challenge: Challenge) -> Registration:
    return registration_named(challenge, "Tulips")


Change = Callable[[Challenge, User, User, User], object]

CHANGES: dict[str, Change] = {
    "join": lambda relay, bob, eve, dan: joined(relay, bob, dan),
    "leave": lambda relay, bob, eve, dan: leave(relay, eve),
    "remove": lambda relay, bob, eve, dan: remove_member(relay, bob, "eve"),
    "captain": lambda relay, bob, eve, dan: make_captain(relay, bob, "eve"),
    "invite": lambda relay, bob, eve, dan: make_team_link(relay, bob),
    "register": lambda relay, bob, eve, dan: register(relay, bob, {"participant": "Tulips"}),
    "decide": lambda relay, bob, eve, dan: decide(
        _tulips(relay), by=bob, fields={"status": "accepted", "bracket": ""}
    ),
    "disqualify": lambda relay, bob, eve, dan: disqualify(
        _tulips(relay), {"reason": "Why."}, by=None
    ),
    "row": lambda relay, bob, eve, dan: set_row_kind(_tulips(relay), {"row": "baseline"}, by=None),
    "table": lambda relay, bob, eve, dan: register_from_table(
        relay, "participant,members\nMoss,dan\n", by=bob
    ),
    "owner": lambda relay, bob, eve, dan: change_participant(
        _tulips(relay).participant, name="", kind="team", owner=eve
    ),
    "notices": lambda relay, bob, eve, dan: relay_notices(),
    "rename": lambda relay, bob, eve, dan: rename(_tulips(relay).participant, "Daisies"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_challenge_comes_first(
    name: str, relay: Challenge, bob: User, eve: User, dan: User
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite locks no rows")
    declare_rules(relay, {"largest_team": 3})
    joined(relay, bob, eve)
    submitted(relay, bob, "Tulips")
    score_waiting()
    with CaptureQueriesContext(connection) as queries:
        CHANGES[name](relay, bob, eve, dan)
    _check_order(queries)


def test_the_challenge_comes_first_when_teams_merge(relay: Challenge, bob: User, dan: User) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite locks no rows")
    declare_rules(relay, {"largest_team": 2})
    register(relay, dan, {"participant": "Moss", "kind": "team"})
    with CaptureQueriesContext(connection) as queries:
        ask_to_merge(relay, dan, "Tulips")
    _check_order(queries)
    with CaptureQueriesContext(connection) as queries:
        accept_merge(relay, bob, "moss")
    _check_order(queries)


def _check_order(queries: CaptureQueriesContext) -> None:
    locks = [sql for query in queries if LOCK.search(sql := query["sql"] or "")]
    tables = [TABLE.search(sql).group(1) for sql in locks]  # type: ignore[union-attr]
    first = next((table for table in tables if table not in FREE), "challenge")
    assert first == "challenge", locks
