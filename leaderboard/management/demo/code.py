"""The demo's challenge of code: in which order ships come to the quay."""

from __future__ import annotations

import json
import logging
import random
import tomllib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

from django.conf import settings

from leaderboard.management.demo.participants import PARTICIPANTS
from leaderboard.models import Challenge, ChallengeFile, Tenant, User
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.services.attempts.submit import NewAttempt, SentFile, submit_attempt
from leaderboard.services.challenges.challenges import (
    change_challenge,
    create_challenge,
    delete_challenge,
)
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.challenge_files import add_file

logger = logging.getLogger(__name__)

DAYS: Final = 40
SHIPS: Final = ("Anna", "Brim", "Cora", "Dorn", "Elke", "Fenn", "Gull", "Hode")

QUAY_ORDER: SentFields = {
    "name": "Quay Order",
    "slug": "quay-order",
    "summary": "Write the code that decides which ship unloads next.",
    "description": (
        "One quay, eight ships a day. `days.json` says when each ship arrives and how many hours"
        " it has announced for unloading; what it really takes is known only in the evening.\n\n"
        "Submit a zip with `plan.py`, which has a function `order(ships)` that returns the names"
        " of a day's ships in the order in which they unload. It runs here without a network and"
        " without the true hours. The starting kit has a plan to begin with."
    ),
    "goal": "The ships wait as few hours as possible",
    "scoring_strategy": "first",
}
PROGRAM: Final[SentFields] = {
    "kind": "codabench",
    "values": {"waiting": "asc", "longest": "asc"},
    "seconds": 60,
    "memory_mb": 512,
}
QuayDay = Sequence[Mapping[str, Any]]


def load_code(tenant: Tenant, user: User, dice: random.Random, now: datetime) -> int:
    """Create the challenge with its programs, and submit the code of each participant.

    Returns the number of attempts: 0 where the operator allows no programs of challenges.
    """
    if not (settings.CHALLENGE_CODE and settings.PROGRAM_SLOTS):
        return 0
    sources = tomllib.loads(Path(__file__).with_name("code.toml").read_text(encoding="utf-8"))
    challenge = create_challenge(tenant=tenant, user=user, fields=QUAY_ORDER)
    try:
        _set_up(challenge, user, sources, dice)
    except ServiceError as error:  # a challenge that cannot be held must not stop a new server
        logger.warning("the demo has no challenge of code: %s", error.message)
        delete_challenge(challenge)
        return 0
    challenge.refresh_from_db()
    people = [participant for participant in PARTICIPANTS if participant.kind == "system"]
    plans = sources["plans"]
    for entrant, (name, plan) in zip(dice.sample(people, len(plans)), plans.items(), strict=True):
        new = NewAttempt(
            entrant.handle,
            name=entrant.name,
            kind=entrant.kind,
            note=name,
            meta=entrant.meta,
            submitted_at=now - timedelta(days=dice.uniform(1, 40)),
        )
        file = SentFile(BytesIO(_zipped({"plan.py": plan})), f"{name}.zip")
        submit_attempt(challenge=challenge, user=user, new=new, organiser=True, file=file)
    return len(plans)


def _set_up(
    challenge: Challenge, user: User, sources: Mapping[str, Any], dice: random.Random
) -> None:
    """Add the programs and the days, and score with them."""
    roles, days = ChallengeFile.Role, [_day(dice) for _ in range(DAYS)]
    public, true = (_as_json(days, hours) for hours in ("announced", "hours"))
    command = "command: python $program/run.py $input $output"
    files = {
        "scoring": (roles.SCORING_PROGRAM, "scoring.zip", _program(command, sources["scoring"])),
        "truth": (roles.TRUTH, "days.json", true),
        "ingestion": (
            roles.INGESTION_PROGRAM,
            "ingestion.zip",
            _program(f"{command} $submission_program", sources["ingestion"]),
        ),
        "input": (roles.INPUT_DATA, "days.json", public),
        "data": (roles.PUBLIC_DATA, "days.json", public),
        "kit": (
            roles.STARTING_KIT,
            "starting-kit.zip",
            _zipped({"plan.py": sources["plans"]["first-come"]}),
        ),
    }
    digests = {
        part: add_file(challenge, BytesIO(content), name=name, role=role, user=user).sha256
        for part, (role, name, content) in files.items()
    }
    named = {part: digests[part] for part in ("scoring", "truth", "ingestion", "input")}
    fields: SentFields = {
        "program": {**PROGRAM, **named},
        "scoring_strategy": "metric",
        "rank_by": [{"key": "waiting"}],
        "columns": [
            {"key": "waiting", "label": "Waiting", "unit": "h", "decimals": 2},
            {"key": "longest", "label": "Longest", "unit": "h", "decimals": 1},
        ],
    }
    change_challenge(challenge, user=user, fields=fields)


def _day(dice: random.Random) -> QuayDay:
    """When each ship of a day arrives, the hours it announces, and the hours it takes."""
    return [
        {
            "ship": name,
            "arrives": round(dice.uniform(0, 12), 1),
            "announced": (announced := round(dice.uniform(0.5, 4), 1)),
            "hours": round(announced * dice.uniform(0.7, 1.5), 1),
        }
        for name in SHIPS
    ]


def _as_json(days: Sequence[QuayDay], hours: str) -> bytes:
    """The days with one kind of hours, which are called `hours`."""
    return json.dumps(
        [
            [
                {"ship": ship["ship"], "arrives": ship["arrives"], "hours": ship[hours]}
                for ship in day
            ]
            for day in days
        ]
    ).encode()


def _program(command: str, source: str) -> bytes:
    return _zipped({"metadata.yaml": f"{command}\n", "run.py": source})


def _zipped(files: Mapping[str, str]) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()
