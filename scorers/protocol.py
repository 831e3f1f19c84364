"""The whole contract between Podium and its plugins: scorers, metrics and text metrics.

A plugin is a class with one method. It is named by `module:Class`, built without arguments
in a process of its own, called, and given up when it takes longer than its limit.

The types below are annotations and nothing more: a scorer need not inherit from `Scorer`,
nor import this module. They are structural, so that a plugin package can live without Podium.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, NotRequired, Protocol, TypedDict

TaskRewards = Sequence[Sequence[float]]
"""The rewards of each task's samples: `task_rewards[i][j]` is that of sample j of task i."""


class AttemptMetrics(TypedDict, total=False):
    """The facts of one attempt. Any may be unknown, which is not zero.

    An unknown fact reads as `None` by `metrics["rating"]`, and as the default by
    `metrics.get("rating", 0)`, whether it was left out or sent as null.
    """

    # table: protocol
    succeeded: bool | None
    """Whether the attempt passed the challenge."""
    tokens_total: int | None
    """Tokens the attempt used, input and output together."""
    elapsed_ms: int | None
    """How long the attempt took, in milliseconds."""
    rating: float | None
    """What the judge gave the attempt, from 0 to 10."""
    created_at: int | None
    """When the attempt began, in milliseconds since 1970; without it, scorers get its arrival."""
    cost_usd: float | None
    """What the attempt cost, in US dollars."""
    # end
    values: dict[str, float | None]
    """The attempt's metric values by name. None: undefined for this attempt."""


class ScoringContext(TypedDict):
    """Where the attempt comes from. Opaque texts: compare them, do not parse them."""

    tenant_id: str
    app_id: str
    workflow_id: str
    challenge_id: str
    end_user_id: str | None
    """The participant's slug."""
    timeout_ms: int
    """How long one call may take before the host ends the process, in milliseconds."""


class ScoringResult(TypedDict):
    """What a scorer gives back: a plain dict, no subclass."""

    score: float
    """A finite number, higher is better. A negative one is kept and counts as 0."""
    details: NotRequired[dict[str, Any] | None]
    """How the score came about: plain JSON, up to 64 KiB. Shown beside the score."""


class Scorer(Protocol):
    """Turns the facts of one attempt into one score.

    The class may describe itself further; each of these is optional:

    - its docstring: the first paragraph is shown wherever the scorer is named;
    - `Config`, a pydantic model, or `defaults`, a dict of names and default values: describes
      the config, so that a wrong one is refused by the field's name when a challenge is saved;
    - `public_details = True`: everybody may see `details`; without it, only the participant
      and the organiser do.
    """

    def score(
        self, metrics: AttemptMetrics, config: dict[str, Any], ctx: ScoringContext
    ) -> ScoringResult:
        """Score one attempt; the same input must give the same score.

        `config` is what the challenge says. For a class that describes its config it has been
        checked and completed: every default is filled in, and a null counts as not given.
        Raise any exception when no score can be given: the attempt then ends without one.
        """
        ...


class Metric(Protocol):
    """Reduces the rewards of samples of tasks to one number.

    The first paragraph of its docstring is the tooltip of its column. The class may describe
    itself further; each of these is optional:

    - `over`: what the number is taken over, in a word or two: "tasks";
    - `direction = "asc"`: the lower the better; without it, the higher;
    - `unit`, written behind the number;
    - `bounds`, the lowest and the highest value that there can be (None: there is none), or
      `"rewards"` for a number that lies between the lowest and the highest reward, as a mean
      does, `"sum"` for a sum of rewards, or `"count"` for a number of samples. Intervals stay
      within;
    - `bootstrap = True`: drawing tasks at random, with repeats, and computing again says how sure
      the number is. True of sums, means and quantiles; not of a minimum or a maximum;
    - `parts(values, lengths)`, for a sum over tasks divided by a sum over tasks: what each task
      adds above and below the line, as two numpy arrays (or one and None: a plain sum). It is
      given the rewards of all tasks in one array, task after task, and how many belong to each,
      at least one. It must say the same as `compute`; it is faster, and the standard error
      follows from it.
    """

    name: ClassVar[str]

    def compute(self, task_rewards: TaskRewards) -> float | None:
        """The number; None when there is nothing to take it over.

        Every reward is a finite number. Failed samples already count as the challenge says, and
        undefined rewards are left out, so that a task may have no samples at all.
        """
        ...


class Instance(Protocol):
    """What a text metric sees of one instance: what was asked, answered and expected."""

    @property
    def id(self) -> str: ...

    @property
    def input(self) -> str:
        """What the model was asked; may be empty."""
        ...

    @property
    def output(self) -> str:
        """What the model answered; empty too when no answer came."""
        ...

    @property
    def references(self) -> Sequence[str]:
        """What was expected, any of them; at least one unless the metric is unsupervised."""
        ...


class TextResult(TypedDict):
    """What a text metric gives back: a plain dict of plain JSON, no subclass."""

    score: dict[str, float | str | None]
    """The numbers over all instances given, by name; the first is the metric's value on the board.
    None: not defined for these instances. A text says how the numbers were made, and everybody
    reads it."""
    results: NotRequired[Sequence[float | dict[str, float | None] | None] | None]
    """One for each instance, in their order: a number, or several by name. None: undefined."""
    statistics: NotRequired[Any]
    """What `combine` needs of these instances."""
    warnings: NotRequired[dict[int, str]]
    """What to say about single instances, by their position. Without their texts, please."""


class Unmeasurable(ValueError):
    """Raise it where a text metric has no score: everybody may read its message.

    Without the texts of instances, please. Of any other exception participants are told nothing
    but its class. A plugin need not import this one: `is_public = True` on a class of its own
    does the same.
    """

    is_public = True


class TextMetric(Protocol):
    """Measures what a model answered, against what was expected.

    The first paragraph of its docstring is the tooltip of its column; the others, with the
    formula and the range, stand on the page of plugins. The class may describe itself further;
    each of these is optional:

    - `Config`, a pydantic model, or `defaults`, a dict of names and default values: describes the
      parameters, so that wrong ones are refused by name. They come checked and completed;
    - `averaged = True`: each number of the score is the mean of the instances' results, over those
      that have one. The host then hands over the instances in blocks and takes the means itself.
      Results without names belong to the first number of the score;
    - `combine(statistics, parameters)`, for other numbers that can be put together from blocks:
      what each block's `evaluate` gave as `statistics`, in the order of the instances, becomes the
      score of all. However the instances are cut into blocks, it must come out the same.
      A class with neither is called once, with all instances;
    - `parallel = False`: its blocks come one after the other. Others are computed in several
      processes at a time, each with whatever the metric loads;
    - `supervised = False`: it needs no references. Others do not see instances without one;
    - `direction = "asc"`: the lower the better; without it, the higher. `directions` says so for
      the other numbers: `{"similarity": "desc"}`;
    - `bounds`, the lowest and the highest value that there can be (None: there is none), and
      `unit`. An output that did not come counts as the worst value there can be, where the score
      is a mean. The other numbers have the same bounds if their better end is the same; `ranges`
      says others: `{"similarity": (0.0, 1.0)}`. Intervals stay within;
    - `notes`, what stands beside its values, by parameter and the parameter's value:
      `{"mode": {"best": "The best one counts."}}`;
    - `variants`, the ids of metrics that compute in its place, by the parameter that asks for them
      with true: `{"idf": "BERTSCORE_IDF"}`;
    - `needs`, the modules that must be there besides Podium's own, and `install`, the line that
      installs them. Import them inside `evaluate`: then the class can be shown where they are not.
    """

    id: ClassVar[str]

    def evaluate(self, instances: Sequence[Instance], parameters: dict[str, Any]) -> TextResult:
        """The score of these instances, at least one; the same input must give the same score.

        Several outputs of an instance, outputs that did not come, and instances without references
        are the host's concern: here each has one output, and references unless unsupervised.
        """
        ...
