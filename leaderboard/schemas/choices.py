"""Choices that a challenge makes, as its fields and its rows have them."""

from __future__ import annotations

from enum import StrEnum


class Visibility(StrEnum):
    """Who sees a challenge: everyone; everyone who knows its address; its tenant."""

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
    """What happens when plugins on the server are others than those of the board."""

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
    """What becomes of samples of a task that the challenge does not declare."""

    REFUSE = "refuse"
    KEEP = "keep"


class RegistrationMode(StrEnum):
    """Who may take part: everyone; who knows a code; who has an address of certain domains; whom
    organisers approve; whom organisers have listed.
    """

    OPEN = "open"
    CODE = "code"
    DOMAIN = "domain"
    APPROVAL = "approval"
    INVITED = "invited"


class RegistrationStatus(StrEnum):
    """What organisers have decided about a registration."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    DECLINED = "declined"


class BracketChoice(StrEnum):
    """Who says to which bracket a participant belongs."""

    CHOSEN = "chosen"
    ASSIGNED = "assigned"
