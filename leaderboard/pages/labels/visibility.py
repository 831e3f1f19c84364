"""The settings of who sees what in a phase, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.languages.translation import count_text, number_text
from leaderboard.models import Phase
from leaderboard.rules.visibility.view import Extent, PhaseView

Labels = Mapping[str, str | Promise]

BOARD: Final[Labels] = {
    "public": gettext_lazy("Everyone"),
    "participants": gettext_lazy("Those who take part"),
    "own": gettext_lazy("Participants see their own row"),
    "organisers": gettext_lazy("Organisers only"),
}
SCORES: Final[Labels] = {
    "shown": gettext_lazy("Those of everyone on the board"),
    "own": gettext_lazy("Their own"),
    "hidden": gettext_lazy("None"),
}
ATTEMPTS: Final[Labels] = {
    "public": gettext_lazy("Those of everyone"),
    "own": gettext_lazy("Their own"),
    "after_end": gettext_lazy("Their own, and those of everyone after the end"),
}
NAMES: Final[Labels] = {
    "shown": gettext_lazy("Shown"),
    "anonymous": gettext_lazy("Anonymous until the end"),
}
NOTES: Final[Labels] = {
    "auto": gettext_lazy("Everyone, if the phase hides nothing else"),
    "public": gettext_lazy("Everyone who can open the attempt"),
    "own": gettext_lazy("Their own participants"),
}

_RULES: Final[Mapping[str, Labels]] = {
    "board": {
        "participants": gettext_lazy("Only those who take part see the board."),
        "own": gettext_lazy("Participants see only their own row of the board."),
        "organisers": gettext_lazy("Only organisers see the board."),
    },
    "scores": {
        "own": gettext_lazy("Participants see only their own scores, and no board of all."),
        "hidden": gettext_lazy("Only organisers see scores and the board."),
    },
    "attempts": {
        "own": gettext_lazy("Participants can open only their own attempts."),
        "after_end": gettext_lazy(
            "Participants can open only their own attempts until the phase has ended."
        ),
    },
    "names": {
        "anonymous": gettext_lazy("Other participants have no names until the phase has ended."),
    },
    "notes": {
        "own": gettext_lazy("Only participants see the notes and the meta of their attempts."),
    },
}


def visibility_rules(phase: Phase) -> Iterator[str]:
    """What the phase hides, a sentence each; none of a phase that hides nothing."""
    for name, setting in phase.view_settings._asdict().items():
        if rule := _RULES[name].get(setting):
            yield str(rule)
    if phase.scores_delayed:
        yield _("Scores and the board are hidden until the phase has ended.")
    withheld = phase.withheld
    yield from _inexact(
        withheld.shown_decimals, withheld.least_coverage, withheld.least_improvement
    )
    if phase.significant_improvement:
        yield _(
            "It also has to be better by more than one standard error of the differences between"
            " the two attempts, task by task or instance by instance."
        )


def _inexact(
    decimals: int | None, least_coverage: float | None, least_improvement: float | None
) -> Iterator[str]:
    """Why scores are not exact or not there, a sentence each."""
    if least_improvement is not None:
        yield improvement_rule(least_improvement)
    if decimals is not None:
        text = ngettext(
            "Scores are shown and ranked with {count} digit after the point.",
            "Scores are shown and ranked with {count} digits after the point.",
            decimals,
        )
        yield text.format(count=count_text(decimals))
    if least_coverage:
        text = _("An attempt that covers less than {share} of the tasks has no rank and no score.")
        yield text.format(share=number_text(f"{least_coverage * 100:g}%"))


def improvement_rule(least_improvement: float | None) -> str:
    """What an attempt has to do so that the board moves and its score is shown; "" for nothing."""
    if least_improvement is None:
        return ""
    return _(
        "An attempt counts if its score is better by at least {least} than the one that counts."
        " Otherwise the board stays as it is, and the score of the attempt is not shown."
    ).format(least=number_text(f"{least_improvement:g}"))


def what_is_hidden(view: PhaseView) -> list[str]:
    """What the reader of a board does not see, a sentence each; none for most boards."""
    sentences = []
    if view.board is Extent.OWN:
        sentences.append(_("You see only your own rows of this board."))
    if view.board is not Extent.NONE:
        sentences += _inexact(view.decimals, view.least_coverage, view.least_improvement)
    if view.board is Extent.ALL and view.names is not Extent.ALL:
        sentences.append(_("Other participants have no names until the phase has ended."))
    return sentences
