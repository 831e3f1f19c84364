"""Runs plugin code in a child process without rights, secrets or network.

A worker process owns a `Sandbox` for each purpose. The *fork server* is a clean interpreter without
Django and without secrets. It forks a *zygote* for each sandbox and each set of plugin files that
children may see. The zygote forks a child for each request (or batch). The child drops its rights,
then imports the plugin, then answers over its own pipes.

`contract.py` has the values and `jobs.py` the JSON messages that cross the boundary; host, server
and child import both. `host/` runs in the worker, `server/` in the fork server and the zygotes,
`child/` in the children. The host imports neither of the others, and neither of them imports the
host; `fork_server.py` is the program that joins server and child.
`python -m leaderboard.sandbox` runs a plugin from the command line. No module here imports a
framework.
"""

from leaderboard.sandbox.contract import (
    CommandResult,
    ConfigCheck,
    Evaluated,
    Failure,
    HostOverfull,
    IsolationMissing,
    IsolationReport,
    Limits,
    Outcome,
    PluginDescription,
    Request,
    SandboxError,
    SandboxSettings,
    ThreatReport,
    prediction_settings,
    script_settings,
    table_settings,
    text_settings,
)
from leaderboard.sandbox.host.installed import installed_entrypoints
from leaderboard.sandbox.host.sandbox import Sandbox

__all__ = [
    "CommandResult",
    "ConfigCheck",
    "Evaluated",
    "Failure",
    "HostOverfull",
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
    "prediction_settings",
    "script_settings",
    "table_settings",
    "text_settings",
]
