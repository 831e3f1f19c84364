"""The whole contract between Podium and its plugins: scorers, metrics and text metrics.

A plugin is a class with one method, named by `module:Class`. The host builds it without arguments
in a process of its own, calls it, and ends the process when a call exceeds its time limit.

The types below are only annotations: a scorer need not inherit from `Scorer`, nor import this
module. They are structural, so that a plugin package does not depend on Podium.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NotRequired, Protocol, TypedDict

TaskRewards = Sequence[Sequence[float]]
"""The rewards of each task's samples: `task_rewards[i][j]` is the reward of sample j of task i."""


Parameters = Mapping[str, Any]
"""The config of a scorer, or the parameters of a text metric: a dict of plain JSON, by name."""


class AttemptMetrics(TypedDict, total=False):
    """The facts of one attempt. Each fact may be unknown, which does not mean zero.

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
    """The rating of the attempt from 0 to 10, as it was reported."""
    created_at: int | None
    """When the attempt began, in milliseconds since 1970; without it, scorers get its arrival."""
    cost_usd: float | None
    """What the attempt cost, in US dollars."""
    # end
    values: dict[str, float | None]
    """The attempt's metric values by name. None: undefined for this attempt."""


class ScoringContext(TypedDict):
    """The origin of the attempt, and its time. Compare these texts, but do not parse them."""

    tenant_id: str
    app_id: str
    workflow_id: str
    challenge_id: str
    end_user_id: str | None
    """The participant's slug."""
    received_at: int
    """When the server received the attempt, in milliseconds since 1970. Nobody can choose it."""
    closes_at: int | None
    """When the phase of the attempt closes, in milliseconds since 1970; None: it never does."""
    timeout_ms: int
    """How long one call may take before the host ends the process, in milliseconds."""


class ScoringResult(TypedDict):
    """The result of a scorer: a plain dict, no subclass."""

    score: float
    """A finite number; higher is better. A negative number is stored and counts as 0."""
    details: NotRequired[Mapping[str, object] | None]
    """How the score was computed: plain JSON, up to 64 KiB, shown beside the score."""


class Scorer(Protocol):
    """Turns the facts of one attempt into one score.

    The class may describe itself further; each of these is optional:

    - its docstring: the first paragraph is shown wherever the scorer is named;
    - `Config`, a pydantic model, or `defaults`, a dict of names and default values: describes
      the config, so that saving a challenge with a wrong config gives an error at the field;
    - `public_details = True`: everybody may see `details`; without it, only the participant
      and the organiser do;
    - `public_source = True`: everybody may read the file of the class on the page of plugins, and
      signed-in users may try it there;
    - `multiplies`, a dict of settings and of numbers in `details`: `{"time_penalty": "slowness"}`
      promises that twice the setting makes the number twice as large, and that the setting has no
      other effect. If the numbers add up to the score, readers may vary these settings on the page
      *What if*, without a run of the scorer.
    """

    def score(
        self, metrics: AttemptMetrics, config: Parameters, ctx: ScoringContext
    ) -> ScoringResult:
        """Score one attempt; the same input must give the same score.

        `config` is the challenge's config. For a class that describes its config, it has been
        checked and all defaults are filled in; a null counts as not given.
        Raise any exception if there is no score: the attempt then ends without one.
        """
        ...


class Metric(Protocol):
    """Reduces the rewards of the samples of all tasks to one number.

    The first paragraph of its docstring is the tooltip of its column. The class may describe
    itself further; each of these is optional:

    - `over`: what the number is computed over, in a word or two: "tasks";
    - `direction = "asc"`: the lower the better; without it, the higher;
    - `unit`, written after the number;
    - `bounds`, the lowest and the highest possible value (None: no bound), or `"rewards"` for a
      number between the lowest and the highest reward, as a mean is, `"sum"` for a sum of rewards,
      or `"count"` for a number of samples. Intervals are cut at the bounds;
    - `bootstrap = True`: the interval may be estimated by drawing tasks at random with repeats and
      computing again. This holds for sums, means and quantiles, not for a minimum or a maximum;
    - `parts(values, lengths)`, for a sum over tasks divided by a sum over tasks: what each task
      adds to the numerator and to the denominator, as two numpy arrays (or one and None for a
      plain sum). `values` has the rewards of all tasks in one array, task after task, `lengths` the
      number of samples of each task, at least 1. The quotient must be the same as from `compute`;
      this is faster, and gives the standard error.
    """

    name: ClassVar[str]

    def compute(self, task_rewards: TaskRewards) -> float | None:
        """The number; None if there is nothing to compute it from.

        Every reward is a finite number. Failed samples already count as the challenge says, and
        undefined rewards are left out, so that a task may have no samples.
        """
        ...


class Instance(Protocol):
    """What a text metric sees of one instance: input, output and references."""

    @property
    def id(self) -> str: ...

    @property
    def input(self) -> str:
        """The input of the model; may be empty."""
        ...

    @property
    def output(self) -> str:
        """The output of the model; also empty if there is none."""
        ...

    @property
    def references(self) -> Sequence[str]:
        """The accepted outputs; at least one unless the metric is unsupervised."""
        ...


class TextResult(TypedDict):
    """The result of a text metric: a plain dict of plain JSON, no subclass."""

    score: dict[str, float | str | None]
    """The numbers over all given instances, by name; the first is the metric's value on the board.
    None: not defined for these instances. A text describes how the numbers were computed, and is
    public."""
    results: NotRequired[Sequence[float | dict[str, float | None] | None] | None]
    """A result for each instance, in order: a number, or several by name. None: undefined."""
    statistics: NotRequired[Any]
    """What `combine` needs to know about these instances."""
    warnings: NotRequired[dict[int, str]]
    """Warnings about single instances, by position. They must not contain the instances' texts."""


class Unmeasurable(ValueError):
    """Raise it if a text metric has no score. Its message is public.

    The message must not contain the texts of instances. Of any other exception, participants see
    only the class. A plugin need not import this one: an exception class of its own with
    `is_public = True` does the same.
    """

    is_public = True


class TextMetric(Protocol):
    """Measures the outputs of a model against the references.

    The first paragraph of its docstring is the tooltip of its column; the others, with the
    formula and the range, are on the page of plugins. The class may describe itself further;
    each of these is optional:

    - `Config`, a pydantic model, or `defaults`, a dict of names and default values: describes the
      parameters, so that wrong ones give an error by name. `evaluate` gets them checked and with
      defaults;
    - `averaged = True`: each number of the score is the mean of the instances' results, over those
      that have one. The host then passes the instances in blocks and computes the means itself.
      Results without names belong to the first number of the score;
    - `combine(statistics, parameters)`, for other numbers that can be combined from blocks: it gets
      the `statistics` that `evaluate` returned for each block, in the order of the instances, and
      returns the score of all. The score must not depend on how the instances are cut into blocks.
      A class with neither is called once, with all instances;
    - `parallel = False`: its blocks are computed one after another. Other metrics run in several
      processes at a time, each of which loads what the metric needs;
    - `supervised = False`: it needs no references. Other metrics get no instances without one;
    - `direction = "asc"`: the lower the better; without it, the higher. `directions` has the
      directions of the other numbers: `{"similarity": "desc"}`;
    - `bounds`, the lowest and the highest possible value (None: no bound), and `unit`. If the score
      is a mean, a missing output counts as the worst possible value. The other numbers have the
      same bounds if their better end is the same; `ranges` gives other bounds:
      `{"similarity": (0.0, 1.0)}`. Intervals are cut at the bounds;
    - `notes`, texts that are shown beside its values, by parameter and the parameter's value:
      `{"mode": {"best": "The best one counts."}}`;
    - `variants`, the ids of metrics that compute in its place, by the parameter that selects them
      with true: `{"idf": "BERTSCORE_IDF"}`;
    - `needs`, the modules that it needs besides Podium's own, and `install`, the command that
      installs them. Import them inside `evaluate`, so that the class can be shown without them.
    """

    id: ClassVar[str]

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        """The score of these instances, at least one; the same input must give the same score.

        The host handles instances with several outputs, without output or without references: here
        each has one output, and at least one reference unless the metric is unsupervised.
        """
        ...


class PredictionTruth(Protocol):
    """What a metric of predictions sees of one column of the hidden truth, for some of its rows."""

    @property
    def values(self) -> Any:
        """The truth, in the order of the predictions.

        For `values` an array of floats; for `labels`, `probabilities` and `scores` an array of
        whole numbers, positions in `labels`; for `rankings` a list of lists of items; for `masks`
        a list of lists of runs, pairs of a first pixel (from 1) and a length.
        """
        ...

    @property
    def labels(self) -> Sequence[str]:
        """All labels of the whole truth, also those that are not in these rows."""
        ...

    @property
    def positive(self) -> int | None:
        """The position of the positive label, if there is one."""
        ...


class PredictionMetric(Protocol):
    """Compares the rows of a file of predictions with the truth.

    The host reads and checks the file, aligns its rows with the truth and converts its cells. With
    several target columns it asks for each, and the value is the mean. The first paragraph of the
    docstring is the tooltip of the metric's column. The class may describe itself further; each of
    these is optional:

    - `kind`: what a row is: `values` (numbers; the default), `labels`, `probabilities`, `scores`
      (the higher, the likelier), `rankings` or `masks`. Metrics of scores take probabilities too;
    - `Config`, a pydantic model, or `defaults`, a dict of names and default values: describes the
      parameters, so that wrong ones give an error by name;
    - `direction = "asc"`: the lower the better; without it, the higher;
    - `bounds`, the lowest and the highest possible value (None: no bound), and `unit`. Intervals
      are cut at the bounds;
    - `parts(truth, predictions, parameters)`, for a value that is a mean over rows: an array with a
      number for each row, or None. It gives intervals, and comparisons row by row. If the value is
      a rising function of the mean, as in the RMSE, `of_mean` is that function;
    - `above`: predicted numbers must be larger; the check of a file names the line of another;
    - `needs` and `install`, as for a text metric.
    """

    id: ClassVar[str]

    def evaluate(
        self, truth: PredictionTruth, predictions: Any, parameters: Parameters
    ) -> float | dict[str, float | None] | None:
        """The value for these rows, at least one; or several by name, of which the first counts.

        predictions: as `truth.values`. For probabilities and scores an array of floats: of the
        positive label, or, if there is none, with a column for each of `truth.labels`.
        None: undefined for these rows; raise `Unmeasurable` to say why. Never return 0 for that.
        The host also asks for predictions that equal the truth, to find a truth without a value.
        """
        ...
