"""The rules of who may take part in a challenge, and the data of a registration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

from leaderboard.rules.json.untyped_dicts import ColumnValues
from leaderboard.rules.texts.messages import Message, message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import Accepts, Items, NotNull, Strict
from leaderboard.schemas.choices import BracketChoice, RegistrationMode, RegistrationStatus
from leaderboard.schemas.errors import WrongPart
from leaderboard.schemas.fields import Choice, In
from leaderboard.schemas.moments import Moment
from leaderboard.schemas.texts import Line, trimmed

MOST_QUESTIONS: Final = 20
MOST_OPTIONS: Final = 50
MOST_BRACKETS: Final = 20
MOST_DOMAINS: Final = 200
MOST_INVITED: Final = 5_000
LARGEST_TEAM: Final = 100
LONGEST_TERMS: Final = 50_000
LONGEST_APPEAL_ANSWER: Final = 5_000
LONGEST_ANSWER: Final = 2_000
DOMAIN: Final = r"^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9][a-z0-9-]*[a-z0-9]$"

Short = Annotated[str, Line(80), BeforeValidator(trimmed)]


RegistrationAnswer = Annotated[str | bool, Accepts(message("must be a text, true or false"))]
"""A text, an option, or whether a box is ticked."""
RegistrationAnswers = dict[str, RegistrationAnswer]
"""The answers of a registration by the keys of the questions, which each challenge chooses."""


def _lower(text: object) -> object:
    return text.strip().lower() if isinstance(text, str) else text


def _domain(text: str) -> str:
    if not re.fullmatch(DOMAIN, text) or len(text) > 253:
        raise PydanticCustomError("not_a_domain", "not a domain")
    return text


Domain = Annotated[
    str,
    BeforeValidator(_lower),
    AfterValidator(_domain),
    Accepts(message("must be a domain such as example.org")),
]


Invited = Annotated[str, Line(254), BeforeValidator(_lower)]
TeamSize = Annotated[int, Field(ge=1, le=LARGEST_TEAM)]


class Question(Strict):
    """A question that people answer when they register.

    A `consent` is a box to tick. Organisers read the answers.
    """

    key: Annotated[
        str,
        Field(pattern="^[a-z][a-z0-9_]*$", max_length=40),
        Accepts(message("must be a lower-case name of letters, digits and _")),
    ]
    kind: Literal["text", "choice", "consent"] = "text"
    label: Annotated[str, Line(300), BeforeValidator(trimmed)]
    options: Annotated[tuple[Short, ...], Items(MOST_OPTIONS)] = ()
    required: bool = False

    @model_validator(mode="after")
    def _has_options(self) -> Question:
        if (self.kind == "choice") != bool(self.options):
            raise WrongPart("options", _choice_alone(self.options))
        _check_unique(self.options, "options")
        return self


def _choice_alone(options: Sequence[str]) -> Message:
    """The error for a choice without options, or for a question of another kind with options."""
    if not options:
        return message("must be given for a choice; got nothing")
    return message("must be absent unless the kind is choice; got {sent}", sent=sent(options))


class RegistrationRulesBody(Strict):
    """Who may take part in a challenge; fields that are not sent have their defaults."""

    mode: Annotated[RegistrationMode, Choice, In("rules")] = Field(
        default=RegistrationMode.OPEN,
        title=message("Who may take part"),
        description=message(
            "open: everyone. code: who knows the code. domain: who has a confirmed e-mail address"
            " of one of the domains. approval: whom organisers accept. invited: who is on the list."
        ),
    )
    code: Annotated[str, Line(100, least=0), BeforeValidator(trimmed), In("rules")] = Field(
        default="",
        title=message("Code"),
        description=message("Give it to those who may take part. Only organisers see it here."),
    )
    domains: Annotated[tuple[Domain, ...], Items(MOST_DOMAINS), In("rules")] = Field(
        default=(),
        title=message("Domains"),
        description=message("Such as example.org. Subdomains do not count."),
    )
    invited: Annotated[tuple[Invited, ...], Items(MOST_INVITED), In("rules")] = Field(
        default=(),
        title=message("Invited people"),
        description=message(
            "Confirmed e-mail addresses, and usernames that an operator or an organiser gave. Only"
            " organisers read them."
        ),
    )
    smallest_team: Annotated[TeamSize, In("rules")] = Field(
        default=1,
        title=message("Smallest team"),
        description=message("A team with fewer members may not submit."),
    )
    largest_team: Annotated[TeamSize, In("rules")] = Field(
        default=1,
        title=message("Largest team"),
        description=message("Members. 1: no teams."),
    )
    teams_fixed_at: Annotated[Moment | None, In("rules")] = Field(
        default=None,
        title=message("Teams are fixed from"),
        description=message("From then on, the members of teams cannot change. Empty: never."),
    )
    brackets: Annotated[tuple[Short, ...], Items(MOST_BRACKETS), In("rules")] = Field(
        default=(), title=message("Brackets"), description=message("Divisions such as Pupils.")
    )
    bracket_choice: Annotated[BracketChoice, Choice, In("rules")] = Field(
        default=BracketChoice.CHOSEN, title=message("Who chooses the bracket")
    )
    terms: Annotated[str, Field(max_length=LONGEST_TERMS), In("rules")] = Field(
        default="",
        title=message("Terms"),
        description=message("Markdown. After a change, everybody has to accept them again."),
    )
    questions: Annotated[tuple[Question, ...], Items(MOST_QUESTIONS), In("rules")] = Field(
        default=(),
        title=message("Questions"),
        description=message("People answer them when they register."),
    )

    @model_validator(mode="after")
    def _fits(self) -> RegistrationRulesBody:
        for mode, field in (("code", "code"), ("domain", "domains")):
            if self.mode == mode and not getattr(self, field):
                raise WrongPart(field, message("is required with this mode; got nothing"))
        if self.largest_team < self.smallest_team:
            text = message("must be at least smallest_team; got {sent}", sent=self.largest_team)
            raise WrongPart("largest_team", text)
        _check_unique(self.brackets, "brackets")
        _check_unique([question.key for question in self.questions], "questions")
        return self

    def columns(self) -> ColumnValues:
        """The values by the names of the columns of `RegistrationRules`."""
        columns = self.model_dump()
        lists = ("domains", "invited", "brackets")
        columns["questions"] = [question.model_dump(mode="json") for question in self.questions]
        return columns | {name: list(columns[name]) for name in lists}


class NewRegistration(Strict):
    """The body of a registration."""

    participant: Annotated[str, Field(max_length=120)] = Field(
        description="The name to take part under. It is reserved for its members."
    )
    kind: Literal["system", "person", "team"] = "system"
    code: Annotated[str, Field(max_length=100)] = ""
    answers: Annotated[RegistrationAnswers, Field(max_length=MOST_QUESTIONS)] = Field(
        default={}, description="By the keys of the questions."
    )
    accepts_terms: int | None = Field(
        default=None, description="The version of the terms that is accepted."
    )
    bracket: Annotated[str, Field(max_length=80)] = ""


class RegistrationDecision(Strict):
    """An organiser's decision about a registration: the fields that are sent."""

    status: Annotated[RegistrationStatus | None, NotNull(), Choice] = None
    reason: Annotated[str, Line(300, least=0), BeforeValidator(trimmed)] = Field(
        default="", description="Why it is declined. The participant reads it."
    )
    bracket: Annotated[str | None, NotNull(), Field(max_length=80)] = None
    appeal_answer: Annotated[
        str | None, NotNull(), Field(min_length=1, max_length=LONGEST_APPEAL_ANSWER)
    ] = Field(default=None, description="What organisers answer to an appeal, for its members.")


class MemberDecision(Strict):
    """An organiser's decision about somebody who has joined a team after it was accepted."""

    status: Literal["accepted", "declined"]
    reason: Annotated[str, Line(300, least=0), BeforeValidator(trimmed)] = Field(
        default="", description="Why the person is declined, for them."
    )


def _check_unique(names: Iterable[str], place: str) -> None:
    earlier: set[str] = set()
    for name in names:
        if name in earlier:
            raise WrongPart(place, message("must each be given once; got {name} twice", name=name))
        earlier.add(name)


REGISTRATION_RULES: Final = TypeAdapter(RegistrationRulesBody)
NEW_REGISTRATION: Final = TypeAdapter(NewRegistration)
REGISTRATION_DECISION: Final = TypeAdapter(RegistrationDecision)
MEMBER_DECISION: Final = TypeAdapter(MemberDecision)
STORED_QUESTIONS: Final[TypeAdapter[tuple[Question, ...]]] = TypeAdapter(tuple[Question, ...])
