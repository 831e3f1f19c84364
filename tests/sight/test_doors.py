"""What the table of addresses cannot say: aliases, cursors, refusals, caches, costs."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Participant, Phase
from leaderboard.pages.challenges.list import KEPT
from leaderboard.rules.visibility.view import Actor, ViewSettings, view_of
from leaderboard.services.accounts.own_data import own_data
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.participants.names import rename
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.scoring import single
from tests.sight.world import MARKS, World

pytestmark = pytest.mark.django_db
API = "/api/v1/challenges/cup/"


def read(client: Client, address: str) -> Any:
    return client.get(address).json()


def statements(client: Client, address: str) -> int:
    client.get(address).getvalue()
    cache.clear()
    KEPT.clear()  # the entries of the list of challenges
    with CaptureQueriesContext(connection) as queries:
        client.get(address).getvalue()
    return len(queries)


def test_a_simple_challenge_stays_simple(world: World) -> None:
    assert not Challenge.objects.filter(is_restricted=True).exists()
    world.show(ViewSettings(names="anonymous"), "open")
    assert Challenge.objects.filter(is_restricted=True).count() == 2
    world.show(ViewSettings(notes="public"), "open")
    assert not Challenge.objects.filter(is_restricted=True).exists()


def test_who_sees_what_costs_one_statement(world: World) -> None:
    addresses = ("/c/cup/", f"{API}leaderboard/", "/", f"{API}attempts/")
    cases = [
        (reader, address)
        for reader in ("anyone", "stranger", "participant", "organiser", "reads")
        for address in addresses
    ]
    world.show(ViewSettings(), "open")
    plain = [statements(world.clients[reader], address) for reader, address in cases]
    world.show(ViewSettings(names="anonymous"), "open")
    for (reader, address), count in zip(cases, plain, strict=True):
        assert statements(world.clients[reader], address) <= count + 1, (reader, address)


def test_a_current_copy_of_an_open_board_costs_one_statement(world: World) -> None:
    client, address = world.clients["anyone"], f"{API}leaderboard/"
    etag = client.get(address).headers["ETag"]
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address, headers={"If-None-Match": etag}).status_code == 304
    assert len(queries) == 1


def test_an_alias_is_the_name_the_address_and_the_filter(world: World) -> None:
    world.show(ViewSettings(names="anonymous"), "open")
    client = world.clients["participant"]
    rows = read(client, f"{API}leaderboard/")["rows"]
    rival, own = (row["participant"] for row in rows)
    assert own["slug"] == "quixote"
    alias = rival["slug"]
    assert alias.startswith("anonymous-")
    assert rival["handle"] == alias
    assert rival["name"] == f"Anonymous {alias.rpartition('-')[2]}"
    assert read(client, f"{API}standings/{alias}/")["participant"] == rival
    assert rival["name"] in client.get(f"/c/cup/p/{alias}/").content.decode()
    attempts = read(client, f"{API}attempts/?participant={alias}")["results"]
    assert [attempt["participant"] for attempt in attempts] == [alias]
    mine = read(client, f"{API}attempts/?participant=Quixote")["results"]
    assert [attempt["participant"] for attempt in mine] == ["quixote"]
    for name in ("zanzibar", "nobody"):
        assert read(client, f"{API}attempts/?participant={name}")["results"] == []
        assert client.get(f"{API}standings/{name}/").status_code == 404
        assert client.get(f"/c/cup/p/{name}/").status_code == 404


def test_everyone_sees_the_same_alias_and_another_one_elsewhere(world: World) -> None:
    world.show(ViewSettings(names="anonymous"), "open")
    slugs = set()
    for reader in ("anyone", "stranger", "participant"):
        rows = read(world.clients[reader], f"{API}leaderboard/")["rows"]
        slugs.add(rows[0]["participant"]["slug"])
    assert len(slugs) == 1
    verses = read(world.clients["anyone"], "/api/v1/challenges/verses/attempts/")["results"]
    assert not slugs & {verse["participant_slug"] for verse in verses}
    alias = verses[0]["participant_slug"]
    assert world.clients["anyone"].get(f"{API}standings/{alias}/").status_code == 404


def test_the_first_name_of_a_participant_is_no_way_around_an_alias(world: World) -> None:
    rename(Participant.objects.get(slug="zanzibar"), "Pemba")
    world.show(ViewSettings(names="anonymous"), "open")
    client = world.clients["stranger"]
    assert client.get("/c/cup/p/zanzibar/").status_code == 404
    assert client.get(f"{API}standings/zanzibar/").status_code == 404
    world.show(ViewSettings(names="anonymous"), "closed")
    assert client.get("/c/cup/p/zanzibar/").status_code == 302


def test_hidden_names_are_not_searched(world: World) -> None:
    world.show(ViewSettings(names="anonymous"), "open")
    client = world.clients["anyone"]
    for address in ("?search=zan", "?search=zan&sort=mean_reward"):
        answer = client.get(f"{API}leaderboard/{address}")
        assert answer.status_code == 400
        assert "search" in answer.json()["error"]["fields"]
    assert client.get("/c/cup/?q=zan").status_code == 404
    assert 'name="q"' not in client.get("/c/cup/").content.decode()
    assert client.get(f"{API}leaderboard/?sort=mean_reward").status_code == 200
    assert world.clients["organiser"].get("/c/cup/?q=zan").status_code == 200


@pytest.mark.parametrize("hidden", [{"board": "own"}, {"scores": "own"}, {"board": "organisers"}])
def test_a_hidden_board_is_neither_sorted_nor_searched_nor_counted(
    world: World, hidden: dict[str, str]
) -> None:
    world.show(ViewSettings(**hidden), "open")
    client = world.clients["participant"]
    for query in ("?sort=mean_reward", "?search=zan", "?columns=other"):
        assert client.get(f"{API}leaderboard/{query}").status_code == 400
    body = read(client, f"{API}leaderboard/")
    assert body["shown"] == ("none" if hidden == {"board": "organisers"} else "own")
    assert (body["total"], body["ranked"], body["version"]) == (None, None, 0)
    assert body["updated_at"] is None
    assert [row["rank"] for row in body["rows"]] == ([2] if body["shown"] == "own" else [])
    answer = client.get(f"{API}leaderboard/")
    assert "ETag" not in answer.headers
    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_cursors_of_a_restricted_board_contain_no_attempt(world: World) -> None:
    world.show(ViewSettings(names="anonymous", attempts="own"), "open")
    client = world.clients["anyone"]
    first = read(client, f"{API}leaderboard/?limit=1")
    assert first["next"].startswith("1.")
    second = read(client, f"{API}leaderboard/?limit=1&cursor={first['next']}")
    assert second["next"] is None
    rows = read(client, f"{API}leaderboard/")["rows"]
    assert first["rows"] + second["rows"] == rows
    assert [row["attempt"] for row in rows] == [None, None]
    assert [row["attempts"] for row in rows] == [None, None]


def test_the_end_of_a_phase_alone_changes_the_answer_and_its_etag(world: World) -> None:
    world.show(ViewSettings(names="anonymous"), "open")
    client, address = world.clients["anyone"], f"{API}leaderboard/"
    before = client.get(address)
    etag = before.headers["ETag"]
    assert before.headers["Cache-Control"] == "private, no-cache"
    assert {"Authorization", "Cookie"} <= {*before.headers["Vary"].split(", ")}
    same = client.get(address, headers={"If-None-Match": etag})
    assert same.status_code == 304
    # Only the date moves: neither the board nor its version.
    Phase.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    after = client.get(address, headers={"If-None-Match": etag})
    assert after.status_code == 200
    assert "zanzibar" in after.content.decode()


def test_readers_of_different_kinds_have_different_etags(world: World) -> None:
    world.show(ViewSettings(names="anonymous"), "open")
    etags = {
        world.clients[reader].get(f"{API}leaderboard/").headers["ETag"]
        for reader in ("anyone", "participant", "organiser")
    }
    assert len(etags) == 3


def test_a_hidden_attempt_is_like_one_that_does_not_exist(world: World) -> None:
    cases: list[str] = ["anyone", "stranger", "participant", "submits", "reads"]
    for reader in cases:
        world.show(ViewSettings(attempts="own"), "open")
        client = world.clients[reader]
        hidden, none = world.attempts["eve"].pk, uuid4()
        for ending in ("", "tasks.json", "output.json", "log.jsonl"):
            answers = [client.get(f"/api/v1/attempts/{pk}/{ending}") for pk in (hidden, none)]
            assert [answer.status_code for answer in answers] == [404, 404], reader
            assert answers[0].getvalue() == answers[1].getvalue(), reader
        for action in ("cancel", "withdraw", "restore", "retry"):
            bodies = [
                client.post(f"/api/v1/attempts/{pk}/{action}/", "{}", "application/json")
                for pk in (hidden, none)
            ]
            assert bodies[0].status_code == bodies[1].status_code, reader
            assert bodies[0].content == bodies[1].content, reader
        if reader in ("stranger", "participant"):
            for action in ("cancel", "withdraw"):
                assert client.post(f"/attempts/{hidden}/{action}/").status_code == 404, reader


def test_a_token_that_submits_reads_its_own_attempt_under_its_own_name(world: World) -> None:
    world.show(ViewSettings(names="anonymous", attempts="own"), "open")
    pk = world.attempts["bob"].pk
    body = read(world.clients["submits"], f"/api/v1/attempts/{pk}/")
    assert body["participant"] == "quixote"
    assert body["score_hidden"] is False


def test_who_may_not_see_a_score_sees_that_it_exists(world: World) -> None:
    world.show(ViewSettings(scores="hidden"), "closed")
    pk = world.attempts["bob"].pk
    body = read(world.clients["participant"], f"/api/v1/attempts/{pk}/")
    assert body["status"] == "scored"
    assert body["score_hidden"] is True
    assert (body["score"], body["rank"], body["counts"]) == (None, None, False)
    assert body["metric_values"] == {}
    page = world.clients["participant"].get(f"/attempts/{pk}/").content.decode()
    assert MARKS["bob"].score not in page
    assert MARKS["bob"].evidence[:2] in page


def test_the_download_of_ones_data_holds_no_hidden_score(world: World) -> None:
    user = world.users["bob"]
    assert MARKS["bob"].score in "".join(own_data(user))
    world.show(ViewSettings(scores="hidden"), "open")
    lines = [json.loads(line) for line in own_data(user)]
    scores = [line["attempt"]["scores"] for line in lines if "attempt" in line]
    assert scores == [[], []]
    assert MARKS["bob"].score not in "".join(own_data(user))


def test_pages_say_what_is_hidden(world: World) -> None:
    client = world.clients["participant"]
    world.show(ViewSettings(board="organisers", attempts="after_end"), "open")
    assert "hidden from you" in client.get("/c/cup/").content.decode()
    rules = client.get("/c/cup/rules/").content.decode()
    assert "Only organisers" in rules
    assert "until the phase has ended" in rules
    world.show(ViewSettings(board="own"), "open")
    assert "only your own rows" in client.get("/c/cup/").content.decode()
    assert "no row" in world.clients["stranger"].get("/c/cup/").content.decode()


def two_phases(world: World, **final: str) -> None:
    """Close the phase of the attempts, and let eve and bob submit in another one that is open."""
    now, day = timezone.now(), timedelta(days=1)
    phases = [
        {"slug": "main", "closes_at": (now - day).isoformat()},
        {"slug": "final", "face": True, "opens_at": (now - day).isoformat(), **final},
    ]
    change_challenge(world.cup, user=world.ann, fields={"phases": phases})
    world.attempts |= {name: world.submit(name) for name in MARKS}
    single.score_waiting()


def test_each_phase_hides_what_it_hides(world: World) -> None:
    two_phases(world, board="organisers")
    client = world.clients["anyone"]
    final = read(client, f"{API}leaderboard/")
    assert (final["phase"], final["shown"], final["rows"]) == ("final", "none", [])
    main = read(client, f"{API}leaderboard/?phase=main")
    assert (main["shown"], len(main["rows"])) == ("all", 2)
    attempts = read(client, f"{API}attempts/")["results"]
    assert [attempt["score_hidden"] for attempt in attempts] == [True, True, False, False]
    assert [attempt["score"] for attempt in attempts] == [None] * 4
    assert [bool(attempt["metric_values"]) for attempt in attempts] == [False, False, True, True]


def test_a_name_of_one_phase_does_not_tell_the_alias_of_another(world: World) -> None:
    two_phases(world, names="anonymous")
    client = world.clients["anyone"]
    main = read(client, f"{API}leaderboard/?phase=main")["rows"]
    final = read(client, f"{API}leaderboard/")["rows"]
    assert [row["participant"]["slug"] for row in main] == ["zanzibar", "quixote"]
    aliases = [row["participant"]["slug"] for row in final]
    assert all(alias.startswith("anonymous-") for alias in aliases)
    hidden, listed = world.attempts["eve"].pk, main[0]["attempt"]
    named = client.get("/c/cup/p/zanzibar/").content.decode()
    assert listed in named
    assert str(hidden) not in named
    anonymous = client.get(f"/c/cup/p/{aliases[0]}/").content.decode()
    assert str(hidden) in anonymous
    assert listed not in anonymous
    assert "anzibar" not in anonymous
    for who, attempt in (("zanzibar", listed), (aliases[0], str(hidden))):
        attempts = read(client, f"{API}attempts/?participant={who}")["results"]
        assert [row["id"] for row in attempts] == [attempt]
    assert client.get(f"{API}standings/zanzibar/").status_code == 404
    assert client.get(f"{API}standings/{aliases[0]}/").status_code == 200


@pytest.mark.parametrize("hidden", [{"names": "anonymous"}, {"attempts": "own"}])
def test_a_copied_attempt_does_not_reveal_the_participant_of_an_alias(
    world: World, hidden: dict[str, str]
) -> None:
    two_phases(world)
    main, copy = world.cup.attempts.filter(participant__slug="zanzibar").order_by("phase")
    Attempt.objects.filter(pk=copy.pk).update(copied_from=main)
    address = f"/api/v1/attempts/{copy.pk}/"
    assert read(world.clients["anyone"], address)["copied_from"] == str(main.pk)
    world.cup.phases.update(
        **{f"{name}_visibility": value for name, value in hidden.items() if name == "names"}
    )
    world.cup.phases.filter(slug="main").update(
        **{f"{name}_visibility": value for name, value in hidden.items()}
    )
    Challenge.objects.filter(pk=world.cup.pk).update(is_restricted=True)
    assert read(world.clients["anyone"], address)["copied_from"] is None
    assert read(world.clients["organiser"], address)["copied_from"] == str(main.pk)


def test_the_alias_of_a_participant_differs_from_phase_to_phase(world: World) -> None:
    two_phases(world, names="anonymous")
    aliases = {
        Access(
            world.cup.pk,
            {pk: view_of(ViewSettings(names="anonymous"), Actor.ANYONE, ended=False)},
        )
        .participant(world.attempts["eve"].participant, pk)
        .slug
        for pk in world.cup.phases.values_list("pk", flat=True)
    }
    assert len(aliases) == 2


def test_a_refused_search_names_its_parameter(world: World) -> None:
    world.show(ViewSettings(names="anonymous"), "open")
    page = world.clients["anyone"].get("/c/cup/?q=quixote")
    assert page.status_code == 404
    assert '<code translate="no">q</code>: must be empty' in page.content.decode()
