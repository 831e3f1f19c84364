"""Prepare the scripts among a challenge's metrics before they are needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.languages.translation import translated
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.schemas.metrics import MetricSpec
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.scripts.preparations import PreparationProgress, PreparationState
from leaderboard.services.scripts.prepare import (
    ScriptRefused,
    begin_preparing,
    check_script,
    find_prepared,
    key_of,
    prepare_script,
    progress_of,
    why_unavailable,
)

__all__ = ["PreparationProgress", "PreparationState", "progress_of"]

MAX_MESSAGES = 4000
MAX_NAMED = 12


class MetricScript(NamedTuple):
    """The script of a metric. `at` is the field that has its text."""

    at: str
    name: str
    text: str


class Watched(NamedTuple):
    """A script that is being prepared, or is ready, with its progress."""

    key: str
    name: str
    progress: PreparationProgress


class Installed(NamedTuple):
    """The packages installed for a script: `summary` in a line, `messages` all messages of uv.

    With an empty summary, the script is not prepared on this server; `messages` is then the reason
    why no script can be prepared here, if there is one.
    """

    name: str
    summary: str
    messages: str


def scripts_of(specs: Iterable[MetricSpec]) -> list[MetricScript]:
    return [
        MetricScript(f"metrics.{index}.kwargs.script", spec.name, spec.script)
        for index, spec in enumerate(specs)
        if spec.type == SCRIPT
    ]


def prepare_scripts(specs: Iterable[MetricSpec], tell: Callable[[str], object]) -> None:
    """Prepare all scripts; calls `tell` with the metric's name before one that takes seconds.

    Raises ServiceError with the field.
    """
    for script in scripts_of(specs):
        try:
            check_script(script.text)
            if not find_prepared(script.text):
                tell(script.name)
            prepare_script(script.text)
        except ScriptRefused as error:
            raise _refused(script.at, error) from None


def begin_scripts(specs: Iterable[MetricSpec]) -> list[Watched]:
    """Start to prepare the scripts in the background; returns all scripts, [] if all are ready.

    Checks every script before the first one is started. Raises ServiceError with the field.
    """
    scripts = scripts_of(specs)
    for begin in (check_script, begin_preparing):
        for script in scripts:
            try:
                begin(script.text)
            except ScriptRefused as error:
                raise _refused(script.at, error) from None
    return _waiting(scripts)


def watch_scripts(specs: Iterable[MetricSpec]) -> list[Watched]:
    """All scripts with their progress, [] if all are ready. Restarts abandoned preparations.

    Raises ServiceError, with the field and uv's messages, if a script cannot be prepared.
    """
    scripts = scripts_of(specs)
    for script in scripts:
        progress = progress_of(key_of(script.text))
        if progress.refusal:
            raise _refused(script.at, ScriptRefused(*progress.refusal))
    return begin_scripts(specs)


def installed_for(specs: Iterable[MetricSpec]) -> list[Installed]:
    """What is installed on this server for the scripts among some metrics."""
    scripts = [(script.name, find_prepared(script.text)) for script in scripts_of(specs)]
    return [
        Installed(name, summary(prepared.messages), prepared.messages)
        if prepared
        else Installed(name, "", translated(why_unavailable()))
        for name, prepared in scripts
    ]


def _waiting(scripts: Iterable[MetricScript]) -> list[Watched]:
    watched = [
        Watched(key, script.name, progress_of(key))
        for script in scripts
        for key in [key_of(script.text)]
    ]
    return (
        watched
        if any(script_watched.progress.state != "ready" for script_watched in watched)
        else []
    )


def _refused(at: str, error: ScriptRefused) -> ServiceError:
    text, detail = translated(error.message), error.detail.strip()
    return invalid(at, (f"{text}\n{detail}" if detail else text)[:MAX_MESSAGES])


def summary(messages: str) -> str:
    """uv's messages in one line, such as `Resolved 1 package, installed numpy==2.3.4`."""
    resolved = re.search(r"^Resolved \d+ packages?", messages, re.MULTILINE)
    packages = re.findall(r"^ \+ (\S+)", messages, re.MULTILINE)
    if not resolved or not packages:
        return messages.strip().partition("\n")[0] or _("It needs no packages")
    named = ", ".join(packages[:MAX_NAMED])
    more = len(packages) - MAX_NAMED
    if more > 0:
        return _("{resolved}, installed {packages} and {count} more").format(
            resolved=resolved[0], packages=named, count=more
        )
    return _("{resolved}, installed {packages}").format(resolved=resolved[0], packages=named)
