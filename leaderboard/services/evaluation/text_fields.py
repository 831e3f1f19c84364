"""Check the fields of a challenge or a document that describe text metrics."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext

from leaderboard.facts import rankable_keys
from leaderboard.languages.translation import translated
from leaderboard.rules.json.canonical import canonical
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.errors import SchemaError
from leaderboard.schemas.metrics import MetricSpec
from leaderboard.schemas.text_metrics import TextSpec, enabled, parse_text_metrics, text_spec_of
from leaderboard.services.errors import ServiceError, invalid, refused
from leaderboard.services.evaluation.secret_parameters import (
    MetricSecrets,
    Stored,
    with_secrets,
    without_secrets,
)
from leaderboard.services.plugins.text_metrics import (
    check_parameters,
    find_text_metric,
    is_usable,
    known_text_metrics,
)

KEPT_SECONDS = 60

_NONE: Stored = {}

TextFieldErrors = dict[str, list[str]]


def checked_evaluation(
    entries: object,
    metrics: Sequence[MetricSpec] = (),
    stored: Stored = _NONE,
    package: str = "",
) -> tuple[list[TextSpec], MetricSecrets]:
    """Check a challenge's text metrics; returns them without their secrets, and the secrets.

    metrics: the challenge's other metrics, whose names are taken. stored: the secrets that masks
    stand for. package: the upload of the challenge. Raises ServiceError.
    """
    specs = checked_text_specs(entries, "text_metrics", secrets=stored, package=package)
    for index, spec in enumerate(specs):
        if spec.enable and _is_taken(spec.name, metrics):
            text = gettext("must not be the name of a metric")
            raise invalid(f"text_metrics.{index}.name", text, got=spec.name)
    return without_secrets(specs, stored, package)


def checked_text_specs(
    entries: Any,
    at: str,
    *,
    number_doubles: bool = False,
    secrets: Stored = _NONE,
    package: str = "",
) -> tuple[TextSpec, ...]:
    """Parse entries, and check that their metrics are known and their parameters are valid.

    at: the path of the list. A metric that is known but not installed is accepted. secrets: the
    values of masks among the parameters; the result keeps the masks. package: the upload of the
    challenge, without which none of its own metrics can be named. Raises ServiceError with the path
    of each wrong field (`text_metrics.0.parameters.weights`).
    """
    try:
        specs = parse_text_metrics(
            entries,
            lambda metric_id: find_text_metric(metric_id, package).name,
            at,
            number_doubles=number_doubles,
            taken=rankable_keys(),
        )
    except SchemaError as error:
        raise refused(error) from None
    for index, spec in enumerate(with_secrets(specs, secrets, at)):
        errors = {}
        if spec.enable:
            errors = _parameter_errors(spec, of_document=number_doubles, package=package)
        if errors:
            raise _refused(f"{at}.{index}.parameters", errors)
    return specs


def why_not_ranked(key: str, specs: Sequence[TextSpec]) -> str:
    """Why a board cannot rank by a key that may belong to a text metric; "" if it can.

    specs: the challenge's text metrics. An unknown key may be a reported value.
    """
    if text_spec_of(key, specs):
        return ""
    name, _, further = key.partition(":")
    for spec in enabled(specs):
        if spec.name.casefold() == name.casefold():
            meant = f"{spec.name}:{further}" if further else spec.name
            return gettext("must be a known key; got {got}: did you mean {meant}?").format(
                got=sent(key), meant=sent(meant)
            )
    if name in (text_metric.name for text_metric in known_text_metrics() if is_usable(text_metric)):
        return gettext(
            "must be a key of this challenge; got {got}, a text metric it does not list: add it "
            "to text_metrics"
        ).format(got=sent(name))
    return ""


def _is_taken(name: str, metrics: Sequence[MetricSpec]) -> bool:
    """Whether a value called `name`, or `name:other`, could be that of a metric as well."""
    return any(metric.name.partition(":")[0] == name for metric in metrics)


def _parameter_errors(spec: TextSpec, *, of_document: bool, package: str) -> TextFieldErrors:
    """The metric's errors about its parameters, from the sandbox.

    of_document: accept a missing model, which later fails this metric and not the whole document.
    """
    parameters = dict(spec.parameters)
    asked = hashlib.sha256(canonical([spec.id, parameters, of_document, package])).hexdigest()
    if cache.get(f"parameters:{asked}"):
        return {}
    errors = check_parameters(spec.id, parameters, model_is_here=not of_document, package=package)
    if not errors:
        cache.set(f"parameters:{asked}", True, KEPT_SECONDS)
    return errors


def _refused(at: str, errors: TextFieldErrors) -> ServiceError:
    fields = {f"{at}.{name}" if name else at: list(texts) for name, texts in errors.items()}
    first = next(iter(fields))
    return ServiceError("invalid", f"{first}: {translated(fields[first][0])}", fields)
