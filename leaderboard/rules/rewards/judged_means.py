"""The mean of a reward that a judge has decided, corrected by labels of people."""

from __future__ import annotations

from typing import TypedDict


class JudgedMean(TypedDict):
    """What people's labels say about a value that is a judge's.

    mean: the corrected value; None if too few independent samples have a label, and the value is
    then the judge's alone. interval: 95 %. labels: how many samples have a label, of `drawn` ones
    that are to get one. labellers: how many people gave these labels. alpha: Krippendorff's alpha
    of the people; agreement: of the judge with the mean of the people; None if it is not defined.
    """

    mean: float | None
    standard_error: float | None
    interval: list[float] | None
    labels: int
    drawn: int
    labellers: int
    alpha: float | None
    agreement: float | None


def rounded_mean(judged: JudgedMean, decimals: int) -> JudgedMean:
    """The mean, rounded, without what would narrow it down."""
    mean = judged["mean"]
    return {
        **judged,
        "mean": None if mean is None else round(mean, decimals) + 0.0,
        "standard_error": None,
        "interval": None,
    }
