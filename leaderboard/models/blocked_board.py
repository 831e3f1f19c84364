from __future__ import annotations

from datetime import timedelta
from typing import TypedDict

from django.db import models
from django.db.models.functions import Now


class LockHolder(TypedDict):
    """A session of the database that holds a lock. client: its address, "" on the same host.

    since: when its transaction began, ISO 8601. What the server does not tell us is "" or None.
    """

    pid: int
    user: str
    application: str
    client: str
    state: str
    since: str | None


class BlockedBoardQuerySet(models.QuerySet["BlockedBoard"]):
    def current(self) -> BlockedBoardQuerySet:
        """Those whose attempts no worker claims at present."""
        return self.filter(until__gt=Now())

    def ended(self, ago: timedelta) -> BlockedBoardQuerySet:
        return self.filter(until__lt=Now() - ago)


class BlockedBoard(models.Model):
    """A challenge whose results cannot be saved at present; until then, workers leave it aside.

    There is no foreign key, because one would need the row of the challenge, which may be locked.
    code: the SQLSTATE of the error, or the name of its class. holders: the sessions of the database
    that hold the locks, each a `LockHolder`. Deleting rows loses nothing.
    """

    challenge_id = models.UUIDField(primary_key=True)
    since = models.DateTimeField(db_default=Now())
    until = models.DateTimeField()
    code = models.CharField(max_length=40)
    holders = models.JSONField(default=list)

    objects = BlockedBoardQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.challenge_id}: {self.code}"
