"""The choices of fields of a challenge in words, where the general labels say too little."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.forms.schema_fields import ChoiceLabels
from leaderboard.languages.translation import translated
from leaderboard.strategies import known_strategies

_EVERYONE_OR_NOT: Final[ChoiceLabels] = {
    "public": gettext_lazy("Everyone who sees the challenge"),
    "organiser": gettext_lazy("Organisers and reviewers"),
}
COUNTING: Final[ChoiceLabels] = {
    "best": gettext_lazy("The best one"),
    "latest": gettext_lazy("The latest one"),
    "first": gettext_lazy("The first one"),
    "chosen": gettext_lazy("The best of those that the participant chooses"),
    "mean": gettext_lazy("The mean of the last ones"),
    "all": gettext_lazy("Each attempt is a row of its own"),
}
_LABELS: Final[Mapping[str, ChoiceLabels]] = {
    "config_visibility": _EVERYONE_OR_NOT,
    "counting": COUNTING,
    "details_visibility": {
        "auto": gettext_lazy("As the scorer says"),
        "public": gettext_lazy("Everyone who sees the attempt"),
        "participant": gettext_lazy("The participant, organisers and reviewers"),
        "organiser": gettext_lazy("Organisers and reviewers"),
    },
    "disclose": {
        "everyone": gettext_lazy("Everyone"),
        "own": gettext_lazy("The participant"),
        "none": gettext_lazy("Organisers"),
    },
    "evidence_visibility": {
        "samples": gettext_lazy("Everyone who sees the samples"),
        "participant": gettext_lazy("The participant"),
        "organisers": gettext_lazy("Organisers and reviewers"),
    },
    "medals": {
        "none": gettext_lazy("None"),
        "first_three": gettext_lazy("Gold, silver and bronze for the ranks 1, 2 and 3"),
        "shares": gettext_lazy("For shares of the ranked rows, as on Kaggle"),
    },
    "on_code_change": {
        "warn": gettext_lazy("Attempts are scored by the new code, and the board says so"),
        "hold": gettext_lazy("Attempts wait until an organiser decides"),
        "rescore": gettext_lazy("All attempts are scored again by the new code"),
    },
    "references_visibility": _EVERYONE_OR_NOT,
    "independent_unit": {
        "cluster": gettext_lazy("tasks, but those that name the same cluster count as one source"),
        "group": gettext_lazy("groups of tasks"),
        "task": gettext_lazy("each task on its own"),
    },
    "review": {
        "none": gettext_lazy("None"),
        "flagged": gettext_lazy("Those that a rule flags"),
        "all": gettext_lazy("All"),
    },
    "unknown_tasks": {
        "refuse": gettext_lazy("are refused"),
        "keep": gettext_lazy("are accepted"),
    },
    "visibility": {
        "public": gettext_lazy("Everyone"),
        "unlisted": gettext_lazy("Everyone who knows the address: no list names it"),
        "private": gettext_lazy("Members of its tenant, and people with a role in it"),
    },
    "votes_from": {
        "nobody": gettext_lazy("Nobody"),
        "organisers": gettext_lazy("Organisers send votes"),
        "accounts": gettext_lazy("Accounts vote on a page, and organisers send votes"),
    },
}


def labels_of(name: str) -> ChoiceLabels | None:
    """The labels of the choices of a field; None if the general ones do."""
    return strategy_labels() if name == "scoring_strategy" else _LABELS.get(name)


def strategy_labels() -> Mapping[str, str | Promise]:
    """The strategies, each with what it ranks by."""
    return {
        key: f"{translated(strategy.label)}: {translated(strategy.summary)}"
        for key, strategy in known_strategies().items()
    }
