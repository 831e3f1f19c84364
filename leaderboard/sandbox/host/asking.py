"""Requests that a fresh child answers once; a base class of `Sandbox`."""

import marshal
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, TypeVar

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.entrypoints import InvalidEntrypoint, check_entrypoint
from leaderboard.rules.plugins.kinds import is_in_folder_of_others
from leaderboard.rules.plugins.own import own_package
from leaderboard.rules.plugins.results import problem_within
from leaderboard.rules.texts.plugin_output import clean_output, spoken
from leaderboard.sandbox.contract import (
    ConfigCheck,
    Failure,
    HostOverfull,
    PluginDescription,
    SandboxSettings,
)
from leaderboard.sandbox.host import descriptions, outcomes
from leaderboard.sandbox.host.installed import installed_entrypoints
from leaderboard.sandbox.host.models import PARAMETER, UnknownModel, with_model
from leaderboard.sandbox.host.outcomes import NoAnswer
from leaderboard.sandbox.host.pipes import (
    MAX_ANSWER_BYTES,
    Child,
    ChildExited,
    DeadlineExceeded,
    ZygoteDied,
)
from leaderboard.sandbox.host.positions import without_positions
from leaderboard.sandbox.host.zygote import LEASE_MS
from leaderboard.sandbox.jobs import (
    ConfigJob,
    DescribeJob,
    DescribeModuleJob,
    EstimateJob,
    Job,
    ModulesJob,
    PluginJob,
    ScriptJob,
)

if TYPE_CHECKING:
    from leaderboard.rules.rewards.intervals import Estimate

ASK_SECONDS = 10.0
"""How long a plugin may take to describe itself or to check a config."""

TRIES = 2
_SPARE_CPU_SECONDS = 2

Answer = TypeVar("Answer")


class Asking(ABC):
    """All requests to a plugin outside of scoring, and the runs of metric scripts."""

    settings: SandboxSettings

    def describe(self, entrypoint: str) -> PluginDescription:
        """The description of a scorer, or its error."""
        try:
            return self._describe_one(entrypoint, "scorer")[0]
        except InvalidEntrypoint as error:
            return PluginDescription(entrypoint, error=Failure("load_error", error.args[0]))

    def check_config(
        self, entrypoint: str, config: JsonObject, *, kind: str = "scorer"
    ) -> ConfigCheck:
        """Ask a plugin whether it accepts a config: errors by field, defaults filled in."""
        try:
            name = self._named(entrypoint, kind)
        except InvalidEntrypoint as error:
            return ConfigCheck({}, config, Failure("load_error", error.args[0]))
        given, wrong = config, dict[str, list[str]]()
        if kind == "text_metric":
            given, wrong = self._with_model(config)
        job: ConfigJob = {
            "verb": "check_config",
            **self._plugins(kind, name),
            "entrypoint": name,
            "config": given,
        }
        answer = self._ask(job, lambda answer: descriptions.config_check(answer, given))
        if isinstance(answer, Failure):
            return ConfigCheck({}, config, answer)
        return replace(answer, errors=answer.errors | wrong)

    def _with_model(self, given: Mapping[str, object]) -> tuple[JsonObject, dict[str, list[str]]]:
        try:
            return with_model(given, self.settings.models), {}
        except UnknownModel as error:
            return dict(given), {PARAMETER: [error.args[0]]}

    def discover(
        self, kind: str = "scorer", *, without: Collection[str] = ()
    ) -> list[PluginDescription]:
        """Every plugin of a kind in the packages and of installed entry points, by entry point.

        without: modules to skip. A module that cannot be imported gives one description with its
        error, unless it lies in the folder of another kind.
        """
        looking: ModulesJob = {"verb": "modules", **self._plugins(kind)}
        modules = self._ask(looking, descriptions.names)
        if isinstance(modules, Failure):
            return [PluginDescription(", ".join(self.settings.packages), error=modules)]
        described = [
            *(
                description
                for name in modules
                if name not in without
                for description in self.describe_module(name, kind)
            ),
            *(
                description
                for name in sorted(installed_entrypoints(kind))
                for description in self._describe_one(name, kind)
            ),
        ]
        by_name = {
            description.entrypoint: description
            for description in described
            if not _is_of_others(description, kind)
        }
        return [by_name[name] for name in sorted(by_name)]

    def estimate(
        self,
        entrypoint: str,
        task_rewards: Sequence[Sequence[float]],
        *,
        timeout_ms: int,
        k: int | None = None,
        bounds: tuple[float, float] = (-inf, inf),
        output: list[str] | None = None,
        clusters: Sequence[int] = (),
    ) -> "Estimate | Failure":
        """Run a metric on rewards in a fresh child: its value, standard error and interval.

        task_rewards: the finite rewards of each task's samples. k: the number in the metric's
        name (3 for `pass@3`), which its instance gets as its attribute `k`. bounds: the lowest
        and the highest possible reward. timeout_ms: for everything, including the draws of a
        bootstrap. output: gets what the metric printed. clusters: the number of the cluster of each
        task; empty if tasks are independent.
        """
        try:
            name = self._named(entrypoint, "metric")
            job: EstimateJob = {
                "verb": "estimate",
                **self._plugins("metric", name),
                "entrypoint": name,
                "k": k,
                "bounds": [end if isfinite(end) else None for end in bounds],
                "clusters": list(clusters),
            }
        except InvalidEntrypoint as error:
            return Failure("load_error", error.args[0])
        rewards = marshal.dumps([list(map(float, task_reward)) for task_reward in task_rewards])
        return self._ask(
            job, outcomes.estimated, timeout_ms / 1000, _framed(rewards), output=output
        )

    def run_script(
        self, folder: str, lines: bytes, *, timeout_ms: int, output: list[str] | None = None
    ) -> dict[str, float | None] | Failure:
        """Run a prepared metric script on rewards; returns numbers by name (None: undefined).

        folder: holds `script.py` and its environment `env`, and lies below one of
        `settings.program_paths`. lines: the contents of `rewards.jsonl`. output: gets what the
        script printed.
        """
        filtered = self.settings.isolation != "off"
        seconds = timeout_ms / 1000
        job: ScriptJob = {
            "verb": "script",
            "kind": "script",
            "folder": folder,
            "filtered": filtered,
            "seconds": seconds,
        }
        read = outcomes.script_answer
        return self._ask(job, read, seconds, _framed(lines), program=folder, output=output)

    # Parts that `Sandbox` implements, and helpers.

    @abstractmethod
    def _exclusive(self) -> AbstractContextManager[None]: ...

    @abstractmethod
    def _spawn(
        self,
        job: Job,
        cpu_seconds: int,
        program: str | None = None,
        *,
        lease_ms: int = LEASE_MS,
        seconds: float | None = None,
    ) -> Child: ...

    @abstractmethod
    def _end_zygote(self) -> None: ...

    @abstractmethod
    def _require_isolation(self) -> None: ...

    def _plugins(self, kind: str, only: str = "") -> PluginJob:
        """The part of a job that says where plugins of a kind are.

        only: the entry point or module that the job is about. Its child is not told the names of
        others, which may be plugins of other tenants.
        """
        packages, installed = self.settings.packages, sorted(installed_entrypoints(kind))
        if only:
            top = only.partition(":")[0].partition(".")[0]
            packages = tuple(name for name in self._packages_for(only) if name == top)
            installed = [name for name in installed if name == only]
        return {"kind": kind, "packages": packages, "installed": installed}

    def _named(self, entrypoint: str, kind: str) -> str:
        """The entry point, checked. Raises InvalidEntrypoint if it may not be loaded."""
        packages = self._packages_for(entrypoint)
        return check_entrypoint(entrypoint, packages, installed_entrypoints(kind))

    def _packages_for(self, name: str) -> Sequence[str]:
        """The packages whose plugins may be named, with that of an upload that a name is in."""
        upload = own_package(name) if self.settings.uploads else ""
        return (*self.settings.packages, upload) if upload else self.settings.packages

    def _ask(
        self,
        job: Job,
        read: Callable[[Any], Answer],
        seconds: float | None = None,
        rest: bytes | Sequence[bytes] = b"",
        program: str | None = None,
        output: list[str] | None = None,
        answer_bytes: int = MAX_ANSWER_BYTES,
    ) -> Answer | Failure:
        """Send a job to a fresh child; returns its answer or a Failure.

        seconds: how long to wait, ASK_SECONDS if None. rest: the data for the child after its job,
        perhaps in pieces. output: gets what the plugin printed. answer_bytes: the most bytes of the
        answer.
        """
        rest = [rest] if isinstance(rest, bytes) else rest
        seconds = ASK_SECONDS if seconds is None else seconds
        with self._exclusive():
            self._require_isolation()
            for _ in range(TRIES):
                is_overfull = False
                try:
                    child = self._spawn(job, _cpu_seconds(seconds), program, seconds=seconds)
                    child.max_answer_bytes = answer_bytes
                    try:
                        return _answer(child, spoken(job["kind"]), read, seconds, rest)
                    finally:
                        if output is not None:
                            printed = without_positions(child.printed)
                            output.append(clean_output(printed, self.settings.limits.output_bytes))
                except ZygoteDied:
                    self._end_zygote()
                except HostOverfull:
                    is_overfull = True
            if is_overfull:
                raise HostOverfull
        return outcomes.crashed(None, spoken(job["kind"]))

    def _describe_one(self, entrypoint: str, kind: str) -> list[PluginDescription]:
        """The description of one plugin, in a list. Raises InvalidEntrypoint."""
        name = self._named(entrypoint, kind)
        job: DescribeJob = {"verb": "describe", **self._plugins(kind, name), "entrypoint": name}
        return self._describe(job, name)

    def describe_module(self, module: str, kind: str) -> list[PluginDescription]:
        """The descriptions of a module's plugins of a kind."""
        job: DescribeModuleJob
        job = {"verb": "describe", **self._plugins(kind, module), "module": module}
        return self._describe(job, module)

    def _describe(self, job: DescribeJob | DescribeModuleJob, name: str) -> list[PluginDescription]:
        answer = self._ask(job, lambda answer: descriptions.descriptions(answer, name))
        return [PluginDescription(name, error=answer)] if isinstance(answer, Failure) else answer


def _is_of_others(description: PluginDescription, kind: str) -> bool:
    """Whether it is a module that cannot be imported, in the folder of another kind of plugin."""
    return ":" not in description.entrypoint and is_in_folder_of_others(
        description.entrypoint, kind
    )


def _answer(
    child: Child, kind: str, read: Callable[[Any], Answer], seconds: float, rest: Sequence[bytes]
) -> Answer | Failure:
    try:
        for piece in rest:
            child.send(piece)
        answer = outcomes.parse(child.next_line(seconds))
        if problem := problem_within(answer):
            raise NoAnswer(f"its values {problem}")
        return read(answer)
    except DeadlineExceeded:
        return outcomes.timed_out(int(seconds * 1000), kind, child)
    except ChildExited as gone:
        if gone.is_of_host:
            raise HostOverfull from None
        return outcomes.crashed(gone.status, kind)
    except NoAnswer as error:
        return outcomes.unexpected_answer(error, kind)
    finally:
        child.end()


def _framed(payload: bytes) -> bytes:
    return len(payload).to_bytes(4, "little") + payload


def _cpu_seconds(seconds: float) -> int:
    """The limit of processor time for a time limit, because all processors may work at once."""
    return math.ceil(seconds) * (os.cpu_count() or 1) + _SPARE_CPU_SECONDS
