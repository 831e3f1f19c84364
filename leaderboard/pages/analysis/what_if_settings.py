"""The settings of a scorer that a reader may vary on `/what-if/`, and why others cannot be varied.

A setting that multiplies a stored term can be varied exactly, without a run of the scorer: the term
divided by the setting is what one unit of the setting counts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.models import ScoringConfig
from leaderboard.services.challenges.own_plugins import described_scorer
from leaderboard.services.plugins.descriptions import PluginDescription


class VariedSetting(NamedTuple):
    """A setting that multiplies a term. official: its value on the board, above 0."""

    name: str
    description: str
    official: float


class Settings(NamedTuple):
    """What can be varied, by the key of the term; and sentences about what cannot."""

    varied: Mapping[str, VariedSetting]
    notes: list[str]


def settings_of(config: ScoringConfig, terms: Collection[str], *, is_open: bool) -> Settings:
    """The settings of a config's scorer that multiply these terms.

    terms: those that are not 0 for every row. is_open: whether the reader may see the settings.
    """
    if not is_open:
        return Settings({}, [_("Only organisers can see the settings of the scorer.")])
    plugin = described_scorer(config.entrypoint, config.challenge_id)
    values = _numbers(plugin, config.config)
    if not plugin.multiplies:
        note = _(
            "The scorer does not say which of its settings multiply which terms. So each term has a"
            " weight, and the settings cannot be varied: the code of the scorer would have to run"
            " again."
        )
        return Settings({}, [note] if values else [])
    promised = reversed([*plugin.multiplies.items()])  # The first setting of a term wins.
    of_terms = {term: name for name, term in promised if name in values}
    return Settings(
        {
            term: VariedSetting(name, _description(plugin, name), values[name])
            for term, name in of_terms.items()
            if term in terms and values[name] > 0
        },
        _notes(values, of_terms, terms),
    )


def _notes(
    values: Mapping[str, float], of_terms: Mapping[str, str], terms: Collection[str]
) -> list[str]:
    """Why the other settings cannot be varied."""
    of_names = {name: term for term, name in of_terms.items()}
    zero = [name for name in of_names if values[name] == 0]
    idle = [name for name, term in of_names.items() if term not in terms and name not in zero]
    # A term with a setting below 0 keeps a weight of its own.
    not_proportional = [name for name in values if name not in of_names]
    reasons = (
        (zero, _("{settings}: 0 on this board, so the stored terms do not show what it counts.")),
        (idle, _("{settings}: counts nothing for any entry of this board.")),
        (
            not_proportional,
            _(
                "{settings}: the scorer does not say that the score changes in proportion to it, so"
                " the code of the scorer would have to run again."
            ),
        ),
    )
    return [template.format(settings=", ".join(names)) for names, template in reasons if names]


def _numbers(plugin: PluginDescription, config: Mapping[str, object]) -> dict[str, float]:
    """The numeric settings with their values: those of the challenge, else the defaults."""
    schemas = (plugin.config_schema or {}).get("properties", {})
    values = {name: schema["default"] for name, schema in schemas.items() if "default" in schema}
    values |= plugin.defaults or {}
    values |= {name: value for name, value in config.items() if value is not None}
    return {
        name: float(value)
        for name, value in values.items()
        if type(value) in (int, float) and math.isfinite(value)
    }


def _description(plugin: PluginDescription, name: str) -> str:
    properties = (plugin.config_schema or {}).get("properties", {})
    return str(properties.get(name, {}).get("description", ""))
