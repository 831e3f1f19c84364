"""The JSON of the server. `python -m tests.client.type_module` writes it."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Attempt(TypedDict):
    """An attempt: what was submitted, and the score that its board uses."""

    id: str
    challenge: str
    phase: NotRequired[str | None]
    participant: str
    participant_slug: str
    submitted_at: str
    finished_at: str | None
    status: Literal["queued", "scoring", "scored", "failed"]
    scoring_version: int
    score: NotRequired[float | None]
    clamped: NotRequired[bool]
    raw_score: NotRequired[float | None]
    details: dict[str, Any] | None
    details_note: NotRequired[str]
    error: AttemptError | None
    duration_ms: NotRequired[int | None]
    code: NotRequired[str]
    held: Held | None
    metrics: ReportedMetrics
    values: dict[str, float]
    metric_values: dict[str, MetricValue]
    instances: int | None
    max_outputs: int | None
    progress: Progress | None
    meta: dict[str, str]
    note: str
    withdrawn: Withdrawn | None
    copied_from: str | None
    late_by_agreement: bool
    verified: Verification | None
    chosen: bool
    score_hidden: bool
    counts: bool
    rank: int | None
    url: str
    html_url: str


class AttemptError(TypedDict):
    """Why there is no score, in words for the participant."""

    code: Literal["timeout", "exception", "invalid_result", "load_error", "crashed", "out_of_memory", "not_installed", "worker_lost", "cancelled"]
    message: str


class Challenge(TypedDict):
    """A challenge, and how new attempts at it are scored."""

    name: str
    slug: str
    summary: str
    description: str
    goal: str
    visibility: Literal["public", "unlisted", "private"]
    is_draft: bool
    is_embeddable: bool
    details_visibility: Literal["auto", "public", "participant", "organiser"]
    config_visibility: Literal["public", "organiser"]
    is_active: bool
    app_id: str
    workflow_id: str
    columns: list[dict[str, Any]]
    values: list[str]
    dataset: str
    dataset_url: str
    dataset_revision: str
    license: str
    organisation: str
    meta_fields: list[dict[str, Any]]
    saved_views: str
    folds_families: bool
    medals: Literal["none", "first_three", "shares"]
    on_code_change: Literal["warn", "hold", "rescore"]
    votes_from: Literal["nobody", "organisers", "accounts"]
    references_visibility: Literal["public", "organiser"]
    review: Literal["none", "flagged", "all"]
    decisions_needed: int
    reviewers_decide: bool
    disclose: Literal["everyone", "own", "none"]
    evidence_visibility: Literal["samples", "participant", "organisers"]
    scoring_strategy: Literal["first", "fastest", "fewest_tokens", "highest_rating", "custom", "metric"]
    counting: Literal["best", "latest", "first", "chosen", "mean", "all"]
    only_succeeded: bool
    metrics: list[str | dict[str, Any]]
    tasks: list[dict[str, Any]]
    rewards: list[dict[str, Any]]
    judged_rewards: list[str]
    labels_per_attempt: int
    labels_seed: str
    independent_unit: Literal["cluster", "group", "task"]
    num_samples: int | None
    min_coverage: float | None
    unknown_tasks: Literal["refuse", "keep"]
    split: Any
    program: dict[str, Any] | None
    text_metrics: list[str | dict[str, Any]]
    max_outputs: int | None
    text_timeout_ms: int
    prediction_metrics: list[str | dict[str, Any]]
    id_column: str
    targets: list[str]
    prediction_kind: Literal["values", "labels", "probabilities", "scores", "rankings", "masks"]
    positive_label: str
    rank_by: list[dict[str, Any]]
    scoring_entrypoint: str
    scoring_plugin_id: str
    scoring_config: dict[str, Any] | None
    timeout_ms: int
    tenant: str
    phases: list[dict[str, Any]]
    instances: NotRequired[int | None]
    code: str
    scoring_version: int
    shown_version: int
    warnings: list[str]
    created_at: str
    url: str
    html_url: str


class ColumnUse(TypedDict):
    """What a column of a table is used for."""

    column: str
    use: str
    guessed: bool
    examples: list[str]
    note: str


class ComparedMetric(TypedDict):
    """A metric of two attempts, over the tasks that both have."""

    key: str
    label: str
    unit: str
    direction: Literal["asc", "desc"]
    first: float | None
    second: float | None
    shared: int
    difference: float | None
    standard_error: float | None
    interval: list[float] | None
    p: float | None
    test: Literal["mcnemar", "t", "sign"] | None
    better: Literal["first", "second"] | None
    only_first: int | None
    only_second: int | None
    ratio: float | None
    ratio_interval: list[float] | None
    smallest_difference: float | None
    differing: int
    tasks: list[DifferingTask]


class Comparison(TypedDict):
    """Two attempts, metric by metric."""

    first: str
    second: str
    metrics: list[ComparedMetric]


class DifferingTask(TypedDict):
    """A task on which the values differ."""

    task: str
    first: float
    second: float


class Finding(TypedDict):
    """What a rule has to say against an attempt."""

    rule: str
    verdict: Literal["ok", "flagged", "refused"] | Literal[""]
    text: str
    samples: list[SamplePlace]
    count: int
    other: str


class Gate(TypedDict):
    """Whether a candidate passes."""

    state: Literal["pass", "fail", "unclear"]
    reason: str
    metric: str
    require: Literal["not-worse", "non-inferior", "better"]
    margin: float | None
    baseline: GateBaseline
    metrics: list[ComparedMetric]


class GateBaseline(TypedDict):
    """The attempt that a candidate is compared with."""

    attempt: str
    participant: str
    html_url: str


class Held(TypedDict):
    """Why an attempt waits for an organiser."""

    code: Literal["code_changed"]
    message: str


class Import(TypedDict):
    """The result of an import, or of its dry run."""

    format: str
    attempts: list[str]
    warnings: list[str]
    differences: list[str]
    rows: list[ImportRow]
    renamed: list[RenamedRow]
    suggested: dict[str, Any]
    map: list[ColumnUse]


class ImportRow(TypedDict):
    """An attempt of the file, saved or in a dry run."""

    participant: str
    attempt: str | None
    known: bool
    tasks: int
    samples: int
    failed: int
    rewards: list[str]
    instances: int | None
    recognised: str
    missing: SomeIds
    metrics: dict[str, Any]
    values: dict[str, float]
    meta: dict[str, str]
    metric_values: dict[str, MetricValue]
    stated: list[Stated]
    verdict: Literal["ok", "flagged", "refused"] | Literal[""]
    findings: list[Finding]


class JudgedMean(TypedDict):
    """What people's labels say of a value that is a judge's."""

    mean: float | None
    standard_error: float | None
    interval: list[float] | None
    labels: int
    drawn: int
    labellers: int
    alpha: float | None
    agreement: float | None


class Limits(TypedDict):
    """A part of an answer."""

    per_day: int | None
    per_week: int | None
    per_month: int | None
    total: int | None
    at_once: int | None


class Me(TypedDict):
    """Who asks, and what the token or the session allows."""

    user: str | None
    scopes: list[Literal["read", "submit", "organise"]]
    tenant: str | None
    challenge: str | None
    participant: str | None
    expires_at: str | None
    participants: list[OwnParticipant]
    api: int
    site: str


class MetricError(TypedDict):
    """Why a metric has no value, if it is none of the three reasons."""

    code: str
    message: str


class MetricValue(TypedDict):
    """A metric of an attempt: its value, its coverage and its certainty."""

    value: float | None
    defined: int
    total: int
    failed: int
    standard_error: float | None
    interval: list[float] | None
    margin: float | None
    interval_reason: Literal["few_tasks", "few_groups", "no_spread", "not_estimated", "too_large"] | None
    method: str
    n: int
    seed: int | None
    reason: Literal["undefined", "failed", "not_run"] | None
    error: MetricError | None
    level: Literal["computed", "reported"]
    reported: float | None
    not_ranked: Literal["low_coverage", "reported"] | None
    clusters: NotRequired[int]
    few_samples: NotRequired[list[int]]
    judged: NotRequired[JudgedMean]


class OwnParticipant(TypedDict):
    """A participant that one may submit as."""

    handle: str
    slug: str
    tenant: str


class ParticipantQuotas(TypedDict):
    """A part of an answer."""

    participant: str
    agreed_until: str | None
    quotas: list[QuotaState]


class Progress(TypedDict):
    """How many results of instances are computed, over all text metrics, and of how many."""

    done: int
    total: int


class Quota(TypedDict):
    """The current phase (or the next or last one), its limits, and how much of them is used."""

    phase: str
    state: Literal["open", "not_open", "closed"]
    opens_at: str | None
    closes_at: str | None
    time_zone: str
    limits: Limits
    participants: list[ParticipantQuotas]


class QuotaState(TypedDict):
    """A part of an answer."""

    quota: Literal["per_day", "per_week", "per_month", "total", "at_once"]
    limit: int
    used: int
    next_at: str | None


class RenamedRow(TypedDict):
    """A part of an answer."""

    row: int
    participant: Spelling


class ReportedMetrics(TypedDict):
    """The facts as they were submitted; absent ones are null."""

    succeeded: bool | None
    tokens_total: int | None
    elapsed_ms: int | None
    rating: float | None
    created_at: int | None
    cost_usd: float | None
    input_tokens: int | None
    output_tokens: int | None


class SamplePlace(TypedDict):
    """A part of an answer."""

    task: str
    sample: int | None


class SomeIds(TypedDict):
    """The first of some ids, and how many more there are."""

    ids: list[str]
    more: int


class Spelling(TypedDict):
    """A part of an answer."""

    sent: str
    kept: str


class Stated(TypedDict):
    """A metric value in the file."""

    name: str
    stated: float
    ours: float | None
    differs: bool | None


class Verification(TypedDict):
    """Who has checked an attempt."""

    by: str
    link: str
    at: str


class Withdrawn(TypedDict):
    """A part of an answer."""

    at: str
    reason: str
