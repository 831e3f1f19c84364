"""The scripts among a challenge's metrics: prepared before anything needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from leaderboard.rules.metric_specs import SCRIPT, MetricSpec
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.scripts.preparations import PreparationProgress, State
from leaderboard.services.scripts.prepare import (
    ScriptRefused,
    begin_preparing,
    check_script,
    found_prepared,
    key_of,
    prepare_script,
    progress_of,
    why_unavailable,
)
from leaderboard.services.scripts.uv import summary

__all__ = ["PreparationProgress", "State", "progress_of"]

MAX_SAID = 4000


class MetricScript(NamedTuple):
    """The script of a metric. `at` is the field that its text stands in."""

    at: str
    name: str
    text: str


class Watched(NamedTuple):
    """A script that somebody waits for."""

    key: str
    name: str
    progress: PreparationProgress


class Installed(NamedTuple):
    """What was installed for a script: in a line, and all that uv said.

    Without a summary it is not prepared on this server; then `said` is why it cannot be, if so.
    """

    name: str
    summary: str
    said: str


def scripts_of(specs: Iterable[MetricSpec]) -> list[MetricScript]:
    return [
        MetricScript(f"metrics.{index}.kwargs.script", spec.name, spec.kwargs["script"])
        for index, spec in enumerate(specs)
        if spec.type == SCRIPT
    ]


def prepare_scripts(specs: Iterable[MetricSpec], tell: Callable[[str], object]) -> None:
    """Have the scripts ready; each that is not yet takes seconds, and its metric's name is told.

    Raises ServiceError with the field.
    """
    for script in scripts_of(specs):
        try:
            check_script(script.text)
            if not found_prepared(script.text):
                tell(script.name)
            prepare_script(script.text)
        except ScriptRefused as error:
            raise _refused(script.at, error) from None


def begin_scripts(specs: Iterable[MetricSpec]) -> list[Watched]:
    """Begin to prepare, in the background, the scripts that are not ready; [] if all are.

    Raises ServiceError, with the field and before anything begins, for what can be said at once.
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
    """The scripts that were begun, [] if all are ready; what was abandoned is begun again.

    Raises ServiceError, with the field and what uv said, for one that cannot be prepared.
    """
    scripts = scripts_of(specs)
    for script in scripts:
        found = progress_of(key_of(script.text))
        if found.refusal:
            raise _refused(script.at, ScriptRefused(*found.refusal))
    return begin_scripts(specs)


def installed_for(specs: Iterable[MetricSpec]) -> list[Installed]:
    """What the scripts among some metrics have got on this server."""
    found = [(script.name, found_prepared(script.text)) for script in scripts_of(specs)]
    return [
        Installed(name, summary(prepared.said), prepared.said)
        if prepared
        else Installed(name, "", why_unavailable())
        for name, prepared in found
    ]


def _waiting(scripts: Iterable[MetricScript]) -> list[Watched]:
    watched = [
        Watched(key, script.name, progress_of(key))
        for script in scripts
        for key in [key_of(script.text)]
    ]
    return watched if any(each.progress.state != "ready" for each in watched) else []


def _refused(at: str, error: ScriptRefused) -> ServiceError:
    said = f"\n{error.detail.strip()}" if error.detail.strip() else ""
    return invalid(at, f"{error}{said}"[:MAX_SAID])
