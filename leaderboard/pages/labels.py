"""What rows mean, said in words."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.humanize.templatetags.humanize import apnumber
from django.utils import timezone

from leaderboard.columns import Column
from leaderboard.columns.column import NOTHING
from leaderboard.models import Score, ScoringConfig
from leaderboard.rules.reward_bounds import DeclaredReward
from leaderboard.rules.sortkey import PRECISION
from leaderboard.services.scoring.queue_position import QueuePosition
from leaderboard.strategies import get_strategy

_UNRANKED = {
    "not_succeeded": "No successful attempt yet",
    "failed": "Scoring failed",
    "low_coverage": "Too few tasks were run",
    "withdrawn": "Withdrawn by the organiser",
}
_UNKNOWN_TASKS = {
    "refuse": "An attempt with samples of any other task is refused.",
    "keep": "Samples of other tasks are taken as well.",
}
_ERRORS = {
    "timeout": "The scorer took too long",
    "exception": "The scorer stopped with an error",
    "invalid_result": "The scorer returned something that is no score",
    "load_error": "The scorer could not be loaded",
    "crashed": "The scorer crashed",
    "out_of_memory": "The scorer needed too much memory",
    "not_installed": "The scorer needs something that is not installed",
    "worker_lost": "The worker was lost while it scored",
    "expired": "The attempt waited too long to be scored",
}
_STATUSES = {
    "queued": "Waiting for a worker",
    "held": "Waiting for an organiser",
    "scoring": "Being scored",
    "scored": "Scored",
    "failed": "Failed",
}


def end(column: Column) -> str:
    """The better end of a column's values."""
    if column.key == "submitted_at":
        return "earliest" if column.direction == "asc" else "latest"
    return "lowest" if column.direction == "asc" else "highest"


def strategy(config: ScoringConfig, columns: list[Column]) -> str:
    """How the board is ordered, in a sentence. `columns` are those of the board."""
    said = get_strategy(config.strategy).sentence
    if not said:
        keys = [f"{column.label} ({end(column)} first)" for column in columns if column.ranked]
        said = f"Attempts are ranked by {', then '.join(keys)}."
    return " ".join([said, *_compared(config, columns)])


def _compared(config: ScoringConfig, columns: list[Column]) -> Iterator[str]:
    """How exactly ranked values are compared, where that is said."""
    labels = {column.key: column.label for column in columns}
    for key in config.ranking.keys:
        if key.decimals < PRECISION:
            name = labels.get(key.key, key.key)
            yield f"Values of {name} are compared to {count(key.decimals, 'decimal')}."


def who_is_ranked(config: ScoringConfig, columns: list[Column]) -> str:
    said = _who_is_ranked(config, columns)
    if config.min_coverage is None:
        return said
    return f"{said} One that covers less than {config.min_coverage:.0%} of the tasks is not."


def _who_is_ranked(config: ScoringConfig, columns: list[Column]) -> str:
    if config.ranking.only_succeeded:
        return "Only successful attempts are ranked."
    if said := get_strategy(config.strategy).ranked:
        return said
    first = next((column.label for column in columns if column.ranked), "")
    return f"Every attempt with a value for {first} is ranked."


def evidence(config: ScoringConfig) -> list[str]:
    """What a challenge asks of the samples of an attempt, a sentence each."""
    said = []
    if config.tasks:
        said.append(
            f"{count(len(config.tasks), 'task')} {'is' if len(config.tasks) == 1 else 'are'} "
            "declared; one that an attempt does not bring was not run."
        )
        said.append(_UNKNOWN_TASKS[config.unknown_tasks])
    bounded = (each for each in config.reward_bounds.values() if each.range)
    said += [f"Each {each.name} is {each.range}." for each in bounded]
    if config.num_samples is not None:
        said.append(f"An attempt has at most {count(config.num_samples, 'sample')} of a task.")
    return said


def bounds(reward: DeclaredReward) -> str:
    """`physics_reward from 0 to 100`."""
    return f"{reward.name} {reward.range or 'without bounds'}"


def counting(config: ScoringConfig) -> str:
    """Which attempt of a participant counts."""
    if config.counting == ScoringConfig.Counting.LATEST:
        return "The latest attempt of a participant counts, even if an earlier one was better."
    own = [key.key for key in config.own_ranking.keys]
    if own != config.ranked_keys:
        return (
            f"The best attempt of a participant by {', then '.join(own)} counts, and is compared "
            "with those of the others."
        )
    return "The best attempt of a participant counts; more attempts never hurt."


def unranked(reason: str, columns: list[Column]) -> str:
    """Why a participant has no rank. `columns` are those of the board."""
    if reason == "no_value":
        label = next((column.label for column in columns if column.ranked), "value")
        return f"No value for {label}"
    return _UNRANKED[reason]


def error(code: str) -> str:
    """A headline for an error code."""
    return _ERRORS.get(code, "The attempt could not be scored")


def status(status: str) -> str:
    """A status of an attempt."""
    return _STATUSES[status]


def editions(number_of: int) -> str:
    """`two editions`, `12 editions`."""
    return f"{apnumber(number_of)} editions"


def plugins_of(config: ScoringConfig) -> str:
    """What of a config's has a code: `scorer`, or `metrics`."""
    return "scorer" if config.runs_scorer else "metrics"


def clamp(score: Score | None) -> str:
    """Why a negative score counts as 0; "" for a score that counts as it is."""
    if score is None or score.raw_value is None or not score.clamped:
        return ""
    return f"The scorer returned {number(score.raw_value)}. Scores are never below 0, so 0 counts."


def number(value: float | None) -> str:
    """A number that no column describes: up to six decimals, without zeros that say nothing."""
    if value is None:
        return NOTHING
    if value == 0 or abs(value) >= 1e15 or abs(value) < 1e-6:
        text = f"{value:g}"
    else:
        text = f"{value:,.6f}".rstrip("0").rstrip(".")
    return text.replace("-", "\N{MINUS SIGN}", 1) if value < 0 else text


def seconds(milliseconds: int) -> str:
    """A time limit: `0.25 seconds`, `5 seconds`, `10 minutes`."""
    minutes, rest = divmod(milliseconds, 60_000)
    if minutes > 1 and not rest:
        return f"{minutes} minutes"
    amount = f"{milliseconds / 1000:g}"
    return f"{amount} second" if amount == "1" else f"{amount} seconds"


def duration(seconds: float) -> str:
    """About how long: `3 seconds`, `2 minutes`, `5 hours`, `4 days`."""
    for unit, noun in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 2 * unit:
            return count(int(seconds // unit), noun)
    return count(int(seconds), "second")


def queue_place(place: QueuePosition) -> str:
    """How many attempts come before one that waits, and when its turn may be."""
    if place.ahead == 0:
        return "It is the next one in the queue."
    more = "More than " if place.is_least else ""
    verb = "comes" if place.ahead == 1 else "come"
    ahead = f"{more}{count(place.ahead, 'attempt')} {verb} before it in the queue"
    if place.expected_start is None:
        return f"{ahead}."
    left = max(1.0, (place.expected_start - timezone.now()).total_seconds())
    return f"{ahead}. At the present speed scoring starts in about {duration(left)}."


def count(number_of: int, noun: str) -> str:
    """`1 participant`, `1,042 participants`."""
    return f"{number_of:,} {noun}" if number_of == 1 else f"{number_of:,} {noun}s"
