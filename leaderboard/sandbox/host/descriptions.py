"""Validate the descriptions of plugins that children send, and convert them to typed values."""

from dataclasses import replace
from typing import Any

from leaderboard.rules.json.schemas import fault_of_schema
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.setting_errors import unpacked
from leaderboard.rules.texts.plugin_output import cut
from leaderboard.sandbox.contract import (
    MAX_DOC_BYTES,
    MAX_NAME_BYTES,
    ConfigCheck,
    PluginDescription,
)
from leaderboard.sandbox.host.outcomes import NoAnswer, failure_from, number_of


def descriptions(answer: Any, asked: str) -> list[PluginDescription]:
    """The descriptions in a child's answer. Raises NoAnswer.

    asked: the plugin or the module that they were asked for. A child may describe no other plugin,
    because a description decides which settings are secret and whether the source is public.
    """
    if not isinstance(answer, list):
        raise NoAnswer("not a list")
    described = [_description(part) for part in answer]
    if not all(
        asked in (description.entrypoint, description.entrypoint.partition(":")[0])
        for description in described
    ):
        raise NoAnswer("the description of another plugin")
    if ":" in asked and len(described) != 1:
        raise NoAnswer("not one description")
    return described


def _description(answer: Any) -> PluginDescription:
    match answer:
        case {
            "entrypoint": str(entrypoint),
            "name": str(name),
            "doc": str(doc),
            "config_schema": dict() | None as schema,
            "defaults": dict() | None as defaults,
            "public_details": bool(public),
            "over": str(over),
            "direction": "asc" | "desc" as direction,
            "unit": str(unit),
        } if not fault_of_schema(schema or {}):
            description = PluginDescription(
                *(entrypoint, cut(name, MAX_NAME_BYTES), cut(doc, MAX_DOC_BYTES)),
                *(schema, defaults, public),
                public_source=answer.get("public_source") is True,
                over=over,
                direction=direction,
                unit=unit,
                error=failure_from(answer["error"]) if "error" in answer else None,
                multiplies=_texts(answer.get("multiplies")),
            )
            return _with_prediction_metric(_with_text_metric(description, answer), answer)
        case {"entrypoint": str(entrypoint), "error": failure}:
            return PluginDescription(entrypoint, error=failure_from(failure))
    raise NoAnswer("not a description")


def _with_text_metric(description: PluginDescription, answer: Any) -> PluginDescription:
    """The description with the fields of a text metric, if the answer has them.

    Raises NoAnswer.
    """
    match answer:
        case {
            "averaged": bool(averaged),
            "combines": bool(combines),
            "supervised": bool(supervised),
            "parallel": bool(parallel),
            "bounds": [_, _] | None as bounds,
            "directions": dict() as directions,
            "notes": dict() as notes,
            "variants": dict() as variants,
            "ranges": dict() as ranges,
            "install": str(install),
        }:
            return replace(
                description,
                averaged=averaged,
                combines=combines,
                supervised=supervised,
                parallel=parallel,
                bounds=None if bounds is None else _pair(bounds),
                directions={
                    name: "asc" if direction == "asc" else "desc"
                    for name, direction in directions.items()
                },
                notes={name: _texts(note) for name, note in notes.items()},
                variants=_texts(variants),
                ranges={name: _pair(ends) for name, ends in ranges.items()},
                install=install,
            )
    return description


def _with_prediction_metric(description: PluginDescription, answer: Any) -> PluginDescription:
    """The description with the fields of a prediction metric, if the answer has them.

    Raises NoAnswer.
    """
    match answer:
        case {
            "rows": str(rows),
            "bounds": [_, _] | None as bounds,
            "above": above,
            "install": str(install),
        }:
            return replace(
                description,
                rows=rows[:40],
                bounds=None if bounds is None else _pair(bounds),
                above=number_of(above),
                install=install,
            )
    return description


def _texts(value: Any) -> dict[str, str]:
    return {str(name): str(text) for name, text in value.items()} if isinstance(value, dict) else {}


def _pair(value: Any) -> tuple[float | None, float | None]:
    match value:
        case [low, high]:
            return number_of(low), number_of(high)
    raise NoAnswer("not a lowest and a highest value")


def names(answer: Any) -> list[str]:
    """The list of texts in a child's answer. Raises NoAnswer."""
    if not isinstance(answer, list):
        raise NoAnswer("not a list")
    return [str(name) for name in answer]


def _errors(value: Any) -> list[str]:
    try:
        return [unpacked(error_text) for error_text in value]
    except (TypeError, ValueError):
        raise NoAnswer("not a list of errors") from None


def config_check(answer: Any, config: JsonObject) -> ConfigCheck:
    """The check of a config in a child's answer. Raises NoAnswer."""
    match answer:
        case {"failure": failure}:
            return ConfigCheck({}, config, failure_from(failure))
        case {"errors": dict() as errors, "config": dict() as filled}:
            return ConfigCheck({name: _errors(texts) for name, texts in errors.items()}, filled)
    raise NoAnswer("not a config check")
