"""Secrets among the parameters of text metrics: stored separately, with a mask in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from leaderboard.rules.json.untyped_dicts import PluginSettings
from leaderboard.rules.json.values import JsonSchema
from leaderboard.rules.plugins.secrets import filled, masked, masks_in, split_secrets
from leaderboard.schemas.text_metrics import TextSpec, secrets_key
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.text_metrics import UnknownTextMetric, find_text_metric

MetricSecrets = dict[str, PluginSettings]
Stored = Mapping[str, Mapping[str, object]]
"""Secrets by the `secrets_key` of their metric, then by their path in its parameters."""


def with_secrets(specs: Sequence[TextSpec], stored: Stored, at: str) -> list[TextSpec]:
    """The metrics with each mask replaced by the secret that is stored for its path.

    at: the path of the list. Raises ServiceError for a mask of an enabled metric that has no stored
    secret.
    """
    whole = [_filled(spec, stored) for spec in specs]
    for index, spec in enumerate(whole):
        if spec.enable and (masks := masks_in(spec.parameters)):
            wrong = _("must be the secret itself, which is not known here; got its mask")
            raise _refused(f"{at}.{index}.parameters", masks, wrong)
    return whole


def without_secrets(
    specs: Sequence[TextSpec], stored: Stored, package: str = ""
) -> tuple[list[TextSpec], MetricSecrets]:
    """The metrics with masks in place of secrets, and the secrets.

    stored: the earlier secrets; a mask among the parameters keeps its stored secret. package: the
    upload of the challenge.
    """
    masked: list[TextSpec] = []
    secrets: MetricSecrets = {}
    for spec in specs:
        key = secrets_key(spec.id, spec.name)
        parameters, split_off = split_secrets(
            spec.parameters, _schema(spec.id, package), stored.get(key, {})
        )
        masked.append(_with(spec, parameters))
        if split_off:
            secrets.setdefault(key, split_off)
    return masked, secrets


def refuse_secrets(specs: Sequence[TextSpec], at: str) -> None:
    """Raise ServiceError for secrets in a participant's document, because others can see it."""
    for index, spec in enumerate(specs):
        secrets = masked(spec.parameters, _schema(spec.id) if spec.enable else {})[1]
        if secrets:
            places = [place.replace("/", ".") for place in secrets]
            wrong = _(
                "must be absent in documents, which are shown to others, because it is a secret; "
                "got a value"
            )
            raise _refused(f"{at}.{index}.parameters", places, wrong)


def _filled(spec: TextSpec, stored: Stored) -> TextSpec:
    spec_secrets = stored.get(secrets_key(spec.id, spec.name))
    return _with(spec, filled(spec.parameters, spec_secrets)) if spec_secrets else spec


def _with(spec: TextSpec, parameters: Mapping[str, object]) -> TextSpec:
    if parameters == spec.parameters:
        return spec
    return replace(spec, parameters=parameters, given={**spec.given, "parameters": parameters})


def _schema(metric_id: str, package: str = "") -> JsonSchema:
    """The JSON schema of a metric's parameters; an empty one if none is known."""
    try:
        return find_text_metric(metric_id, package).config_schema or {}
    except UnknownTextMetric:
        return {}


def _refused(at: str, places: Sequence[str], wrong: str) -> ServiceError:
    fields = {f"{at}.{place}": [wrong] for place in places}
    first = next(iter(fields))
    return ServiceError("invalid", f"{first}: {wrong}", fields)
