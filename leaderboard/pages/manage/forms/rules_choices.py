"""What the form for the scoring of a challenge offers, with descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.columns import get_column, known_columns
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ScoringConfig, User
from leaderboard.pages.labels.counting import COUNTING as LABELS
from leaderboard.pages.labels.metric_labels import first_line
from leaderboard.services.challenges.checklist import known_rank_keys
from leaderboard.services.challenges.own_plugins import usable_own
from leaderboard.services.plugins.catalogue import known_plugins
from leaderboard.services.plugins.tenants import visible_plugins
from leaderboard.strategies import known_strategies

Choices = list[tuple[str, str | Promise]]

COUNTING: Final[Choices] = [(key, label) for key, label in LABELS.items() if key]


def strategies() -> Choices:
    """The strategies, each with what it ranks by."""
    return [
        (key, f"{translated(strategy.label)}: {translated(strategy.summary)}")
        for key, strategy in known_strategies().items()
    ]


def scorer_choices(user: User, challenge: Challenge, stored: str) -> Choices:
    """The scorers that the user may choose, and the stored one, even if it is gone."""
    own = usable_own(challenge, "scorer")
    usable = [
        scorer
        for scorer in (*own, *visible_plugins(user, known_plugins().scorers))
        if scorer.error is None
    ]
    choices: Choices = [
        (
            scorer.entrypoint,
            format_html("<code>{}</code> {}", scorer.entrypoint, first_line(scorer.doc)),
        )
        for scorer in usable
    ]
    if stored and stored not in {scorer.entrypoint for scorer in usable}:
        choices.append((stored, _("{scorer}, which cannot be loaded").format(scorer=stored)))
    return [("", gettext_lazy("None: the values of attempts are ranked as they are")), *choices]


def rank_choices(config: ScoringConfig, values: Sequence[str]) -> Choices:
    """The values that a board under the config can rank by.

    values: names of reported values that the form declares.
    """
    known_values = known_rank_keys(config, [value.strip() for value in values if value.strip()])
    keys = (key for key in known_values.names() if key != "score")
    return _described(config, [*config.ranked_keys, *keys])


def column_choices(challenge: Challenge, config: ScoringConfig) -> Choices:
    """The columns that a challenge can label, and further ones that it can show."""
    known_values = known_rank_keys(config, challenge.values)
    own = [column["key"] for column in challenge.columns]
    return _described(config, [*own, *config.ranked_keys, *known_values.names(), *known_columns()])


def _described(config: ScoringConfig, keys: Iterable[str]) -> Choices:
    choices: Choices = [("", "–")]
    for key in dict.fromkeys(keys):
        column = get_column(key, config.metric_specs, config.metric_notes, config.named_specs)
        label, about = translated(column.label), first_line(translated(column.description))
        named = label if label == key else f"{label} ({key})"
        choices.append((key, f"{named}: {about}" if about else named))
    return choices
