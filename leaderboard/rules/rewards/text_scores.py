"""Computes the score of a text metric from results of instances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from leaderboard.rules.rewards.finite_mean import finite_mean

TextMetricValue = float | Mapping[str, float | None] | None
"""What a metric makes of one instance: a number, numbers by name, or None where it is undefined."""

TextMetricScore = dict[str, float | str | None]


def first_key(score: Mapping[str, float | str | None]) -> str | None:
    """The name of the number that is the metric's value: the first that is no text."""
    return next((key for key, value in score.items() if not isinstance(value, str)), None)


def numbers_of(result: TextMetricValue, first: str | None) -> Mapping[str, float | None]:
    """A result by names; a bare number is the one that the score names `first`."""
    if isinstance(result, Mapping):
        return result
    return {} if first is None else {first: result}


def mean_score(
    score: Mapping[str, float | str | None], results: Iterable[TextMetricValue]
) -> TextMetricScore:
    """The score of a metric that is the mean of its instances' results, name by name.

    score: gives the names and their order; its texts are kept. An instance for which a name is
    undefined is left out of that mean; a name without any defined instance has None.
    """
    first = first_key(score)
    numbers: dict[str, list[float]] = {key: [] for key in score}
    unnamed = numbers[first] if first is not None else []
    for result in results:
        if isinstance(result, Mapping):
            for key, value in result.items():
                if value is not None and key in numbers:
                    numbers[key].append(value)
        elif result is not None:
            unnamed.append(result)
    return {
        key: named
        if isinstance(named, str)
        else finite_mean(numbers[key])
        if numbers[key]
        else None
        for key, named in score.items()
    }
