"""The types of the answers about health and status."""

from __future__ import annotations

from typing import TypedDict

from leaderboard.models.blocked_board import LockHolder
from leaderboard.services.operations.failing_parts import FailingPart


class ReadyJson(TypedDict):
    """What strangers get from `/readyz`."""

    status: str


class ThreatJson(TypedDict):
    """An attack. `enforced`: whether it was stopped; null if it could not be tried."""

    name: str
    enforced: bool | None
    by: list[str]
    note: str


class IsolatedWorkerJson(TypedDict):
    """The isolation of a worker. at: ISO 8601."""

    at: str
    isolation: str
    complete: bool
    layers: list[str]
    missing: list[str]
    threats: list[ThreatJson]


class IsolationJson(TypedDict):
    """The isolation of all workers; `complete` is null until one has reported."""

    complete: bool | None
    workers: list[IsolatedWorkerJson]


class MigrationsJson(TypedDict):
    """The migrations that have not been applied."""

    pending: list[str]


class HealthJson(ReadyJson):
    """What operators get from `/readyz`."""

    database: str
    migrations: MigrationsJson
    oldest_waiting_seconds: float | None
    isolation: IsolationJson


class DiskJson(TypedDict):
    """The disk with the data."""

    free_bytes: int
    total_bytes: int
    is_low: bool
    is_full: bool


class WorkerJson(TypedDict):
    """A worker process. started_at: ISO 8601. failing: the parts of its sweep that fail again and
    again."""

    host: str
    version: str
    started_at: str
    seen_seconds: float
    is_alive: bool
    failing: list[FailingPart]


class BlockedJson(TypedDict):
    """A challenge whose results cannot be saved, and the sessions of the database that hold locks.

    since: ISO 8601. code: the SQLSTATE of the error; 55P03 is a lock that another session holds.
    """

    tenant: str
    challenge: str
    since: str
    code: str
    holders: list[LockHolder]


class InsideJson(TypedDict):
    """What only operators get from `/status.json`."""

    blocked: list[BlockedJson]
    version: str
    broker: str
    disk: DiskJson
    workers: list[WorkerJson]


class StatusJson(TypedDict):
    """What everybody gets from `/status.json`."""

    state: str
    oldest_waiting_seconds: float | None
    worker_seen_seconds: float | None


class StatusInsideJson(StatusJson, InsideJson):
    """What operators get from `/status.json`."""
