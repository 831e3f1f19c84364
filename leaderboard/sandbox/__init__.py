"""Runs plugin code in a child process that has nothing to steal and nothing to break.

A worker process owns a `Sandbox` for each purpose. That starts a *zygote*, forked of a clean
interpreter without Django and without secrets, the *stem*. It forks a child per request (or per
batch); the child takes its rights off, then imports the plugin and answers over its own pipes.
`python -m leaderboard.sandbox` is the same from the command line. Nothing here imports a framework.
"""

from leaderboard.sandbox.contract import (
    ConfigCheck,
    Evaluated,
    Failure,
    IsolationMissing,
    IsolationReport,
    Limits,
    Outcome,
    PluginDescription,
    Request,
    SandboxError,
    SandboxSettings,
    ThreatReport,
    text_settings,
)
from leaderboard.sandbox.plugins import installed_entrypoints
from leaderboard.sandbox.sandbox import Sandbox

__all__ = [
    "ConfigCheck",
    "Evaluated",
    "Failure",
    "IsolationMissing",
    "IsolationReport",
    "Limits",
    "Outcome",
    "PluginDescription",
    "Request",
    "Sandbox",
    "SandboxError",
    "SandboxSettings",
    "ThreatReport",
    "installed_entrypoints",
    "text_settings",
]
