"""Questions that a fresh child answers once. `Sandbox` is made of this."""

import marshal
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, TypeVar

from leaderboard.rules.entrypoints import InvalidEntrypoint, check_entrypoint
from leaderboard.rules.plugin_kinds import is_in_folder_of_others
from leaderboard.rules.texts import spoken
from leaderboard.sandbox.contract import (
    ConfigCheck,
    Failure,
    PluginDescription,
    SandboxSettings,
)
from leaderboard.sandbox.host import descriptions, outcomes
from leaderboard.sandbox.host.installed import installed_entrypoints
from leaderboard.sandbox.host.models import PARAMETER, UnknownModel, with_model
from leaderboard.sandbox.host.outcomes import NoAnswer
from leaderboard.sandbox.host.pipes import Child, Gone, Late, ZygoteDied
from leaderboard.sandbox.host.zygote import LEASE_MS

if TYPE_CHECKING:
    from leaderboard.rules.intervals import Estimate

ASK_SECONDS = 10.0
"""How long a plugin may take to describe itself or to check a config."""

TRIES = 2
_SPARE_CPU_SECONDS = 2

Job = dict[str, Any]
Answer = TypeVar("Answer")


class Asking(ABC):
    """All requests to a plugin outside of scoring, and the runs of metric scripts."""

    settings: SandboxSettings

    def describe(self, entrypoint: str) -> PluginDescription:
        """A scorer's description: its doc, the schema of its config."""
        try:
            job = self._job("describe", entrypoint)
        except InvalidEntrypoint as error:
            return PluginDescription(entrypoint, error=Failure("load_error", str(error)))
        return self._describe(job, job["entrypoint"])[0]

    def check_config(
        self, entrypoint: str, config: dict[str, Any], *, kind: str = "scorer"
    ) -> ConfigCheck:
        """Ask a plugin whether it accepts a config: errors by field, defaults filled in."""
        try:
            job = self._job("check_config", entrypoint, kind=kind)
        except InvalidEntrypoint as error:
            return ConfigCheck({}, config, Failure("load_error", str(error)))
        given, wrong = config, dict[str, list[str]]()
        if kind == "text_metric":
            given, wrong = self._with_model(config)
        job["config"] = given
        answer = self._ask(job, lambda said: descriptions.config_check(said, given))
        if isinstance(answer, Failure):
            return ConfigCheck({}, config, answer)
        return replace(answer, errors=answer.errors | wrong)

    def _with_model(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
        try:
            return with_model(given, self.settings.models), {}
        except UnknownModel as error:
            return given, {PARAMETER: [str(error)]}

    def discover(
        self, kind: str = "scorer", *, without: Collection[str] = ()
    ) -> list[PluginDescription]:
        """Every plugin of a kind in the packages and of installed entry points, by entry point.

        without: modules that are not looked into. A module that cannot be imported is one
        description with its error, unless it lies in the folder of another kind.
        """
        modules = self._ask(self._job("modules", kind=kind), descriptions.names)
        if isinstance(modules, Failure):
            return [PluginDescription(", ".join(self.settings.packages), error=modules)]
        looking, names = self._job("describe", kind=kind), sorted(installed_entrypoints(kind))
        jobs = [(looking | {"module": name}, name) for name in modules if name not in without]
        jobs += [(self._job("describe", name, kind=kind), name) for name in names]
        described = [each for job, name in jobs for each in self._describe(job, name)]
        by_name = {each.entrypoint: each for each in described if not _is_of_others(each, kind)}
        return [by_name[name] for name in sorted(by_name)]

    def estimate(
        self,
        entrypoint: str,
        task_rewards: Sequence[Sequence[float]],
        *,
        timeout_ms: int,
        k: int | None = None,
        bounds: tuple[float, float] = (-inf, inf),
    ) -> "Estimate | Failure":
        """What a metric makes of rewards, and how sure that is, from a child of its own.

        task_rewards: the finite rewards of each task's samples. k: the number in the metric's
        name (3 for `pass@3`), which its instance gets as its attribute `k`. bounds: the lowest
        and the highest reward that there can be. The limit of time is for all of it, the draws of
        a bootstrap included.
        """
        try:
            rest = {"k": k, "bounds": [end if isfinite(end) else None for end in bounds]}
            job = self._job("estimate", entrypoint, kind="metric") | rest
        except InvalidEntrypoint as error:
            return Failure("load_error", str(error))
        rewards = marshal.dumps([list(map(float, each)) for each in task_rewards])
        return self._ask(job, outcomes.estimated, timeout_ms / 1000, _framed(rewards))

    def run_script(
        self, folder: str, lines: bytes, *, timeout_ms: int
    ) -> dict[str, float | None] | Failure:
        """What a prepared metric script makes of rewards: numbers by name, None: undefined.

        folder: holds `script.py` and its environment `env`; one of `settings.shown` contains it.
        lines: the contents of `rewards.jsonl`.
        """
        filtered = self.settings.isolation != "off"
        job = {"verb": "script", "kind": "script", "folder": folder, "filtered": filtered}
        seconds = timeout_ms / 1000
        return self._ask(job, outcomes.script_answer, seconds, _framed(lines), program=folder)

    # How.

    @abstractmethod
    def _turn(self) -> AbstractContextManager[None]: ...

    @abstractmethod
    def _spawn(
        self,
        job: Job,
        cpu_seconds: int,
        program: str | None = None,
        *,
        lease_ms: int = LEASE_MS,
    ) -> Child: ...

    @abstractmethod
    def _end_zygote(self) -> None: ...

    @abstractmethod
    def _require_isolation(self) -> None: ...

    def _job(self, verb: str, entrypoint: str | None = None, *, kind: str = "scorer") -> Job:
        """A job for a child. Raises InvalidEntrypoint unless that may be loaded."""
        packages, installed = self.settings.packages, installed_entrypoints(kind)
        job = {"verb": verb, "kind": kind, "packages": packages, "installed": sorted(installed)}
        if entrypoint is not None:
            job["entrypoint"] = check_entrypoint(entrypoint, packages, installed)
        return job

    def _ask(
        self,
        job: Job,
        read: Callable[[Any], Answer],
        seconds: float | None = None,
        rest: bytes = b"",
        program: str | None = None,
    ) -> Answer | Failure:
        """One answer from a fresh child, or the Failure instead.

        seconds: ASK_SECONDS if None. rest: the data for the child after its job.
        """
        seconds = ASK_SECONDS if seconds is None else seconds
        with self._turn():
            self._require_isolation()
            for _ in range(TRIES):
                try:
                    child = self._spawn(job, _cpu_seconds(seconds), program)
                    return _answer(child, spoken(job["kind"]), read, seconds, rest)
                except ZygoteDied:
                    self._end_zygote()
        return outcomes.crashed(None, spoken(job["kind"]))

    def _describe(self, job: Job, name: str) -> list[PluginDescription]:
        answer = self._ask(job, descriptions.descriptions)
        return [PluginDescription(name, error=answer)] if isinstance(answer, Failure) else answer


def _is_of_others(found: PluginDescription, kind: str) -> bool:
    """Whether it is a module that cannot be imported and is not known to be of this kind."""
    return ":" not in found.entrypoint and is_in_folder_of_others(found.entrypoint, kind)


def _answer(
    child: Child, kind: str, read: Callable[[Any], Answer], seconds: float, rest: bytes
) -> Answer | Failure:
    try:
        child.send(rest)
        return read(outcomes.parse(child.next_line(seconds)))
    except Late:
        return outcomes.timed_out(int(seconds * 1000), kind)
    except Gone as gone:
        return outcomes.crashed(gone.status, kind)
    except NoAnswer as error:
        return outcomes.spoke_out_of_turn(error, kind)
    finally:
        child.end()


def _framed(payload: bytes) -> bytes:
    return len(payload).to_bytes(4, "little") + payload


def _cpu_seconds(seconds: float) -> int:
    """Threads use several seconds of processor time in one second."""
    return math.ceil(seconds) * (os.cpu_count() or 1) + _SPARE_CPU_SECONDS
