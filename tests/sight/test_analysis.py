"""Comparisons and tasks show the same marks as the board, and samples only where they are seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from leaderboard.rules.visibility.view import ViewSettings
from tests.sight.test_matrix import SETTINGS, answered, visible_parts
from tests.sight.world import MARKS, World, readers

pytestmark = pytest.mark.django_db

READERS = ("anyone", "participant", "organiser")
PAIR = f"/c/cup/compare/?p={MARKS['bob'].slug},{MARKS['eve'].slug}"
TASK = "/c/cup/task/?task=task"


def too_many(
    world: World, reader: str, settings: ViewSettings, address: str
) -> Iterator[tuple[str, str, str]]:
    """Yield the marks that an address shows to a reader who may not see them."""
    for username, kind in world.marks_in(answered(world.clients[reader], address)):
        visible = visible_parts(reader, username, settings, "open")
        is_named = kind == "name" and username == "bob" and reader == "participant"
        if not (is_named or (visible.rows and visible.of(kind))):
            yield address, username, kind


@pytest.mark.once
@pytest.mark.parametrize("reader", readers(READERS, "participant"))
def test_what_is_hidden_on_the_board_is_hidden_here(world: World, reader: str) -> None:
    wrong = []
    for settings in SETTINGS:
        world.show(settings, "open")
        cache.clear()
        for address in (PAIR, TASK, "/c/cup/tasks/"):
            marks = too_many(world, reader, settings, address)
            wrong += [(settings, *mark) for mark in marks]
    assert wrong == []


@pytest.mark.once
def test_the_marks_are_there_where_nothing_is_hidden(world: World) -> None:
    wanted = {(username, kind) for username in MARKS for kind in ("name", "score")}
    assert wanted <= {*world.marks_in(answered(world.clients["anyone"], PAIR))}
    assert ("eve", "evidence") in {*world.marks_in(answered(world.clients["anyone"], TASK))}
