"""The sandbox of this process, and what may be asked of a plugin outside of scoring."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, cast

from django.conf import settings

from leaderboard.sandbox import (
    ConfigCheck,
    IsolationReport,
    Outcome,
    PluginDescription,
    Request,
    Sandbox,
    SandboxError,
    SandboxSettings,
)
from leaderboard.sandbox.contract import Isolation
from leaderboard.services.refused import Refused

_lock = threading.Lock()
_sandboxes: dict[str, Sandbox] = {}


def sandbox(purpose: str = "scoring") -> Sandbox:
    """The sandbox of this process for a purpose; its zygote starts with the first call.

    Scoring has one of its own, so that a question about a plugin never waits for a slow scorer.
    """
    with _lock:
        if purpose not in _sandboxes:
            _sandboxes[purpose] = Sandbox(
                SandboxSettings(
                    packages=tuple(settings.SCORER_PACKAGES),
                    path=tuple(map(str, settings.SCORER_PATH)),
                    isolation=cast("Isolation", settings.SCORER_ISOLATION),
                )
            )
        return _sandboxes[purpose]


def close_sandboxes() -> None:
    """End the zygotes, at the end of the process or after settings have changed."""
    with _lock:
        for each in _sandboxes.values():
            each.close()
        _sandboxes.clear()


def describe(entrypoint: str) -> PluginDescription:
    """What a scorer's file says of itself now: its doc, its config schema."""
    return _asking().describe(entrypoint)


def check_config(entrypoint: str, config: dict[str, Any]) -> ConfigCheck:
    return _asking().check_config(entrypoint, config)


def discover() -> list[PluginDescription]:
    """Every scorer that may be named here; a broken one comes with its error."""
    return _asking().discover()


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
    """Run a scorer on given metrics, storing nothing: what a worker would do. Raises Refused."""
    request = Request(metrics=dict(metrics), ctx=dict(ctx))
    try:
        (outcome,) = sandbox("trying").score(
            entrypoint, config, [request], timeout_ms=timeout_ms, fresh=True
        )
    except SandboxError:
        raise unavailable() from None
    return outcome


def unavailable() -> Refused:
    """What is said when the sandbox itself cannot work here. The log and `/readyz` say why."""
    text = "Scorers cannot be asked on this server at the moment."
    return Refused("unavailable", text, {"scoring_entrypoint": [text]})


def _asking() -> Sandbox:
    return sandbox("asking")
