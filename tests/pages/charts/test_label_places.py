"""Names of points cover neither each other nor points."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.pages.charts.label_places import (
    FONT,
    LabelPlace,
    NamedPoint,
    box_between,
    fitted,
    place_labels,
    shortened,
    width_of,
)
from leaderboard.pages.charts.steps import step_boxes

INSIDE = (0.0, 0.0, 400.0, 300.0)
POINTS = st.builds(
    NamedPoint,
    st.floats(10, 390),
    st.floats(20, 280),
    st.just(5.0),
    st.text(min_size=1, max_size=30),
)


def box_of(place: LabelPlace) -> tuple[float, float, float, float]:
    width = width_of(place.text)
    left = place.x - {"start": 0.0, "middle": width / 2, "end": width}[place.anchor]
    return left, place.y - 0.8 * FONT, left + width, place.y + 0.25 * FONT


def overlap(box: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def test_a_name_stands_to_the_right_of_its_point() -> None:
    (place,) = place_labels([NamedPoint(100, 100, 5, "Atlas")], INSIDE)
    assert place is not None
    assert (place.anchor, place.text) == ("start", "Atlas")
    assert place.x > 105


def test_a_name_at_the_edge_stands_on_the_other_side() -> None:
    (place,) = place_labels([NamedPoint(395, 100, 4, "Atlas")], INSIDE)
    assert place is not None
    assert place.anchor == "end"


def test_the_first_in_the_order_gets_its_name() -> None:
    same = [NamedPoint(50, 50, 5, "A" * 8) for _ in range(12)]
    places = place_labels(same, (0, 0, 120, 90), [7])
    assert [at for at, place in enumerate(places) if place] == [7]


def test_only_the_first_names_cover_what_is_drawn() -> None:
    points = [NamedPoint(50, 50, 5, "Atlas"), NamedPoint(250, 50, 5, "Borea")]
    drawn = [(0.0, 0.0, 400.0, 300.0)]
    assert all(place_labels(points, INSIDE, crossed=drawn))
    first, second = place_labels(points, INSIDE, crossed=drawn, crossing=1)
    assert first
    assert second is None


def test_wide_characters_need_more_room() -> None:
    assert width_of("漢字") == 2 * FONT > width_of("ab")


def test_a_long_name_is_shortened() -> None:
    assert shortened("a" * 50) == "a" * 23 + "…"
    assert shortened("Atlas") == "Atlas"


@given(st.lists(POINTS, max_size=25))
def test_nothing_is_covered(points: list[NamedPoint]) -> None:
    places = place_labels(points, INSIDE)
    boxes = [box_of(place) for place in places if place]
    for at, box in enumerate(boxes):
        assert box[0] >= 0
        assert box[2] <= 400
        assert not any(overlap(box, other) for other in boxes[at + 1 :])
        assert not any(
            overlap(box, (point.x - 5, point.y - 5, point.x + 5, point.y + 5)) for point in points
        )


@given(st.text(alphabet="aMW漢 ", min_size=1, max_size=40), st.floats(30, 200))
def test_a_shortened_name_is_no_wider_than_its_room(name: str, widest: float) -> None:
    short = shortened(name, widest)
    assert width_of(short) <= widest + 0.01
    assert short == name or short.endswith("…")


def test_a_title_is_cut_where_its_drawing_ends() -> None:
    title = "Share of solved tasks, percent (highest is best)"
    assert fitted(title, 1000) == title
    assert fitted(title, 200) == f"{title[:27]}…"


def test_a_name_does_not_stand_on_a_line() -> None:
    line = [*step_boxes([(100.0, 100.0), (200.0, 60.0)], 390.0)]
    place, _ = place_labels(
        [NamedPoint(100, 100, 5, "Atlas"), NamedPoint(200, 60, 5, "B")], INSIDE, None, line
    )
    assert place is not None
    assert not any(overlap(box_of(place), box) for box in line)


def test_a_name_without_another_place_stands_on_a_line() -> None:
    everywhere = [box_between((0.0, y), (400.0, y)) for y in range(0, 300, 3)]
    (place,) = place_labels([NamedPoint(100, 100, 5, "Atlas")], INSIDE, None, everywhere)
    assert place is not None
    assert place.anchor == "start"
