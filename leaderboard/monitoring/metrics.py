"""`/metrics`: counters and gauges for Prometheus, protected by a token."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from itertools import accumulate

from django.conf import settings
from django.db import Error
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from leaderboard.services.operations import tallies
from leaderboard.services.operations.gauges import Gauges, disk, gauges
from leaderboard.services.operations.tallies import COUNTERS, HISTOGRAMS, Counter, Histogram
from leaderboard.version import VERSION

SampleTotals = dict[str, list[tuple[dict[str, str], float]]]


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The text that Prometheus reads. 404 without `Authorization: Bearer PROMETHEUS_TOKEN`.

    The numbers cover all processes of the installation, whichever of them answers. While the
    database is unavailable, there are only the numbers that need no database.
    """
    expected = f"Bearer {settings.PROMETHEUS_TOKEN}"
    given = request.headers.get("Authorization", "")
    if not secrets.compare_digest(given.encode(), expected.encode()):
        raise Http404
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Everything())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class Everything(Collector):
    """Collects all current numbers."""

    def collect(self) -> Iterator[Metric]:
        yield _gauge("podium_info", "The version of this web process.", 1, version=VERSION)
        space = disk()
        yield _gauge("podium_disk_free_bytes", "Free space of the data folder.", space.free)
        yield _gauge("podium_disk_size_bytes", "Size of the data folder's disk.", space.total)
        try:
            tallies.flush()
            totals, now = tallies.totals(), gauges()
        except Error:
            yield _gauge("podium_database_up", "Whether the database answers.", 0)
            return
        yield _gauge("podium_database_up", "Whether the database answers.", 1)
        yield from _of_gauges(now)
        yield from (_of_counter(counter, totals) for counter in COUNTERS)
        yield from (_of_histogram(histogram, totals) for histogram in HISTOGRAMS)


def _of_gauges(now: Gauges) -> Iterator[Metric]:
    waiting = GaugeMetricFamily(
        "podium_attempts_waiting", "Attempts that wait for a worker.", labels=["tenant"]
    )
    for slug, number in now.waiting.items():
        waiting.add_metric([slug], number)
    yield waiting
    yield _gauge("podium_attempts_scoring", "Attempts that a worker has.", now.scoring)
    yield _gauge(
        "podium_oldest_waiting_seconds",
        "How long the first attempt has waited for a worker; 0: none waits.",
        now.oldest_waiting_seconds,
    )
    yield _gauge("podium_workers_alive", "Workers seen a moment ago.", now.workers_alive)
    failing = GaugeMetricFamily(
        "podium_sweep_failing",
        "Workers on which a part of the sweep fails again and again.",
        labels=["part"],
    )
    for part, number in now.failing.items():
        failing.add_metric([part], number)
    yield failing
    of_one = ["tenant", "challenge"]
    done = GaugeMetricFamily(
        "podium_rescore_done", "Attempts scored by a rescore that goes on.", labels=of_one
    )
    total = GaugeMetricFamily(
        "podium_rescore_attempts", "Attempts of a rescore that goes on.", labels=of_one
    )
    for slugs, progress in now.rescores.items():
        done.add_metric(slugs, progress.done)
        total.add_metric(slugs, progress.total)
    yield from (done, total)


def _gauge(name: str, documentation: str, value: float, **labels: str) -> Metric:
    family = GaugeMetricFamily(name, documentation, labels=list(labels))
    family.add_metric(list(labels.values()), value)
    return family


def _of_counter(counter: Counter, totals: SampleTotals) -> Metric:
    family = CounterMetricFamily(counter.name, counter.help, labels=list(counter.labels))
    rows = totals.get(counter.name, [])
    if not counter.labels and not rows:
        rows = [({}, 0.0)]
    for labels, value in rows:
        family.add_metric([labels.get(name, "") for name in counter.labels], value)
    return family


def _of_histogram(histogram: Histogram, totals: SampleTotals) -> Metric:
    """A histogram for Prometheus, whose buckets also include the counts of all lower buckets."""
    stored = {labels["le"]: n for labels, n in totals.get(f"{histogram.name}_bucket", [])}
    bounds = [*(f"{bound:g}" for bound in histogram.bounds), "+Inf"]
    counts = accumulate(stored.get(bound, 0.0) for bound in bounds)
    [(_, total)] = totals.get(f"{histogram.name}_sum") or [({}, 0.0)]
    family = HistogramMetricFamily(histogram.name, histogram.help)
    family.add_metric([], list(zip(bounds, counts, strict=True)), total)
    return family
