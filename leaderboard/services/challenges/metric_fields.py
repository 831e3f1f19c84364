"""The metrics and tasks of a challenge, checked against each other and against this server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from django.utils.translation import gettext as _

from leaderboard.facts import rankable_keys
from leaderboard.rules.noop import noop
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.errors import SchemaError
from leaderboard.schemas.metrics import MetricSpec, check_known, parse_metrics
from leaderboard.schemas.scoring import ScoringFields
from leaderboard.schemas.tasks import ChallengeTask
from leaderboard.services.errors import invalid, refused
from leaderboard.services.evaluation.metrics import why_unknown
from leaderboard.services.scripts.metric_scripts import prepare_scripts


def checked_metrics(
    fields: ScoringFields, tell: Callable[[str], object] = noop, package: str = ""
) -> Sequence[MetricSpec]:
    """The metrics of a challenge that this server has, or its own upload. Raises ServiceError.

    Prepares scripts at once, which takes seconds for a new one; calls `tell` with the name of its
    metric before.
    """
    specs = checked_specs(fields.metrics, package)
    _check_groups(specs, fields.tasks)
    prepare_scripts(specs, tell)
    return specs


def checked_specs(entries: object, package: str = "") -> Sequence[MetricSpec]:
    """The metrics of a challenge, checked without preparing scripts.

    Raises ServiceError.
    """
    try:
        specs = parse_metrics(entries)
        check_known(specs, partial(why_unknown, package=package), taken=rankable_keys())
    except SchemaError as error:
        raise refused(error) from None
    return specs


def _check_groups(specs: Iterable[MetricSpec], tasks: Iterable[ChallengeTask]) -> None:
    """Refuse a metric over a group that has no task, or over groups where there are none."""
    groups = list(dict.fromkeys(task.group for task in tasks if task.group))
    for index, spec in enumerate(specs):
        if spec.over and not groups:
            text = _("must be absent, because no task has a group")
            raise invalid(f"metrics.{index}.over", text, got=spec.over)
        if spec.group is not None and spec.group not in groups:
            raise invalid(f"metrics.{index}.group", _unknown_group(groups, spec.group))


def _unknown_group(groups: Sequence[str], got: str) -> str:
    if not groups:
        return _("must be a group of the tasks (no task has one); got {got}").format(got=sent(got))
    return _("must be a group of the tasks ({groups}); got {got}").format(
        groups=", ".join(groups), got=sent(got)
    )
