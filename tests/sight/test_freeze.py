"""What a freeze hides, at every address: the results of attempts from then on, and no others."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Event, Score
from leaderboard.services.attempts.retry import restore_attempt, withdraw_attempt
from leaderboard.services.competition.organisers.marks import annotate, unverify, verify
from leaderboard.services.competition.participants.creating import change_participant
from leaderboard.services.competition.schedule.reveal import reveal
from leaderboard.services.scoring import single
from tests.pages.reading import get, words
from tests.parquet_files import body_text
from tests.sight.routes import AS_ANYONE, SHOWS
from tests.sight.test_matrix import address, answered, asked
from tests.sight.world import NOT_STRANGERS, World, readers

pytestmark = pytest.mark.django_db

RESULTS = ("score", "evidence", "text")
NOW = timezone.now()
DAY = timedelta(days=1)


def freeze(world: World, late: str, **phase: Any) -> None:
    """Freeze both boards, so that one of the two has submitted after the freeze."""
    for name in ("bob", "eve"):
        moment = NOW - timedelta(hours=1) if name == late else NOW - timedelta(hours=20)
        mine = (world.attempts[name].pk, world.texts[name].pk)
        Attempt.objects.filter(pk__in=mine).update(submitted_at=moment)
        # What the log tells of them is as old: it ends for the public where the freeze begins.
        who = world.attempts[name].participant_id
        Event.objects.filter(participant=who).update(at=moment)
    world.declare(freezes_at=NOW - timedelta(hours=10), **phase)


def results_in(world: World, reader: str) -> dict[str, set[tuple[str, str]]]:
    """Return the results that each address shows to a reader, by its route."""
    cache.clear()
    marks_by_route: dict[str, set[tuple[str, str]]] = {}
    for route, username in asked(reader):
        text = answered(world.clients[reader], address(world, route, username))
        marks = {mark for mark in world.marks_in(text) if mark[1] in RESULTS}
        marks_by_route[route] = marks_by_route.get(route, set()) | marks
    return marks_by_route


def of(marks_by_route: dict[str, set[tuple[str, str]]], username: str) -> set[str]:
    return {
        route
        for route, marks in marks_by_route.items()
        if any(name == username for name, _ in marks)
    }


SHOWN = {route for route, kinds in SHOWS.items() if {*kinds} & {*RESULTS}}
FOR_ORGANISERS = {
    *("manage-attempts", "manage-metrics", "manage-rules", "manage-tasks"),
    *("api:grades-csv", "api:grades-xlsx", "api:attempts-zip"),
}
ONE_S_OWN = {"api:attempts", "api:attempt", "attempt", "api:tasks", "api:output", "api:log"}


def visible_plugins(reader: str) -> set[str]:
    """The addresses that show results to a reader of everything."""
    return SHOWN | FOR_ORGANISERS if reader == "organiser" else SHOWN


@pytest.mark.parametrize("reader", readers(NOT_STRANGERS, "participant"))
def test_no_address_reveals_results_of_others_after_the_freeze(world: World, reader: str) -> None:
    freeze(world, late="eve")
    marks_by_route = results_in(world, reader)
    tried = {route for route, _ in asked(reader)} & visible_plugins(reader)
    if reader == "organiser":
        assert of(marks_by_route, "eve") == tried - AS_ANYONE
        return
    assert of(marks_by_route, "eve") == set()
    assert of(marks_by_route, "bob") == tried


def test_filters_and_comparisons_reveal_no_result_after_the_freeze(world: World) -> None:
    freeze(world, late="eve")
    ids = {name: str(attempt.pk) for name, attempt in world.attempts.items()}
    api = "/api/v1/challenges/cup/"

    def listed(reader: str, status: str) -> set[str]:
        body = world.clients[reader].get(f"{api}attempts/?status={status}").json()
        return {attempt["id"] for attempt in body["results"]}

    for reader in ("anyone", "participant"):
        assert ids["eve"] in listed(reader, "queued") - listed(reader, "scored")
        answer = world.clients[reader].get(f"{api}compare/?first={ids['bob']}&second={ids['eve']}")
        assert answer.status_code == 403
    assert ids["eve"] in listed("organiser", "scored") - listed("organiser", "queued")


@pytest.mark.parametrize("sees_own", [True, False])
@pytest.mark.parametrize("reader", readers(["participant", "submits", "reads"], "participant"))
def test_one_s_own_results_are_shown_or_not(world: World, reader: str, sees_own: bool) -> None:
    freeze(world, late="bob", own_while_frozen=sees_own)
    marks_by_route = results_in(world, reader)
    tried = {route for route, _ in asked(reader)}
    mine = {
        route: {kind for username, kind in marks if username == "bob"}
        for route, marks in marks_by_route.items()
    }
    if sees_own:
        # Tokens that may only submit see what they have sent; the page of a participant lists it.
        assert of(marks_by_route, "bob") == tried & (ONE_S_OWN | {"participant"})
    else:
        assert {kind for kinds in mine.values() for kind in kinds} <= {"evidence"}
    assert "eve" in {username for username, _ in marks_by_route["api:leaderboard"]}


@pytest.mark.parametrize("reader", readers(["anyone", "participant", "organiser"], "anyone"))
def test_a_revealed_board_shows_everything(world: World, reader: str) -> None:
    freeze(world, late="eve")
    dates = {"closes_at": (NOW - timedelta(minutes=5)).isoformat()}
    world.declare(freezes_at=NOW - timedelta(hours=10), **dates)
    assert reader == "organiser" or of(results_in(world, reader), "eve") == set()
    for challenge in (world.cup, world.verses):
        reveal(challenge.phases.get(), user=world.ann)
    tried = {route for route, _ in asked(reader)} & visible_plugins(reader)
    marks_by_route = results_in(world, reader)
    assert of(marks_by_route, "eve") == tried
    assert of(marks_by_route, "bob") == tried


@pytest.mark.parametrize("reader", ["anyone", "stranger", "participant"])
def test_nobody_learns_whether_an_attempt_behind_the_freeze_has_a_score(
    world: World, reader: str
) -> None:
    freeze(world, "eve")
    late = world.attempts["eve"]
    answers = []
    for code in ("", "crashed"):
        Score.objects.filter(attempt=late).update(error_code=code)
        status = "failed" if code else "scored"
        Attempt.objects.filter(pk=late.pk).update(status=status)
        read = world.clients[reader].get(f"/api/v1/attempts/{late.pk}/").json()
        page = words(get(world.clients[reader], f"/attempts/{late.pk}/"))
        assert (read["status"], read["finished_at"], read["error"]) == ("queued", None, None)
        assert "Hidden until the board is revealed" in page
        answers.append((read, page))
    assert answers[0] == answers[1]
    mine = world.clients["organiser"].get(f"/api/v1/attempts/{late.pk}/").json()
    assert mine["status"] == "failed"


def test_nothing_is_hidden_before_the_freeze(world: World) -> None:
    world.declare(freezes_at=NOW + timedelta(hours=10))
    marks_by_route = results_in(world, "anyone")
    tried = SHOWN & {route for route, _ in asked("anyone")}
    assert of(marks_by_route, "eve") == tried
    assert of(marks_by_route, "bob") == tried


def test_scores_after_a_freeze_do_not_change_the_etag(world: World) -> None:
    freeze(world, late="eve")
    client = world.clients["anyone"]
    page = "/api/v1/challenges/cup/leaderboard/"
    before = client.get(page)
    world.submit("eve")
    single.score_waiting()
    after = client.get(page)
    assert (after.headers["ETag"], after.json()) == (before.headers["ETag"], before.json())
    same = client.get(page, headers={"If-None-Match": before.headers["ETag"]})
    assert same.status_code == 304
    assert before.json()["frozen_since"]
    assert before.headers["Cache-Control"] == "private, no-cache"


def test_changes_of_an_attempt_behind_the_freeze_change_no_etag(world: World) -> None:
    """For the public; organisers see the board as it is, and get it anew."""
    first = Attempt.objects.get(pk=world.attempts["bob"].pk)
    verify(first, {}, by=world.ann)  # The columns of marks are there from now on.
    freeze(world, late="eve")
    late = Attempt.objects.get(pk=world.attempts["eve"].pk)
    cup = "/api/v1/challenges/cup/"
    pages = (
        f"{cup}leaderboard/",
        f"{cup}leaderboard.csv",
        "/c/cup/version.json",
        "/c/cup/feed.atom",
    )

    def tags(reader: str) -> list[str]:
        cache.clear()
        return [world.clients[reader].get(page).headers.get("ETag", "") for page in pages]

    def rename(name: str) -> None:
        who = late.participant
        change_participant(who, name=name, kind=who.kind, owner=who.owner)

    before, board = tags("anyone"), world.clients["anyone"].get(pages[0]).json()
    for change in (
        lambda: withdraw_attempt(late, reason="mistaken"),
        lambda: restore_attempt(late),
        lambda: verify(late, {}, by=world.ann),
        lambda: annotate(late, {"text": "odd", "public": True}, by=world.ann),
        lambda: unverify(late, by=world.ann),
        lambda: rename("Zanzibar 2"),
    ):
        etag = tags("organiser")[0]
        change()
        assert tags("anyone") == before
        assert tags("organiser")[0] != etag
    assert world.clients["anyone"].get(pages[0]).json() == board
    annotate(first, {"text": "fine", "public": True}, by=world.ann)
    assert tags("anyone")[0] != before[0]


def test_the_first_mark_of_a_challenge_behind_the_freeze_adds_nothing(world: World) -> None:
    """Neither columns of marks nor the filter for verified rows; a mark before the freeze does."""
    freeze(world, late="eve")
    pages = (
        "/api/v1/challenges/cup/leaderboard.csv",
        "/api/v1/challenges/cup/leaderboard/",
        "/c/cup/",
    )

    def read(reader: str) -> list[str]:
        cache.clear()
        answers = [world.clients[reader].get(page) for page in pages]
        return [
            f"{answer.headers.get('ETag')} {body_text(answer.getvalue())}" for answer in answers
        ]

    before = read("anyone")
    verify(Attempt.objects.get(pk=world.attempts["eve"].pk), {}, by=world.ann)
    assert read("anyone") == before
    assert "verified_by" in read("organiser")[0]
    verify(Attempt.objects.get(pk=world.attempts["bob"].pk), {}, by=world.ann)
    assert "verified_by" in read("anyone")[0]
    assert 'name="verified"' in read("anyone")[2]


def test_the_etag_changes_by_time_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    freeze(world, late="eve")
    client = world.clients["anyone"]
    page = "/api/v1/challenges/cup/leaderboard/"
    frozen = client.get(page)
    Challenge.objects.get(slug="cup").phases.update(reveals_at=NOW - timedelta(minutes=1))
    revealed = client.get(page, headers={"If-None-Match": frozen.headers["ETag"]})
    assert revealed.status_code == 200
    assert len(revealed.json()["rows"]) == 2
