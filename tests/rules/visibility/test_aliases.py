"""Aliases: different for different numbers, the same again for one, and without a clue."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.visibility.aliases import alias_of, number_of

numbers = st.integers(0, 2**32 - 1)
keys = st.binary(min_size=1, max_size=64)


@given(numbers, keys)
def test_the_key_turns_an_alias_into_its_number(number: int, key: bytes) -> None:
    assert number_of(alias_of(number, key), key) == number


def test_participants_of_a_large_board_have_different_aliases() -> None:
    aliases = {alias_of(number, b"key") for number in range(20_000)}
    assert len(aliases) == 20_000


def test_neighbouring_numbers_have_aliases_far_apart_and_in_no_order() -> None:
    alias_numbers = [int(alias_of(number, b"key").rpartition("-")[2], 16) for number in range(1000)]
    steps = [abs(one - other) for one, other in pairwise(alias_numbers)]
    rising = sum(one < other for one, other in pairwise(alias_numbers))
    assert min(steps) > 1_000_000
    assert 400 < rising < 600


@given(numbers)
def test_another_key_gives_other_aliases(number: int) -> None:
    assert alias_of(number, b"one") != alias_of(number, b"two")


def test_other_texts_are_no_aliases() -> None:
    for text in (
        "",
        "atlas",
        "anonymous-",
        "anonymous-12345",
        "anonymous-12345678901G",
        "3f9a1c2b07d4",
    ):
        assert number_of(text, b"key") is None


def test_an_alias_of_another_key_is_hardly_ever_taken_for_one_of_this_key() -> None:
    numbers_read = [number_of(alias_of(number, b"one"), b"two") for number in range(2000)]
    assert sum(number is not None for number in numbers_read) <= 2
