"""The sandbox of this process, and what may be asked of a plugin outside of scoring."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.conf import settings

from leaderboard.sandbox import (
    ConfigCheck,
    IsolationReport,
    Outcome,
    PluginDescription,
    Request,
    Sandbox,
    SandboxSettings,
)

_lock = threading.Lock()
_sandbox: Sandbox | None = None


def sandbox() -> Sandbox:
    """The one sandbox of this process; its zygote starts with the first call that needs it."""
    global _sandbox
    with _lock:
        if _sandbox is None:
            _sandbox = Sandbox(
                SandboxSettings(
                    packages=tuple(settings.SCORER_PACKAGES),
                    path=tuple(settings.SCORER_PATH),
                    isolation=settings.SCORER_ISOLATION,
                )
            )
        return _sandbox


def close_sandbox() -> None:
    """End the zygote, at the end of the process or after settings have changed."""
    global _sandbox
    with _lock:
        if _sandbox is not None:
            _sandbox.close()
        _sandbox = None
        describe.cache_clear()


@lru_cache(maxsize=256)
def describe(entrypoint: str) -> PluginDescription:
    """What a scorer says of itself: its doc, its config schema. Asked once per process."""
    return sandbox().describe(entrypoint)


def check_config(entrypoint: str, config: dict[str, Any]) -> ConfigCheck:
    return sandbox().check_config(entrypoint, config)


def discover() -> list[PluginDescription]:
    """Every scorer that may be named here; a broken one comes with its error."""
    return sandbox().discover()


def isolation_report() -> IsolationReport:
    """What the isolation enforces on this host, found out by attacking it once per process."""
    return sandbox().report()


def try_scorer(
    *,
    entrypoint: str,
    config: dict[str, Any],
    metrics: Mapping[str, Any],
    ctx: Mapping[str, Any],
    timeout_ms: int,
) -> Outcome:
    """Run a scorer on given metrics, storing nothing: what a worker would do."""
    request = Request(metrics=dict(metrics), ctx=dict(ctx))
    (outcome,) = sandbox().score(entrypoint, config, [request], timeout_ms=timeout_ms, fresh=True)
    return outcome
