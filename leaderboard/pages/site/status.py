"""`/status/`: the state of the installation as text."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.languages.translation import number_text
from leaderboard.models.blocked_board import LockHolder
from leaderboard.operating.outages import LOCKED
from leaderboard.pages.labels.row_labels import duration
from leaderboard.services.operations.status import Inside, Status, inside, is_operator, status
from leaderboard.version import VERSION

_HEADINGS = {
    "ok": gettext_lazy("Everything works"),
    "delayed": gettext_lazy("Scoring is delayed"),
    "full": gettext_lazy("Submissions may not be accepted"),
    "down": gettext_lazy("The database does not answer"),
}


@dataclass(frozen=True, slots=True)
class StatusLine:
    """One sentence; `is_bad` marks problems that an operator should examine."""

    text: str
    is_bad: bool = False


@never_cache
@require_safe
def status_page(request: HttpRequest) -> HttpResponse:
    """Answer 200, also while scoring is delayed; 503 while the database does not answer."""
    current = status()
    if current.state == "down":
        # Without the request, because reading its user needs the database.
        context = {"heading": _HEADINGS["down"], "state": "down", "lines": [_down()]}
        page = render_to_string("pages/status.html", context)
        return HttpResponse(page, status=503, headers={"Retry-After": "10"})
    context = {
        "heading": _HEADINGS[_heading(current)],
        "state": current.state,
        "lines": [*_space(current), _queue(current), _workers(current)],
    }
    if is_operator(request.user):
        more = inside()
        lines = [*_inside(more), *_blocked(current), *_failing(current)]
        context |= {"inside": lines, "workers": current.workers, "version": VERSION}
    return HttpResponse(render_to_string("pages/status.html", context, request))


def _heading(current: Status) -> str:
    return "full" if current.disk_is_full and current.state == "ok" else current.state


def _down() -> StatusLine:
    return StatusLine(
        _("Pages and submissions cannot be answered at the moment. What was acknowledged is kept."),
        True,
    )


def _space(current: Status) -> list[StatusLine]:
    """The sentence about a full disk. Visitors see it, so it names no folders and no sizes."""
    if not current.disk_is_full:
        return []
    text = _("The server has no space left, so submissions may not be accepted. Nothing is lost.")
    return [StatusLine(text, True)]


def _queue(current: Status) -> StatusLine:
    waits = current.oldest_waiting_seconds
    if waits is None:
        return StatusLine(_("No attempt waits to be scored."))
    text = _("The attempt that has waited longest has waited {duration}.").format(
        duration=duration(waits)
    )
    return StatusLine(text, current.state == "delayed")


def _workers(current: Status) -> StatusLine:
    seconds = current.worker_seen_seconds
    if seconds is None:
        return StatusLine(_("No worker has been seen; attempts wait until one starts."), True)
    if current.works:
        return StatusLine(
            _("A worker was last seen {duration} ago.").format(duration=duration(seconds))
        )
    text = _("The last worker was seen {duration} ago; attempts wait until one starts.").format(
        duration=duration(seconds)
    )
    return StatusLine(text, True)


def _blocked(current: Status) -> list[StatusLine]:
    """The challenges whose results cannot be saved, each with the sessions that lock it."""
    error = _("Results of {challenge} ({tenant}) cannot be saved since {since}: error {code}.")
    locked = _(
        "Results of {challenge} ({tenant}) cannot be saved since {since}: another session of the "
        "database holds a lock. {holders}"
    )
    return [
        StatusLine(
            (locked if blocked_board.code == LOCKED else error).format(
                challenge=blocked_board.challenge,
                tenant=blocked_board.tenant,
                since=f"{blocked_board.since:%Y-%m-%d %H:%M:%S} UTC",
                code=blocked_board.code,
                holders=" ".join(map(_holder, blocked_board.holders)),
            ),
            is_bad=True,
        )
        for blocked_board in current.blocked
    ]


def _holder(holder: LockHolder) -> str:
    """A session that holds a lock, as `pg_stat_activity` shows it."""
    parts = [holder["application"], holder["client"], holder["state"], holder["since"] or ""]
    return _("Process {pid} of user {user} ({details}).").format(
        pid=holder["pid"], user=holder["user"], details=", ".join(filter(None, parts))
    )


def _failing(current: Status) -> list[StatusLine]:
    """The parts of the sweep that fail again and again on a worker that is alive."""
    text = _("{part} fails again and again on {host}: {error}. The log has the details.")
    return [
        StatusLine(
            text.format(part=failure["part"], host=worker.host, error=failure["error"]), is_bad=True
        )
        for worker in current.workers
        for failure in worker.failing
        if worker.is_alive
    ]


def _inside(internals: Inside) -> list[StatusLine]:
    free = _("{share} of the disk of the data folder is free.").format(
        share=number_text(f"{internals.disk.share_free:.0%}")
    )
    broker = {
        None: StatusLine(_("The broker is in the memory of this process.")),
        True: StatusLine(_("The broker answers.")),
        False: StatusLine(
            _("The broker does not answer; workers look for attempts themselves."), True
        ),
    }[internals.broker]
    return [broker, StatusLine(free, internals.disk.is_low)]
