"""The JSON objects that the parts of the sandbox send each other, grouped by receiver.

They hold plain values and need neither Django nor pydantic. Answers of a child have no types here:
a plugin may have forged them, so the host checks each value.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, final

from leaderboard.rules.json.values import JsonObject

# To a child: its job.


class PluginJob(TypedDict):
    """What a child needs to find a plugin, and to check again that it may be loaded.

    packages: top-level packages with plugins. installed: entry points of installed packages.
    """

    kind: str
    packages: Sequence[str]
    installed: Sequence[str]


class ModulesJob(PluginJob):
    """Name the modules that may hold plugins of a kind."""

    verb: Literal["modules"]


@final
class DescribeJob(PluginJob):
    """Describe one plugin."""

    verb: Literal["describe"]
    entrypoint: str


@final
class DescribeModuleJob(PluginJob):
    """Describe all plugins of a module."""

    verb: Literal["describe"]
    module: str


class ConfigJob(PluginJob):
    """Check a config."""

    verb: Literal["check_config"]
    entrypoint: str
    config: JsonObject


class EstimateJob(PluginJob):
    """Compute a metric for the rewards of one attempt, which follow the job.

    k: the number in the metric's name. bounds: the lowest and the highest reward, None for no
    bound. clusters: the number of the cluster of each task; empty if tasks are independent.
    """

    verb: Literal["estimate"]
    entrypoint: str
    k: int | None
    bounds: Sequence[float | None]
    clusters: Sequence[int]


class ScoreJob(PluginJob):
    """Score attempts. batch: whether several. code: identifies the scorer's code; "" if unknown."""

    verb: Literal["score"]
    entrypoint: str
    config: JsonObject
    batch: bool
    code: str


class SentScoreJob(ScoreJob):
    """A `ScoreJob` for one child. token: marks its answers. output_bytes: how much it may print."""

    token: str
    output_bytes: int


class EvaluateJob(PluginJob):
    """Evaluate blocks of instances.

    wrong: the host's errors about the parameters, by name. models: the folders with models.
    """

    verb: Literal["evaluate"]
    entrypoint: str
    parameters: JsonObject
    wrong: dict[str, list[str]]
    models: Sequence[str]


class SentEvaluateJob(EvaluateJob):
    """An `EvaluateJob` for one child. token: marks its answers, each of at most `answer_bytes`."""

    token: str
    answer_bytes: int


class TableJob(TypedDict):
    """Read a table, which follows the job.

    step: which function of `predictions` reads it. settings: its settings, as JSON. sizes: of the
    byte strings that follow, in bytes.
    """

    verb: Literal["table"]
    kind: str
    step: Literal["preview", "truth", "check", "picture"]
    settings: JsonObject
    sizes: Sequence[int]


class PredictJob(PluginJob):
    """Measure predictions, which follow the job: first the key, then the predictions.

    part: the rows that count. compares: whether the first file is compared with each other one,
    instead of measured. sizes: of the byte strings that follow, in bytes.
    """

    verb: Literal["predict"]
    entrypoint: str
    parameters: JsonObject
    part: str
    compares: bool
    sizes: Sequence[int]


class ScriptJob(TypedDict):
    """Run a prepared metric script. filtered: whether its system calls are filtered. seconds: its
    time limit.
    """

    verb: Literal["script"]
    kind: str
    folder: str
    filtered: bool
    seconds: float


class CommandJob(TypedDict):
    """Run a command: see `Command`, whose names these are. filtered: whether its system calls are
    filtered. seconds: its time limit. result_bytes, result_files: how much of its results is sent.
    """

    verb: Literal["command"]
    kind: str
    arguments: Sequence[str]
    folder: str
    places: Mapping[str, str]
    environment: Mapping[str, str]
    prepared: str
    has_fixed_paths: bool
    filtered: bool
    seconds: float
    result_bytes: int
    result_files: int


class AttackTarget(TypedDict):
    """What the host has prepared to be attacked: ports, paths, process ids, and limits in bytes."""

    tcp_port: int
    udp_port: int
    unix_path: str
    abstract_name: str
    open_folder: str
    files: Sequence[str]
    guarded_files: Sequence[str]
    others_plugin: str
    worker: int
    victim: int
    memory_bytes: int
    file_bytes: int
    environment: Sequence[str]


class AttackJob(TypedDict):
    """Try one attack, as a hostile scorer would."""

    verb: Literal["attack"]
    attack: str
    target: AttackTarget


Job = (
    ModulesJob
    | DescribeJob
    | DescribeModuleJob
    | ConfigJob
    | EstimateJob
    | ScoreJob
    | EvaluateJob
    | TableJob
    | PredictJob
    | ScriptJob
)
"""A job for which the host chooses a zygote. The jobs of attacks and commands have zygotes of their
own."""

# To the fork server and to a zygote.


class ZygoteOrder(TypedDict):
    """How to start a zygote: see `SandboxSettings`, whose names these are, and `View`.

    project: the folder of the application. hard: whether isolation is on. mounts: the folders that
    a command may read, by the path at which it sees them. scratch: those that it may write to.
    """

    project: str
    packages: Sequence[str]
    modules: Sequence[Sequence[str]]
    places: Sequence[str]
    path: Sequence[str]
    hard: bool
    limits: dict[str, int]
    program_paths: list[str]
    models: Sequence[str]
    work: str
    mounts: Mapping[str, str]
    scratch: Sequence[str]


@final
class SpawnOrder(TypedDict):
    """Start a child. spawn: its number. cpu: its limit of processor time in seconds.

    program: the folder of the one program that it may start, "" for this Python. lease: the
    milliseconds that it lives without another order.
    """

    spawn: int
    cpu: int
    program: str | None
    lease: int


@final
class EndOrder(TypedDict):
    """End the child with this number."""

    end: int


@final
class KeepOrder(TypedDict):
    """Renew the lease of the child with this number."""

    keep: int


ChildOrder = SpawnOrder | EndOrder | KeepOrder

# From a zygote.


@final
class ZygoteReady(TypedDict):
    """The zygote has started."""

    ready: bool


@final
class ChildEnded(TypedDict):
    """A child has ended. ended: its number. unwanted: whether it ended because its lease expired.

    status: like `subprocess.returncode`, None if unknown.
    """

    ended: int
    status: int | None
    unwanted: bool


ZygoteMessage = ZygoteReady | ChildEnded
