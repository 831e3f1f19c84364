"""What the comparison of two files of predictions says, as a sentence."""

from __future__ import annotations

from leaderboard.rules.statistics.entry_comparisons import MetricComparison
from leaderboard.rules.statistics.verdict_sentences import FormatValue, shortly
from leaderboard.rules.texts.messages import Message, counted, message


def row_sentence(
    compared: MetricComparison,
    names: tuple[object, object],
    rows: str,
    format_value: FormatValue = shortly,
) -> Message:
    """The comparison of two entries by one metric. rows: how many rows are compared, as a text."""
    comparison = compared.comparison
    first, second = names
    count, difference = comparison.shared, comparison.difference
    if difference is None:
        return message(
            "{first} and {second} cannot be compared: one of them has no value on these rows.",
            first=first,
            second=second,
        )
    if not difference and compared.better is None:
        return counted(
            "{first} and {second} have the same value on {rows} public row.",
            "{first} and {second} have the same value on {rows} public rows.",
            count=count,
            rows=rows,
            first=first,
            second=second,
        )
    if comparison.p is None:
        return counted(
            "{rows} public row cannot tell {first} and {second} apart.",
            "{rows} public rows cannot tell {first} and {second} apart.",
            count=count,
            rows=rows,
            first=first,
            second=second,
        )
    if compared.better is None:
        return counted(
            "{first} and {second} cannot be told apart on {rows} public row: they differ by"
            " {difference}.",
            "{first} and {second} cannot be told apart on {rows} public rows: they differ by"
            " {difference}.",
            count=count,
            rows=rows,
            first=first,
            second=second,
            difference=format_value(abs(difference)),
        )
    return counted(
        "{better} is better by {difference} on {rows} public row.",
        "{better} is better by {difference} on {rows} public rows.",
        count=count,
        rows=rows,
        better=names[compared.better == "second"],
        difference=format_value(abs(difference)),
    )
