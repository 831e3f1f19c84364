"""For load balancers and operators: plain views, which ask nobody who they are."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.services.health import Health, health
from leaderboard.services.isolation import WorkerReport


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers; nothing else is asked."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when requests can be served, else 503, and why."""
    found = health()
    return JsonResponse(health_json(found), status=200 if found.is_ready else 503)


def health_json(found: Health) -> dict[str, Any]:
    return {
        "status": "ready" if found.is_ready else "not ready",
        "database": "ok" if found.database else "does not answer",
        "migrations": {"pending": found.pending_migrations},
        "oldest_waiting_seconds": found.oldest_waiting_seconds,
        "isolation": _isolation(found.isolation),
    }


def _isolation(reports: list[WorkerReport]) -> dict[str, Any]:
    """`complete` is null while no worker has told what it found."""
    complete = all(each.report.complete for each in reports) if reports else None
    return {"complete": complete, "workers": [_worker(each) for each in reports]}


def _worker(found: WorkerReport) -> dict[str, Any]:
    """What one worker's sandbox was seen to stop. Its host's name is nobody's business."""
    report = found.report
    return {
        "at": found.at.isoformat(),
        "isolation": report.isolation,
        "complete": report.complete,
        "layers": list(report.layers),
        "missing": list(report.missing),
        "threats": [
            {
                "name": threat.name,
                "enforced": threat.enforced,
                "by": list(threat.by),
                "note": threat.note,
            }
            for threat in report.threats
        ],
    }
