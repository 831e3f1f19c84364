"""What the form for the scoring of a challenge offers, with descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.columns import get_column, known_columns
from leaderboard.forms.plugin_choices import described, usable_plugins
from leaderboard.languages.docstrings import first_line
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ScoringConfig, User
from leaderboard.services.challenges.checklist import known_rank_keys
from leaderboard.services.challenges.own_plugins import usable_own
from leaderboard.services.plugins.catalogue import known_plugins

Choices = list[tuple[str, str | Promise]]


def scorer_choices(user: User, challenge: Challenge, stored: str) -> Choices:
    """The scorers that the user may choose, and the stored one, even if it is gone."""
    usable = usable_plugins(user, known_plugins().scorers, usable_own(challenge, "scorer"))
    choices: Choices = [
        (scorer.entrypoint, described(scorer.entrypoint, scorer)) for scorer in usable
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
