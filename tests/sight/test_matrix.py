"""Every address of a challenge × every reader × every setting × every state: who sees what.

The expectations are written down here a second time, without the code that decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache as cached
from typing import Any, Final, NamedTuple
from uuid import UUID

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from leaderboard.rules.visibility.view import ViewSettings
from tests.helpers.routes import refuses_get, routes_of_site
from tests.parquet_files import body_text
from tests.sight.routes import (
    ACCOUNTS,
    AS_ANYONE,
    LOGS,
    ROWS,
    SEES_ALL,
    SHOWS,
    SHOWS_NO_RESULTS,
    WHOLE,
)
from tests.sight.world import MARKS, READERS, STATES, WITH_ROLES, World, readers

pytestmark = pytest.mark.django_db

OTHERS: Final = [
    {"board": "participants"},
    {"board": "own"},
    {"board": "organisers"},
    {"scores": "own"},
    {"scores": "hidden"},
    {"attempts": "own"},
    {"attempts": "after_end"},
    {"names": "anonymous"},
    {"notes": "own"},
    {"notes": "public", "names": "anonymous"},
    {"names": "anonymous", "attempts": "own"},
    {"board": "participants", "names": "anonymous", "attempts": "after_end"},
    {"board": "organisers", "scores": "hidden", "attempts": "own", "names": "anonymous"},
]
SETTINGS: Final = [ViewSettings(), *(ViewSettings(**fields) for fields in OTHERS)]
"""Each setting alone, and some together."""
STRICTEST: Final = (SETTINGS[-1], ViewSettings(names="anonymous"))
"""The settings with which addresses that show no results are read: those that hide the most."""
CASES: Final = [
    (setting, state)
    for setting in SETTINGS
    for state in STATES
    if state == "open"
    or setting in (SETTINGS[0], SETTINGS[-1])
    or (state == "closed" and (setting.names == "anonymous" or setting.attempts == "after_end"))
]
"""Most settings do not depend on the state."""
FEW_CASES: Final = [(settings, "open") for settings in STRICTEST]
"""For readers who see everything, whatever the settings."""
OF_STRANGERS: Final = [
    *((ViewSettings(board=board), "open") for board in ("public", "participants", "own")),
    *FEW_CASES,
]
"""For users who do not take part: they see what anyone sees, but on boards of participants."""


class Seen(NamedTuple):
    """What a reader may see of one participant, and where."""

    rows: bool
    scores: bool
    attempts: bool
    names: bool
    notes: bool
    evidence: bool

    def of(self, kind: str) -> bool:
        names = {"name": self.names, "score": self.scores, "attempt": self.attempts}
        return {**names, "note": self.notes, "evidence": self.evidence, "text": self.scores}[kind]


def visible_parts(reader: str, username: str, settings: ViewSettings, state: str) -> Seen:
    """What a reader sees of a participant."""
    if reader in SEES_ALL:
        return Seen(*[True] * len(Seen._fields))
    takes_part = reader in ("participant", "reads")
    ended = state == "closed"
    everyone = settings.board == "public" or (settings.board == "participants" and takes_part)
    names = settings.names == "shown" or ended
    hides = settings != ViewSettings(notes=settings.notes)
    notes = (settings.notes == "public" or (settings.notes == "auto" and not hides)) and names
    public = settings.attempts == "public" or (settings.attempts == "after_end" and ended)
    scores = everyone and settings.scores == "shown"
    if username == "bob" and reader in ("participant", "reads", "submits"):
        own_scores = settings.scores != "hidden"
        is_listed = takes_part and settings.board in ("public", "participants", "own")
        return Seen(scores or (is_listed and own_scores), own_scores, True, True, True, True)
    return Seen(scores, scores, public, names, notes, scores)


def _sees_as(route: str, reader: str, username: str) -> str:
    """The reader, or anyone where a token of `submits` reads no more than they do, and in logs."""
    if route in LOGS and reader not in SEES_ALL:
        return "anyone"
    reads_boards = route in ("api:standing", "badge", *WHOLE) or (
        route in ROWS and username == "bob"
    )
    return "anyone" if reader == "submits" and reads_boards else reader


def expected(
    route: str, reader: str, username: str, settings: ViewSettings, state: str
) -> set[tuple[str, str]]:
    """The marks of a participant that an address shows to a reader."""
    visible = visible_parts(_sees_as(route, reader, username), username, settings, state)
    if route in ROWS:
        is_there = visible.rows
    elif route in ("api:standing", "badge"):
        is_there = visible.rows and visible.names
    elif route in WHOLE:  # An order of some rows would say nothing of the board.
        is_there = visible.rows and visible_parts(reader, "eve", settings, state).rows
    elif route in LOGS:  # A log from which something is missing would say that it is.
        is_there = visible.rows and visible.scores and visible.attempts and visible.names
    elif route == "challenges":
        is_there = visible_parts(reader, "eve", settings, state).rows
    elif route == "participant":
        is_there = visible.names and (visible.rows or visible.attempts)
    elif route == "api:tasks":
        is_there = visible.attempts and visible.evidence
    elif route == "tasks":
        is_there = visible.rows and visible.attempts and visible.evidence
    else:
        is_there = visible.attempts
    return {(username, kind) for kind in SHOWS[route] if is_there and visible.of(kind)}


def named_beside(
    reader: str, username: str, settings: ViewSettings, state: str
) -> set[tuple[str, str]]:
    """The other participant, with whom the page of an attempt compares it: on a whole board."""
    other = "eve" if username == "bob" else "bob"
    visible, beside = (visible_parts(reader, name, settings, state) for name in (username, other))
    is_compared = (
        visible.attempts and visible.rows and beside.rows and visible.scores and beside.scores
    )
    return {(other, "name")} if is_compared and beside.names else set()


def address(world: World, route: str, username: str) -> str:
    """The address of a route, about a participant."""
    texts = route in ("api:output", "api:log")
    attempt = (world.texts if texts else world.attempts)[username]
    arguments: dict[str, Any] = {
        "slug": "cup",
        "phase": "main",
        "participant": MARKS[username].slug,
        "pk": OTHER_PK.get(route, attempt.pk),
        "username": username,
        "annotation": attempt.pk,
        "delivery": attempt.pk,
        "key": "model-card",
        "number": 1,
    }
    return reverse(route, kwargs={name: arguments[name] for name in parameters()[route]})


@cached
def parameters() -> Mapping[str, Sequence[str]]:
    """The parameters of every route of a challenge or of an attempt, by its name."""
    return {name: [*pattern.pattern.regex.groupindex] for name, pattern in routes_of_site()}


OTHER_PK: Final[dict[str, Any]] = {
    "api:grant": 1,
    "api:challenge-file": 1,
    # A redirect to the page of signing in repeats the address.
    "import-job": UUID(int=7),
}


@cached
def routes() -> Sequence[str]:
    """The routes with a challenge or an attempt in their address, and the lists of challenges."""
    route_names = [name for name, names in parameters().items() if {"slug", "pk"} & {*names}]
    return sorted({*route_names, "challenges", "api:challenges"} - ACCOUNTS)


def test_every_route_has_a_row() -> None:
    refusing = {name for name, pattern in routes_of_site() if refuses_get(pattern.callback)}
    assert {*routes()} - refusing == {*SHOWS, *SHOWS_NO_RESULTS}


def asked(reader: str) -> Iterator[tuple[str, str]]:
    """The routes, each once for each participant that its address may be about."""
    for route in routes():
        if reader in ("submits", "reads", WITH_ROLES[2]) and not route.startswith("api:"):
            continue
        if reader == WITH_ROLES[2] and route in ("api:output", "api:log"):
            continue  # These are about the other challenge.
        for username in MARKS:
            if username == "bob" or {"participant", "pk"} & {*parameters()[route]}:
                yield route, username


def answered(client: Client, address: str) -> str:
    """The body and the headers of an answer."""
    return content(client.get(address))


def content(response: Any) -> str:
    return f"{response.headers}\n{body_text(response.getvalue())}"


@pytest.mark.once
@pytest.mark.parametrize("reader", readers([*READERS, *WITH_ROLES], "participant"))
def test_each_reader_sees_what_the_settings_allow(world: World, reader: str) -> None:
    client = world.clients[reader]
    wrong = []
    without_get = set()
    """Routes that refuse GET. Settings do not change that, so that each is asked only once."""
    for settings, state in cases_of(reader):
        world.show(settings, state)
        cache.clear()
        for route, username in asked(reader):
            if route not in SHOWS and settings not in STRICTEST:
                continue
            if (route, username) in without_get:
                continue
            response = client.get(address(world, route, username))
            if response.status_code == 405:
                without_get.add((route, username))
            marks = set(world.marks_in(content(response)))
            if problem := compared(route, reader, username, settings, state, marks):
                wrong.append((settings, state, route, username, problem))
    if wrong:
        pytest.fail("\n".join(map(str, wrong[:60])))


def cases_of(reader: str) -> Sequence[tuple[ViewSettings, str]]:
    if reader == "stranger":
        return OF_STRANGERS
    return FEW_CASES if reader in ("organiser", *WITH_ROLES) else CASES


def compared(
    route: str,
    reader: str,
    username: str,
    settings: ViewSettings,
    state: str,
    marks: set[tuple[str, str]],
) -> str:
    """What is wrong with the marks in an answer; "" if nothing is."""
    if route not in SHOWS:
        return leaked(reader, settings, state, marks)
    if route in AS_ANYONE:
        reader = "anyone"
    about = {username} if "pk" in parameters()[route] or route == "badge" else {*MARKS}
    wanted: set[tuple[str, str]] = set()
    for participant in about:
        wanted |= expected(route, reader, participant, settings, state)
    if route in ("api:standing", "participant"):
        wanted = around(route, reader, username, settings, state)
    if route == "attempt":
        wanted |= named_beside(reader, username, settings, state)
    problems = []
    if missing := wanted - marks:
        problems.append(f"does not show {sorted(missing)}")
    if more := marks - wanted:
        problems.append(f"shows {sorted(more)}")
    return ", ".join(problems)


def around(
    route: str, reader: str, username: str, settings: ViewSettings, state: str
) -> set[tuple[str, str]]:
    """The marks on a page about one participant, which also shows the rows around it."""
    own = expected(route, reader, username, settings, state)
    other = "eve" if username == "bob" else "bob"
    everyone = visible_parts(
        "anyone" if reader == "submits" else reader, "eve", settings, state
    ).rows
    beside = expected("board", reader, other, settings, state) if own and everyone else set()
    return own | beside


def leaked(reader: str, settings: ViewSettings, state: str, marks: set[tuple[str, str]]) -> str:
    more = set()
    for username, kind in marks:
        visible = visible_parts(reader, username, settings, state)
        is_own = username == "bob" and reader in ("participant", "reads", "submits")
        if not (is_own and kind == "name") and not (
            visible.of(kind) and (visible.rows or visible.attempts)
        ):
            more.add((username, kind))
    return f"shows {sorted(more)}" if more else ""
