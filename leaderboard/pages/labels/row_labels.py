"""Texts for values of rows, such as statuses, reasons and rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Final

from django.contrib.humanize.templatetags.humanize import apnumber
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.columns import Column
from leaderboard.columns.column import NOTHING
from leaderboard.languages.translation import count_text, number_text, translated
from leaderboard.models import ScoringConfig
from leaderboard.rules.sortkey import PRECISION
from leaderboard.schemas.rewards import DeclaredReward
from leaderboard.services.attempts.reading import ReadScore
from leaderboard.strategies import get_strategy

_UNRANKED = {
    "not_succeeded": gettext_lazy("No successful attempt yet"),
    "failed": gettext_lazy("Scoring failed"),
    "low_coverage": gettext_lazy("Too few tasks were run"),
    "withdrawn": gettext_lazy("Withdrawn"),
    "in_review": gettext_lazy("In review"),
    "returned": gettext_lazy("Returned by reviewers"),
    "not_admitted": gettext_lazy("Does not meet the rules of admission"),
    "disqualified": gettext_lazy("Disqualified"),
}
_UNKNOWN_TASKS = {
    "refuse": gettext_lazy("An attempt with samples of any other task is refused."),
    "keep": gettext_lazy("Samples of other tasks are taken as well."),
}
_ERRORS = {
    "timeout": gettext_lazy("The scorer took too long."),
    "exception": gettext_lazy("The scorer stopped with an error."),
    "invalid_result": gettext_lazy("The scorer returned something that is no score."),
    "load_error": gettext_lazy("The scorer could not be loaded."),
    "crashed": gettext_lazy("The scorer crashed."),
    "out_of_memory": gettext_lazy("The scorer needed too much memory."),
    "not_installed": gettext_lazy("The scorer needs something that is not installed."),
    "worker_lost": gettext_lazy("The worker was lost while it scored."),
    "cancelled": gettext_lazy("The attempt was cancelled before it was scored."),
    "expired": gettext_lazy("The attempt waited too long to be scored."),
}
_STATUSES = {
    "queued": gettext_lazy("Waiting for a worker"),
    "held": gettext_lazy("Waiting for an organiser"),
    "scoring": gettext_lazy("Being scored"),
    "scored": gettext_lazy("Scored"),
    "failed": gettext_lazy("Failed"),
    "hidden": gettext_lazy("Hidden until the board is revealed"),
}
_ENDS = {
    "earliest": gettext_lazy("earliest"),
    "latest": gettext_lazy("latest"),
    "lowest": gettext_lazy("lowest"),
    "highest": gettext_lazy("highest"),
}
_BEST = {
    "earliest": gettext_lazy("earliest is best"),
    "latest": gettext_lazy("latest is best"),
    "lowest": gettext_lazy("lowest is best"),
    "highest": gettext_lazy("highest is best"),
}
_FIRST = {
    "earliest": gettext_lazy("{label} (earliest first)"),
    "latest": gettext_lazy("{label} (latest first)"),
    "lowest": gettext_lazy("{label} (lowest first)"),
    "highest": gettext_lazy("{label} (highest first)"),
}
_COUNTS: Final[Mapping[str, Callable[[int], str]]] = {
    "attempt": lambda n: ngettext("{count} attempt", "{count} attempts", n),
    "day": lambda n: ngettext("{count} day", "{count} days", n),
    "decimal": lambda n: ngettext("{count} decimal", "{count} decimals", n),
    "hour": lambda n: ngettext("{count} hour", "{count} hours", n),
    "instance": lambda n: ngettext("{count} instance", "{count} instances", n),
    "minute": lambda n: ngettext("{count} minute", "{count} minutes", n),
    "parameter": lambda n: ngettext("{count} parameter", "{count} parameters", n),
    "participant": lambda n: ngettext("{count} participant", "{count} participants", n),
    "sample": lambda n: ngettext("{count} sample", "{count} samples", n),
    "second": lambda n: ngettext("{count} second", "{count} seconds", n),
    "task": lambda n: ngettext("{count} task", "{count} tasks", n),
}


def spoken(columns: Iterable[Column]) -> list[Column]:
    """Columns with labels and descriptions in the reader's language."""
    return [
        replace(
            column,
            label=translated(column.label),
            description=translated(column.description),
        )
        for column in columns
    ]


def marked(column: Column) -> str:
    """The label of a column, with a mark if participants report its numbers."""
    if column.level == "computed":
        return column.label
    return _("{label}, reported").format(label=column.label)


def value_text(column: Column, value: float | None) -> str:
    """A value of a column in the reader's number format."""
    return number_text(column.text(value))


def _end(column: Column) -> str:
    if column.key == "submitted_at":
        return "earliest" if column.direction == "asc" else "latest"
    return "lowest" if column.direction == "asc" else "highest"


def end(column: Column) -> str:
    """The better end of a column's values: `lowest`."""
    return str(_ENDS[_end(column)])


def arrow(column: Column) -> str:
    """The arrow to the better end of a column."""
    return "↑" if column.direction == "desc" else "↓"


def description(column: Column) -> str:
    """The meaning of a column, and which end of it is best."""
    return _("{meaning}; {best}").format(
        meaning=column.description.rstrip("."), best=_BEST[_end(column)]
    )


def strategy(config: ScoringConfig, columns: list[Column]) -> str:
    """How the board is ordered, in a sentence. `columns` are those of the board."""
    text = translated(get_strategy(config.strategy).sentence)
    if not text:
        keys = [
            str(_FIRST[_end(column)]).format(label=column.label)
            for column in columns
            if column.ranked
        ]
        text = _("Attempts are ranked by {keys}.").format(keys=then(keys))
    return " ".join([text, *_compared(config, columns)])


def first(column: Column, *, descending: bool) -> str:
    """An order of rows: `Elapsed (lowest first)`. descending: from the highest value on."""
    way = replace(column, direction="desc" if descending else "asc")
    return str(_FIRST[_end(way)]).format(label=column.label)


def then(keys: Iterable[str]) -> str:
    """Keys in their order, as a sentence names them."""
    return reduce(lambda text, key: _("{keys}, then {key}").format(keys=text, key=key), keys)


def _compared(config: ScoringConfig, columns: list[Column]) -> Iterator[str]:
    """Sentences about the decimals in which ranked values are compared, if they are set."""
    labels = {column.key: column.label for column in columns}
    for key in config.ranking.keys:
        if key.decimals < PRECISION:
            yield ngettext(
                "Values of {name} are compared to {count} decimal.",
                "Values of {name} are compared to {count} decimals.",
                key.decimals,
            ).format(name=labels.get(key.key, key.key), count=key.decimals)


def who_is_ranked(config: ScoringConfig, columns: list[Column]) -> str:
    text = _who_is_ranked(config, columns)
    if config.min_coverage is None:
        return text
    least = _("One that covers less than {share} of the tasks is not.")
    return f"{text} {least.format(share=number_text(f'{config.min_coverage:.0%}'))}"


def _who_is_ranked(config: ScoringConfig, columns: list[Column]) -> str:
    if config.ranking.only_succeeded:
        return _("Only successful attempts are ranked.")
    if text := get_strategy(config.strategy).ranked:
        return translated(text)
    first = next((column.label for column in columns if column.ranked), "")
    return _("Every attempt with a value for {name} is ranked.").format(name=first)


def evidence(config: ScoringConfig) -> list[str]:
    """Sentences about the samples that a challenge requires of an attempt."""
    sentences = []
    if config.tasks:
        declared = ngettext(
            "The challenge has {count} task. Without a sample in an attempt, it was not run.",
            "The challenge has {count} tasks. A task without a sample in an attempt was not run.",
            len(config.tasks),
        )
        sentences.append(declared.format(count=count_text(len(config.tasks))))
        sentences.append(str(_UNKNOWN_TASKS[config.unknown_tasks]))
    bounded = (reward_bound for reward_bound in config.reward_bounds.values() if reward_bound.range)
    sentences += [
        _("Each {name} is {range}.").format(name=reward.name, range=translated(reward.range))
        for reward in bounded
    ]
    if config.num_samples is not None:
        most = ngettext(
            "An attempt has at most {count} sample of a task.",
            "An attempt has at most {count} samples of a task.",
            config.num_samples,
        )
        sentences.append(most.format(count=count_text(config.num_samples)))
    if config.judged_rewards:
        judged = ngettext(
            "A judge decides {names}. People label up to {count} sample of an attempt, drawn at"
            " random with the seed “{seed}”; ranks are by the judge’s values.",
            "A judge decides {names}. People label up to {count} samples of an attempt, drawn at"
            " random with the seed “{seed}”; ranks are by the judge’s values.",
            config.labels_per_attempt,
        )
        sentences.append(
            judged.format(
                names=", ".join(config.judged_rewards),
                count=count_text(config.labels_per_attempt),
                seed=config.labels_seed,
            )
        )
    return sentences


def bounds(reward: DeclaredReward) -> str:
    """The bounds of a reward as text: `physics_reward from 0 to 100`."""
    unbounded = _("without bounds")
    return f"{reward.name} {translated(reward.range) or unbounded}"


def unranked(reason: str, columns: list[Column]) -> str:
    """Why a participant has no rank. `columns` are those of the board."""
    if reason == "no_value":
        label = next((column.label for column in columns if column.ranked), "")
        return _("No value for {name}").format(name=label) if label else _("No value")
    return str(_UNRANKED[reason])


def error(code: str) -> str:
    """An error code in a sentence."""
    return str(_ERRORS.get(code) or _("The attempt could not be scored."))


def status(status: str) -> str:
    """A status of an attempt."""
    return str(_STATUSES[status])


def editions(number_of: int) -> str:
    """A number of editions as text: `two editions`, `12 editions`."""
    word = apnumber(number_of)
    return ngettext("{count} edition", "{count} editions", number_of).format(count=word)


def clamp(score: ReadScore | None) -> str:
    """Why a negative score counts as 0; "" for a score that is not clamped."""
    if score is None or score.raw_value is None or not score.clamped:
        return ""
    return _("The scorer returned {value}. Scores are never below 0, so 0 counts.").format(
        value=number(score.raw_value)
    )


def number(value: float | None) -> str:
    """A number without a column: up to six decimals, without trailing zeros."""
    if value is None:
        return NOTHING
    if value == 0 or abs(value) >= 1e15 or abs(value) < 1e-6:
        text = f"{value:g}"
    else:
        text = f"{value:,.6f}".rstrip("0").rstrip(".")
    return number_text(text.replace("-", "\N{MINUS SIGN}", 1) if value < 0 else text)


def seconds(milliseconds: int) -> str:
    """A time limit: `0.25 seconds`, `5 seconds`, `10 minutes`."""
    minutes, rest = divmod(milliseconds, 60_000)
    if minutes > 1 and not rest:
        return count(minutes, "minute")
    amount = milliseconds / 1000
    if amount.is_integer():
        return count(int(amount), "second")
    return _("{amount} seconds").format(amount=number_text(f"{amount:g}"))


def duration(seconds: float) -> str:
    """A rounded duration as text: `3 seconds`, `2 minutes`, `5 hours`, `4 days`."""
    for unit, noun in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 2 * unit:
            return count(int(seconds // unit), noun)
    return count(int(seconds), "second")


def count(number_of: int, noun: str) -> str:
    """`1 participant`, `1,042 participants`. noun: one of those of `_COUNTS`."""
    return _COUNTS[noun](number_of).format(count=count_text(number_of))
