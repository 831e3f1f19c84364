"""A candidate that is compared with a baseline and not kept, for pipelines that test changes.

The comparison needs only the samples, so it is made within the request: no quota is used, and no
worker has to wait. Metrics that are sums over tasks decide; plugins would need a worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.models import Attempt, Challenge, Evidence
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.rules.statistics.gates import GateVerdict, Requirement, gate_verdict
from leaderboard.services.attempts.evidence import RewardsByTask, samples_of
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.compared import (
    PairedMetric,
    compare_samples,
    visible_samples,
)
from leaderboard.services.errors import invalid


class Gate(NamedTuple):
    """The metric that decides, its verdict, and all metrics: the candidate is the first."""

    metric: PairedMetric
    verdict: GateVerdict
    metrics: list[PairedMetric]


def gate_candidate(
    challenge: Challenge,
    samples: Sequence[Sample],
    task_rewards: RewardsByTask,
    baseline: Attempt,
    access: Access,
    *,
    require: Requirement,
    margin: float | None,
    key: str,
) -> Gate:
    """Compare a candidate with an attempt, on the tasks that both have. Nothing is stored.

    samples, task_rewards: of the candidate, as in a submission. key: of the metric that decides; ""
    for the one that the board ranks by first. Raises ServiceError.
    """
    config = challenge.shown
    if require == "non-inferior" and margin is None:
        raise invalid("margin", _("is required for non-inferior; got nothing"))
    behind = visible_samples(challenge, "baseline", baseline, access)
    stored = samples_of(config, samples, task_rewards)
    if stored is None:
        raise invalid("samples", _("must be given, or task_rewards; got neither"))
    candidate = Evidence(samples=stored.packed).under(config, config.counts(baseline.phase_id))
    metrics = compare_samples(challenge, [candidate, behind])
    by_key = {metric.column.key: metric for metric in metrics}
    if not metrics or (key and key not in by_key):
        text = _("must be a metric over tasks: {names}; got {sent}")
        raise invalid("metric", text.format(names=", ".join(by_key), sent=key or "–"))
    decisive = by_key.get(key, metrics[0])
    verdict = gate_verdict(
        decisive.compared.comparison,
        decisive.column.direction,
        require=require,
        margin=margin,
        is_same=not decisive.compared.differing,
        smallest=decisive.smallest,
    )
    return Gate(decisive, verdict, metrics)
