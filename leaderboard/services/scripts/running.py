"""Run prepared metric scripts in the sandbox, which needs neither uv nor a network."""

from __future__ import annotations

import json
import logging

from django.core.cache import cache

from leaderboard.rules.rewards.metric_inputs import ScriptInput
from leaderboard.rules.rewards.reductions import MetricFailed, Script
from leaderboard.rules.texts.messages import message
from leaderboard.sandbox import Failure, SandboxError
from leaderboard.schemas.metrics import MetricSpec
from leaderboard.services.plugins import sandboxes
from leaderboard.services.scripts.prepare import (
    Prepared,
    ScriptRefused,
    key_of,
    prepare_script,
    require_turned_on,
)

RUN_TIMEOUT_MS = 60_000
FAILURE_KEPT_SECONDS = 60

_AWAY = message("Metric scripts cannot be run on this server at the moment.")

log = logging.getLogger(__name__)


class ScriptFailed(MetricFailed):
    """A run without an answer. `detail` has the end of the script's output, for the organiser."""

    def __init__(self, code: str, message: str, detail: str = "") -> None:
        super().__init__(code, message)
        self.detail = detail


def run_script(
    prepared: Prepared, lines: ScriptInput, timeout_ms: int = RUN_TIMEOUT_MS
) -> dict[str, float | None]:
    """Run a script on rewards; returns numbers by key, None: undefined. Raises ScriptFailed."""
    rows = "".join(json.dumps(row) + "\n" for row in lines.rows)
    try:
        result = sandboxes.run_script(prepared.folder, rows.encode(), timeout_ms=timeout_ms)
    except SandboxError as error:
        raise ScriptFailed("load_error", _AWAY, str(error)) from None
    if isinstance(result, Failure):
        raise ScriptFailed(result.code, result.message, result.detail)
    return result


def script_of(spec: MetricSpec) -> Script:
    """The script of a spec as a function; prepares it first if needed.

    Raises ScriptRefused. A script that could not be prepared is tried again after a minute, and by
    hosts with another Python at once.
    """
    prepared = _prepared_lately(spec.script)

    def script(lines: ScriptInput) -> dict[str, float | None]:
        try:
            return run_script(prepared, lines)
        except ScriptFailed as error:
            log.warning("The script %s failed: %s %s", spec.name, error, error.detail)
            raise

    return script


def _prepared_lately(text: str) -> Prepared:
    require_turned_on()
    key = f"script-refused:{key_of(text)}"
    refused: tuple[str, str] | None = cache.get(key)
    if refused is not None:
        raise ScriptRefused(*refused)
    try:
        return prepare_script(text)
    except ScriptRefused as error:
        log.warning("A script cannot be prepared: %s %s", error, error.detail)
        cache.set(key, (error.code, error.message), FAILURE_KEPT_SECONDS)
        raise
