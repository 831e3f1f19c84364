"""The demo's benchmarks: challenges whose attempts have the rewards of every sample."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from leaderboard.management.demo.participants import DemoParticipant
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.rules.rewards.evidence import Sample

SAMPLES = 3
BERTHS = (
    "berths/tide-window",
    "berths/double-booking",
    "berths/late-trawler",
    "berths/fuel-quay",
    "berths/ice-warning",
    "berths/pilot-strike",
)
LEDGER = (
    "ledger/harbour-dues",
    "ledger/lost-invoice",
    "ledger/mooring-refund",
    "ledger/mixed-currency",
    "ledger/vat-return",
    "ledger/year-end",
)
TICKETS = (
    "wrong-sailing",
    "bicycle-fare",
    "lost-umbrella",
    "group-booking",
    "refund-in-fog",
    "missed-connection",
    "dog-on-deck",
    "two-names-one-cabin",
)
CRASHES = (
    "The container ran out of disk space.",
    "The model's server answered 529 five times.",
    "No answer within 20 minutes.",
)
ONE_DOMAIN = {"tern": BERTHS}
"""Participants that run only these tasks."""
TWO_SAMPLES = ("sundew",)
"""Participants with two samples of each task instead of three."""
CRASHED_IN = {"moth-and-flame": LEDGER}
"""Participants whose samples of these tasks all fail."""
SKIPPED = {"quill": "ledger/year-end", "cairn": "berths/pilot-strike"}
"""Participants that leave out this task."""
FARES = (0.01, 0.02, 0.05)

HARBOUR_DESK: SentFields = {
    "name": "Harbour Desk",
    "slug": "harbour-desk",
    "summary": "Run the office of a small harbour: twelve tasks, three tries at each.",
    "description": (
        "An agent gets the mailbox, the berth plan and the books of a harbour with forty berths,"
        " and a morning's worth of trouble.\n\n"
        "Six tasks are about **berths**: who lies where, and when the tide lets them in. Six are"
        " about the **ledger**. Each is tried three times from a clean state. A task is solved or"
        " it is not; beside that, every berth task measures how many ships got a place that suits"
        " them, and every ledger task how many entries are right."
    ),
    "goal": "The harbour master signs the day off without a correction.",
    "scoring_strategy": "metric",
    "metrics": [
        {"type": "pass_rate", "name": "solved", "reward": "solved"},
        {"type": "pass^3:unbiased", "name": "reliable", "reward": "solved"},
        {"type": "mean", "name": "berths", "reward": "berths", "failed": "exclude"},
        {"type": "mean", "name": "ledger", "reward": "ledger", "failed": "exclude"},
    ],
    "tasks": [
        *({"name": name, "rewards": ["solved", "berths"]} for name in BERTHS),
        *({"name": name, "rewards": ["solved", "ledger"]} for name in LEDGER),
    ],
    "rewards": [
        {"name": "solved", "min": 0, "max": 1},
        {"name": "berths", "min": 0, "max": 100},
        {"name": "ledger", "min": 0, "max": 100},
    ],
    "num_samples": SAMPLES,
    "min_coverage": 0.9,
    "rank_by": [
        {"key": "solved", "direction": "desc"},
        {"key": "cost_per_task", "direction": "asc"},
    ],
    "meta_fields": [
        {"name": "open", "label": "Open weights", "type": "boolean", "shown": True},
        {"name": "size", "label": "Size", "type": "number", "unit": "B"},
        {"name": "license", "label": "Licence"},
        {"name": "released", "label": "Released", "type": "date"},
        {"name": "code", "label": "Code", "type": "link"},
        {"name": "command", "label": "Run it again", "type": "command"},
    ],
    "saved_views": "Cheapest: sort=cost_per_task\nQuickest: sort=time_per_task",
    "columns": [
        {"key": "solved", "label": "Solved", "decimals": 2},
        {"key": "reliable", "label": "All three", "decimals": 2},
        {"key": "berths", "label": "Berths", "unit": "%", "decimals": 1},
        {"key": "ledger", "label": "Ledger", "unit": "%", "decimals": 1},
        {"key": "cost_per_task", "label": "Cost", "decimals": 3},
        {"key": "time_per_task", "label": "Time"},
        {"key": "tokens_per_task", "label": "Tokens"},
    ],
}

FLAT_FARE: SentFields = {
    "name": "Flat Fare",
    "slug": "flat-fare",
    "summary": "Eight letters to a ferry company. Right first, then cheap, then quick.",
    "description": (
        "Eight travellers have written to the help desk of a ferry company, and each gets one"
        " answer: right or wrong.\n\nModels are paid by a fixed fare for each letter, so many"
        " systems end up level on both. Then the quicker one stands above."
    ),
    "goal": "The answer follows the timetable and the conditions of carriage.",
    "scoring_strategy": "metric",
    "metrics": ["pass@1"],
    "tasks": [{"name": name, "rewards": ["reward"]} for name in TICKETS],
    "rewards": [{"name": "reward", "min": 0, "max": 1}],
    "num_samples": 1,
    "unknown_tasks": "keep",
    "rank_by": [
        {"key": "pass@1", "direction": "desc"},
        {"key": "cost_per_task", "direction": "asc"},
        {"key": "time_per_task", "direction": "asc"},
    ],
    "columns": [
        {"key": "pass@1", "label": "Right"},
        {"key": "cost_per_task", "label": "Fare", "decimals": 2},
        {"key": "time_per_task", "label": "Time"},
    ],
}


class Habits(NamedTuple):
    """The usage of one system.

    price: dollars for 1 000 tokens. reading: tokens that it reads for a sample. pace: milliseconds
    for a token. verbosity: tokens that it writes for a sample.
    """

    price: float
    reading: float
    pace: float
    verbosity: float


def harbour_samples(dice: random.Random, entrant: DemoParticipant, skill: float) -> list[Sample]:
    """All samples of one system for the harbour's tasks. skill: about 0 to 1."""
    tasks = ONE_DOMAIN.get(entrant.handle, (*BERTHS, *LEDGER))
    often = SAMPLES - (entrant.handle in TWO_SAMPLES)
    habits = Habits(
        price=dice.lognormvariate(1.4 * skill - 6.4, 0.35),
        reading=dice.lognormvariate(9.9, 0.35),
        pace=dice.uniform(14, 60),
        verbosity=dice.lognormvariate(7.3 + 0.5 * skill, 0.3),
    )
    return [
        _harbour_sample(dice, entrant, skill, habits, task, number)
        for task in tasks
        if task != SKIPPED.get(entrant.handle)
        for number in range(often)
    ]


def _harbour_sample(
    dice: random.Random,
    entrant: DemoParticipant,
    skill: float,
    habits: Habits,
    task: str,
    number: int,
) -> Sample:
    domain, hardness = _domain_of(task)
    usage = _used(dice, habits)
    if task in CRASHED_IN.get(entrant.handle, ()) or dice.random() < 0.05 * (1.1 - skill):
        return Sample(task, number, None, usage, dice.choice(CRASHES))
    quality = min(100.0, max(0.0, dice.gauss(38 + 56 * skill - 26 * hardness, 8)))
    solved = quality > dice.gauss(58, 12)
    return Sample(task, number, {"solved": float(solved), domain: round(quality, 1)}, usage)


def _domain_of(task: str) -> tuple[str, float]:
    """The reward of the task beside `solved`, and the task's hardness from 0 to 1."""
    domain, tasks = ("berths", BERTHS) if task in BERTHS else ("ledger", LEDGER)
    return domain, tasks.index(task) / (len(tasks) - 1)


def _used(dice: random.Random, habits: Habits) -> dict[str, float | None]:
    sent = int(habits.reading * dice.lognormvariate(0, 0.25))
    received = int(habits.verbosity * dice.lognormvariate(0, 0.4))
    return {
        "input_tokens": sent,
        "output_tokens": received,
        "tokens_total": sent + received,
        "elapsed_ms": int(12_000 + habits.pace * received),
        "cost_usd": round(habits.price * (sent + 4 * received) / 1000, 4),
    }


def ticket_samples(dice: random.Random, entrant: DemoParticipant, skill: float) -> list[Sample]:
    """One sample for each letter, at the fare of the system."""
    fare = FARES[len(entrant.handle) % len(FARES)]
    return list(_tickets(dice, skill, fare))


def _tickets(dice: random.Random, skill: float, fare: float) -> Iterator[Sample]:
    for at, task in enumerate(TICKETS):
        right = dice.random() < skill + 0.3 - 0.08 * at
        elapsed = int(dice.lognormvariate(8.9 - 0.7 * skill, 0.35))
        usage: dict[str, float | None] = {"elapsed_ms": elapsed, "cost_usd": fare}
        yield Sample(task, 0, {"reward": float(right)}, usage)
