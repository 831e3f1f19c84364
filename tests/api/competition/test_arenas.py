"""Votes about pairs: sent by organisers, given on a page, and the board that follows."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from datetime import timedelta

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from leaderboard.models import Arena, Attempt, Challenge, Tenant, User, Vote
from leaderboard.schemas.votes import MOST_VOTES
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.competition.arena.computing import look_after_arenas
from leaderboard.services.scoring import single
from tests.api.conftest import Api, refused
from tests.people import signed_in
from tests.services.evaluation.text import EXPECTED, shared_task
from tests.services.house import house

NAMES = ("atlas", "borea", "ceres")


@pytest.fixture
def taste(default: Tenant, alice: User) -> Challenge:
    fields = {"name": "Taste", "scoring_strategy": "first", "votes_from": "organisers"}
    return create_challenge(tenant=default, user=alice, fields=fields)


def sent(first: str, second: str, winner: str, voter: int, prompt: str = "") -> dict[str, str]:
    names = {"first": first, "second": second, "winner": winner}
    return {**names, "voter": f"v{voter}", "prompt": prompt}


def test_a_body_has_room_for_all_votes_of_a_request(taste: Challenge, organiser: Api) -> None:
    longest = {"first": "a" * 120, "second": "b" * 120, "winner": "tie", "prompt": "p" * 255}
    votes = [{**longest, "voter": f"{at:0100}"} for at in range(MOST_VOTES)]
    votes[-1]["winner"] = "both"
    answer = organiser.post("challenges/taste/votes/", {"votes": votes})
    error = refused(answer, 400, "invalid")
    assert list(error["fields"]) == [f"votes.{MOST_VOTES - 1}.winner"]


def test_votes_make_a_board(taste: Challenge, organiser: Api, anyone: Api) -> None:
    dice = np.random.default_rng(1)
    votes = []
    for at in range(300):
        first, second = dice.permutation(NAMES).tolist()[:2]
        votes.append(sent(first, second, ("first", "tie", "second")[dice.integers(3)], at % 12))
    votes += [sent("atlas", "dione", "first", 1)]
    answer = organiser.post("challenges/taste/votes/", {"votes": votes})
    assert (answer.status_code, answer.json()) == (201, {"stored": 301})
    assert not anyone.get("challenges/taste/arena/").json()["is_current"]
    assert look_after_arenas() == 1
    arena = anyone.get("challenges/taste/arena/").json()
    assert (arena["votes"], arena["voters"], arena["is_current"]) == (301, 12, True)
    *rated, last = arena["rows"]
    assert {row["participant"]["slug"] for row in rated} == set(NAMES)
    assert sum(row["rating"] for row in rated) == pytest.approx(3000)
    assert all(row["interval"][0] < row["rating"] < row["interval"][1] for row in rated)
    assert (last["participant"]["slug"], last["not_rated"]) == ("dione", "not_connected")
    page = anyone.client.get("/c/taste/arena/").content.decode()
    assert "dione" in page
    change_challenge(taste, user=None, fields={"phases": [{"slug": "main", "board": "organisers"}]})
    assert anyone.get("challenges/taste/arena/").json()["rows"] == []


def test_an_arena_freezes_with_its_phase(taste: Challenge, organiser: Api, anyone: Api) -> None:
    def votes(winner: str, prompt: str) -> None:
        sent_votes = [sent("atlas", "borea", winner, at, prompt) for at in range(10)]
        organiser.post("challenges/taste/votes/", {"votes": sent_votes})

    def counted() -> tuple[int, bool]:
        look_after_arenas()
        arena = anyone.get("challenges/taste/arena/").json()
        return arena["votes"], arena["is_current"]

    now = timezone.now()
    votes("first", "p")
    Vote.objects.update(at=now - timedelta(hours=2))
    freeze = {"freezes_at": (now - timedelta(hours=1)).isoformat()}
    phase = {"slug": "main", "closes_at": (now + timedelta(days=1)).isoformat(), **freeze}
    change_challenge(taste, user=None, fields={"phases": [phase]})
    votes("second", "q")
    assert counted() == (10, False), "computed for the first time, with the votes before"
    votes("second", "r")
    assert counted() == (10, False)
    revealed = {**phase, "closes_at": (now - timedelta(minutes=2)).isoformat()}
    revealed["reveals_at"] = (now - timedelta(minutes=1)).isoformat()
    change_challenge(taste, user=None, fields={"phases": [revealed]})
    assert counted() == (30, True)


def test_a_vote_is_replaced_or_refused(taste: Challenge, organiser: Api, submitter: Api) -> None:
    path = "challenges/taste/votes/"
    organiser.post(path, {"votes": [sent("atlas", "borea", "first", 1, "p")]})
    organiser.post(path, {"votes": [sent("borea", "atlas", "first", 1, "p")]})
    (vote,) = Vote.objects.all()
    assert vote.outcome == (1.0 if vote.first.handle == "borea" else 0.0)
    itself = organiser.post(path, {"votes": [sent("atlas", "atlas", "tie", 1)]})
    refused(itself, 400, "invalid", "votes.0.second")
    wrong = organiser.post(path, {"votes": [sent("atlas", "borea", "both", 1)]})
    refused(wrong, 400, "invalid", "votes.0.winner")
    hidden = organiser.post(path, {"votes": [sent("atlas", "borea\x8d", "tie", 1)]})
    refused(hidden, 400, "invalid", "votes.0.second")
    refused(submitter.post(path, {"votes": []}), 403, "permission_denied")


def test_people_compare_outputs_without_names(
    default: Tenant, alice: User, bob: User, submitter: Api
) -> None:
    task = translated_by_two(default, alice, submitter)
    carl = User.objects.create_user("carl")
    browser = signed_in(carl)
    page = "/c/translation/arena/vote/"
    assert browser.get(page).status_code == 404
    change_challenge(task, user=alice, fields={"votes_from": "accounts"})
    html = browser.get(page).content.decode()
    main = html.partition("<main")[2].partition("</main>")[0]
    assert not re.search("atlas|borea", main)
    assert "first" in main
    assert "second" in main
    token = main.partition('name="token" value="')[2].partition('"')[0]
    assert task.pk.hex.encode() not in urlsafe_b64decode(token), "voters cannot read it"
    left_is_atlas = main.index("first ") < main.index("second ")
    for _ in range(2):
        browser.post(page, {"token": token, "winner": "left"})
    (vote,) = Vote.objects.all()
    preferred = vote.first if vote.outcome == 1.0 else vote.second
    assert preferred.handle == ("atlas" if left_is_atlas else "borea")
    other = f"{token[:40]}AAAA{token[44:]}"
    browser.post(page, {"token": other, "winner": "left"})
    assert Vote.objects.count() == 1
    browser.force_login(bob)
    assert "no two outputs" in browser.get(page).content.decode(), "they are his own"
    browser.post(page, {"token": token, "winner": "left"})
    assert Vote.objects.count() == 1
    assert Arena.objects.get().version == 2


@pytest.mark.parametrize("attempts", ["public", "own"])
def test_voters_compare_no_outputs_after_a_freeze(
    default: Tenant, alice: User, submitter: Api, attempts: str
) -> None:
    task = translated_by_two(default, alice, submitter)
    now = timezone.now()
    for name, ago in (("atlas", 20), ("borea", 1)):
        mine = Attempt.objects.filter(participant__handle=name)
        mine.update(submitted_at=now - timedelta(hours=ago))
    phase = {"slug": "main", "opens_at": (now - timedelta(days=1)).isoformat()}
    phase |= {"closes_at": (now + timedelta(days=1)).isoformat(), "attempts": attempts}
    carl = User.objects.create_user("carl")

    def compared(user: User, phase: dict[str, str]) -> bool:
        fields = {"votes_from": "accounts", "phases": [phase]}
        fill_boards(change_challenge(task, user=alice, fields=fields))
        browser = signed_in(user)
        return "Left is better" in browser.get("/c/translation/arena/vote/").content.decode()

    assert compared(carl, phase)
    frozen = {**phase, "freezes_at": (now - timedelta(hours=10)).isoformat()}
    assert not compared(carl, frozen), "the board before the freeze has one row"
    assert compared(alice, frozen), "organisers see the board as it is"


def translated_by_two(tenant: Tenant, organiser: User, submitter: Api) -> Challenge:
    with house():
        task = shared_task(tenant, organiser)
        for name, mark in (("atlas", "first"), ("borea", "second")):
            outputs = {key: f"{mark} {key}" for key in EXPECTED}
            body = {"participant": name, "outputs": outputs}
            submitter.post("challenges/translation/attempts/", body)
            single.score_waiting()
    return task


def test_organisers_upload_a_file(taste: Challenge, alice: User) -> None:
    browser = signed_in(alice)
    table = "first,second,winner,voter,prompt\natlas,borea,first,v1,p1\natlas,borea,tie,v2,\n"
    upload = SimpleUploadedFile("votes.csv", table.encode())
    answer = browser.post("/c/taste/arena/votes/", {"file": upload}, follow=True)
    assert "2 votes are stored" in answer.content.decode()
    wrong = SimpleUploadedFile("votes.csv", b"a,b\n1,2\n")
    answer = browser.post("/c/taste/arena/votes/", {"file": wrong}, follow=True)
    assert "must have the columns" in answer.content.decode()
