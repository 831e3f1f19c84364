"""A board's page that is put together from kept parts equals one that is rendered anew."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import NamedTuple

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from leaderboard.models import Attempt
from leaderboard.pages.board.own_rows import clear_own_slots
from leaderboard.pages.board.section import KEPT
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.rules.visibility.view import ViewSettings
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.participants.creating import change_participant
from leaderboard.services.scoring import single
from tests.helpers.attempts import attempt_of
from tests.people import signed_in
from tests.sight.world import World

pytestmark = pytest.mark.django_db

QUERIES = ("", "page=2", "sort=mean_reward", "rows=all&intervals=1", "q=a")
AT_ONCE = 12
"""How many pages are compared after each change."""
SETTINGS = {
    "public": ViewSettings(),
    "anonymous": ViewSettings(names="anonymous"),
    "own board": ViewSettings(board="own"),
    "own attempts": ViewSettings(attempts="own"),
    "for participants": ViewSettings(board="participants", scores="own"),
}
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')


class Reader(NamedTuple):
    name: str
    client: Client
    language: str = "en"

    def get(self, query: str) -> str:
        address = f"/c/cup/?{query}" if query else "/c/cup/"
        answer = self.client.get(address, headers={"accept-language": self.language})
        assert answer.status_code in (200, 400, 404), (self.name, query)
        return TOKEN.sub("", answer.content.decode())


def forget_pages() -> None:
    KEPT.clear()
    clear_own_slots()
    cache.clear()


def readers_of(world: World) -> list[Reader]:
    dark = signed_in(world.users["eve"])
    dark.cookies["theme"] = "dark"
    return [
        Reader("anyone", world.clients["anyone"]),
        Reader("anyone in German", Client(), "de"),
        Reader("bob", world.clients["participant"]),
        Reader("bob in German", signed_in(world.users["bob"]), "de"),
        Reader("eve in the dark", dark),
        Reader("a stranger", world.clients["stranger"]),
        Reader("organiser", world.clients["organiser"]),
        Reader("reviewer", world.clients["reviewer"]),
    ]


def enter(world: World, name: str, user: str, reward: float) -> Attempt:
    samples = [Sample("task", 0, {"reward": reward})]
    return attempt_of(
        world.users[user], world.cup, name, metrics={"elapsed_ms": int(reward)}, samples=samples
    )


def check_pages(readers: Sequence[Reader], dice: random.Random) -> None:
    """Readers in any order get what each of them gets as the first reader of all."""
    asked = [(reader, query) for reader in readers for query in QUERIES]
    asked = dice.sample(asked, AT_ONCE)
    for _ in range(2):
        dice.shuffle(asked)
        kept = [(reader, query, reader.get(query)) for reader, query in asked]
    for reader, query, page in kept:
        forget_pages()
        assert page == reader.get(query), (reader.name, query)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "anonymous" else pytest.mark.slow)
        for name in SETTINGS
    ],
)
def test_a_page_of_kept_parts_is_the_page_of_its_reader(
    world: World, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.services.competition.visible.board_contents.ROWS_PER_PAGE", 3)
    dice, cup = random.Random(name), world.cup
    world.show(SETTINGS[name], "open")
    world.cup.refresh_from_db()
    entries = [enter(world, f"other-{at}", "zoe", 10.0 * at) for at in range(6)]
    single.score_waiting()
    freezes_at = (timezone.now() - timedelta(minutes=1)).isoformat()
    changes: list[Callable[[], object]] = [
        lambda: None,
        lambda: enter(world, "quixote", "bob", 90_000_000.0),
        lambda: enter(world, "other-0", "zoe", 1.0),
        lambda: withdraw_attempt(entries[4], reason="a mistake"),
        lambda: change_participant(
            entries[2].participant, name="Renamed", kind="human", owner=world.users["zoe"]
        ),
        lambda: change_challenge(
            cup, user=world.ann, fields={"phases": [{"slug": "main", "freezes_at": freezes_at}]}
        ),
        lambda: enter(world, "zanzibar", "eve", 99_000_000.0),
    ]
    readers = readers_of(world)
    for change in changes:
        change()
        single.score_waiting()
        check_pages(readers, dice)


def test_what_is_kept_is_shared_and_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    readers = readers_of(world)
    for reader in readers:
        reader.get("page=1")
    assert len(KEPT) == 2, "one section for each language"
    monkeypatch.setattr(KEPT, "most_bytes", 4 * KEPT.size)
    for number in range(60):
        readers[0].get(f"unknown={number}")
    assert 2 <= len(KEPT) <= 8
    assert KEPT.size <= KEPT.most_bytes
