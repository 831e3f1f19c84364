"""The text metrics that a challenge or a document lists: `[{"id": "BLEU_NLTK", …}, "F1"]`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast, get_args

from leaderboard.rules.misspelt import misspelt
from leaderboard.rules.spec_names import (
    Reported,
    SpecError,
    checked_name,
    checked_reported,
    checked_text,
    free_name,
)

FIELDS: Final = ("id", "enable", "parameters")
"""Those of a HarpIA document; `Name` may be somebody's own."""
OF_A_CHALLENGE: Final = (*FIELDS, "name", "reported")
MAX_TEXT_METRICS: Final = 50
MAX_NAME: Final = 80

Known = Callable[[str], str]
"""The id that a metric is registered under, for an id in whatever case.

Raises LookupError with the reason why it cannot be named here.
"""


@dataclass(frozen=True, slots=True)
class TextSpec:
    """One text metric with its parameters.

    id: as it is registered, if it is enabled. name: the key of its value; its further values are
    `name:other`. given: the entry as it was given, with fields that mean nothing here; an entry
    that was a text is the id.
    """

    id: str
    name: str
    enable: bool = True
    parameters: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reported(self) -> Reported:
        """What becomes of a value that participants state: the entry's `reported`, if it is one.

        `check_given` refuses others where a challenge says them; a document's mean nothing.
        """
        said = self.given.get("reported")
        return cast(Reported, said) if said in get_args(Reported) else "refuse"

    def computes_as(self, other: TextSpec) -> bool:
        """Whether both are the same metric with equal parameters, under any name."""
        same_id = self.id.casefold() == other.id.casefold()
        return same_id and self.parameters == other.parameters

    def as_json(self) -> str | dict[str, Any]:
        """As a challenge writes it: under the registered id, the shortest form that says it all."""
        said = {**self.given, "id": self.id}
        return self.id if set(said) == {"id"} else said


def _as_given(metric_id: str) -> str:
    return metric_id


def parse_text_metrics(
    entries: object,
    known: Known = _as_given,
    at: str = "text_metrics",
    *,
    number_doubles: bool = False,
    taken: Collection[str] = (),
) -> tuple[TextSpec, ...]:
    """The text metrics of a list of entries, disabled ones too.

    An entry is an id, or an object with `id` and perhaps `enable`, `parameters` and `name`; other
    fields are kept (`check_given` refuses them in a challenge). `known` is asked about the enabled
    ones. Names of the enabled ones are unique: a second one of a name is refused, or with
    `number_doubles` called `NAME-2`. taken: names that none may be given. Raises SpecError, with
    the path of the field, for the first wrong one.
    """
    if not isinstance(entries, list | tuple):
        raise SpecError(at, "must be a list")
    if len(entries) > MAX_TEXT_METRICS:
        raise SpecError(at, f"must have at most {MAX_TEXT_METRICS} text metrics")
    specs: list[TextSpec] = []
    for index, entry in enumerate(entries):
        spec = _parsed(f"{at}.{index}", entry, known, taken)
        others = {other.name for other in specs if other.enable} if spec.enable else set()
        if spec.name in others and not number_doubles:
            raise SpecError(
                f"{at}.{index}.name", f"{spec.name} is there twice; give one of them another name"
            )
        specs.append(replace(spec, name=free_name(spec.name, others)))
    return tuple(specs)


def check_given(specs: Sequence[TextSpec], at: str = "text_metrics") -> None:
    """Refuse (SpecError) what only a document may say: a field that means nothing to a challenge.

    Its `reported` must be a rule.
    """
    for index, spec in enumerate(specs):
        for name in spec.given:
            if name not in OF_A_CHALLENGE:
                wrong = f"unknown field; known: {', '.join(OF_A_CHALLENGE)}"
                raise SpecError(f"{at}.{index}.{str(name)[:MAX_NAME]}", wrong)
        checked_reported(f"{at}.{index}.reported", spec.given.get("reported", "refuse"))


def enabled(specs: Sequence[TextSpec]) -> tuple[TextSpec, ...]:
    """Those that are to be computed."""
    return tuple(spec for spec in specs if spec.enable)


def text_spec_of(key: str, specs: Sequence[TextSpec]) -> TextSpec | None:
    """The enabled text metric that a key belongs to: `NAME`, or `NAME:other`."""
    name = key.partition(":")[0]
    return next((spec for spec in enabled(specs) if spec.name == name), None)


def secrets_key(metric_id: str, name: str) -> str:
    """The key under which the secrets of a text metric are stored, separate from
    those of others.
    """
    return f"{metric_id.casefold()}:{name}"


def _parsed(at: str, entry: object, known: Known, taken: Collection[str]) -> TextSpec:
    if isinstance(entry, str):
        entry = {"id": entry}
    if not isinstance(entry, Mapping):
        raise SpecError(at, "must be the id of a text metric, or an object with an id")
    for name, message in misspelt(entry, FIELDS):
        raise SpecError(f"{at}.{name}", message)
    if "id" not in entry:
        raise SpecError(f"{at}.id", "is required")
    given_id = checked_text(f"{at}.id", entry["id"], MAX_NAME)
    enable = _flag(f"{at}.enable", entry.get("enable"))
    metric_id = _registered(f"{at}.id", given_id, known) if enable else given_id
    given_name = entry.get("name")
    return TextSpec(
        id=metric_id,
        name=metric_id if given_name is None else _name(f"{at}.name", given_name, taken),
        enable=enable,
        parameters=_parameters(f"{at}.parameters", entry.get("parameters")),
        given=entry,
    )


def _registered(at: str, metric_id: str, known: Known) -> str:
    try:
        return known(metric_id)
    except LookupError as error:
        raise SpecError(at, str(error.args[0])) from None


def _name(at: str, name: object, taken: Collection[str]) -> str:
    text = checked_name(at, name, MAX_NAME, taken)
    if ":" in text:
        raise SpecError(at, "must have no colon: NAME:other are a metric's further values")
    return text


def _flag(at: str, value: object) -> bool:
    if value is None:
        return True
    if not isinstance(value, bool):
        raise SpecError(at, "must be true or false")
    return value


def _parameters(at: str, value: object) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise SpecError(at, "must be an object")
    return value
