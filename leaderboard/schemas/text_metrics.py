"""The text metrics that a challenge or a document lists: `[{"id": "BLEU_NLTK", …}, "F1"]`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, cast, get_args

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter

from leaderboard.rules.json.stored import GivenTextMetric
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.misspelt import misspelt
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.value_names import MAX_TEXT_METRIC, Reported, free_name
from leaderboard.schemas.base import STRICT, Accepts, Items, Shorthand, Strict
from leaderboard.schemas.errors import WrongPart, checked, joined, wrong
from leaderboard.schemas.texts import Line, another_value, not_another_value

MAX_TEXT_METRICS: Final = 50
FIELDS: Final = ("id", "enable", "parameters")
"""The fields of a text metric in a HarpIA document."""


def without_colon(name: str) -> str:
    """A name that no further value of a metric has. Raises ValueError."""
    if ":" in name:
        raise ValueError(
            message(
                "must have no colon, because NAME:other are a metric's further values; got {name}",
                name=sent(name),
            )
        )
    return name


TextMetricName = Annotated[str, Line(MAX_TEXT_METRIC), AfterValidator(not_another_value)]


class TextMetricEntry(Strict):
    """A text metric, as a challenge lists it."""

    id: Annotated[str, Line(MAX_TEXT_METRIC), Field(description="In upper or lower case.")]
    enable: bool | None = True
    parameters: JsonObject | None = None
    name: Annotated[
        Annotated[TextMetricName, AfterValidator(without_colon)] | None,
        Field(description="The column's key; the id, if it is absent."),
    ] = None
    reported: Annotated[
        Reported, Field(description="How a value that participants report is treated.")
    ] = "refuse"


class DocumentTextMetric(TextMetricEntry):
    """A text metric of a document, whose further fields are kept and mean nothing here."""

    model_config = ConfigDict(extra="allow")

    reported: Any = "refuse"


def _spelt_right(entry: object) -> object:
    """Refuse misspelt names of fields, because other unknown names are kept."""
    if isinstance(entry, Mapping):
        for name, text in misspelt(entry, FIELDS):
            raise WrongPart(name, text)
    return entry


_ID_OR_OBJECT: Final = Accepts(message("must be the id of a text metric, or an object with an id"))
TextMetrics = Annotated[
    tuple[Annotated[TextMetricEntry, Shorthand("id", MAX_TEXT_METRIC), _ID_OR_OBJECT], ...],
    Items(MAX_TEXT_METRICS),
]
DocumentTextMetrics = Annotated[
    tuple[
        Annotated[
            DocumentTextMetric,
            BeforeValidator(_spelt_right),
            Shorthand("id", MAX_TEXT_METRIC),
            _ID_OR_OBJECT,
        ],
        ...,
    ],
    Items(MAX_TEXT_METRICS),
]
TEXT_METRICS: Final[TypeAdapter[Sequence[TextMetricEntry]]] = TypeAdapter(
    TextMetrics, config=STRICT
)
DOCUMENT_TEXT_METRICS: Final[TypeAdapter[Sequence[DocumentTextMetric]]] = TypeAdapter(
    DocumentTextMetrics, config=STRICT
)

KnownTextMetric = Callable[[str], str]
"""The registered id of a metric, for an id in any case.

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
    parameters: Mapping[str, object] = field(default_factory=dict)
    given: GivenTextMetric = field(default_factory=GivenTextMetric)

    @property
    def reported(self) -> Reported:
        """How a reported value is treated: the entry's `reported`, if it is valid.

        `TextMetricEntry` refuses invalid ones in a challenge; those of a document are ignored.
        """
        given = self.given.get("reported")
        return cast(Reported, given) if given in get_args(Reported) else "refuse"

    def computes_as(self, other: TextSpec) -> bool:
        """Whether both are the same metric with equal parameters, under any name."""
        same_id = self.id.casefold() == other.id.casefold()
        return same_id and self.parameters == other.parameters

    def as_json(self) -> str | JsonObject:
        """The metric in its shortest JSON form, under the registered id."""
        entry = {**self.given, "id": self.id}
        return self.id if set(entry) == {"id"} else entry


def _as_given(metric_id: str) -> str:
    return metric_id


def parse_text_metrics(
    entries: object,
    registered_id: KnownTextMetric = _as_given,
    at: str = "text_metrics",
    *,
    number_doubles: bool = False,
    taken: Collection[str] = (),
) -> tuple[TextSpec, ...]:
    """The text metrics of a list of entries, disabled ones too.

    Unknown fields are kept; `check_entries` refuses them in a challenge. registered_id: called with
    the enabled metrics. Names of the enabled ones are unique: a second one of a name is refused, or
    called `NAME-2` with `number_doubles`. taken: names that no metric may have. Raises SchemaError
    with the paths of the wrong places.
    """
    specs: list[TextSpec] = []
    parsed = checked(DOCUMENT_TEXT_METRICS, entries, at)
    for index, entry in enumerate(parsed):
        given = cast(Sequence[Any], entries)[index]
        spec = _spec(entry, given, registered_id, joined(at, index))
        if entry.name is not None and entry.name in taken:
            raise wrong(joined(at, index, "name"), another_value(entry.name))
        enabled_names = {other.name for other in specs if other.enable} if spec.enable else set()
        if spec.name in enabled_names and not number_doubles:
            text = message("must be a name of its own; got {name} twice", name=sent(spec.name))
            raise wrong(joined(at, index, "name"), text)
        specs.append(replace(spec, name=free_name(spec.name, enabled_names)))
    return tuple(specs)


def check_entries(entries: object) -> None:
    """Refuse (SchemaError) entries that a challenge may not have, such as one of unknown fields."""
    checked(TEXT_METRICS, entries, "text_metrics")


def enabled(specs: Sequence[TextSpec]) -> tuple[TextSpec, ...]:
    """The enabled metrics, which are to be computed."""
    return tuple(spec for spec in specs if spec.enable)


def text_spec_of(key: str, specs: Sequence[TextSpec]) -> TextSpec | None:
    """The enabled text metric that a key belongs to: `NAME`, or `NAME:other`."""
    name = key.partition(":")[0]
    return next((spec for spec in specs if spec.enable and spec.name == name), None)


def secrets_key(metric_id: str, name: str) -> str:
    """The key under which the secrets of a text metric are stored, separate from
    those of others.
    """
    return f"{metric_id.casefold()}:{name}"


def _spec(entry: TextMetricEntry, given: Any, registered_id: KnownTextMetric, at: str) -> TextSpec:
    enable = entry.enable is not False
    metric_id = _registered(joined(at, "id"), entry.id, registered_id) if enable else entry.id
    return TextSpec(
        id=metric_id,
        name=entry.name or metric_id,
        enable=enable,
        parameters=entry.parameters or {},
        given={"id": given} if isinstance(given, str) else given,
    )


def _registered(at: str, metric_id: str, registered_id: KnownTextMetric) -> str:
    try:
        return registered_id(metric_id)
    except LookupError as error:
        raise wrong(at, error.args[0]) from None
