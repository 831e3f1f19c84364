"""`/status/`: how the installation is, in words."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.pages.labels import duration
from leaderboard.services.operations.status import Inside, Status, inside, is_operator, status
from leaderboard.version import VERSION

_HEADINGS = {
    "ok": "Everything works",
    "delayed": "Scoring is delayed",
    "down": "The database does not answer",
}


@dataclass(frozen=True, slots=True)
class StatusLine:
    """One sentence; `is_bad` marks what an operator should look at."""

    text: str
    is_bad: bool = False


@never_cache
@require_safe
def status_page(request: HttpRequest) -> HttpResponse:
    """200, also while scoring is delayed; 503 while nothing can be answered."""
    found = status()
    if found.state == "down":
        # Without the request: who is asking is in the database.
        context = {"heading": _HEADINGS["down"], "state": "down", "lines": [_DOWN]}
        page = render_to_string("pages/status.html", context)
        return HttpResponse(page, status=503, headers={"Retry-After": "10"})
    context = {
        "heading": _HEADINGS[found.state],
        "state": found.state,
        "lines": [_queue(found), _workers(found)],
    }
    if is_operator(request.user):
        more = inside()
        context |= {"inside": _inside(more), "workers": found.workers, "version": VERSION}
    return HttpResponse(render_to_string("pages/status.html", context, request))


_DOWN = StatusLine(
    "Pages and submissions cannot be answered at the moment. What was acknowledged is kept.", True
)


def _queue(found: Status) -> StatusLine:
    waits = found.oldest_waiting_seconds
    if waits is None:
        return StatusLine("No attempt waits to be scored.")
    text = f"The attempt that has waited longest has waited {duration(waits)}."
    return StatusLine(text, found.state == "delayed")


def _workers(found: Status) -> StatusLine:
    seen = found.worker_seen_seconds
    if seen is None:
        return StatusLine("No worker has been seen; attempts wait until one starts.", True)
    if found.works:
        return StatusLine(f"A worker was last seen {duration(seen)} ago.")
    text = f"The last worker was seen {duration(seen)} ago; attempts wait until one starts."
    return StatusLine(text, True)


def _inside(found: Inside) -> list[StatusLine]:
    free = f"{found.disk.share_free:.0%} of the disk of the data folder is free."
    broker = {
        None: StatusLine("The broker is in the memory of this process."),
        True: StatusLine("The broker answers."),
        False: StatusLine(
            "The broker does not answer; workers look for attempts themselves.", True
        ),
    }[found.broker]
    return [broker, StatusLine(free, found.disk.is_low)]
