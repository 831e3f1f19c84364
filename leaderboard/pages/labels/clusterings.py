"""Clusters of tasks in words: how alike their tasks are, and the verdict of the other choice."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from leaderboard.languages.translation import count_text, number_text
from leaderboard.rules.statistics.clustering import Clustering
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import clustering_of


def clustering_text(board: VisibleBoard) -> str:
    """Sentences about the clusters of a board; "" without any, or where the reader may not know."""
    clustering = clustering_of(board)
    return " ".join(_sentences(clustering)) if clustering else ""


def _sentences(clustering: Clustering) -> Iterator[str]:
    names = ", ".join(clustering.names)
    if clustering.is_declared:
        template = _("The {tasks} tasks form {groups} clusters ({names}, …).")
    else:
        template = _("The names of the {tasks} tasks suggest {groups} clusters ({names}, …).")
    yield template.format(
        tasks=count_text(clustering.tasks), groups=count_text(clustering.groups), names=names
    )
    yield _("They are worth {count} clusters of equal size.").format(
        count=number_text(f"{clustering.effective:.1f}")
    )
    if clustering.icc is not None and clustering.design_effect is not None:
        yield _(
            "The intraclass correlation of the differences is {icc}: clusters multiply variances by"
            " {effect} (the design effect)."
        ).format(
            icc=number_text(f"{clustering.icc:.2f}"),
            effect=number_text(f"{clustering.design_effect:.1f}"),
        )
    template = (
        _("If tasks were independent: {verdict}")
        if clustering.is_declared
        else _("If they were declared: {verdict}")
    )
    yield template.format(verdict=_verdict(clustering))


def _verdict(clustering: Clustering) -> str:
    match clustering.state:
        case "clear_lead":
            return _("the lead is clear.")
        case "not_told_apart":
            return _("{count} of {others} entries are certainly worse than the leader.").format(
                count=count_text(clustering.behind), others=count_text(clustering.others)
            )
        case "few_groups":
            return _("fewer than 8 groups, or very unequal ones: no verdict.")
        case "too_few_tasks":
            return _("too few tasks for a verdict.")
    return _("no verdict.")
