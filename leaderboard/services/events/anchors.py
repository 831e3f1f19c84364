"""Publishes the ends of all logs once a day, so that copies elsewhere can prove them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from leaderboard.models import EventLog, LogAnchor
from leaderboard.models.clock import moment, now_sql
from leaderboard.models.prepared import rows_of
from leaderboard.rules.event_chain import leaf
from leaderboard.services.events.verifying import root_of

OVERLAP: Final = timedelta(hours=1)
"""The longest time from the time of an event to the commit that saves it."""

_done: set[date] = set()
"""The last day whose anchor this process knows of, so that sweeps need no statement for it."""


def publish_anchor() -> bool:
    """Store the anchor of today, if there is none yet; returns whether this call did."""
    now = moment(rows_of(f"SELECT {now_sql().replace('%%', '%')}", [])[0][0])
    day = now.date()
    if day in _done:
        return False
    last = LogAnchor.objects.order_by("-day").first()
    is_new = last is None or last.day < day
    if is_new:
        logs = EventLog.objects.filter(seq__gt=0)
        grown = logs.filter(at__gt=last.at - OVERLAP) if last else logs
        ends = {str(log.pk): (log.seq, bytes(log.link)) for log in grown.order_by("pk")}
        leaves = sorted(leaf(pk, seq, link) for pk, (seq, link) in ends.items())
        heads = {pk: seq for pk, (seq, _) in ends.items()}
        fields = {"at": now, "heads": heads, "leaves": leaves, "root": root_of(leaves)}
        _, is_new = LogAnchor.objects.get_or_create(day=day, defaults=fields)
    _done.clear()
    _done.add(day)
    return is_new
