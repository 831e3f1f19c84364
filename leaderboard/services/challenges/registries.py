"""Harbor registries: each dataset in one is a challenge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.importers import ImportFailed, Source, read
from leaderboard.importers.reading.suggestions import RegistryChallenge
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, Tenant, User
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.rules.noop import noop
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.challenges.fields import checked_new
from leaderboard.services.challenges.metric_fields import checked_metrics
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.scripts.prepare import why_unavailable

KEY = "harbor-registry"
FIELDS = ("slug", "name", "description", "scoring_strategy", "metrics", "tasks", "rank_by")
CHANGED = ("description", "scoring_strategy", "metrics", "tasks", "rank_by")
MAX_NAME = 120


@dataclass(frozen=True, slots=True)
class RegistryResult:
    created: list[Challenge]
    updated: list[Challenge]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class CheckedChallenge:
    """The fields of a challenge. entries: the types of the registry's metrics, in their order."""

    fields: SentFields
    entries: Sequence[str]

    @property
    def lacks_scripts(self) -> bool:
        """Whether the registry names a metric script that the upload does not have."""
        types = [metric["type"] for metric in self.fields["metrics"]]
        return self.entries.count(SCRIPT) > types.count(SCRIPT)


@dataclass(frozen=True, slots=True)
class CheckedRegistry:
    """The challenges that a registry would make, with every metric script prepared."""

    challenges: list[CheckedChallenge]
    warnings: list[str]


def checked_registry(source: Source, *, tell: Callable[[str], object] = noop) -> CheckedRegistry:
    """A registry, checked before anything is written: preparing a new script takes seconds.

    Calls `tell` for each script that it prepares. Raises ServiceError with the place in the file.
    """
    try:
        registry = read(source, format=KEY)
    except ImportFailed as error:
        raise invalid("file", error.text) from None
    checked = CheckedRegistry([], list(registry.warnings))
    for dataset in registry.challenges:
        fields = _fields(dataset, checked.warnings)
        with _named(fields):
            checked_metrics(checked_new(fields), partial(_tell_script, tell, fields["name"]))
        entries = [str(metric["type"]) for metric in dataset["registry"]["metrics"]]
        checked.challenges.append(CheckedChallenge(fields, entries))
    return checked


def import_checked(
    registry: CheckedRegistry, *, tenant: Tenant, user: User | None
) -> RegistryResult:
    """Write the challenges of a registry, all of them or none. Raises ServiceError, `conflict`."""
    result = RegistryResult([], [], registry.warnings)
    with transaction.atomic():
        for challenge in registry.challenges:
            with _named(challenge.fields):
                _import(tenant, user, challenge, result)
    return result


def _tell_script(tell: Callable[[str], object], dataset: str, metric: str) -> None:
    tell(_("preparing the script of {dataset}: {metric}").format(dataset=dataset, metric=metric))


@contextmanager
def _named(fields: SentFields) -> Iterator[None]:
    """Add the name of the dataset to any error within."""
    try:
        yield
    except ServiceError as refused:
        text = f"{fields['name']}: {refused.message}"
        raise ServiceError(refused.code, text, {"file": [text]}) from None


def _import(
    tenant: Tenant, user: User | None, checked: CheckedChallenge, result: RegistryResult
) -> None:
    fields = checked.fields
    existing = Challenge.objects.filter(tenant=tenant, slug=fields["slug"]).first()
    if existing is None:
        result.created.append(create_challenge(tenant=tenant, user=user, fields=fields))
    else:
        changes = {name: fields[name] for name in CHANGED}
        if checked.lacks_scripts and _has_scripts(existing):
            changes = _keeping_scripts(existing, checked, changes, result.warnings)
        result.updated.append(change_challenge(existing, user=user, fields=changes))


def _has_scripts(challenge: Challenge) -> bool:
    return any(metric["type"] == SCRIPT for metric in challenge.newest.metrics)


def _keeping_scripts(
    existing: Challenge, checked: CheckedChallenge, changes: SentFields, warnings: list[str]
) -> SentFields:
    """The changes of a challenge without those that would drop a script which the upload lacks.

    Where scripts are off only the description changes: no config with a script is accepted there.
    """
    config = existing.newest
    is_only_scripts = set(checked.entries) == {SCRIPT}
    new = [
        metric for metric in changes["metrics"] if not is_only_scripts or metric["type"] == SCRIPT
    ]
    taken = {metric.get("name", metric["type"]) for metric in new}
    installed = {
        metric.get("name", SCRIPT): metric for metric in config.metrics if metric["type"] == SCRIPT
    }
    kept = {name: script for name, script in installed.items() if name not in taken}
    if not kept:
        return changes
    text = _("{name}: the installed metric scripts stay as they are: {scripts}")
    warnings.append(text.format(name=checked.fields["name"], scripts=", ".join(kept)))
    if why_unavailable():
        return {"description": changes["description"]}
    metrics = [*kept.values(), *new] if checked.entries[0] == SCRIPT else [*new, *kept.values()]
    first = config.rank_by[0]["key"].partition(":")[0] if config.rank_by else ""
    return {**changes, "metrics": metrics, **({"rank_by": config.rank_by} if first in kept else {})}


def _fields(dataset: RegistryChallenge, warnings: list[str]) -> SentFields:
    """The fields of a challenge, without metric scripts if scripts are off.

    Its tasks keep the registry's fields: `git_url`, `git_commit_id` and `path`.
    """
    fields: SentFields = {name: value for name, value in dataset.items() if name in FIELDS}
    fields["tasks"] = dataset["registry"]["tasks"]
    fields["name"] = fields["name"][:MAX_NAME]
    unavailable = why_unavailable()
    kept = [spec for spec in fields["metrics"] if spec["type"] != SCRIPT or not unavailable]
    if len(kept) < len(fields["metrics"]):
        warnings.append(
            _("{name}: metric scripts are left out. {reason}").format(
                name=fields["name"], reason=translated(unavailable)
            )
        )
        fields["metrics"] = kept or [{"type": "mean", "undefined": "zero"}]
        first = fields["metrics"][0]
        fields["rank_by"] = [{"key": first.get("name", first["type"]), "direction": "desc"}]
    return fields
