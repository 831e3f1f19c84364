"""The plain values that go into the sandbox and come out of it.

`Outcome` and `Request` are tuples rather than dataclasses because a rescore makes hundreds of
thousands of them a second.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Literal, NamedTuple

from leaderboard.rules.failures import FailureCode
from leaderboard.rules.json.values import JsonObject, JsonSchema
from leaderboard.rules.plugins.shipped import SHIPPED_SCORERS, SHIPPED_TEXT_METRICS
from leaderboard.rules.plugins.text_results import InstanceResult

# Plugins that come with the product. The fork server imports them once for all children.
SHIPPED_PACKAGE = "scorers"

# How long the texts of a description are at most, in bytes.
MAX_DOC_BYTES = 8 * 1024
MAX_NAME_BYTES = 200

# The names of the layers in `IsolationReport`.
ROOT = "private root"
ENVIRONMENT = "clean environment"
DESCRIPTORS = "closed descriptors"
GROUP = "process group"
SUBREAPER = "subreaper"
RLIMITS = "rlimits"
USER = "unprivileged user"
CAPABILITIES = "no capabilities"
NO_NEW_PRIVILEGES = "no new privileges"
LANDLOCK = "landlock"
SECCOMP = "seccomp"
CGROUP = "cgroup"
NETWORK, PROCESSES, MOUNTS, IPC, HOST_NAME, USERS = (
    "network namespace",
    "pid namespace",
    "mount namespace",
    "ipc namespace",
    "uts namespace",
    "user namespace",
)

Isolation = Literal["prefer", "require", "off"]
PluginDirection = Literal["asc", "desc"]
InstanceTuple = tuple[str | int, str, Sequence[str], Sequence[str]]
"""One instance for a text metric: id, input, outputs, references."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A stored block of `count` instances: the JSON text of their `Instance.row()`s."""

    text: bytes
    count: int

    def __len__(self) -> int:
        return self.count


class Failure(NamedTuple):
    """Why there is no score.

    `message` is for the participant: one sentence without stack trace, path or secret.
    `detail` is for the organiser: the plugin's traceback, shortened; "" if there is none.
    """

    code: FailureCode
    message: str
    detail: str = ""


class Request(NamedTuple):
    """One attempt to score: the metrics and the scoring context, both plain JSON objects."""

    metrics: Mapping[str, object]
    ctx: Mapping[str, object]


class Outcome(NamedTuple):
    """The result of one request: either a score or a failure.

    `value` is the clamped score, `raw_value` what the scorer returned. `details_note` says why
    details were dropped. `duration_ms` counts from the moment the plugin may run, so it includes
    the import of a fresh child. `output` is what the scorer printed, cut at 64 KiB. `code`
    identifies the scorer's code as the child imported it (see `sources`); "" if unknown.
    """

    value: float | None
    raw_value: float | None
    clamped: bool
    details: JsonObject | None
    details_note: str
    error: Failure | None
    duration_ms: int
    output: str
    code: str = ""


class Evaluated(NamedTuple):
    """The result of a text metric for a block of instances.

    `results` and `warnings` have an entry for each instance, in their order; `results` is None for
    a metric without results of instances, `warnings` is None if there are none. `score` is the
    metric's score of this block; its first number is the metric's value. It is {} if the metric is
    not defined for any of the instances. `statistics` is plain JSON for `combine`. `seconds` is
    the time spent in `evaluate`, by the child's clock. `instances` is how many the metric
    was given, `failed` how many of them had no output.
    """

    results: list[InstanceResult] | None
    warnings: list[str | None] | None
    score: dict[str, float | str | None]
    statistics: Any
    seconds: float
    instances: int
    failed: int


@dataclass(frozen=True)
class Limits:
    """The resources that one child may use, in bytes and counts.

    `memory_bytes` limits the address space. `open_files` limits the memory that the kernel holds
    for a child beside that: at most 10 MiB in pipes and sockets for 64 descriptors, 55 for 256.
    `file_bytes` limits each file; in a private root also all files together, and `files` their
    number.
    """

    memory_bytes: int = 1 << 30
    file_bytes: int = 64 << 20
    files: int = 4096
    open_files: int = 64
    threads: int = 64
    output_bytes: int = 64 << 10


@dataclass(frozen=True)
class SandboxSettings:
    """Which plugins may run, and how they are confined.

    packages: top-level packages whose classes may be named, beside installed entry points.
    path: extra folders with plugins; a child sees only its own plugin there and what this needs.
    owners: the tenants that a package or a folder of the path belongs to. Children that run other
    plugins cannot see it. Packages and folders without an entry may be used by all tenants.
    isolation: `require` refuses to run plugins when a promised protection is missing, `prefer`
    uses what the host has and reports the rest, `off` keeps only what every POSIX system has.
    preload: libraries that the fork server imports once, so that children need not import them.
    program_paths: files and folders that are visible to a child that runs a program, beside Python;
    Landlock lets the child read only that program's own folder among them.
    models: folders with the models of text metrics, which every child may read.
    work: where working folders are created on hosts without a private root, "" for the system's
    temporary folder. There, a file system of `limits.file_bytes` limits what a child can write.
    uploads: a folder with packages that organisers of challenges have uploaded, each in a folder of
    its name (`rules.plugins.own`); "" for none. A child sees its own one, and nothing of the path.
    """

    packages: tuple[str, ...] = ("scorers",)
    path: tuple[str, ...] = ()
    isolation: Isolation = "prefer"
    limits: Limits = field(default_factory=Limits)
    preload: tuple[str, ...] = ("pydantic", "numpy", *SHIPPED_SCORERS)
    program_paths: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    work: str = ""
    owners: Mapping[str, frozenset[str]] = field(default_factory=dict)
    uploads: str = ""


TEXT_LIMITS = Limits(memory_bytes=4 << 30, open_files=256)
TEXT_PRELOAD = (
    *("nltk.translate.bleu_score", "sacrebleu", "rouge_score.rouge_scorer"),
    *SHIPPED_TEXT_METRICS,
)


def text_settings(settings: SandboxSettings) -> SandboxSettings:
    """The settings for a sandbox of text metrics: more memory, and their libraries preloaded."""
    preload = (*settings.preload, *TEXT_PRELOAD)
    return replace(settings, limits=TEXT_LIMITS, preload=preload)


def command_settings(settings: SandboxSettings, limits: Limits) -> SandboxSettings:
    """The settings for a command, which imports no plugins.

    It uses the fork server that its worker has for plugins.
    """
    python = os.path.realpath(sys.executable)
    return replace(
        settings, packages=(), path=(), models=(), program_paths=(python,), limits=limits
    )


TABLE_PRELOAD = ("numpy", "openpyxl", "pandas", "pyarrow.csv", "pyarrow.parquet")
"""pyarrow imports pandas when it meets a value of Python."""
PREDICTION_PRELOAD = (*TABLE_PRELOAD, "sklearn.metrics", "scipy.stats")


def table_settings(settings: SandboxSettings) -> SandboxSettings:
    """The settings for a sandbox that reads tables of predictions, and runs no plugins.

    It starts in half of the time of one that measures them, with two thirds of the memory.
    """
    return replace(settings, packages=(), path=(), preload=TABLE_PRELOAD)


def prediction_settings(settings: SandboxSettings) -> SandboxSettings:
    """The settings for a sandbox that reads tables of predictions and measures them.

    Its libraries are preloaded, so that their imports do not count against time limits.
    """
    return replace(settings, preload=(*settings.preload, *PREDICTION_PRELOAD))


def script_settings(settings: SandboxSettings, folder: str) -> SandboxSettings:
    """The settings for a sandbox of metric scripts, which imports no plugins.

    folder: holds the prepared scripts, each in a folder of its own.
    """
    return replace(
        settings,
        packages=(),
        path=(),
        preload=(),
        program_paths=(folder, os.path.realpath(sys.executable)),
        limits=Limits(open_files=256),
    )


OUTPUT = "/app/output"
"""Where a command writes its results."""
SCRATCH = (OUTPUT, "/app/shared", "/tmp")  # noqa: S108 - a file system of the command's own
"""The folders that a command may write to. They are empty when it starts, share one limit of size,
and end with it."""
PREPARED = "/opt/program"
"""Where a command sees the folder with its prepared environment."""


@dataclass(frozen=True)
class Command:
    """A Python program with files to read and files to write.

    arguments: what follows the interpreter. folder: its working folder. places: the folders that it
    may read, by the path at which it sees them. environment: further environment variables.
    prepared: a folder that has `env`, the virtual environment to run it in; "" for the Python and
    the packages of this process. has_fixed_paths: whether it opens files below `/app` by itself, so
    that a host without a private root cannot run it.
    """

    arguments: tuple[str, ...]
    folder: str
    places: Mapping[str, str]
    environment: Mapping[str, str] = field(default_factory=dict)
    prepared: str = ""
    has_fixed_paths: bool = False


@dataclass(frozen=True)
class CommandResult:
    """What became of a command.

    status: like `subprocess.returncode`; None if it was ended. failure: why it has no results, None
    after a regular end. output: what it printed, the beginning and the end. files: the names of its
    results. left_out: how many of its results were no regular files, or over the limits.
    """

    status: int | None
    failure: Failure | None
    output: str
    seconds: float
    peak_bytes: int
    files: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True)
class PluginDescription:
    """A plugin as the admin and the plugin page show it, or the error that prevents its use.

    `config_schema` is a JSON schema and `defaults` the values a config starts from; both are None
    for a plugin that does not describe its config. `over`, `direction` and `unit` describe
    metrics. `multiplies`: for settings of a scorer, the number in its details that is proportional
    to the setting. The other fields describe text metrics. `bounds`: the lowest and the highest
    value, None for no bound. `averaged`, `combines`: how the scores of blocks become one score.
    `supervised`: whether the metric needs references. `parallel`: whether several children may
    compute at a time. `directions`, `ranges`: the directions and bounds of further numbers.
    `notes`: texts that are shown beside the values, by parameter and the parameter's value.
    `variants`: ids of the metrics that compute in its place, by the parameter that selects them
    with true. `install`: the command that installs what the metric needs. A text metric that is
    not installed has a description with that error. Metrics of predictions have `bounds` and
    `install` too. `rows`: what their rows are, one of `predictions.layouts.KINDS`. `above`: what
    predicted numbers must exceed.
    """

    entrypoint: str
    name: str = ""
    doc: str = ""
    config_schema: JsonSchema | None = None
    defaults: JsonObject | None = None
    public_details: bool = False
    public_source: bool = False
    error: Failure | None = None
    over: str = ""
    direction: PluginDirection = "desc"
    unit: str = ""
    bounds: tuple[float | None, float | None] | None = None
    averaged: bool = False
    combines: bool = False
    supervised: bool = True
    parallel: bool = True
    directions: Mapping[str, PluginDirection] = field(default_factory=dict)
    notes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    variants: Mapping[str, str] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    install: str = ""
    rows: str = ""
    above: float | None = None
    multiplies: Mapping[str, str] = field(default_factory=dict)

    def bounds_of(self, name: str, *, is_first: bool) -> tuple[float, float]:
        """The lowest and the highest value of a number of a text metric's score.

        A number without a range of its own has `bounds` if its direction is that of the metric.
        """
        shared = is_first or self.directions.get(name, self.direction) == self.direction
        bounds = (None if is_first else self.ranges.get(name)) or (self.bounds if shared else None)
        low, high = bounds or (None, None)
        return (-inf if low is None else low, inf if high is None else high)


@dataclass(frozen=True)
class ConfigCheck:
    """Errors by field name (empty: the config is valid), and the config with its defaults.

    `failure` is set if the plugin gave no answer; `config` is then the given config.
    """

    errors: dict[str, list[str]]
    config: JsonObject
    failure: Failure | None = None


@dataclass(frozen=True)
class ThreatReport:
    """The result of one real attack.

    `enforced`: whether the attack was stopped; None if the host has nothing of this kind to attack.
    `by`: the layers in force that protect against it.
    """

    name: str
    enforced: bool | None
    by: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class IsolationReport:
    """What the sandbox enforces on this host.

    `layers` are in force; each line of `missing` names a layer or protection that is not, and the
    reason.
    """

    isolation: Isolation
    threats: Sequence[ThreatReport]
    layers: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every threat that could be tried was stopped."""
        return all(threat.enforced is not False for threat in self.threats)


class SandboxError(Exception):
    """The sandbox itself cannot work on this host; the text says why. No plugin caused this."""


class HostOverfull(SandboxError):
    """A child was ended, and so were those after it: the host has no memory left, or so little
    processor time that leases of children are not renewed."""

    def __init__(self) -> None:
        super().__init__("processes of plugins are ended: this host lacks memory or processor time")


class IsolationMissing(SandboxError):
    """Isolation is `require` and the host lacks a promised protection."""

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__("isolation is required but missing: " + "; ".join(missing))
        self.missing = tuple(missing)
