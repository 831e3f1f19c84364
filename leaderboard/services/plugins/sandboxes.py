"""The sandboxes of this process, and requests to plugins other than scoring attempts."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from leaderboard.rules.json.untyped_dicts import PluginSettings
from leaderboard.rules.rewards.intervals import UNBOUNDED, Estimate, Interval
from leaderboard.sandbox import (
    ConfigCheck,
    Evaluated,
    Failure,
    IsolationReport,
    Outcome,
    PluginDescription,
    Request,
    Sandbox,
    SandboxError,
    SandboxSettings,
    prediction_settings,
    script_settings,
    table_settings,
    text_settings,
)
from leaderboard.sandbox.contract import InstanceTuple
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.idle import end_when_idle

_lock = threading.Lock()
_sandboxes: dict[str, Sandbox] = {}
_slot = threading.local()

IDLE_SECONDS = 300.0
"""How long a sandbox is kept that nobody uses. Its next use starts it again, in half a second."""
OF_A_SLOT = ("scoring", "measuring", "scripts", "predictions")
"""The purposes for which each slot has its own sandbox: scoring attempts without instances."""


def sandbox(purpose: str = "scoring") -> Sandbox:
    """The sandbox of this process for a purpose; its zygote starts with the first call.

    Scoring has its own sandbox, so that a question about a plugin never waits for a slow scorer.
    """
    number = getattr(_slot, "number", 0)
    if number and purpose in OF_A_SLOT:
        purpose = f"{purpose}-{number}"
    with _lock:
        if purpose not in _sandboxes:
            end_when_idle(_sandboxes, IDLE_SECONDS)
            _sandboxes[purpose] = Sandbox(_settings_for(purpose.partition("-")[0]))
        return _sandboxes[purpose]


def use_slot(number: int) -> None:
    """Give this thread its own sandboxes for scoring. number: 0 for those of the process.

    Threads that score at the same time then do not wait for one another's scorers.
    """
    _slot.number = number


def text_sandboxes(count: int) -> list[Sandbox]:
    """Sandboxes for text metrics that compute in parallel, each for one thread at a time."""
    return [sandbox(f"text-{number}") for number in range(count)]


def _settings_for(purpose: str) -> SandboxSettings:
    plain = SandboxSettings(
        packages=tuple(settings.SCORER_PACKAGES),
        path=tuple(map(str, settings.SCORER_PATH)),
        isolation=settings.SCORER_ISOLATION,
        work=str(settings.SCORER_WORK),
        owners=settings.SCORER_TENANTS,
        uploads=str(uploads_path()),
    )
    # With the models that parameters of text metrics may name.
    with_models = replace(plain, models=tuple(map(str, settings.MODEL_PATH)))
    match purpose:
        case "scripts":
            return script_settings(plain, str(scripts_folder()))
        case "text":
            return text_settings(with_models)
        case "asking":
            return with_models
        case "predictions":
            return prediction_settings(plain)
        case "reading":
            return table_settings(plain)
    return plain


def scripts_folder() -> Path:
    """The folder of prepared metric scripts, created if it is missing.

    The user that runs scripts may read it.
    """
    folder = Path(settings.DATA_DIR, "scripts")
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    return folder


def uploads_path() -> Path:
    """The folder of the plugins that challenges have of their own, which may not exist yet."""
    return Path(settings.DATA_DIR, "plugins")


def uploads_folder() -> Path:
    """The same folder, created if it is missing. Others may pass it, but not list it."""
    folder = uploads_path()
    folder.mkdir(exist_ok=True)
    folder.chmod(0o711)
    return folder


def close_sandboxes() -> None:
    """End the zygotes: when the process ends, or after a change of settings."""
    with _lock:
        for open_sandbox in _sandboxes.values():
            open_sandbox.close()
        _sandboxes.clear()


def describe(entrypoint: str) -> PluginDescription:
    """The description of a scorer from its current file, or its error."""
    return _asking().describe(entrypoint)


def check_config(entrypoint: str, config: PluginSettings) -> ConfigCheck:
    return _asking().check_config(entrypoint, config)


def discover() -> list[PluginDescription]:
    """Every scorer that challenges may name here; a broken one has its error."""
    return _asking().discover()


def discover_text_metrics() -> list[PluginDescription]:
    """Every text metric of the packages and entry points; a broken one has its error."""
    return _asking().discover("text_metric")


def check_parameters(entrypoint: str, parameters: PluginSettings) -> ConfigCheck:
    """Ask a text metric whether it accepts parameters."""
    return _asking().check_config(entrypoint, parameters, kind="text_metric")


def discover_metrics(*, without: Collection[str]) -> list[PluginDescription]:
    """Every metric of the packages and entry points. without: modules to skip."""
    return _asking().discover("metric", without=without)


def estimate(
    entrypoint: str,
    task_rewards: Sequence[Sequence[float]],
    *,
    timeout_ms: int,
    k: int | None,
    bounds: Interval = UNBOUNDED,
    clusters: Sequence[int] = (),
) -> Estimate | Failure:
    """Run a plugin's metric on rewards, in its own sandbox so that it never waits for a scorer.

    Raises SandboxError.
    """
    asked = sandbox("measuring")
    return asked.estimate(
        entrypoint, task_rewards, timeout_ms=timeout_ms, k=k, bounds=bounds, clusters=clusters
    )


def run_script(folder: Path, lines: bytes, *, timeout_ms: int) -> dict[str, float | None] | Failure:
    """Run a prepared metric script on lines of rewards; returns its numbers by name (None:
    undefined). Raises SandboxError.
    """
    return sandbox("scripts").run_script(str(folder), lines, timeout_ms=timeout_ms)


def programs_sandbox() -> Sandbox:
    """The sandbox for programs of challenges; several threads may run programs at a time."""
    return sandbox("programs")


def isolation_report() -> IsolationReport:
    """What the isolation enforces on this host, as real attacks show; cached in the process."""
    return sandbox().report()


def try_scorer(
    *,
    entrypoint: str,
    config: PluginSettings,
    metrics: Mapping[str, object],
    ctx: Mapping[str, object],
    timeout_ms: int,
) -> Outcome:
    """Run a scorer on given metrics, as a worker would, and store nothing. Raises ServiceError."""
    request = Request(metrics=dict(metrics), ctx=dict(ctx))
    try:
        (outcome,) = sandbox("trying").score(
            entrypoint, config, [request], timeout_ms=timeout_ms, fresh=True
        )
    except SandboxError:
        raise unavailable() from None
    return outcome


def try_text_metric(
    entrypoint: str, instance: InstanceTuple, parameters: PluginSettings, *, timeout_ms: int
) -> Evaluated | Failure:
    """Run a text metric on one instance, and store nothing. Raises SandboxError.

    A metric that combines blocks computes its score from all blocks, here from this one.
    """
    with sandbox("text-trying").evaluating(entrypoint, parameters) as client:
        evaluated = client.evaluate([instance], timeout_ms=timeout_ms)
        if isinstance(evaluated, Failure) or evaluated.statistics is None:
            return evaluated
        combined = client.combine([evaluated.statistics], timeout_ms=timeout_ms)
    if isinstance(combined, Failure):
        return combined
    return evaluated._replace(score=evaluated.score | combined)


def unavailable() -> ServiceError:
    """The error for a sandbox that cannot work on this host. The log and `/readyz` say why."""
    text = _("Scorers cannot be asked on this server at the moment.")
    return ServiceError("unavailable", text, {"scoring_entrypoint": [text]})


def _asking() -> Sandbox:
    return sandbox("asking")
