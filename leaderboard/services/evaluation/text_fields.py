"""The fields of a challenge or a document about text metrics, checked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.cache import cache

from leaderboard.facts import rankable_keys
from leaderboard.rules.metric_specs import MetricSpec
from leaderboard.rules.spec_names import SpecError
from leaderboard.rules.strict_json import canonical
from leaderboard.rules.text_specs import (
    TextSpec,
    check_given,
    enabled,
    parse_text_metrics,
    text_spec_of,
)
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.secret_parameters import Stored, with_secrets, without_secrets
from leaderboard.services.plugins.text_metrics import (
    check_parameters,
    find_text_metric,
    is_usable,
    known_text_metrics,
)

DEFAULT_TIMEOUT_MS = 600_000
MAX_TIMEOUT_MS = 24 * 3_600_000
KEPT_SECONDS = 60

_NONE: Stored = {}

Errors = dict[str, list[str]]


def checked_evaluation(
    fields: Mapping[str, Any], metrics: Sequence[MetricSpec] = ()
) -> dict[str, Any]:
    """The fields of a scoring config about evaluating outputs of models.

    metrics: the challenge's other metrics, whose names are taken. `references_id` names stored
    instances of the same challenge. Raises ServiceError.
    """
    stored = fields.get("text_secrets") or {}
    specs = checked_text_specs(fields.get("text_metrics") or [], "text_metrics", secrets=stored)
    try:
        check_given(specs)
    except SpecError as error:
        raise invalid(error.field, error.message) from None
    for index, spec in enumerate(specs):
        if spec.enable and _is_taken(spec.name, metrics):
            raise invalid(f"text_metrics.{index}.name", f"{spec.name} is the name of a metric")
    shown, secrets = without_secrets(specs, stored)
    return {
        "text_metrics": [spec.as_json() for spec in shown],
        "text_secrets": secrets,
        "text_timeout_ms": _checked_timeout(fields.get("text_timeout_ms")),
        "references_id": fields.get("references_id"),
    }


def checked_text_specs(
    entries: Any, at: str, *, number_doubles: bool = False, secrets: Stored = _NONE
) -> tuple[TextSpec, ...]:
    """Entries whose metrics there are, with parameters that they take.

    at: the path of the list. A metric that is known but not installed is one. secrets: what masks
    among the parameters stand for; what is returned has the masks. Raises ServiceError with the
    path of each wrong field (`text_metrics.0.parameters.weights`).
    """
    try:
        specs = parse_text_metrics(
            entries, _registered, at, number_doubles=number_doubles, taken=rankable_keys()
        )
    except SpecError as error:
        raise invalid(error.field, error.message) from None
    for index, spec in enumerate(with_secrets(specs, secrets, at)):
        errors = _parameter_errors(spec, of_document=number_doubles) if spec.enable else {}
        if errors:
            raise _refused(f"{at}.{index}.parameters", errors)
    return specs


def why_not_ranked(key: str, specs: Sequence[TextSpec]) -> str:
    """Why a board cannot rank by a key that may belong to a text metric, "" if it can.

    specs: the challenge's text metrics. An unknown key may be a reported value.
    """
    if text_spec_of(key, specs):
        return ""
    name, _, further = key.partition(":")
    for spec in enabled(specs):
        if spec.name.casefold() == name.casefold():
            return f"is not known; is it {spec.name}{':' if further else ''}{further}?"
    if name in (each.name for each in known_text_metrics() if is_usable(each)):
        return f"{name} is a text metric that this challenge does not have; add it to text_metrics"
    return ""


def _registered(metric_id: str) -> str:
    return find_text_metric(metric_id).name


def _is_taken(name: str, metrics: Sequence[MetricSpec]) -> bool:
    """Whether a value called `name`, or `name:other`, could be that of a metric as well."""
    return any(each.name.partition(":")[0] == name for each in metrics)


def _parameter_errors(spec: TextSpec, *, of_document: bool) -> Errors:
    """The metric's errors about its parameters, from the sandbox.

    of_document: a missing model fails the metric, and not the whole document.
    """
    parameters = dict(spec.parameters)
    asked = hashlib.sha256(canonical([spec.id, parameters, of_document])).hexdigest()
    if cache.get(f"parameters:{asked}"):
        return {}
    errors = check_parameters(spec.id, parameters, model_is_here=not of_document)
    if not errors:
        cache.set(f"parameters:{asked}", True, KEPT_SECONDS)
    return errors


def _refused(at: str, errors: Errors) -> ServiceError:
    fields = {f"{at}.{name}" if name else at: list(texts) for name, texts in errors.items()}
    first = next(iter(fields))
    return ServiceError("invalid", f"{first}: {fields[first][0]}", fields)


def _checked_timeout(timeout_ms: Any) -> int:
    if timeout_ms is None:
        return DEFAULT_TIMEOUT_MS
    if type(timeout_ms) is not int or not 1 <= timeout_ms <= MAX_TIMEOUT_MS:
        raise invalid("text_timeout_ms", f"must be a whole number from 1 to {MAX_TIMEOUT_MS}")
    return timeout_ms
