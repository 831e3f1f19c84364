"""An attempt as it is submitted, alone or as one of many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Final, Literal, Required, cast

from pydantic import AfterValidator, BeforeValidator, Field, SkipValidation, TypeAdapter
from typing_extensions import TypedDict

from leaderboard.rules.rewards.documents import EXPECTED, MAX_INSTANCES, METRICS, Document
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.rewards.runs import AttemptRun
from leaderboard.rules.rewards.samples import Sample
from leaderboard.rules.texts.messages import message
from leaderboard.rules.visibility.families import FAMILY, LONGEST
from leaderboard.schemas.base import STRICT, Accepts
from leaderboard.schemas.documents import DocumentFields, parse_document, parse_outputs
from leaderboard.schemas.errors import SchemaError, WrongPlace, checked, wrong
from leaderboard.schemas.facts import FactsFields
from leaderboard.schemas.instances import OutputFields, Texts
from leaderboard.schemas.moments import PastMoment
from leaderboard.schemas.runs import RunFields
from leaderboard.schemas.samples import SubmittedSamples, SubmittedTaskRewards
from leaderboard.schemas.slices import at_most, checked_fields, part
from leaderboard.schemas.texts import Line, trimmed

MAX_NAME: Final = 120
MAX_NOTE: Final = 4000
MAX_META: Final = 50
PARTICIPANT: Final = "participant"
EVIDENCE: Final = ("metrics", "values", "task_rewards", "samples", "evaluation", "outputs")

_WHEREVER_PRESENT: Final = frozenset(("metrics", "values", "evaluation", "outputs"))
"""Evidence that may be empty."""

ParticipantKind = Literal["system", "person", "team"]
Sizes = Field(min_length=1, max_length=MAX_INSTANCES)
VALUES: Final = TypeAdapter(dict[str, float | None], config=STRICT)


def _read_values(entries: Mapping[str, object]) -> dict[str, float]:
    """The numbers, without those that are null."""
    entries_read = (checked_field.items() for checked_field in checked_fields(VALUES, entries))
    return {name: value for some in entries_read for name, value in some if value is not None}


SubmittedValues = Annotated[
    dict[str, Annotated[float | None, SkipValidation]],
    AfterValidator(part(_read_values)),
    Field(description="Numbers that are shown as reported."),
]
Meta = Annotated[
    dict[
        Annotated[str, Field(min_length=1, max_length=80)],
        Annotated[str, Field(max_length=1000)],
    ],
    Field(max_length=MAX_META),
    BeforeValidator(at_most(MAX_META)),
    Accepts(message("must be an object of at most {most} texts", most=MAX_META)),
]
SubmittedDocument = Annotated[
    DocumentFields,
    SkipValidation,
    AfterValidator(part(parse_document)),
    Field(
        description="A HarpIA Lab input document. Its other fields are kept. Where the challenge"
        f" holds what is expected, it has neither `{METRICS}` nor `{EXPECTED}`."
    ),
]
SubmittedOutputs = Annotated[
    Annotated[dict[str, Texts | None], Sizes] | Annotated[list[OutputFields], Sizes],
    SkipValidation,
    AfterValidator(part(parse_outputs)),
    Field(
        description="What the model answered, by the id of the instance, where the challenge"
        " holds what is expected; or a list of instances with it. An instance that is missing, or"
        " null, has failed.",
    ),
]


class AttemptFields(TypedDict, total=False):
    """An attempt as it is submitted, with one or more kinds of evidence."""

    __pydantic_config__ = STRICT  # type: ignore[misc]

    participant: Annotated[
        str,
        Field(
            min_length=1,
            description="Who attempts it: 1 to 120 characters; created on first use, and then"
            " yours. Needed unless you take part under one name only, or the token is bound to"
            " one.",
        ),
    ]
    metrics: FactsFields
    values: SubmittedValues
    task_rewards: SubmittedTaskRewards
    samples: SubmittedSamples
    evaluation: SubmittedDocument
    outputs: SubmittedOutputs
    name: Annotated[str, Field(max_length=MAX_NAME, description="Shown for the participant.")]
    kind: ParticipantKind
    submitted_at: Annotated[PastMoment, Field(description="For organisers, who may bring history.")]
    phase: Annotated[
        str,
        Field(max_length=80, description="The slug of its phase; needed where several are open."),
    ]
    meta: Meta
    family: Annotated[
        str,
        Line(LONGEST),
        BeforeValidator(trimmed),
        Field(
            description="The system of which this is one configuration; kept as `meta.family`."
            " A board may show only the best row of each family."
        ),
    ]
    run: Annotated[RunFields, Field(description="How it was run; shown as the submitter says it.")]
    note: Annotated[str, Field(max_length=MAX_NOTE)]
    file: Annotated[str, Field(description="The id of an upload. Only for one attempt at a time.")]


class Submission(TypedDict, total=False):
    """The fields of an attempt, read. `values` are without null."""

    participant: Required[str]
    metrics: Mapping[str, bool | int | float | None]
    values: Mapping[str, float]
    task_rewards: Mapping[str, Sequence[float | None]]
    samples: Sequence[Sample]
    evaluation: Document
    outputs: Sequence[Instance]
    name: str
    kind: ParticipantKind
    submitted_at: datetime
    phase: str
    meta: Mapping[str, str]
    run: AttemptRun
    note: str


ATTEMPT: Final = TypeAdapter(AttemptFields)


def parse_attempt(
    body: object, default_participant: Callable[[], str] = str, *, has_file: bool = False
) -> Submission:
    """The attempt that a JSON value is. Raises SchemaError.

    default_participant: whose attempt it is if the value does not say so, "" if it has to.
    has_file: whether a file beside the value is the evidence.
    """
    if isinstance(body, dict) and PARTICIPANT not in body and (name := default_participant()):
        body = {PARTICIPANT: name, **body}
    fields = _checked(body)
    if family := fields.pop("family", ""):
        fields["meta"] = {**fields.get("meta", {}), FAMILY: family}
    submission = cast("Submission", fields)
    if "file" in submission:
        raise wrong("file", message("must be absent here, where only one attempt has a file"))
    if not (has_file or _has_evidence(submission)):
        further_kinds = ", ".join(EVIDENCE[1:])
        text = message("must be given, or one of {others}; got none of them", others=further_kinds)
        raise wrong("metrics", text)
    return submission


def _checked(body: object) -> AttemptFields:
    """The fields of an attempt, which must have a participant. Raises SchemaError."""
    missing = WrongPlace(PARTICIPANT, message("is required; got nothing"))
    is_nameless = isinstance(body, dict) and PARTICIPANT not in body
    try:
        fields = checked(ATTEMPT, body)
    except SchemaError as error:
        if is_nameless:
            raise SchemaError([missing, *error.errors], error.more) from None
        raise
    if is_nameless:
        raise SchemaError([missing])
    return fields


def _has_evidence(submission: Submission) -> bool:
    """Whether an attempt has evidence of any kind, of which samples may be empty."""
    is_said = not _WHEREVER_PRESENT.isdisjoint(submission)
    return is_said or bool(submission.get("task_rewards") or submission.get("samples"))
