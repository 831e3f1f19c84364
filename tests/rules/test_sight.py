"""Every combination of the settings of a phase, for every reader, before and after the end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.sight import (
    EVERYTHING,
    Actor,
    Extent,
    PhaseView,
    SightSettings,
    narrowest,
    view_of,
)
from leaderboard.rules.withholding import Withholding

NONE, OWN, ALL = Extent

BOARDS = {
    # setting: what anyone sees, and what a participant sees
    "public": (ALL, ALL),
    "participants": (NONE, ALL),
    "own": (OWN, OWN),
    "organisers": (NONE, NONE),
}
SCORES = {"shown": ALL, "own": OWN, "hidden": NONE}
ATTEMPTS = {
    # setting: until the end, and after it
    "public": (ALL, ALL),
    "own": (OWN, OWN),
    "after_end": (OWN, ALL),
}
NAMES = {"shown": (ALL, ALL), "anonymous": (OWN, ALL)}
NOTES = ("auto", "public", "own")


def settings() -> Iterator[SightSettings]:
    for values in product(BOARDS, SCORES, ATTEMPTS, NAMES, NOTES):
        yield SightSettings(*values)


CASES = [
    (each, actor, ended)
    for each in settings()
    for actor in (Actor.ANYONE, Actor.PARTICIPANT)
    for ended in (False, True)
]


@pytest.mark.parametrize(("given", "actor", "ended"), CASES)
def test_each_combination(given: SightSettings, actor: Actor, ended: bool) -> None:
    seen = view_of(given, actor, ended=ended)
    board, scores = BOARDS[given.board][actor], SCORES[given.scores]
    # A board is an order of scores.
    assert seen.board == min(board, scores)
    # Scores of others are for those who see the board; one's own are not hidden with the board.
    assert seen.scores == (scores if board is ALL else min(scores, OWN))
    assert seen.attempts == ATTEMPTS[given.attempts][ended]
    assert seen.names == NAMES[given.names][ended]
    hides_nothing = given == SightSettings(notes=given.notes)
    public = given.notes == "public" or (given.notes == "auto" and hides_nothing)
    assert seen.notes == (ALL if public and seen.names is ALL else OWN)


@pytest.mark.parametrize("ended", [False, True])
def test_organisers_see_everything(ended: bool) -> None:
    assert {view_of(each, Actor.ORGANISER, ended=ended) for each in settings()} == {EVERYTHING}


def test_a_phase_that_declares_nothing_hides_nothing() -> None:
    for actor in Actor:
        for notes in ("auto", "public"):
            found = SightSettings(notes=notes)
            assert view_of(found, actor, ended=False) == EVERYTHING
            assert not found.hides_something


def test_every_other_phase_hides_something_from_anyone() -> None:
    for each in settings():
        if each.hides_something:
            assert view_of(each, Actor.ANYONE, ended=False) != EVERYTHING


def test_nobody_sees_less_after_the_end_and_participants_see_no_less_than_others() -> None:
    for each in settings():
        for actor in Actor:
            before, after = (view_of(each, actor, ended=ended) for ended in (False, True))
            assert narrowest([before, after]) == before
        anyone = view_of(each, Actor.ANYONE, ended=False)
        assert narrowest([anyone, view_of(each, Actor.PARTICIPANT, ended=False)]) == anyone


EXTENTS = PhaseView._fields[:5]
views = st.builds(
    PhaseView,
    *[st.sampled_from(Extent)] * 5,
    decimals=st.none() | st.integers(0, 10),
    least_coverage=st.none() | st.floats(0, 1),
)


@pytest.mark.parametrize(("ended", "scores"), [(False, NONE), (True, ALL)])
def test_delayed_scores_are_hidden_until_the_end(ended: bool, scores: Extent) -> None:
    seen = view_of(
        SightSettings(), Actor.PARTICIPANT, ended=ended, withheld=Withholding(scores_delayed=True)
    )
    assert (seen.scores, seen.board) == (scores, scores)


def test_organisers_see_exact_scores() -> None:
    withheld = Withholding(1, True, 0.5)
    assert view_of(SightSettings(), Actor.ORGANISER, ended=False, withheld=withheld) == EVERYTHING
    assert not view_of(SightSettings(), Actor.ANYONE, ended=True, withheld=withheld).is_exact


@given(st.lists(views, max_size=4))
def test_what_is_visible_in_all_phases(found: list[PhaseView]) -> None:
    seen = narrowest(found)
    for name in EXTENTS:
        assert getattr(seen, name) == min([getattr(each, name) for each in found], default=ALL)
    rounded = [each.decimals for each in found if each.decimals is not None]
    assert seen.decimals == min(rounded, default=None)
    shares = [each.least_coverage for each in found if each.least_coverage is not None]
    assert seen.least_coverage == max(shares, default=None)
