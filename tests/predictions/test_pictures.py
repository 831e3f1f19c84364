"""The numbers of the pictures of rows: few, finite, and of the rows of one part."""

from __future__ import annotations

import json

import numpy as np

from leaderboard.predictions.pictures import MOST_LABELS, RowsPicture, pictures_of
from tests.predictions.comparing import packed_of, truth_of
from tests.predictions.test_comparing import file, key


def sent(picture: RowsPicture) -> RowsPicture:
    """The same after the way from a child to the host."""
    return RowsPicture.of(json.loads(json.dumps(picture._asdict())))


def test_few_rows_are_points_and_only_those_of_the_part() -> None:
    truth = truth_of("id,y,Usage / a,1,Public / b,2,Public / c,900,Private", "values",
                     usage_column="Usage")  # fmt: skip
    (picture,) = pictures_of(truth.key, packed_of("id,y / a,1.5 / b,2.5 / c,3", truth), "public")
    assert (picture.rows, picture.cells) == (2, ((1, 1.5, 1), (2, 2.5, 1)))
    assert max(max(line) for line in picture.table) < 900
    assert sent(picture) == picture


def test_many_rows_are_counted_in_cells() -> None:
    dice = np.random.default_rng(1)
    values = dice.normal(size=20_000)
    given = values + dice.normal(size=20_000)
    given[:5] = 1e9
    (picture,) = pictures_of(key(values), file(given), "public")
    assert sum(rows for _, _, rows in picture.cells) == 20_000
    assert 5 <= picture.beyond <= 205
    assert len(json.dumps(picture._asdict())) < 50_000
    assert sum(line[3] for line in picture.table) == 20_000


def test_a_picture_is_left_out_where_its_values_are_too_far_apart() -> None:
    for values, given in ((np.zeros(3), np.full(3, 1e300)), (np.zeros(9), np.zeros(9))):
        pictures = pictures_of(key(values), file(given), "public")
        assert [sent(picture).rows for picture in pictures] == ([] if given.any() else [9])


def test_rare_labels_are_counted_together() -> None:
    labels = tuple(f"l{at:02}" for at in range(30))
    codes = np.repeat(np.arange(30), np.arange(1, 31))
    (picture,) = pictures_of(key(codes, "labels", labels), file(codes[::-1].copy()), "public")
    assert (len(picture.labels), picture.folded) == (MOST_LABELS - 1, 30 - MOST_LABELS + 1)
    assert picture.rows == sum(map(sum, picture.table)) == codes.size
    assert len(picture.table) == MOST_LABELS


def test_probabilities_stand_beside_frequencies() -> None:
    truth = truth_of("id,y / a,1 / b,0 / c,1 / d,1", "probabilities")
    packed = packed_of("id,y / a,1 / b,0.95 / c,0.1 / d,0", truth)
    (picture,) = pictures_of(truth.key, packed, "all")
    assert list(picture.labels) == ["1"]
    assert list(picture.table) == [(0.0, 0.1, 2, 0.05, 1), (0.9, 1.0, 2, 0.975, 0.5)]
    several = truth_of("id,y / a,x / b,y / c,z", "probabilities")
    packed = packed_of("id,x,y,z / a,0.5,0.3,0.2 / b,0.5,0.3,0.2 / c,0.1,0,0.9", several)
    (picture,) = pictures_of(several.key, packed, "all")
    assert list(picture.table) == [(0.4, 0.5, 2, 0.5, 0.5), (0.8, 0.9, 1, 0.9, 1)]
