"""Texts about values that a judge has decided, and what people's labels say of them."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text, number_text
from leaderboard.pages.labels.metric_labels import DescribedValue
from leaderboard.rules.rewards.judged_means import JudgedMean


def corrected(column: Column, state: DescribedValue) -> str:
    """`judged, corrected by 20 human labels: 0.61 (0.53 to 0.68), α = 0.75`; "" for a value that is
    no judge's."""
    judged = state.get("judged")
    if judged is None:
        return ""
    if judged["mean"] is None:
        return _("judged: the judge’s value alone")
    text = ngettext(
        "judged, corrected by {count} human label: {value}",
        "judged, corrected by {count} human labels: {value}",
        judged["labels"],
    )
    value = number_text(column.written(judged["mean"]))
    if judged["interval"]:
        low, high = _ends(column, judged)
        value = _("{value} ({low} to {high})").format(value=value, low=low, high=high)
    text = text.format(count=count_text(judged["labels"]), value=value)
    if judged["agreement"] is None:
        return text
    return _("{judged}, α = {alpha}").format(judged=text, alpha=_alpha(judged["agreement"]))


def about(column: Column, state: DescribedValue) -> str:
    """What people's labels say of a judge's value, in sentences; "" for another value."""
    judged = state.get("judged")
    return "" if judged is None else " ".join(_sentences(column, judged))


def _sentences(column: Column, judged: JudgedMean) -> Iterator[str]:
    labels = judged["labels"]
    if judged["mean"] is None:
        text = ngettext(
            "The value is the judge’s alone: {count} of {drawn} drawn samples has a human label.",
            "The value is the judge’s alone: {count} of {drawn} drawn samples have a human label.",
            labels,
        )
        yield text.format(count=count_text(labels), drawn=count_text(judged["drawn"]))
        return
    text = ngettext(
        "Judged, corrected by {count} human label: {value}.",
        "Judged, corrected by {count} human labels: {value}.",
        labels,
    )
    yield text.format(count=count_text(labels), value=number_text(column.written(judged["mean"])))
    if judged["interval"]:
        low, high = _ends(column, judged)
        yield _("95% interval {interval}.").format(
            interval=_("{low} to {high}").format(low=low, high=high)
        )
    if judged["agreement"] is not None:
        yield _("Agreement of the judge with people: α = {alpha}.").format(
            alpha=_alpha(judged["agreement"])
        )
    if judged["alpha"] is not None:
        yield _("Of {count} people with each other: α = {alpha}.").format(
            count=count_text(judged["labellers"]), alpha=_alpha(judged["alpha"])
        )


def _ends(column: Column, judged: JudgedMean) -> tuple[str, str]:
    low, high = judged["interval"] or (0.0, 0.0)
    return number_text(column.written(low)), number_text(column.written(high))


def _alpha(value: float) -> str:
    return number_text(f"{value:.2f}")
