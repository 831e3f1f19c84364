"""The metrics of a challenge: `["pass@1", {"type": "mean", "name": "physics", …}]`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, TypeAdapter, model_validator

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.ranking.win_rates import WIN_RATE
from leaderboard.rules.rewards.evidence import Policy
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.value_names import ECONOMICS, Reported
from leaderboard.schemas.base import STRICT, Accepts, Items, NotNull, Shorthand, Strict, tagged
from leaderboard.schemas.errors import SchemaError, WrongPart, WrongPlace, checked, joined
from leaderboard.schemas.numbers import Share
from leaderboard.schemas.rank_keys import ComparedKey, RankedBy
from leaderboard.schemas.texts import Line, another_value, not_another_value

MAX_METRICS: Final = 50
MAX_NAME: Final = 120
MAX_SCRIPT: Final = 64 * 1024
MAX_COMPARED: Final = 100

GROUPS: Final = "groups"
"""The value of `over` for a metric that is the mean over groups of tasks."""

KnownMetric = Callable[[str], str]
"""Why a type cannot be a metric here, "" if it can."""


def _not_economics(name: str) -> str:
    if name in ECONOMICS:
        raise ValueError(
            message(
                "must be another metric, because attempts that report usage have this one anyway;"
                " got {name}",
                name=sent(name),
            )
        )
    return name


def _once(keys: tuple[RankedBy, ...]) -> tuple[RankedBy, ...]:
    names = [key.key for key in keys]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise WrongPart(
                str(index), message("must be named once; got {name} twice", name=sent(name))
            )
    return keys


MetricName = Annotated[
    str,
    Line(MAX_NAME),
    AfterValidator(not_another_value),
    Field(description="The column's key; the type, if it is absent."),
]
MetricText = Annotated[str, Line(MAX_NAME)]
MetricReward = Annotated[
    MetricText | None, NotNull(), Field(description="Which reward it reduces.")
]
MetricTaskGroup = Annotated[
    MetricText | None, NotNull(), Field(description="Of this group of tasks.")
]
OverGroups = Annotated[
    Literal["groups"] | None,
    Field(description="The mean of its values over each group of tasks."),
]
MetricCoverage = Annotated[
    Share | None, Field(description="Share of its tasks below which a value does not rank.")
]
ReportedRule = Annotated[
    Reported, Field(description="How a value that participants report is treated.")
]


def _type(data: Mapping[str, object]) -> str:
    return str(data.get("type", ""))


class _Metric(Strict):
    """The fields of all metrics."""

    type: str
    name: MetricName = Field(default_factory=_type)
    min_coverage: MetricCoverage = None

    @property
    def script(self) -> str:
        """The text of a script; "" of other metrics."""
        return ""

    def as_json(self) -> str | JsonObject:
        """The metric in the shortest JSON form with the same meaning."""
        fields = self.model_dump(mode="json", exclude_defaults=True, exclude={"type"})
        if self.name == self.type:
            fields.pop("name", None)
        return {"type": self.type, **fields} if fields else self.type


class NoArguments(Strict):
    """Metrics of rewards take none yet."""


class ScriptArguments(Strict):
    """The text of a script in Python, with its requirements (PEP 723)."""

    script: Annotated[
        str,
        Field(min_length=1, max_length=MAX_SCRIPT, pattern=r"\S"),
        Accepts(message("must be the text of a script of 1 to {most} characters", most=MAX_SCRIPT)),
    ]


class _OfRewards(_Metric):
    """The fields of all metrics that reduce the rewards of one attempt."""

    compares: ClassVar[bool] = False
    compared: ClassVar[tuple[RankKey, ...]] = ()

    reward: MetricReward = None
    failed: Policy = "zero"
    undefined: Policy = "exclude"
    group: MetricTaskGroup = None
    reported: ReportedRule = "refuse"

    def keys(self, rewards: Sequence[str]) -> list[tuple[str, str | None]]:
        """The keys of its values, and the reward of each.

        rewards: those of the attempt. If there are several, a metric without its own reward yields
        a value for each, `name:reward`. The reward is None if the attempt has no reward name.
        """
        if self.reward is not None:
            return [(self.name, self.reward)]
        if len(rewards) < 2:
            return [(self.name, rewards[0] if rewards else None)]
        return [(f"{self.name}:{reward}", reward) for reward in rewards]


class PluginMetric(_OfRewards):
    """A metric of ours or of a plugin, by its registered name.

    over: "groups" for the mean of its values over each group of tasks.
    """

    type: Annotated[str, Line(MAX_NAME), AfterValidator(_not_economics)]
    kwargs: NoArguments = NoArguments()
    over: OverGroups = None

    @model_validator(mode="after")
    def _is_over_one(self) -> PluginMetric:
        if self.over and self.group is not None:
            raise WrongPart(
                "over",
                message("must be absent beside group; got both"),
            )
        return self


class ScriptMetric(_OfRewards):
    """A script that is given the samples of all tasks."""

    over: ClassVar[None] = None

    type: Literal["uv-script"]
    kwargs: ScriptArguments = Field(default_factory=dict, validate_default=True)

    @property
    def script(self) -> str:
        return self.kwargs.script


class WinRateMetric(_Metric):
    """A metric that compares participants with each other. of: the values that it compares."""

    compares: ClassVar[bool] = True
    reward: ClassVar[str | None] = None
    failed: ClassVar[Policy] = "zero"
    undefined: ClassVar[Policy] = "exclude"
    group: ClassVar[str | None] = None
    over: ClassVar[None] = None
    reported: ClassVar[Reported] = "refuse"

    type: Literal["mean_win_rate"]
    of: Annotated[
        tuple[ComparedKey, ...],
        Items(MAX_COMPARED, least=1),
        AfterValidator(_once),
        Field(description="What it compares: keys of values."),
    ]

    @property
    def compared(self) -> tuple[RankKey, ...]:
        return tuple(key.rank_key() for key in self.of)

    def keys(self, rewards: Sequence[str]) -> list[tuple[str, str | None]]:
        """The key of its only value, which belongs to no reward."""
        return [(self.name, None)]


MetricSpec = PluginMetric | ScriptMetric | WinRateMetric
"""One metric of a challenge: its type, its reward, and how missing numbers count.

group: the group of tasks that it is over, all tasks if None. min_coverage: the share of its tasks
below which a value does not rank. reported: how values that participants report are treated.
"""


def _kind(value: Any) -> str:
    type_name = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return tagged(str(type_name)) if type_name in (SCRIPT, WIN_RATE) else tagged("plugin")


MetricEntry = Annotated[
    Annotated[PluginMetric, Tag(tagged("plugin"))]
    | Annotated[ScriptMetric, Tag(tagged(SCRIPT))]
    | Annotated[WinRateMetric, Tag(tagged(WIN_RATE))],
    Discriminator(_kind),
    Shorthand("type", MAX_NAME),
    Accepts(message("must be the name of a metric, or an object with a type")),
]


def _named_once(specs: tuple[MetricSpec, ...]) -> tuple[MetricSpec, ...]:
    names: set[str] = set()
    for index, spec in enumerate(specs):
        if spec.name in names:
            twice = message("must have a name of its own; got {name} twice", name=sent(spec.name))
            raise WrongPart(str(index), twice)
        names.add(spec.name)
    return specs


Metrics = Annotated[tuple[MetricEntry, ...], Items(MAX_METRICS), AfterValidator(_named_once)]
METRICS: Final[TypeAdapter[tuple[MetricSpec, ...]]] = TypeAdapter(Metrics, config=STRICT)


def parse_metrics(entries: object) -> tuple[MetricSpec, ...]:
    """The metrics of a challenge, from the JSON value of its field `metrics`.

    Raises SchemaError with the paths of the wrong places.
    """
    return checked(METRICS, entries, "metrics")


def check_known(
    specs: Iterable[MetricSpec],
    why_unknown: KnownMetric,
    *,
    taken: Collection[str] = (),
) -> None:
    """Check what depends on the server: whether it has each metric, and whether names are free.

    why_unknown: called with types of plugins. taken: names that no metric may have.
    Raises SchemaError.
    """
    errors: list[WrongPlace] = []
    for index, spec in enumerate(specs):
        if isinstance(spec, PluginMetric) and (why := why_unknown(spec.type)):
            errors.append(WrongPlace(joined("metrics", index, "type"), why))
        elif spec.name in taken:
            errors.append(WrongPlace(joined("metrics", index, "name"), another_value(spec.name)))
    if errors:
        raise SchemaError(errors)


def spec_of(key: str, specs: Iterable[MetricSpec]) -> MetricSpec | None:
    """The metric that a key belongs to: the one of that name, else that of `name:reward`."""
    fitting = [spec for spec in specs if key == spec.name or key.startswith(f"{spec.name}:")]
    return max(fitting, key=lambda spec: len(spec.name), default=None)
