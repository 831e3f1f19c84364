"""Health and status for load balancers and operators; strangers get little more than a word."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from leaderboard.api.errors import RETRY_AFTER
from leaderboard.api.health_shapes import (
    HealthJson,
    InsideJson,
    IsolatedWorkerJson,
    IsolationJson,
    ReadyJson,
    StatusInsideJson,
    StatusJson,
)
from leaderboard.services.operations.health import Health, health, is_ready
from leaderboard.services.operations.status import (
    Inside,
    Status,
    inside,
    is_operator,
    recent_status,
)
from leaderboard.services.plugins.isolation import WorkerReport
from leaderboard.version import VERSION


@csrf_exempt  # so that another method is answered by 405 and not by the page about cookies
@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer that the process runs, without checking anything else."""
    return JsonResponse({"status": "ok"})


@csrf_exempt
@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if requests can be served, else 503; only operators see the reason."""
    ready = is_ready()
    body: ReadyJson | HealthJson = {"status": "ready" if ready else "not ready"}
    if _asked_by_operator(request, ready):
        body = health_json(health())
    return _answered(body, works=ready)


@csrf_exempt
@never_cache
@require_safe
def status_json(request: HttpRequest) -> JsonResponse:
    """The state of the queue and the workers; operators get everything that `/status/` shows.

    The state is that of this second, because requests of monitoring programs are not limited.

    200, also while scoring is delayed; 503 while the database does not answer.
    """
    status = recent_status()
    body: StatusJson | StatusInsideJson = {
        "state": status.state,
        "oldest_waiting_seconds": status.oldest_waiting_seconds,
        "worker_seen_seconds": status.worker_seen_seconds,
    }
    if _asked_by_operator(request, status.database):
        body = {**body, **inside_json(status, inside())}
    return _answered(body, works=status.state != "down")


def _answered(body: ReadyJson | HealthJson | StatusJson, *, works: bool) -> JsonResponse:
    headers = {} if works else {"Retry-After": str(RETRY_AFTER)}
    return JsonResponse(body, status=200 if works else 503, headers=headers)


def inside_json(status: Status, more: Inside) -> InsideJson:
    return {
        "version": VERSION,
        "broker": {None: "in memory", True: "ok", False: "does not answer"}[more.broker],
        "disk": {
            "free_bytes": more.disk.free,
            "total_bytes": more.disk.total,
            "is_low": more.disk.is_low,
            "is_full": status.disk_is_full,
        },
        "blocked": [
            {
                "tenant": blocked_board.tenant,
                "challenge": blocked_board.challenge,
                "since": blocked_board.since.isoformat(),
                "code": blocked_board.code,
                "holders": blocked_board.holders,
            }
            for blocked_board in status.blocked
        ],
        "workers": [
            {
                "host": worker.host,
                "version": worker.version,
                "started_at": worker.started_at.isoformat(),
                "seen_seconds": worker.seen_seconds,
                "is_alive": worker.is_alive,
                "failing": worker.failing,
            }
            for worker in status.workers
        ],
    }


def _asked_by_operator(request: HttpRequest, database: bool) -> bool:
    """Whether an operator asks; sessions can only be read while the database answers."""
    user = request.user if database else None
    return is_operator(user, request.headers.get("Authorization", ""))


def health_json(health: Health) -> HealthJson:
    return {
        "status": "ready" if health.is_ready else "not ready",
        "database": "ok" if health.database else "does not answer",
        "migrations": {"pending": health.pending_migrations},
        "oldest_waiting_seconds": health.oldest_waiting_seconds,
        "isolation": _isolation(health.isolation),
    }


def _isolation(reports: list[WorkerReport]) -> IsolationJson:
    """The isolation of workers; `complete` is null until a worker has reported."""
    complete = all(report.report.complete for report in reports) if reports else None
    return {"complete": complete, "workers": [_worker(report) for report in reports]}


def _worker(worker: WorkerReport) -> IsolatedWorkerJson:
    """The isolation that one worker's sandbox was found to enforce, without its host's name."""
    report = worker.report
    return {
        "at": worker.at.isoformat(),
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
