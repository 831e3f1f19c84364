"""How attempts at a challenge are scored and ranked: the fields that make a new scoring config.

A field is one line here. The column of `ScoringConfig`, the API, its OpenAPI schema, the form of
the admin, the copy for a new config and the documentation are derived from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.entrypoints import MAX_LENGTH, PATTERN
from leaderboard.rules.rewards.documents import MAX_TEXTS
from leaderboard.rules.rewards.samples import MAX_SAMPLES
from leaderboard.rules.texts.messages import message
from leaderboard.schemas.base import Accepts, AsSent, NotNull, Strict
from leaderboard.schemas.choices import (
    Counting,
    IndependentUnit,
    PredictionKind,
    UnknownTasks,
)
from leaderboard.schemas.fields import Choice, In, row_names
from leaderboard.schemas.metrics import Metrics
from leaderboard.schemas.numbers import Share
from leaderboard.schemas.predictions import MAX_COLUMN, PredictionMetrics, Targets
from leaderboard.schemas.programs import ScoringProgram
from leaderboard.schemas.rank_keys import RankKeys
from leaderboard.schemas.rewards import DeclaredRewards, JudgedRewards
from leaderboard.schemas.splits import ChallengeSplit
from leaderboard.schemas.tasks import Tasks
from leaderboard.schemas.text_metrics import TextMetrics
from leaderboard.schemas.texts import Line
from leaderboard.strategies import known_strategies

MAX_TIMEOUT_MS: Final = 600_000
MAX_LABELS: Final = 10_000
MAX_TEXT_TIMEOUT_MS: Final = 24 * 3_600_000
DEFAULT_TEXT_TIMEOUT_MS: Final = 600_000

if TYPE_CHECKING:
    StrategyKey = str
else:
    StrategyKey = Literal[tuple(known_strategies())]

Entrypoint = Annotated[
    str,
    Field(max_length=MAX_LENGTH, json_schema_extra={"pattern": f"^({PATTERN})?$"}),
    Accepts(message("must be package.module:Class, or empty")),
]
ScoringStrategy = Annotated[
    StrategyKey,
    In("scoring", row="strategy"),
    Field(
        title=message("Strategy"), description=message("Which attempts are ranked, and by what.")
    ),
]


def _without_null(rewards: list[JsonObject]) -> list[JsonObject]:
    """Rewards without the bounds that are not known."""
    return [
        {name: value for name, value in reward.items() if value is not None} for reward in rewards
    ]


class ScoringFields(Strict):
    """How attempts are scored, by the names of the API."""

    scoring_strategy: ScoringStrategy
    counting: Annotated[Counting, Choice, In("scoring")] = Field(
        default=Counting.BEST,
        title=message("Counting"),
        description=message(
            "Which attempt of a participant stands on the board: the best, latest or first one, "
            "the best of those that are chosen, the mean of the last ones, or all as rows. A phase "
            "may have another rule."
        ),
    )
    only_succeeded: Annotated[bool, In("scoring")] = Field(
        default=False,
        title=message("Only succeeded attempts are ranked"),
        description=message(
            "Whether attempts that did not succeed have no rank. "
            "The strategies first to highest rating do so in any case."
        ),
    )
    metrics: Annotated[list[Any], AsSent(Metrics), In("samples")] = Field(
        default=[],
        title=message("Metrics"),
        description=message(
            "A JSON list of names or objects: "
            '["pass@1", {{"type": "mean", "name": "physics", "reward": "physics_reward"}}]. '
            '"group", "over", "min_coverage" and "reported" say which tasks a metric is over, how '
            "many it needs to rank, and how it treats a value that participants report."
        ),
    )
    tasks: Annotated[Tasks, In("samples")] = Field(
        default=(),
        title=message("Tasks"),
        description=message(
            "A JSON list of the tasks and the rewards that each of their samples must have: "
            '[{{"name": "task-1", "rewards": ["reward"], "group": "science", "weight": 1, '
            '"cluster": "repository"}}]. '
            "Empty: the tasks that attempts contain."
        ),
    )
    rewards: Annotated[
        list[JsonObject], AsSent(DeclaredRewards), AfterValidator(_without_null), In("samples")
    ] = Field(
        default=[],
        title=message("Bounds of rewards"),
        description=message(
            "A JSON list of the lowest and the highest value of rewards, as far as they are known: "
            '[{{"name": "physics_reward", "min": 0, "max": 100}}]. Other rewards are refused, and '
            "intervals stay within."
        ),
    )
    judged_rewards: Annotated[JudgedRewards, In("samples")] = Field(
        default=(),
        title=message("Judged rewards"),
        description=message(
            "Rewards that a judge, such as a model, has decided. People label a random sample of"
            " them, and boards show the mean that follows beside the judge's."
        ),
    )
    labels_per_attempt: Annotated[int, Field(ge=1, le=MAX_LABELS), In("samples")] = Field(
        default=50,
        title=message("Labels of an attempt"),
        description=message("How many samples of an attempt are drawn for people to label."),
    )
    labels_seed: Annotated[str, Line(80, least=0), In("samples")] = Field(
        default="",
        title=message("Seed of the labels"),
        description=message(
            "Any text. With the id of an attempt, it decides which of its samples are drawn."
        ),
    )
    independent_unit: Annotated[IndependentUnit, Choice, In("samples")] = Field(
        default=IndependentUnit.CLUSTER,
        title=message("What is independent"),
        description=message(
            "For standard errors and comparisons. Tasks that name the same cluster count as one"
            " source; or all tasks of a group do; or each task stands on its own."
        ),
    )
    num_samples: Annotated[int | None, Field(ge=1, le=MAX_SAMPLES), In("samples")] = Field(
        default=None,
        title=message("Samples of a task"),
        description=message("How many samples of a task an attempt may have. Empty: any number."),
    )
    min_coverage: Annotated[Share | None, In("samples")] = Field(
        default=None,
        title=message("Least coverage"),
        description=message(
            "Share of the tasks that the first ranked metric has to cover, such as 0.9."
        ),
    )
    unknown_tasks: Annotated[UnknownTasks, Choice, In("samples")] = Field(
        default=UnknownTasks.REFUSE,
        title=message("Samples of other tasks"),
        description=message("What becomes of samples of tasks that are not declared."),
    )
    split: Annotated[
        Annotated[
            ChallengeSplit,
            Accepts(
                message(
                    'must be an object {{"public"}}, {{"share", "seed"}} or {{"column"}}, or null'
                )
            ),
        ]
        | None,
        In("samples"),
    ] = Field(
        default=None,
        title=message("Public tasks"),
        description=message(
            'A JSON object: {{"public": ["task-1"]}}, or {{"share": 0.5, "seed": "spring"}}, or '
            '{{"column": "Usage"}} for a column of the truth with Public, Private and Ignored. '
            "Until the end of a phase, attempts are scored on the public tasks, instances or rows "
            "alone. Empty: all count."
        ),
    )
    program: Annotated[
        Annotated[ScoringProgram, Accepts(message("must be an object of a program, or null"))]
        | None,
        In("outputs"),
    ] = Field(
        default=None,
        title=message("Scoring program"),
        description=message(
            "A JSON object: the program of Kaggle, EvalAI, Codabench or CodaLab that scores the "
            "submitted files, with its truth, settings and limits. Empty: no program."
        ),
    )
    text_metrics: Annotated[list[Any], AsSent(TextMetrics), In("outputs")] = Field(
        default=[],
        title=message("Text metrics"),
        description=message(
            'A JSON list of ids or objects: ["CHRF", {{"id": "BLEU_NLTK", "name": "bleu", '
            '"parameters": {{"auto_reweigh": true}}}}].'
        ),
    )
    max_outputs: Annotated[int | None, Field(ge=1, le=MAX_TEXTS), In("outputs")] = Field(
        default=None,
        title=message("Outputs of an instance"),
        description=message(
            "How many outputs of an instance an attempt may have where the challenge holds the "
            "references. The best one counts, so each more is another guess. Empty: one."
        ),
    )
    text_timeout_ms: Annotated[int, Field(ge=1, le=MAX_TEXT_TIMEOUT_MS), In("outputs")] = Field(
        default=DEFAULT_TEXT_TIMEOUT_MS,
        title=message("Time limit of a text metric"),
        description=message("Milliseconds for all instances of an attempt."),
    )
    prediction_metrics: Annotated[list[Any], AsSent(PredictionMetrics), In("predictions")] = Field(
        default=[],
        title=message("Metrics of predictions"),
        description=message(
            'A JSON list of ids or objects: ["RMSE", {{"id": "F_BETA", "name": "macro_f1", '
            '"parameters": {{"average": "macro"}}}}]. Attempts then submit a file of predictions, '
            "which is compared with the truth."
        ),
    )
    id_column: Annotated[str, Line(MAX_COLUMN, least=0), In("predictions")] = Field(
        default="",
        title=message("Column of ids"),
        description=message("The column of the truth, and of each file, that names its rows."),
    )
    targets: Annotated[Targets, In("predictions")] = Field(
        default=(),
        title=message("Targets"),
        description=message("The columns of the truth to predict, such as price."),
    )
    prediction_kind: Annotated[PredictionKind, Choice, In("predictions")] = Field(
        default=PredictionKind.VALUES,
        title=message("What a row may be"),
        description=message(
            "Numbers, labels, probabilities from 0 to 1, scores that are higher the likelier the "
            "label is, rankings with the best item first, or masks of pixels."
        ),
    )
    positive_label: Annotated[str, Line(MAX_COLUMN, least=0), In("predictions")] = Field(
        default="",
        title=message("Positive label"),
        description=message(
            "The label whose probability or score a file holds. Empty: 1 or true, or one column "
            "for each label."
        ),
    )
    rank_by: Annotated[RankKeys, In("ranked")] = Field(
        default=(),
        title=message("Ranked by"),
        description=message(
            "The values that the board ranks by, under the strategy metric; under others at most "
            "their own key, with decimals."
        ),
    )
    scoring_entrypoint: Annotated[Entrypoint, In("scorer", row="entrypoint")] = Field(
        default="",
        title=message("Scorer"),
        description=message("The class that computes scores. The files in scorers/ are offered."),
    )
    scoring_plugin_id: Annotated[str, Field(max_length=120), In("scorer", row="plugin_id")] = Field(
        default="",
        title=message("Plugin id"),
        description=message("A name of your own for the scorer, shown by the API."),
    )
    scoring_config: Annotated[JsonObject, In("settings", row="config")] = Field(
        default={},
        title=message("Settings of the scorer"),
        description=message("What the scorer is called with. Secrets are masked."),
    )
    timeout_ms: Annotated[int | None, Field(ge=1, le=MAX_TIMEOUT_MS), NotNull(), In("scorer")] = (
        Field(
            default=None,
            title=message("Time limit"),
            description=message("Milliseconds that scoring one attempt may take."),
        )
    )

    def rows(self) -> JsonObject:
        """The values by the names of the columns of `ScoringConfig`, as JSON stores them."""
        return {row: _stored(getattr(self, name)) for name, row in SCORING_ROWS.items()}


def _stored(value: Any) -> Any:
    """A value as JSON stores it: a model says it by its `as_json`."""
    if isinstance(value, tuple):
        return [_stored(item) for item in value]
    as_json = getattr(value, "as_json", None)
    return value if as_json is None else as_json()


SCORING_ROWS: Final[Mapping[str, str]] = row_names(ScoringFields)
"""The column of a scoring config by the name that the API has for it."""
