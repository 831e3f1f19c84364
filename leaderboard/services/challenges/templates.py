"""Templates of new challenges: phases with limits, and who may take part."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from leaderboard.rules.texts.local_times import ANYWHERE_ON_EARTH
from leaderboard.rules.texts.messages import message

TemplateFields = Mapping[str, object]
MONDAY: Final = 7
"""A week has so many days, and its first one is number 0."""


@dataclass(frozen=True, slots=True)
class Template:
    """What a template declares, by the names of the API.

    label, summary: its texts in the form. fields: of the challenge. phases: of the challenge, by
    the moment of its creation. rules: of registration; None: everyone may take part.
    """

    key: str
    label: str
    summary: str
    fields: TemplateFields
    phases: Callable[[datetime], Sequence[TemplateFields]]
    rules: Callable[[], TemplateFields | None]


def _one_phase(**limits: int) -> Callable[[datetime], Sequence[TemplateFields]]:
    return lambda now: [{"slug": "main", **limits}]


def _two_phases(now: datetime) -> Sequence[TemplateFields]:
    """Four weeks of development from the next Monday on, and a week of tests.

    If some tasks are private, they count at the end of the tests alone.
    """
    here = now.astimezone(ZoneInfo(ANYWHERE_ON_EARTH)).date()
    monday = here + timedelta(days=MONDAY - here.weekday())
    first, second, end = (
        datetime.combine(monday + timedelta(weeks=weeks), time()).isoformat(timespec="minutes")
        for weeks in (0, 4, 5)
    )
    zone = {"time_zone": ANYWHERE_ON_EARTH, "face": True}
    development = {"slug": "development", "name": "Development", "per_day": 10}
    public = {"final_part": "public"}
    test = {"slug": "test", "name": "Test", "total": 3, "counting": "chosen", "counted": 2}
    return [
        {**development, **public, **zone, "opens_at": first, "closes_at": second},
        {**test, **zone, "opens_at": second, "closes_at": end},
    ]


_CLASS: Final = Template(
    key="class",
    label=message("Class"),
    summary=message(
        "one phase with 5 attempts per day; whoever knows the code takes part, in teams of up to 4"
    ),
    fields={},
    phases=_one_phase(per_day=5, at_once=2),
    rules=lambda: {"mode": "code", "code": secrets.token_hex(4), "largest_team": 4},
)
_SHARED_TASK: Final = Template(
    key="shared_task",
    label=message("Shared task"),
    summary=message(
        "four weeks of development from the next Monday on, then a week of tests with 3 attempts,"
        " of which participants choose 2; you accept each participant, teams of up to 10"
    ),
    fields={},
    phases=_two_phases,
    rules=lambda: {"mode": "approval", "largest_team": 10},
)
_AGENTS: Final = Template(
    key="agent_benchmark",
    label=message("Agent benchmark"),
    summary=message("always open to everyone, with 3 attempts per week; the newest attempt counts"),
    fields={"counting": "latest"},
    phases=_one_phase(per_week=3, at_once=1),
    rules=lambda: None,
)
TEMPLATES: Final[Mapping[str, Template]] = {
    template.key: template for template in (_CLASS, _SHARED_TASK, _AGENTS)
}
