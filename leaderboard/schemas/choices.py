"""Enumerated values of the fields of a challenge, which the database columns use too."""

from __future__ import annotations

from enum import StrEnum


class Visibility(StrEnum):
    """Who can see a challenge: everyone; everyone who knows its address; members of its tenant."""

    PUBLIC = "public"
    UNLISTED = "unlisted"
    PRIVATE = "private"


class DetailsVisibility(StrEnum):
    """Who sees the details of scores. `auto`: everyone, where the scorer says so."""

    AUTO = "auto"
    PUBLIC = "public"
    PARTICIPANT = "participant"
    ORGANISER = "organiser"


class OnCodeChange(StrEnum):
    """What happens if the code of a plugin differs from the code that scored the board."""

    WARN = "warn"
    HOLD = "hold"
    RESCORE = "rescore"


class ReferencesVisibility(StrEnum):
    """Who sees the references that a challenge holds."""

    PUBLIC = "public"
    ORGANISER = "organiser"


class ConfigVisibility(StrEnum):
    """Who sees the settings of the scorer and of metrics."""

    PUBLIC = "public"
    ORGANISER = "organiser"


class Counting(StrEnum):
    """Which attempt of a participant stands on the board."""

    BEST = "best"
    LATEST = "latest"


class UnknownTasks(StrEnum):
    """What happens to samples of a task that the challenge does not declare."""

    REFUSE = "refuse"
    KEEP = "keep"


class RegistrationMode(StrEnum):
    """Who may take part: everyone; people with a code; people with an address in certain domains;
    people whom organisers approve; people on a list.
    """

    OPEN = "open"
    CODE = "code"
    DOMAIN = "domain"
    APPROVAL = "approval"
    INVITED = "invited"


class RegistrationStatus(StrEnum):
    """The organisers' decision about a registration."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    DECLINED = "declined"


class BracketChoice(StrEnum):
    """Who chooses the bracket of a participant."""

    CHOSEN = "chosen"
    ASSIGNED = "assigned"
