"""The zygotes of one sandbox, one for each view of the plugins."""

from __future__ import annotations

from leaderboard.sandbox.contract import SandboxSettings
from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.host.views import View, Views
from leaderboard.sandbox.host.zygote import ZygoteClient
from leaderboard.sandbox.jobs import Job

AT_MOST = 4
"""How many zygotes are kept. Each has few memory pages of its own and shares the others with its
fork server."""


class Zygotes:
    """Keeps the last zygotes that were used.

    `current` is the zygote of the last child, None if it has ended.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        self._settings = settings
        self._views = Views(
            settings.packages, settings.path, settings.owners, PROJECT, settings.uploads
        )
        self._kept: dict[View, ZygoteClient] = {}
        self.current: ZygoteClient | None = None

    def for_job(self, job: Job) -> ZygoteClient:
        """The zygote whose children see what this job needs; starts it if there is none."""
        view = self._view_for(job)
        zygote = self._kept.pop(view, None)
        if zygote is None:
            while len(self._kept) >= AT_MOST:
                self._kept.pop(next(iter(self._kept))).close()
            zygote = ZygoteClient(self._settings, view)
        self._kept[view] = self.current = zygote
        return zygote

    def _view_for(self, job: Job) -> View:
        if job["verb"] == "modules":
            return self._views.whole()
        if job["verb"] == "script" or job["verb"] == "table":
            return View()
        if job["verb"] == "describe" and "module" in job:
            return self._views.of(job["module"])
        return self._views.of(job["entrypoint"].partition(":")[0])

    def end_current(self) -> None:
        """End the zygote of the last child, and the child with it."""
        zygote, self.current = self.current, None
        if zygote is not None:
            self._kept = {view: kept for view, kept in self._kept.items() if kept is not zygote}
            zygote.close()

    @property
    def has_any(self) -> bool:
        return bool(self._kept)

    def close(self) -> None:
        for zygote in self._kept.values():
            zygote.close()
        self._kept, self.current = {}, None

    def forget(self) -> None:
        """Drop zygotes that belong to the process this one was forked from."""
        for zygote in self._kept.values():
            zygote.forget()
        self._kept, self.current = {}, None
