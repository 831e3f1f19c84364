"""What a challenge says about its metrics: `["pass@1", {"type": "mean", "name": "physics", …}]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, cast, get_args

from leaderboard.rules.ranking import RankKey
from leaderboard.rules.rewards import Policy
from leaderboard.rules.spec_names import (
    ECONOMICS,
    Reported,
    SpecError,
    checked_name,
    checked_reported,
    checked_text,
    free_name,
)
from leaderboard.rules.win_rates import WIN_RATE, parse_compared

SCRIPT: Final = "uv-script"
"""The type of a metric that is a script."""

MAX_METRICS: Final = 50
MAX_NAME: Final = 120
MAX_SCRIPT: Final = 64 * 1024

HARBOR_TYPES: Final = ("sum", "min", "max", "mean", SCRIPT)

Known = Callable[[str], str]
"""Why a type cannot be a metric here, "" if it can."""


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One metric of a challenge: which, of which reward, and what counts for a missing number.

    group: the group of tasks that it is over, all tasks if None. over: "groups" for the mean of its
    values over each group. min_coverage: the share of its tasks below which a value does not rank.
    reported: what becomes of a value that participants state. of: what a mean win rate compares.
    """

    type: str
    name: str
    reward: str | None = None
    failed: Policy = "zero"
    undefined: Policy = "exclude"
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    group: str | None = None
    over: str | None = None
    min_coverage: float | None = None
    reported: Reported = "refuse"
    of: tuple[RankKey, ...] = ()

    @property
    def compares(self) -> bool:
        """Whether its values are of a whole board, and not of one attempt."""
        return self.type == WIN_RATE

    def keys(self, rewards: Sequence[str]) -> list[tuple[str, str | None]]:
        """The keys of the values that it yields, and the reward of each.

        `rewards` are those of the attempt. Of several a metric without a reward of its own yields
        one value each, `name:reward`. None: there is no reward name at all.
        """
        if self.reward is not None or self.compares:
            return [(self.name, self.reward)]
        if len(rewards) < 2:
            return [(self.name, rewards[0] if rewards else None)]
        return [(f"{self.name}:{reward}", reward) for reward in rewards]

    def as_json(self) -> str | dict[str, Any]:
        """As a challenge writes it: the shortest form that parses to the same."""
        plain = MetricSpec(self.type, self.type)
        said = {
            name: getattr(self, name)
            for name in FIELDS[1:]
            if getattr(self, name) != getattr(plain, name)
        }
        if self.of:
            said["of"] = [asdict(key) for key in self.of]
        return {"type": self.type, **said} if said else self.type


def spec_of(key: str, specs: Iterable[MetricSpec]) -> MetricSpec | None:
    """The metric that a key belongs to: the one of that name, else that of `name:reward`."""
    fitting = [spec for spec in specs if key == spec.name or key.startswith(f"{spec.name}:")]
    return max(fitting, key=lambda spec: len(spec.name), default=None)


def is_value_name(text: object) -> bool:
    """Whether a number that a participant reports may have this name."""
    return isinstance(text, str) and _VALUE_NAME.fullmatch(text) is not None


VALUE_NAMES: Final = "1 to 80 letters, digits and _ @ ^ : . -"
"""What `is_value_name` accepts, in words."""

_VALUE_NAME: Final = re.compile(r"[A-Za-z0-9_@^:.-]{1,80}")

FIELDS: Final = (
    "type",
    "name",
    "reward",
    "failed",
    "undefined",
    "kwargs",
    "group",
    "over",
    "min_coverage",
    "reported",
    "of",
)
OF_COMPARING: Final = ("type", "name", "of", "min_coverage")
"""The fields of a metric that compares participants."""
GROUPS: Final = "groups"
"""What `over` says of a metric that is the mean over groups of tasks."""


def _anything(type_: str) -> str:
    return ""


def parse_metrics(
    entries: object,
    known: Known = _anything,
    at: str = "metrics",
    *,
    taken: Collection[str] = (),
) -> tuple[MetricSpec, ...]:
    """The metrics of a challenge, from the JSON value of its field `metrics`.

    `known` is asked about every type but `uv-script`. taken: names that none may have. Raises
    SpecError, with the path of the field, for the first wrong one.
    """
    if not isinstance(entries, list | tuple):
        raise SpecError(at, "must be a list")
    if len(entries) > MAX_METRICS:
        raise SpecError(at, f"must have at most {MAX_METRICS} metrics")
    specs: list[MetricSpec] = []
    for index, entry in enumerate(entries):
        spec = _parsed(f"{at}.{index}", entry, known, taken)
        if spec.name in {other.name for other in specs}:
            raise SpecError(
                f"{at}.{index}", f"{spec.name} is named twice; give one of them another name"
            )
        specs.append(spec)
    return tuple(specs)


def parse_harbor_metrics(
    entries: object, scripts: Mapping[str, str] | None = None, at: str = "metrics"
) -> tuple[MetricSpec, ...]:
    """The `metrics` of a dataset in Harbor's registry; a dataset without any has the mean.

    They count what is undefined as 0, as Harbor does. `scripts` are the texts of metric scripts by
    the path that a `uv-script` names. Raises SpecError with the path of the field.
    """
    if not isinstance(entries, list | tuple):
        raise SpecError(at, "must be a list")
    specs: list[MetricSpec] = []
    for index, entry in enumerate(entries or [{}]):
        spec = _parsed_harbor(f"{at}.{index}", entry, scripts or {})
        specs.append(replace(spec, name=free_name(spec.name, {other.name for other in specs})))
    return tuple(specs)


def _parsed(at: str, entry: object, known: Known, taken: Collection[str] = ()) -> MetricSpec:
    if isinstance(entry, str):
        entry = {"type": entry}
    if not isinstance(entry, Mapping):
        raise SpecError(at, "must be the name of a metric, or an object with a type")
    _only(at, entry, FIELDS)
    type_ = _checked_type(f"{at}.type", entry.get("type"), known)
    _check_comparing(at, type_, entry)
    kwargs = entry.get("kwargs", {})
    _check_kwargs(f"{at}.kwargs", type_, kwargs)
    return MetricSpec(
        type=type_,
        name=checked_name(f"{at}.name", entry.get("name", type_), MAX_NAME, taken),
        reward=_text(at, entry, "reward"),
        failed=_policy(f"{at}.failed", entry.get("failed", "zero")),
        undefined=_policy(f"{at}.undefined", entry.get("undefined", "exclude")),
        kwargs=dict(kwargs),
        group=_text(at, entry, "group"),
        over=_over(at, type_, entry),
        min_coverage=_share(f"{at}.min_coverage", entry.get("min_coverage")),
        reported=checked_reported(f"{at}.reported", entry.get("reported", "refuse")),
        of=parse_compared(f"{at}.of", entry.get("of")) if type_ == WIN_RATE else (),
    )


def _check_comparing(at: str, type_: str, entry: Mapping[Any, Any]) -> None:
    """Refuse the fields of other metrics in one that compares participants, and the other way."""
    if type_ != WIN_RATE:
        if "of" in entry:
            raise SpecError(f"{at}.of", f"is a field of {WIN_RATE} alone")
        return
    for name in entry:
        if name not in OF_COMPARING:
            fields = ", ".join(OF_COMPARING)
            raise SpecError(f"{at}.{name}", f"must not stand in a {WIN_RATE}; it has {fields}")


def _text(at: str, entry: Mapping[Any, Any], name: str) -> str | None:
    """A field that is a text, None where it is absent."""
    return checked_text(f"{at}.{name}", entry[name], MAX_NAME) if name in entry else None


def _over(at: str, type_: str, entry: Mapping[Any, Any]) -> str | None:
    over = entry.get("over")
    if over is None:
        return None
    if over != GROUPS:
        raise SpecError(f"{at}.over", f'must be "{GROUPS}"; got {over!r:.80}')
    if "group" in entry:
        raise SpecError(f"{at}.over", "must not stand beside group: a metric has one or the other")
    if type_ == SCRIPT:
        raise SpecError(f"{at}.over", "is not for scripts: they are given the samples of all tasks")
    return GROUPS


def _share(at: str, share: object) -> float | None:
    if share is None:
        return None
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise SpecError(at, f"must be a number above 0, at most 1; got {share!r:.80}")
    return float(share)


def _parsed_harbor(at: str, entry: object, scripts: Mapping[str, str]) -> MetricSpec:
    if not isinstance(entry, Mapping):
        raise SpecError(at, "must be an object with a type")
    type_, kwargs = entry.get("type", "mean"), entry.get("kwargs", {})
    if type_ not in HARBOR_TYPES:
        raise SpecError(f"{at}.type", f"must be one of {', '.join(HARBOR_TYPES)}")
    if type_ == SCRIPT and isinstance(kwargs, Mapping) and "script_path" in kwargs:
        path = checked_text(f"{at}.kwargs.script_path", kwargs["script_path"], MAX_NAME)
        if path not in scripts:
            raise SpecError(f"{at}.kwargs.script_path", f"the script {path} is not there")
        kwargs = {"script": scripts[path]}
    return _parsed(at, {"type": type_, "kwargs": kwargs, "undefined": "zero"}, _anything)


def _checked_type(at: str, type_: object, known: Known) -> str:
    if type_ is None:
        raise SpecError(at, "is required")
    text = checked_text(at, type_, MAX_NAME)
    if text in ECONOMICS:
        raise SpecError(at, f"{text} comes by itself for attempts that report usage")
    wrong = "" if text in (SCRIPT, WIN_RATE) else known(text)
    if wrong:
        raise SpecError(at, wrong)
    return text


def _check_kwargs(at: str, type_: str, kwargs: object) -> None:
    if not isinstance(kwargs, Mapping):
        raise SpecError(at, "must be an object")
    _only(at, kwargs, ("script",) if type_ == SCRIPT else ())
    if type_ != SCRIPT:
        return
    script = kwargs.get("script")
    if not isinstance(script, str) or not script.strip():
        raise SpecError(f"{at}.script", "must be the text of a script")
    if len(script) > MAX_SCRIPT:
        raise SpecError(f"{at}.script", f"must have at most {MAX_SCRIPT} characters")


def _only(at: str, entry: Mapping[Any, Any], fields: Collection[str]) -> None:
    for name in entry:
        if name not in fields:
            known = f"known: {', '.join(fields)}" if fields else "there are none here"
            raise SpecError(f"{at}.{str(name)[:MAX_NAME]}", f"unknown field; {known}")


def _policy(at: str, value: object) -> Policy:
    if value not in get_args(Policy):
        raise SpecError(at, f"must be {' or '.join(get_args(Policy))}")
    return cast(Policy, value)
