"""The zygotes of one sandbox, one for each view of the plugins."""

from __future__ import annotations

from typing import Any

from leaderboard.sandbox.contract import SandboxSettings
from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.host.views import View, Views
from leaderboard.sandbox.host.zygote import ZygoteClient

AT_MOST = 4
"""How many are kept. Each holds some pages of its own; the rest is its fork server's."""


class Zygotes:
    """Keeps those that were used last. `current` is the one of the last child, None if it ended."""

    def __init__(self, settings: SandboxSettings) -> None:
        self._settings = settings
        self._views = Views(settings.packages, settings.path, settings.owners, PROJECT)
        self._kept: dict[View, ZygoteClient] = {}
        self.current: ZygoteClient | None = None

    def for_job(self, job: dict[str, Any]) -> ZygoteClient:
        """The zygote whose children see what this job needs; started if there is none."""
        view = self._view_for(job)
        zygote = self._kept.pop(view, None)
        if zygote is None:
            while len(self._kept) >= AT_MOST:
                self._kept.pop(next(iter(self._kept))).close()
            zygote = ZygoteClient(self._settings, view)
        self._kept[view] = self.current = zygote
        return zygote

    def _view_for(self, job: dict[str, Any]) -> View:
        if job["verb"] == "modules":
            return self._views.whole()
        module = job.get("entrypoint") or job.get("module")
        return self._views.of(module.partition(":")[0]) if module else View()

    def end_current(self) -> None:
        """End the zygote of the last child, with the child."""
        zygote, self.current = self.current, None
        if zygote is not None:
            self._kept = {view: kept for view, kept in self._kept.items() if kept is not zygote}
            zygote.close()

    def close(self) -> None:
        for zygote in self._kept.values():
            zygote.close()
        self._kept, self.current = {}, None

    def forget(self) -> None:
        """Let go of those that belong to the process this one was forked from."""
        for zygote in self._kept.values():
            zygote.forget()
        self._kept, self.current = {}, None
