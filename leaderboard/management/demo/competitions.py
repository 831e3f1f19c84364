"""Two competitions of the demo, by dates around its first start: a class and a shared task."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypedDict

from leaderboard.facts import FactValue
from leaderboard.models import Challenge, Registration, Tenant, User
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.schemas.choices import RowKind
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.organisers.announcements import announce
from leaderboard.services.competition.participants.disqualification import disqualify
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.participants.row_kinds import set_row_kind

DAY: Final = timedelta(days=1)


class DemoTeam(NamedTuple):
    """A participant of a competition, and how well it does, about 0 to 1."""

    handle: str
    name: str
    skill: float
    kind: str = "team"


class DemoEvidence(TypedDict, total=False):
    """What an attempt has besides its participant."""

    metrics: dict[str, FactValue]
    task_rewards: dict[str, list[float]]


class DemoCompetition(NamedTuple):
    """A competition of the demo.

    fields: of the challenge without its phases. phases, moments: by the time of the first start.
    rules: of registration. values: draws the values of an attempt. row_out_of_ranking: the
    participant whose row is out of the ranking, and its kind. disqualified: a participant, and the
    public reason.
    """

    fields: SentFields
    phases: Callable[[datetime], list[SentFields]]
    rules: SentFields
    teams: tuple[DemoTeam, ...]
    values: Callable[[random.Random, float], DemoEvidence]
    moments: tuple[float, ...]
    row_out_of_ranking: tuple[str, RowKind]
    disqualified: tuple[str, str] | None
    news: Mapping[str, str]


def _golf(dice: random.Random, skill: float) -> DemoEvidence:
    tokens = int(dice.lognormvariate(6.4 - 1.2 * skill, 0.25))
    return {"metrics": {"succeeded": dice.random() < 0.6 + 0.4 * skill, "tokens_total": tokens}}


LOGBOOKS: Final = tuple(f"logbook-{number:02}" for number in range(1, 25))


def _logbooks(dice: random.Random, skill: float) -> DemoEvidence:
    """The F1 of each logbook."""
    f1_scores = {name: 0.45 + 0.3 * skill + dice.uniform(-0.25, 0.25) for name in LOGBOOKS}
    return {"task_rewards": {name: [round(min(f1, 1.0), 3)] for name, f1 in f1_scores.items()}}


def _class_phases(now: datetime) -> list[SentFields]:
    """It closes in two days and has been frozen since yesterday."""
    return [
        {
            "slug": "homework",
            "name": "Homework 3",
            "time_zone": "Europe/Berlin",
            "opens_at": _at(now, -12),
            "freezes_at": _at(now, -1),
            "closes_at": _at(now, 2),
            "per_day": 5,
            "at_once": 2,
        }
    ]


def _task_phases(now: datetime) -> list[SentFields]:
    """The development has ended, with final scores. In the test, participants choose two attempts
    by their public scores.
    """
    zone = {"time_zone": "Etc/GMT+12", "face": True}
    development = {"slug": "development", "name": "Development", "per_day": 10, **zone}
    test = {"slug": "test", "name": "Test", "total": 5, "names": "anonymous", **zone}
    chosen = {"counting": "chosen", "counted": 2}
    border = _at(now, -3)
    return [
        {**development, "opens_at": _at(now, -30), "closes_at": border},
        {**test, **chosen, "opens_at": border, "closes_at": _at(now, 4)},
    ]


def _at(now: datetime, days: float) -> str:
    return (now + days * DAY).replace(minute=0, second=0, microsecond=0).isoformat()


CLASS: Final = DemoCompetition(
    fields={
        "name": "Prompt golf, a class",
        "slug": "prompt-golf",
        "summary": "Teams of a course solve one puzzle with as few tokens as they can.",
        "description": "Each team sends its attempts by token. The board is frozen before the end.",
        "goal": "The agent opens the lock, and says only the code.",
        "scoring_strategy": "fewest_tokens",
    },
    phases=_class_phases,
    rules={"mode": "code", "code": "green-apple", "largest_team": 4},
    teams=(
        DemoTeam("team-tulip", "Tulip", 0.9),
        DemoTeam("team-maple", "Maple", 0.8),
        DemoTeam("team-cedar", "Cedar", 0.6),
        DemoTeam("team-willow", "Willow", 0.5),
        DemoTeam("team-aspen", "Aspen", 0.3),
        DemoTeam("team-birch", "Birch", 1.3),
        DemoTeam("first-draft", "The lecturer’s first draft", 0.45, "system"),
    ),
    values=_golf,
    moments=(-11, -8, -5, -2, -0.5),
    row_out_of_ranking=("first-draft", RowKind.BASELINE),
    disqualified=("team-birch", "Its agent read the code from the example."),
    news={
        "title": "The board is frozen",
        "text": "Attempts of the last days count when the board is revealed.",
    },
)
TASK: Final = DemoCompetition(
    fields={
        "name": "Harbour names, a shared task",
        "slug": "harbour-names",
        "summary": "Find harbours in logbooks, of which half are private until the end.",
        "description": "Each attempt brings the F1 of 24 logbooks.",
        "goal": "The highest mean F1 on the private logbooks.",
        "scoring_strategy": "metric",
        "metrics": [{"type": "mean", "name": "f1"}],
        "tasks": [{"name": name, "rewards": ["reward"]} for name in LOGBOOKS],
        "rewards": [{"name": "reward", "min": 0, "max": 1}],
        "split": {"share": 0.5, "seed": "harbour"},
        "rank_by": [{"key": "f1", "direction": "desc"}],
        "columns": [{"key": "f1", "label": "F1", "decimals": 3}],
        "medals": "first_three",
    },
    phases=_task_phases,
    rules={"mode": "approval", "largest_team": 10},
    teams=(
        DemoTeam("north-lab", "North Lab", 0.9),
        DemoTeam("quay-side", "Quayside", 0.8),
        DemoTeam("tide-team", "Tide", 0.7),
        DemoTeam("log-readers", "Log Readers", 0.5),
        DemoTeam("pilot-charts", "Pilot Charts", 0.65),
        DemoTeam("two-archivists", "Two archivists", 0.95, "person"),
    ),
    values=_logbooks,
    moments=(-25, -18, -10, -4, -2, -1),
    row_out_of_ranking=("two-archivists", RowKind.HUMAN),
    disqualified=None,
    news={
        "title": "The test has begun",
        "text": "Choose up to **two** attempts until it closes. The better one on the private "
        "logbooks counts.",
    },
)
COMPETITIONS: Final = (CLASS, TASK)


def load_competition(
    tenant: Tenant, user: User, demo: DemoCompetition, dice: random.Random, now: datetime
) -> int:
    """Create a competition and submit its attempts; returns the number of attempts."""
    fields = {**demo.fields, "phases": demo.phases(now)}
    challenge: Challenge = create_challenge(tenant=tenant, user=user, fields=fields)
    news = [
        NewAttempt(
            participant=team.handle,
            name=team.name,
            kind=team.kind,
            submitted_at=now + (days + dice.uniform(0, 0.4)) * DAY,
            **demo.values(dice, team.skill + 0.05 * number),
        )
        for team in demo.teams
        for number, days in enumerate(demo.moments)
    ]
    news.sort(key=lambda new: new.submitted_at or now)
    result = submit_many(challenge=challenge, user=user, news=news, organiser=True)
    declare_rules(challenge, demo.rules, by=user)
    handle, kind = demo.row_out_of_ranking
    set_row_kind(_registered(challenge, handle), {"row": kind.value}, by=user)
    if demo.disqualified:
        handle, reason = demo.disqualified
        disqualify(_registered(challenge, handle), {"reason": reason}, by=user)
    announce(challenge, demo.news, by=user)
    return len(result.accepted)


def _registered(challenge: Challenge, handle: str) -> Registration:
    return Registration.objects.get(challenge=challenge, participant__handle=handle)
