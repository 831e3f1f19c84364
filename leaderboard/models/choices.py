from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

LABELS: Final[Mapping[str, str | Promise]] = {
    "accepted": gettext_lazy("Accepted"),
    "account": gettext_lazy("Account"),
    "accounts": gettext_lazy("Accounts"),
    "after_end": gettext_lazy("After the end"),
    "all": gettext_lazy("All"),
    "anonymous": gettext_lazy("Anonymous"),
    "approval": gettext_lazy("Approval"),
    "assigned": gettext_lazy("Assigned"),
    "auto": gettext_lazy("Auto"),
    "baseline": gettext_lazy("Baseline"),
    "best": gettext_lazy("Best"),
    "chosen": gettext_lazy("Chosen"),
    "cluster": gettext_lazy("Cluster"),
    "code": gettext_lazy("Code"),
    "declined": gettext_lazy("Declined"),
    "domain": gettext_lazy("Domain"),
    "everyone": gettext_lazy("Everyone"),
    "first": gettext_lazy("First"),
    "first_three": gettext_lazy("Gold, silver and bronze for the ranks 1, 2 and 3"),
    "flagged": gettext_lazy("Flagged"),
    "group": gettext_lazy("Group"),
    "hidden": gettext_lazy("Hidden"),
    "hold": gettext_lazy("Hold"),
    "human": gettext_lazy("Human reference"),
    "invited": gettext_lazy("Invited"),
    "keep": gettext_lazy("Keep"),
    "labels": gettext_lazy("Labels"),
    "latest": gettext_lazy("Latest"),
    "masks": gettext_lazy("Masks"),
    "mean": gettext_lazy("Mean"),
    "name": gettext_lazy("Name"),
    "nobody": gettext_lazy("Nobody"),
    "none": gettext_lazy("None"),
    "open": gettext_lazy("Open"),
    "organiser": gettext_lazy("Organiser"),
    "organisers": gettext_lazy("Organisers"),
    "out_of_competition": gettext_lazy("Out of competition"),
    "own": gettext_lazy("Own"),
    "participant": gettext_lazy("Participant"),
    "participants": gettext_lazy("Participants"),
    "pending": gettext_lazy("Pending"),
    "private": gettext_lazy("Private"),
    "probabilities": gettext_lazy("Probabilities"),
    "public": gettext_lazy("Public"),
    "ranked": gettext_lazy("Ranked"),
    "rankings": gettext_lazy("Rankings"),
    "refuse": gettext_lazy("Refuse"),
    "rescore": gettext_lazy("Rescore"),
    "reviewer": gettext_lazy("Reviewer"),
    "samples": gettext_lazy("Everyone who sees the samples"),
    "scores": gettext_lazy("Scores"),
    "shares": gettext_lazy("For shares of the ranked rows, as on Kaggle"),
    "shown": gettext_lazy("Shown"),
    "task": gettext_lazy("Task"),
    "unlisted": gettext_lazy("Unlisted"),
    "values": gettext_lazy("Values"),
    "warn": gettext_lazy("Warn"),
}
"""The labels of the values of `schemas.choices` on pages."""


def choices_of(kind: type[StrEnum]) -> list[tuple[str, str | Promise]]:
    """The choices of a column: each value, and its label."""
    return [(choice.value, label_of(choice.value)) for choice in kind]


def label_of(value: str) -> str | Promise:
    """The label of a value. Without a label, it is the value itself with a capital letter."""
    return LABELS.get(value) or value.capitalize()
