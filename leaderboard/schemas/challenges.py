"""The fields of a challenge: its own, and those of how its attempts are scored.

A field of a challenge that has nothing to do with scores is one line in `ChallengeFields`, from
which the column of `Challenge` is made too; see `scoring` for the others.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter
from pydantic.json_schema import JsonSchemaValue

from leaderboard.rules.json.stored import StoredColumn, StoredMetaField
from leaderboard.rules.json.untyped_dicts import ColumnValues, SentFields
from leaderboard.rules.texts.messages import message
from leaderboard.schemas.base import Accepts, AsSent, Items, Strict
from leaderboard.schemas.choices import (
    ConfigVisibility,
    DetailsVisibility,
    Disclose,
    EvidenceVisibility,
    Medals,
    OnCodeChange,
    ReferencesVisibility,
    Review,
    Visibility,
    VotesFrom,
)
from leaderboard.schemas.columns import ColumnChanges
from leaderboard.schemas.fields import Choice, In, grouped
from leaderboard.schemas.meta_fields import MetaFields
from leaderboard.schemas.phases import Phases
from leaderboard.schemas.scoring import ScoringFields, ScoringStrategy
from leaderboard.schemas.texts import Line, ValueName, trimmed

LONG: Final = 50_000
MAX_VALUES: Final = 100
LONGEST_SLUG: Final = 80
SLUG_PATTERN: Final = "^[a-z0-9]+(-[a-z0-9]+)*$"

Slug = Annotated[
    str,
    Field(max_length=LONGEST_SLUG, pattern=SLUG_PATTERN),
    Accepts(
        message(
            "must be lower-case letters, digits and single hyphens, at most {most}",
            most=LONGEST_SLUG,
        )
    ),
]
ValueNames = Annotated[tuple[ValueName, ...], Items(MAX_VALUES)]
WebAddress = Annotated[
    str,
    Field(max_length=300, pattern=r"^(https?://[!-~]+)?$"),
    Accepts(message("must be an address that begins with https:// or http://, or empty")),
]
PlainText = Annotated[str, Field(max_length=120)]
Long = Annotated[str, Field(max_length=LONG)]


ChallengeName = Annotated[
    str,
    Line(120),
    BeforeValidator(trimmed),
    In("challenge"),
    Field(title=message("Name"), description=message("As pages and lists show it.")),
]


class ChallengeFields(Strict):
    """A challenge's own fields. Their names in the API are also those of the columns."""

    name: ChallengeName
    slug: Annotated[Slug, In("challenge")] = Field(
        default="",
        title=message("Address"),
        description=message("The part behind /c/. Empty: made from the name."),
    )
    summary: Annotated[str, Line(300, least=0), BeforeValidator(trimmed), In("challenge")] = Field(
        default="", title=message("Summary"), description=message("One line for lists.")
    )
    description: Annotated[Long, In("challenge")] = Field(
        default="", title=message("Description"), description=message("Markdown.")
    )
    goal: Annotated[Long, In("challenge")] = Field(
        default="",
        title=message("Goal"),
        description=message("What counts as success. Markdown."),
    )
    visibility: Annotated[Visibility, Choice, In("challenge")] = Field(
        default=Visibility.PUBLIC,
        title=message("Who sees the challenge"),
    )
    is_draft: Annotated[bool, In("challenge")] = Field(
        default=False,
        title=message("Draft"),
        description=message(
            "Whether only its organisers see it and can submit to it. Once published, it stays so."
        ),
    )
    is_embeddable: Annotated[bool, In("challenge")] = Field(
        default=False,
        title=message("Other sites may show the board in a frame"),
        description=message(
            "The first rows, as anyone sees them, at an address of its own. No other page can be"
            " framed."
        ),
    )
    details_visibility: Annotated[DetailsVisibility, Choice, In("challenge")] = Field(
        default=DetailsVisibility.AUTO,
        title=message("Who sees the details of scores"),
    )
    config_visibility: Annotated[ConfigVisibility, Choice, In("challenge")] = Field(
        default=ConfigVisibility.PUBLIC,
        title=message("Who sees the settings of the scorer and of metrics"),
        description=message(
            "The text of scripts is one of them. Details of scores can reveal settings, too."
        ),
    )
    is_active: Annotated[bool, In("challenge")] = Field(
        default=True,
        title=message("The challenge takes attempts"),
        description=message("Otherwise it is closed, whatever the dates of its phases."),
    )
    app_id: Annotated[PlainText, In("context")] = Field(
        default="", title=message("App id"), description=message("Passed on to scorers.")
    )
    workflow_id: Annotated[PlainText, In("context")] = Field(
        default="", title=message("Workflow id"), description=message("Passed on to scorers.")
    )
    columns: Annotated[list[StoredColumn], AsSent(ColumnChanges), In("context")] = Field(
        default=[],
        title=message("Columns"),
        description=message("How the board shows values, and which further ones."),
    )
    values: Annotated[list[str], AsSent(ValueNames), In("context")] = Field(
        default=[],
        title=message("Values"),
        description=message("Names of values that participants report."),
    )
    dataset: Annotated[PlainText, In("context")] = Field(
        default="",
        title=message("Data set"),
        description=message("The name of the data that is measured on, for exports."),
    )
    dataset_url: Annotated[WebAddress, In("context")] = Field(
        default="",
        title=message("Address of the data set"),
        description=message("Such as https://huggingface.co/datasets/owner/name."),
    )
    dataset_revision: Annotated[PlainText, In("context")] = Field(
        default="",
        title=message("Revision of the data set"),
        description=message("A tag or a commit."),
    )
    license: Annotated[PlainText, In("context")] = Field(
        default="",
        title=message("Licence of the board"),
        description=message("Of its numbers: an SPDX name such as CC-BY-4.0, or an address."),
    )
    organisation: Annotated[PlainText, In("context")] = Field(
        default="",
        title=message("Organisation"),
        description=message("Who evaluates, for exports. Empty: the name of the tenant."),
    )
    meta_fields: Annotated[list[StoredMetaField], AsSent(MetaFields), In("context")] = Field(
        default=[],
        title=message("Fields of meta"),
        description=message("Fields of the meta of attempts that the board shows and filters by."),
    )
    saved_views: Annotated[Long, In("context")] = Field(
        default="",
        title=message("Saved views"),
        description=message(
            "Tabs above the board, a line for each: a name, a colon, and what the address of the"
            " board has behind the question mark, such as “Cheapest: sort=cost_per_task”."
        ),
    )
    folds_families: Annotated[bool, In("context")] = Field(
        default=False,
        title=message("The board shows the best row of each family"),
        description=message(
            "Attempts may name the system of which they are one configuration. Its other rows open"
            " below the best one, and ranks are among the rows that the page shows."
        ),
    )
    medals: Annotated[Medals, Choice, In("context")] = Field(
        default=Medals.NONE,
        title=message("Medals"),
        description=message("For the first ranks of a phase, once it has closed."),
    )
    on_code_change: Annotated[OnCodeChange, Choice, In("scoring")] = Field(
        default=OnCodeChange.WARN,
        title=message("When the code of the scorer or of a metric changes"),
    )
    votes_from: Annotated[VotesFrom, Choice, In("outputs")] = Field(
        default=VotesFrom.NOBODY,
        title=message("Votes about pairs of outputs"),
        description=message(
            "Nobody's, those that organisers send, or also those of accounts, who are then shown"
            " inputs and outputs without names. The arena ranks by these votes."
        ),
    )
    references_visibility: Annotated[ReferencesVisibility, Choice, In("outputs")] = Field(
        default=ReferencesVisibility.ORGANISER,
        title=message("Who sees references"),
        description=message("Who sees what is expected of a model, and what gives it away."),
    )

    review: Annotated[Review, Choice, In("admission")] = Field(
        default=Review.NONE,
        title=message("Review"),
        description=message("Which attempts reviewers look at before they count."),
    )
    decisions_needed: Annotated[int, In("admission")] = Field(
        default=1,
        ge=1,
        le=2,
        title=message("Reviewers needed"),
        description=message("How many of them have to accept an attempt: 1 or 2."),
    )
    reviewers_decide: Annotated[bool, In("admission")] = Field(
        default=True,
        title=message("Reviewers decide"),
        description=message("Otherwise they only look, and organisers decide."),
    )
    disclose: Annotated[Disclose, Choice, In("admission")] = Field(
        default=Disclose.EVERYONE,
        title=message("Who sees the number of tries"),
        description=message(
            "How many attempts preceded the one that counts, withdrawn and failed ones included."
        ),
    )
    evidence_visibility: Annotated[EvidenceVisibility, Choice, In("admission")] = Field(
        default=EvidenceVisibility.SAMPLES,
        title=message("Who reads evidence"),
        description=message(
            "Trajectories, logs, diffs and links: whoever sees the samples, only the participant,"
            " or only organisers and reviewers."
        ),
    )

    def plain(self) -> ColumnValues:
        """The values by the names of the columns of `Challenge`."""
        return {name: getattr(self, name) for name in PLAIN_FIELDS}


class NewChallenge(ScoringFields, ChallengeFields):
    """A new challenge."""

    phases: Annotated[
        list[SentFields],
        AsSent(Phases),
        Field(
            title=message("Phases"),
            description=message("When attempts are taken, and how many; none: always, any number."),
        ),
    ] = []


def _without_defaults(described: JsonSchemaValue) -> None:
    """A change has no defaults: a field that is not sent keeps its value."""
    for field in described["properties"].values():
        field.pop("default", None)


class ChallengeChange(NewChallenge):
    """A change of a challenge: the fields that are sent, `model_fields_set`.

    A change of how attempts are scored makes a new scoring version.
    """

    model_config = ConfigDict(json_schema_extra=_without_defaults)

    name: ChallengeName = ""
    scoring_strategy: ScoringStrategy = ""

    def plain(self) -> ColumnValues:
        """The values that are sent, by the names of the columns of `Challenge`."""
        sent = (name for name in PLAIN_FIELDS if name in self.model_fields_set)
        return {name: getattr(self, name) for name in sent}


PLAIN_FIELDS: Final = tuple(name for name, _ in grouped(ChallengeFields))
"""The names of a challenge's own fields, which are also those of its columns."""

NEW_CHALLENGE: Final = TypeAdapter(NewChallenge)
CHALLENGE_CHANGE: Final = TypeAdapter(ChallengeChange)
