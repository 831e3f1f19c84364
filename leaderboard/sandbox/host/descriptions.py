"""Children's descriptions of plugins, validated and made of plain values of the right types."""

from typing import Any

from leaderboard.sandbox.contract import ConfigCheck, PluginDescription
from leaderboard.sandbox.host.outcomes import NoAnswer, failure_from, number_of


def descriptions(answer: Any) -> list[PluginDescription]:
    """A child's descriptions of plugins, made of plain values of the right types."""
    if not isinstance(answer, list):
        raise NoAnswer("not a list")
    return [_description(each) for each in answer]


def _description(said: Any) -> PluginDescription:
    match said:
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
        }:
            return PluginDescription(
                *(entrypoint, name, doc, schema, defaults, public),
                over=over,
                direction=direction,
                unit=unit,
                error=failure_from(said["error"]) if "error" in said else None,
                **_of_a_text_metric(said),
            )
        case {"entrypoint": str(entrypoint), "error": failure}:
            return PluginDescription(entrypoint, error=failure_from(failure))
    raise NoAnswer("not a description")


def _of_a_text_metric(said: dict[str, Any]) -> dict[str, Any]:
    match said:
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
            return {
                "averaged": averaged,
                "combines": combines,
                "supervised": supervised,
                "parallel": parallel,
                "bounds": None if bounds is None else _pair(bounds),
                "directions": {
                    name: "asc" if each == "asc" else "desc" for name, each in directions.items()
                },
                "notes": {name: _texts(each) for name, each in notes.items()},
                "variants": _texts(variants),
                "ranges": {name: _pair(ends) for name, ends in ranges.items()},
                "install": install,
            }
    return {}


def _texts(said: Any) -> dict[str, str]:
    return {str(name): str(text) for name, text in said.items()} if isinstance(said, dict) else {}


def _pair(found: Any) -> tuple[float | None, float | None]:
    match found:
        case [low, high]:
            return number_of(low), number_of(high)
    raise NoAnswer("not a lowest and a highest value")


def names(answer: Any) -> list[str]:
    """A list of texts."""
    if not isinstance(answer, list):
        raise NoAnswer("not a list")
    return [str(each) for each in answer]


def config_check(answer: Any, config: dict[str, Any]) -> ConfigCheck:
    """A child's check of a config."""
    match answer:
        case {"failure": failure}:
            return ConfigCheck({}, config, failure_from(failure))
        case {"errors": dict() as errors, "config": dict() as filled}:
            texts = {name: [str(text) for text in found] for name, found in errors.items()}
            return ConfigCheck(texts, filled)
    raise NoAnswer("not a config check")
