from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from leaderboard.facts import FactValue
from leaderboard.management.demo.benchmarks import (
    FLAT_FARE,
    HARBOUR_DESK,
    harbour_samples,
    ticket_samples,
)
from leaderboard.management.demo.participants import DemoParticipant
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.rules.rewards.evidence import Sample

DemoFacts = Callable[[random.Random, float], dict[str, FactValue]]
DemoSamples = Callable[[random.Random, DemoParticipant, float], Sequence[Sample]]


def _no_facts(dice: random.Random, skill: float) -> dict[str, FactValue]:
    return {}


def _no_samples(dice: random.Random, entrant: DemoParticipant, skill: float) -> Sequence[Sample]:
    return ()


class DemoChallenge(NamedTuple):
    """A challenge of the demo: its fields, its number of participants, and how attempts are drawn.

    `metrics` draws the facts of one attempt and `samples` its evidence, for a skill of about 0
    to 1. A participant has at most `most_tries` attempts.
    """

    fields: SentFields
    entrants: int
    metrics: DemoFacts = _no_facts
    samples: DemoSamples = _no_samples
    most_tries: int = 4
    systems_only: bool = False


def _solves(dice: random.Random, skill: float, hardness: float) -> bool:
    return dice.random() < skill + 0.5 - hardness


def _lock(dice: random.Random, skill: float) -> dict[str, FactValue]:
    solved = _solves(dice, skill, 0.75)
    return {
        "succeeded": solved,
        "elapsed_ms": int(dice.lognormvariate(10.4 - skill, 0.5)),
        "tokens_total": int(dice.lognormvariate(8.2 - 0.6 * skill, 0.4)),
    }


def _sprint(dice: random.Random, skill: float) -> dict[str, FactValue]:
    return {
        "succeeded": _solves(dice, skill, 0.4),
        "elapsed_ms": int(dice.lognormvariate(11.2 - 1.6 * skill, 0.35)),
        "tokens_total": int(dice.lognormvariate(8.6, 0.4)),
        "cost_usd": round(dice.lognormvariate(-3.2, 0.5), 4),
    }


def _few_words(dice: random.Random, skill: float) -> dict[str, FactValue]:
    incoming, outgoing = dice.randint(380, 520), int(dice.lognormvariate(6.9 - 1.5 * skill, 0.3))
    return {
        "succeeded": _solves(dice, skill, 0.5),
        "input_tokens": incoming,
        "output_tokens": outgoing,
        "tokens_total": incoming + outgoing,
        "elapsed_ms": 600 + 22 * outgoing,
    }


def _judged(dice: random.Random, skill: float, spread: float) -> float:
    """A random rating from 0 to 10, which seldom reaches either end."""
    return 10 / (1 + math.exp(-dice.gauss(3 * skill - 0.8, spread)))


def _letter(dice: random.Random, skill: float) -> dict[str, FactValue]:
    rating = round(_judged(dice, skill, 0.4) * 5) / 5
    return {
        "succeeded": rating >= 4,
        "rating": rating,
        "tokens_total": dice.randint(600, 2400),
        "elapsed_ms": dice.randint(4_000, 40_000),
    }


def _escape(dice: random.Random, skill: float) -> dict[str, FactValue]:
    return {
        "succeeded": _solves(dice, skill, 0.6),
        "rating": round(_judged(dice, skill - 0.1, 0.55), 1),
        "elapsed_ms": int(dice.lognormvariate(10.6 - 1.2 * skill, 0.5)),
        "tokens_total": int(dice.lognormvariate(7.9 - 0.7 * skill, 0.5)),
        "cost_usd": round(dice.lognormvariate(-3.8, 0.6), 4),
    }


CHALLENGES = [
    DemoChallenge(
        {
            "name": "The Clockmaker's Lock",
            "slug": "clockmakers-lock",
            "summary": "A seven-part logic lock. Whoever opened it first stays on top.",
            "description": (
                "A clockmaker left a lock with seven dials and a page of notes, some of which are"
                " wrong on purpose.\n\nEvery attempt gets the same notes. The lock is open or it is"
                " not; there is no half."
            ),
            "goal": "Name the seven positions.",
            "scoring_strategy": "first",
        },
        24,
        _lock,
    ),
    DemoChallenge(
        {
            "name": "Mend the Parser",
            "slug": "mend-the-parser",
            "summary": "A repository with one broken test. The fastest repair wins.",
            "description": (
                "A small parser for bus timetables fails **one** test out of 312. The fix is four"
                " lines long, in a file that the failing test does not mention.\n\nThe clock runs"
                " from the first prompt to a green test suite."
            ),
            "goal": "All 312 tests pass and no test was changed.",
            "scoring_strategy": "fastest",
        },
        30,
        _sprint,
    ),
    DemoChallenge(
        {
            "name": "In So Many Words",
            "slug": "in-so-many-words",
            "summary": "Answer forty questions about a lease, with as few tokens as you can.",
            "description": (
                "A nine-page lease, forty questions, and a judge that only accepts complete"
                " answers. Prompt and answer count alike, so long instructions cost as much as"
                " long answers."
            ),
            "goal": "All forty answers accepted.",
            "scoring_strategy": "fewest_tokens",
        },
        27,
        _few_words,
    ),
    DemoChallenge(
        {
            "name": "A Letter to the Council",
            "slug": "letter-to-the-council",
            "summary": "Persuade a town council to keep its library open. Judged from 0 to 10.",
            "description": (
                "The council reads three hundred letters a week. Five judges rate each letter for"
                " clarity, truth and kindness; the rating is their mean."
            ),
            "goal": "A rating of 4 or more.",
            "scoring_strategy": "highest_rating",
        },
        26,
        _letter,
    ),
    DemoChallenge(
        {
            "name": "Prompt Escape",
            "slug": "prompt-escape",
            "summary": "Talk a guarded assistant out of its secret: rated, timed and counted.",
            "description": (
                "The assistant knows a word and has been told to keep it. It is polite, it is"
                " stubborn, and it has read about every trick you know.\n\nSuccess pays a bonus,"
                " a judge rates the elegance of the attempt, time and tokens cost points."
            ),
            "goal": "The assistant says the word.",
            "app_id": "guard-desk",
            "workflow_id": "guard-desk-v2",
            "scoring_strategy": "custom",
            "scoring_plugin_id": "builtin.weighted_scorer",
            "scoring_entrypoint": "scorers.weighted:WeightedScorer",
            "scoring_config": {
                "success_bonus": 100.0,
                "rating_weight": 15.0,
                "time_penalty": 0.5,
                "token_penalty": 0.02,
            },
        },
        32,
        _escape,
    ),
    DemoChallenge(HARBOUR_DESK, 20, samples=harbour_samples, most_tries=1, systems_only=True),
    DemoChallenge(FLAT_FARE, 18, samples=ticket_samples, most_tries=2, systems_only=True),
]
