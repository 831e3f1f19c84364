"""Every combination of the settings of a phase, for every reader, before and after the end."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.visibility.view import (
    EVERYTHING,
    Actor,
    Extent,
    PhaseView,
    ViewSettings,
    narrowest,
    view_of,
)
from leaderboard.rules.visibility.withholding import Withholding

NONE, OWN, ALL = Extent
READERS = (Actor.ANYONE, Actor.PARTICIPANT)

SETTINGS = [
    ViewSettings(*values)
    for values in product(
        ("public", "participants", "own", "organisers"),
        ("shown", "own", "hidden"),
        ("public", "own", "after_end"),
        ("shown", "anonymous"),
        ("auto", "public", "own"),
    )
]
SCORES_AND_BOARDS = [
    # settings of board and scores; board and scores as anyone sees them, and as a participant does
    ("public", "shown", (ALL, ALL), (ALL, ALL)),
    ("public", "own", (OWN, OWN), (OWN, OWN)),
    ("public", "hidden", (NONE, NONE), (NONE, NONE)),
    ("participants", "shown", (NONE, OWN), (ALL, ALL)),
    ("participants", "own", (NONE, OWN), (OWN, OWN)),
    ("participants", "hidden", (NONE, NONE), (NONE, NONE)),
    ("own", "shown", (OWN, OWN), (OWN, OWN)),
    ("own", "own", (OWN, OWN), (OWN, OWN)),
    ("own", "hidden", (NONE, NONE), (NONE, NONE)),
    ("organisers", "shown", (NONE, OWN), (NONE, OWN)),
    ("organisers", "own", (NONE, OWN), (NONE, OWN)),
    ("organisers", "hidden", (NONE, NONE), (NONE, NONE)),
]
ATTEMPTS_AND_NAMES = [
    # setting; what is visible until the end and after it
    ({"attempts": "public"}, "attempts", ALL, ALL),
    ({"attempts": "own"}, "attempts", OWN, OWN),
    ({"attempts": "after_end"}, "attempts", OWN, ALL),
    ({"names": "shown"}, "names", ALL, ALL),
    ({"names": "anonymous"}, "names", OWN, ALL),
    ({"notes": "auto"}, "notes", ALL, ALL),
    ({"notes": "auto", "scores": "own"}, "notes", OWN, OWN),
    ({"notes": "auto", "attempts": "after_end"}, "notes", OWN, OWN),
    ({"notes": "auto", "names": "anonymous"}, "notes", OWN, OWN),
    ({"notes": "public", "board": "own"}, "notes", ALL, ALL),
    ({"notes": "public", "names": "anonymous"}, "notes", OWN, ALL),
    ({"notes": "own"}, "notes", OWN, OWN),
]


def test_board_and_scores_depend_on_the_reader_and_on_nothing_else() -> None:
    for board, scores, anyone, participant in SCORES_AND_BOARDS:
        for phase, ended in product(SETTINGS, (False, True)):
            if (phase.board, phase.scores) == (board, scores):
                views = [view_of(phase, actor, ended=ended) for actor in READERS]
                expected = [anyone, participant]
                assert [(view.board, view.scores) for view in views] == expected, phase


def test_attempts_names_and_notes_depend_on_the_end_and_not_on_the_reader() -> None:
    for changes, field, before, after in ATTEMPTS_AND_NAMES:
        for actor in READERS:
            views = [view_of(ViewSettings(**changes), actor, ended=end) for end in (False, True)]
            assert [getattr(view, field) for view in views] == [before, after], changes


def test_organisers_see_everything() -> None:
    for phase, ended in product(SETTINGS, (False, True)):
        assert view_of(phase, Actor.ORGANISER, ended=ended) == EVERYTHING


def test_a_phase_hides_something_from_anyone_unless_it_declares_nothing() -> None:
    for phase in SETTINGS:
        hides_nothing = phase in (ViewSettings(), ViewSettings(notes="public"))
        assert phase.hides_something is not hides_nothing
        assert (view_of(phase, Actor.ANYONE, ended=False) == EVERYTHING) is hides_nothing, phase


def test_nobody_sees_less_after_the_end_and_participants_see_no_less_than_others() -> None:
    for phase in SETTINGS:
        for actor in Actor:
            before, after = (view_of(phase, actor, ended=ended) for ended in (False, True))
            assert narrowest([before, after]) == before
        anyone = view_of(phase, Actor.ANYONE, ended=False)
        assert narrowest([anyone, view_of(phase, Actor.PARTICIPANT, ended=False)]) == anyone


EXTENTS = PhaseView._fields[:5]
views = st.builds(
    PhaseView,
    *[st.sampled_from(Extent)] * 5,
    decimals=st.none() | st.integers(0, 10),
    least_coverage=st.none() | st.floats(0, 1),
)


def test_delayed_scores_are_hidden_until_the_end() -> None:
    withheld = Withholding(scores_delayed=True)
    for ended, extent in ((False, NONE), (True, ALL)):
        view = view_of(ViewSettings(), Actor.PARTICIPANT, ended=ended, withheld=withheld)
        assert (view.scores, view.board) == (extent, extent)


def test_organisers_see_exact_scores() -> None:
    withheld = Withholding(1, True, 0.5)
    assert view_of(ViewSettings(), Actor.ORGANISER, ended=False, withheld=withheld) == EVERYTHING
    assert not view_of(ViewSettings(), Actor.ANYONE, ended=True, withheld=withheld).is_exact


@given(st.lists(views, max_size=4))
def test_what_is_visible_in_all_phases(phases: list[PhaseView]) -> None:
    view = narrowest(phases)
    for name in EXTENTS:
        assert getattr(view, name) == min([getattr(phase, name) for phase in phases], default=ALL)
    rounded = [phase.decimals for phase in phases if phase.decimals is not None]
    assert view.decimals == min(rounded, default=None)
    shares = [phase.least_coverage for phase in phases if phase.least_coverage is not None]
    assert view.least_coverage == max(shares, default=None)
