"""The metrics of a dataset in Harbor's registry, which become metrics of a challenge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.value_names import free_name
from leaderboard.schemas.base import STRICT, Accepts, Items, Strict
from leaderboard.schemas.errors import checked, joined, wrong
from leaderboard.schemas.metrics import MAX_METRICS, MetricEntry, MetricSpec


class HarborMetric(Strict):
    """A metric as Harbor writes it; fields that Harbor ignores are ignored."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["sum", "min", "max", "mean", "uv-script"] = "mean"
    arguments: Annotated[JsonObject, Field(alias="kwargs")] = {}


HarborEntry = Annotated[HarborMetric, Accepts(message("must be an object with a type"))]
HARBOR_METRICS: Final[TypeAdapter[tuple[HarborMetric, ...]]] = TypeAdapter(
    Annotated[tuple[HarborEntry, ...], Items(MAX_METRICS)], config=STRICT
)
_METRIC: Final[TypeAdapter[MetricSpec]] = TypeAdapter(MetricEntry, config=STRICT)


def parse_harbor_metrics(
    entries: object, scripts: Mapping[str, str] | None = None
) -> tuple[MetricSpec, ...]:
    """The `metrics` of a dataset in Harbor's registry; a dataset without any has the mean.

    They count what is undefined as 0, as Harbor does. `scripts` are the texts of metric scripts by
    the path that a `uv-script` names. Raises SchemaError.
    """
    specs: list[MetricSpec] = []
    metrics = checked(HARBOR_METRICS, entries, "metrics") or (HarborMetric(),)
    for index, metric in enumerate(metrics):
        spec = _spec(metric, scripts or {}, joined("metrics", index))
        name = free_name(spec.name, {other.name for other in specs})
        specs.append(spec.model_copy(update={"name": name}))
    return tuple(specs)


def _spec(metric: HarborMetric, scripts: Mapping[str, str], at: str) -> MetricSpec:
    kwargs = metric.arguments
    if metric.type == SCRIPT and "script_path" in kwargs:
        path = kwargs["script_path"]
        if not isinstance(path, str) or path not in scripts:
            text = message("must be the path of a script that is there; got {path}", path=path)
            raise wrong(f"{at}.kwargs.script_path", text)
        kwargs = {"script": scripts[path]}
    entry = {"type": metric.type, "kwargs": kwargs, "undefined": "zero"}
    return checked(_METRIC, entry, at)
