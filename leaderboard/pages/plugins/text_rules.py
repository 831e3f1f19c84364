"""The part of a rules page about the evaluation of models' outputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.languages.docstrings import first_paragraph
from leaderboard.languages.translation import count_text, translated
from leaderboard.models import Challenge, ScoringConfig
from leaderboard.pages.labels import row_labels
from leaderboard.pages.plugins.links import PluginLink, link_to
from leaderboard.pages.tables.config_table import ConfigField, fields_of, written
from leaderboard.schemas.text_metrics import TextSpec, enabled
from leaderboard.services.challenge_code.packages import readable_package
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.services.plugins.text_metrics import UnknownTextMetric, find_text_metric

WHO_SEES = {
    Challenge.ReferencesVisibility.ORGANISER: gettext_lazy(
        "Only organisers can see the references, the results of single instances, warnings and "
        "the log of an attempt. Scores and the output document are public."
    ),
    Challenge.ReferencesVisibility.PUBLIC: gettext_lazy("Everybody can see the references."),
}


@dataclass(frozen=True, slots=True)
class ShownTextMetric:
    """A text metric of the challenge. given: the parameters that it sets, as text.

    why_not: why it cannot be computed here. link: to its page.
    """

    name: str
    id: str
    meaning: str
    given: str
    fields: list[ConfigField]
    why_not: str
    link: PluginLink | None


def text_metrics_of(
    request: HttpRequest, config: ScoringConfig, is_open: bool
) -> list[ShownTextMetric]:
    """The text metrics of a config. is_open: whether the reader may see their parameters."""
    specs = enabled(config.text_specs)
    package = readable_package(config.challenge_id) if specs else ""
    return [_metric(request, spec, is_open, package) for spec in specs]


def text_rules_of(challenge: Challenge, config: ScoringConfig) -> list[str]:
    """Sentences about how outputs are submitted and evaluated."""
    return list(_rules(challenge, config)) if config.text_metrics or config.references else []


def _rules(challenge: Challenge, config: ScoringConfig) -> Iterator[str]:
    held = config.references
    if held is not None:
        has = ngettext(
            "The challenge has {count} instance; attempts submit outputs by instance id.",
            "The challenge has {count} instances; attempts submit outputs by instance id.",
            held.instance_count,
        )
        yield has.format(count=count_text(held.instance_count))
        yield _(
            "An instance without an output failed. It counts as an empty output, or with the "
            "worst value that the metric has."
        )
        yield str(WHO_SEES[Challenge.ReferencesVisibility(challenge.references_visibility)])
    else:
        yield _("An attempt contains its own instances, with outputs and references.")
    yield outputs_rule_of(config)
    yield _("Each text metric has {duration} for all instances.").format(
        duration=row_labels.seconds(config.text_timeout_ms)
    )


def outputs_rule_of(config: ScoringConfig) -> str:
    """How many outputs of an instance an attempt may have, and which of them counts."""
    if config.references_id is None:
        return _("Of several outputs of an instance the best one counts.")
    most = config.outputs_per_instance
    if most == 1:
        return _("An attempt has one output of an instance.")
    return _(
        "An attempt may have up to {most} outputs of an instance, of which the best one counts."
    ).format(most=count_text(most))


def _metric(request: HttpRequest, spec: TextSpec, is_open: bool, package: str) -> ShownTextMetric:
    plugin, why_not = _plugin_and_error(spec, package)
    given = (f"{name} {written(value)}" for name, value in spec.parameters.items())
    return ShownTextMetric(
        name=spec.name,
        id="" if spec.id == spec.name else spec.id,
        meaning=first_paragraph(plugin.doc),
        given=(", ".join(given) or _("default parameters")) if is_open else "",
        fields=fields_of(plugin, spec.parameters) if is_open else [],
        why_not=why_not,
        link=link_to(request, plugin),
    )


def _plugin_and_error(spec: TextSpec, package: str) -> tuple[PluginDescription, str]:
    try:
        plugin = find_text_metric(spec.id, package)
    except UnknownTextMetric:
        return PluginDescription(""), _(
            "There is no text metric {id} on this server any more."
        ).format(id=spec.id)
    return plugin, translated(plugin.error.message) if plugin.error else ""


def text_metrics_text(entries: list[Any], is_open: bool = True) -> str:
    """The text metrics of a version, as text for the list of changes."""
    names = (_text_metric_text(entry, is_open) for entry in entries)
    return ", ".join(names) or _("none")


def _text_metric_text(entry: Any, is_open: bool) -> str:
    if isinstance(entry, str):
        return entry
    name, parameters = entry.get("name") or entry["id"], entry.get("parameters") or {}
    given = ", ".join(f"{key} {written(value)}" for key, value in parameters.items())
    text = f"{name} ({given})" if given and is_open else name
    return text if entry.get("enable", True) else _("{name} (off)").format(name=text)
