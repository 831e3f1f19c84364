"""Enumerated values of the fields of a challenge, which the database columns use too."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class ChallengeRoleName(StrEnum):
    """The roles in one challenge: who configures it, and who sees all of it."""

    ORGANISER = "organiser"
    REVIEWER = "reviewer"


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


class VotesFrom(StrEnum):
    """Who votes on which of two participants is better: nobody, organisers, or accounts as well."""

    NOBODY = "nobody"
    ORGANISERS = "organisers"
    ACCOUNTS = "accounts"


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
    """Which attempt of a participant stands on the board, or which ones."""

    BEST = "best"
    LATEST = "latest"
    FIRST = "first"
    CHOSEN = "chosen"
    MEAN = "mean"
    ALL = "all"


class RowKind(StrEnum):
    """What the row of a participant is: it competes, or it is out of the ranking."""

    RANKED = "ranked"
    BASELINE = "baseline"
    HUMAN = "human"
    OUT_OF_COMPETITION = "out_of_competition"


class PredictionKind(StrEnum):
    """What a row of a file of predictions holds."""

    VALUES = "values"
    LABELS = "labels"
    PROBABILITIES = "probabilities"
    SCORES = "scores"
    RANKINGS = "rankings"
    MASKS = "masks"


class IndependentUnit(StrEnum):
    """What is independent for errors and comparisons: clusters that tasks name, groups, tasks."""

    CLUSTER = "cluster"
    GROUP = "group"
    TASK = "task"


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


class NoticeKind(StrEnum):
    """What users are told of.

    `attempts`: results of one's own. `ranks`: one's rank has fallen beyond its interval.
    `announcements`, `dates`: of challenges in which one takes part. `decisions`: about one's own
    registration or attempts. `waiting`: registrations and appeals that wait for a decision in
    challenges that one organises; `held`: attempts that do.
    """

    ATTEMPTS = "attempts"
    RANKS = "ranks"
    DECISIONS = "decisions"
    ANNOUNCEMENTS = "announcements"
    DATES = "dates"
    WAITING = "waiting"
    HELD = "held"


class NoticeWay(StrEnum):
    """How a user is told of a kind of notice; each way includes the page, but for `off`."""

    OFF = "off"
    PAGE = "page"
    DAILY = "daily"
    NOW = "now"


DEFAULT_WAYS: Final = {
    NoticeKind.ATTEMPTS: NoticeWay.PAGE,
    NoticeKind.RANKS: NoticeWay.PAGE,
    NoticeKind.DECISIONS: NoticeWay.NOW,
    NoticeKind.ANNOUNCEMENTS: NoticeWay.PAGE,
    NoticeKind.DATES: NoticeWay.NOW,
    NoticeKind.WAITING: NoticeWay.NOW,
    NoticeKind.HELD: NoticeWay.NOW,
}


class LimitsPer(StrEnum):
    """For whom the limits of a phase count. `name`: each name of an account has its own."""

    ACCOUNT = "account"
    NAME = "name"


class BoardVisibility(StrEnum):
    """Who sees the board of a phase. `own`: each participant sees their own row."""

    PUBLIC = "public"
    PARTICIPANTS = "participants"
    OWN = "own"
    ORGANISERS = "organisers"


class ScoresVisibility(StrEnum):
    """Whose scores readers see: those of everyone on the board, their own, or none."""

    SHOWN = "shown"
    OWN = "own"
    HIDDEN = "hidden"


class AttemptsVisibility(StrEnum):
    """Whose attempts readers can open. `after_end`: their own, and everyone's after the end."""

    PUBLIC = "public"
    OWN = "own"
    AFTER_END = "after_end"


class NamesVisibility(StrEnum):
    """Whether participants are named. `anonymous`: not before the end of the phase."""

    SHOWN = "shown"
    ANONYMOUS = "anonymous"


class NotesVisibility(StrEnum):
    """Who sees the notes and the meta of attempts. `auto`: everyone, if the phase hides nothing."""

    AUTO = "auto"
    PUBLIC = "public"
    OWN = "own"


class Review(StrEnum):
    """Which attempts reviewers look at before they count."""

    NONE = "none"
    FLAGGED = "flagged"
    ALL = "all"


class Disclose(StrEnum):
    """Who sees how many attempts of a participant preceded the one that counts."""

    EVERYONE = "everyone"
    OWN = "own"
    NONE = "none"


class EvidenceVisibility(StrEnum):
    """Who reads the trajectories, logs, diffs and links of an attempt."""

    SAMPLES = "samples"
    PARTICIPANT = "participant"
    ORGANISERS = "organisers"


class MetaType(StrEnum):
    """What the values of a declared field of meta are."""

    TEXT = "text"
    NUMBER = "number"
    LINK = "link"
    BOOLEAN = "boolean"
    DATE = "date"
    CHOICE = "choice"
    COMMAND = "command"


class Medals(StrEnum):
    """Which ranks get medals: none; the first three; shares of the ranked rows, as on Kaggle."""

    NONE = "none"
    FIRST_THREE = "first_three"
    SHARES = "shares"


class WebhookReader(StrEnum):
    """Whose view of a challenge a webhook gets: anyone's, or that of its organisers."""

    PUBLIC = "public"
    ORGANISER = "organiser"


class WebhookFormat(StrEnum):
    """What the body of a webhook looks like: Standard Webhooks, or the message of a chat."""

    STANDARD = "standard"
    SLACK = "slack"
    DISCORD = "discord"
    TEAMS = "teams"
    MATRIX = "matrix"
