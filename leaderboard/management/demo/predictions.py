"""The demo's challenge of predictions: how much fuel a ferry burns, with private crossings."""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from importlib.util import find_spec
from io import BytesIO
from typing import Final

from leaderboard.management.demo.participants import PARTICIPANTS, DemoParticipant
from leaderboard.models import Challenge, ChallengeFile, Tenant, User
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.services.attempts.submit import NewAttempt, SentFile, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge, delete_challenge
from leaderboard.services.challenges.truths import add_challenge_file
from leaderboard.services.errors import ServiceError

logger = logging.getLogger(__name__)

CROSSINGS: Final = 200
PUBLIC: Final = 80
ENTRANTS: Final = 6
LIBRARIES: Final = ("pyarrow", "pandas", "scipy", "sklearn")

FERRY_FUEL: SentFields = {
    "name": "Ferry Fuel",
    "slug": "ferry-fuel",
    "summary": "Predict the fuel of two hundred crossings from wind, load and tide.",
    "description": (
        "Each row is a crossing of one ferry. `crossings.csv` has what was known at the quay:"
        " wind against the bow in knots, vehicles on board, and the tide in metres.\n\n"
        "Predict the litres that it burned. Eighty crossings are public; the others count at the"
        " end."
    ),
    "goal": "The lowest root mean squared error, in litres",
    "scoring_strategy": "metric",
    "prediction_metrics": ["rmse", "mae", "r2"],
    "id_column": "crossing",
    "targets": ["litres"],
    "split": {"column": "Usage"},
    "rank_by": [{"key": "rmse"}],
    "columns": [
        {"key": "rmse", "label": "RMSE", "decimals": 1},
        {"key": "mae", "label": "MAE", "decimals": 1},
        {"key": "r2", "label": "R²", "decimals": 2},
    ],
}
CsvRows = Sequence[tuple[str, ...]]


def prediction_libraries_are_missing() -> bool:
    return any(find_spec(name) is None for name in LIBRARIES)


def load_predictions(tenant: Tenant, user: User, dice: random.Random, now: datetime) -> int:
    """Create the challenge with its files, and submit a file of each participant.

    Returns the number of attempts: 0 where the libraries for predictions are not installed.
    """
    if prediction_libraries_are_missing():
        return 0
    crossings, litres = _crossings(dice)
    challenge = create_challenge(tenant=tenant, user=user, fields=FERRY_FUEL)
    try:
        _add_files(challenge, user, crossings, litres, dice)
    except ServiceError as error:  # a sandbox that cannot read tables must not stop a new server
        logger.warning("the demo has no challenge of predictions: %s", error.message)
        delete_challenge(challenge)
        return 0
    challenge.refresh_from_db()
    systems = [participant for participant in PARTICIPANTS if participant.kind == "system"]
    for entrant in dice.sample(systems, ENTRANTS):
        new = NewAttempt(
            entrant.handle,
            name=entrant.name,
            kind=entrant.kind,
            meta=entrant.meta,
            submitted_at=now - timedelta(days=dice.uniform(1, 40)),
        )
        file = SentFile(BytesIO(_csv(_predicted(entrant, litres, dice))), "predictions.csv")
        submit_attempt(challenge=challenge, user=user, new=new, organiser=True, file=file)
    return ENTRANTS


def _add_files(
    challenge: Challenge,
    user: User,
    crossings: CsvRows,
    litres: Mapping[str, float],
    dice: random.Random,
) -> None:
    """Add the truth, of which a part is private, and what everybody may know."""
    usage = ["Public"] * PUBLIC + ["Private"] * (CROSSINGS - PUBLIC)
    dice.shuffle(usage)
    truth = [
        ("crossing", "litres", "Usage"),
        *((name, f"{litres[name]:.1f}", part) for name, part in zip(litres, usage, strict=True)),
    ]
    roles = ChallengeFile.Role
    for role, name, rows in (
        (roles.TRUTH, "truth.csv", truth),
        (roles.PUBLIC_DATA, "crossings.csv", crossings),
    ):
        add_challenge_file(challenge, BytesIO(_csv(rows)), name=name, role=role, user=user)


def _crossings(dice: random.Random) -> tuple[CsvRows, Mapping[str, float]]:
    """What was written down of each crossing, with a header, and the litres by crossing."""
    crossings: list[tuple[str, ...]] = [("crossing", "wind", "vehicles", "tide")]
    litres: dict[str, float] = {}
    for number in range(1, CROSSINGS + 1):
        name, wind = f"F{number:03}", dice.gauss(8, 6)
        vehicles, tide = dice.randint(4, 90), dice.uniform(-2, 2)
        crossings.append((name, f"{wind:.1f}", str(vehicles), f"{tide:.2f}"))
        litres[name] = 180 + 4.5 * wind + 0.9 * vehicles - 11 * tide + dice.gauss(0, 6)
    return crossings, litres


def _predicted(
    entrant: DemoParticipant, litres: Mapping[str, float], dice: random.Random
) -> CsvRows:
    error = 8 + 40 * (1 - entrant.skill)
    rows = ((name, f"{value + dice.gauss(0, error):.1f}") for name, value in litres.items())
    return [("crossing", "litres"), *rows]


def _csv(rows: CsvRows) -> bytes:
    return "".join(f"{','.join(row)}\n" for row in rows).encode()
