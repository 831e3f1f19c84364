"""What a challenge makes of the outputs of models, for its page of rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from leaderboard.models import Challenge, ScoringConfig
from leaderboard.pages import labels, metric_labels
from leaderboard.pages.config_table import Field, fields_of, written
from leaderboard.rules.text_specs import TextSpec, enabled
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.services.plugins.text_metrics import UnknownTextMetric, find_text_metric

WHO_SEES = {
    Challenge.ReferencesVisibility.ORGANISER: (
        "Only organisers can see the references, the results of single instances, warnings and "
        "the log of an attempt. Scores and the output document are public."
    ),
    Challenge.ReferencesVisibility.PUBLIC: "Everybody can see the references.",
}


@dataclass(frozen=True, slots=True)
class ShownTextMetric:
    """A text metric of the challenge. `given`: the parameters that it sets, in words.

    why_not: why it cannot be computed here.
    """

    name: str
    id: str
    meaning: str
    given: str
    fields: list[Field]
    why_not: str


def text_metrics_of(config: ScoringConfig, is_open: bool) -> list[ShownTextMetric]:
    """is_open: whether the reader may see how they are set."""
    return [_metric(spec, is_open) for spec in enabled(config.text_specs)]


def text_rules_of(challenge: Challenge, config: ScoringConfig) -> list[str]:
    """How outputs are brought and evaluated, a sentence each."""
    return list(_rules(challenge, config)) if config.text_metrics or config.references else []


def _rules(challenge: Challenge, config: ScoringConfig) -> Iterator[str]:
    held = config.references
    if held is not None:
        count = labels.count(held.instance_count, "instance")
        yield f"The challenge has {count}; attempts submit outputs by instance id."
        yield (
            "An instance without an output failed. It counts as an empty output, or with the "
            "worst value that the metric has."
        )
        yield WHO_SEES[Challenge.ReferencesVisibility(challenge.references_visibility)]
    else:
        yield "An attempt contains its own instances, with outputs and references."
    yield "Of several outputs of an instance the best one counts."
    yield f"Each text metric has {labels.seconds(config.text_timeout_ms)} for all instances."


def _metric(spec: TextSpec, is_open: bool) -> ShownTextMetric:
    plugin, why_not = _found(spec)
    given = (f"{name} {written(value)}" for name, value in spec.parameters.items())
    return ShownTextMetric(
        name=spec.name,
        id="" if spec.id == spec.name else spec.id,
        meaning=metric_labels.first_line(plugin.doc),
        given=(", ".join(given) or "default parameters") if is_open else "",
        fields=fields_of(plugin, spec.parameters) if is_open else [],
        why_not=why_not,
    )


def _found(spec: TextSpec) -> tuple[PluginDescription, str]:
    try:
        plugin = find_text_metric(spec.id)
    except UnknownTextMetric:
        return PluginDescription(""), f"There is no text metric {spec.id} on this server any more."
    return plugin, plugin.error.message if plugin.error else ""


def said_of_text_metrics(entries: list[Any], is_open: bool = True) -> str:
    """The text metrics of a version, as its line in the list of changes has them."""
    names = (_said(each, is_open) for each in entries)
    return ", ".join(names) or "none"


def _said(entry: Any, is_open: bool) -> str:
    if isinstance(entry, str):
        return entry
    name, parameters = entry.get("name") or entry["id"], entry.get("parameters") or {}
    given = ", ".join(f"{key} {written(value)}" for key, value in parameters.items())
    off = "" if entry.get("enable", True) else " (off)"
    return f"{name} ({given}){off}" if given and is_open else f"{name}{off}"
