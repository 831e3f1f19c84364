"""Texts about metrics and their values.

A `state` has the facts about one value besides its number: a metric value of a score, or a cell of
a standing. Both have `defined`, `total`, `failed`, `interval`, `reason` and `error`. Newer ones
also have an `interval_reason` if there is no interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.columns import Column
from leaderboard.columns.column import number
from leaderboard.columns.metric import Note, compared_key
from leaderboard.languages.docstrings import first_paragraph
from leaderboard.languages.translation import count_text, number_text, translated
from leaderboard.rules.ranking.win_rates import MEANING
from leaderboard.rules.rewards.cells import BoardCell, is_even, margin
from leaderboard.rules.rewards.intervals import MIN_TASKS
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.schemas.metrics import MetricSpec
from scorers.metrics.registry import shipped

DescribedValue = MetricValue | BoardCell
"""The facts about one value besides its number."""

NO_BREAK = "\N{NO-BREAK SPACE}"

_REASONS = {
    "not_run": gettext_lazy("Not run: no sample of a task that has this value"),
    "failed": gettext_lazy("Failed: every sample that has this value"),
    "not_installed": gettext_lazy("The metric needs something that is not installed"),
    "not_compared": gettext_lazy("Not compared: no value that another participant has too"),
    "withheld": gettext_lazy("Withheld by the organiser"),
}
_UNDEFINED_OVER = {
    "task": gettext_lazy("Undefined: no task that was run has this value"),
    "instance": gettext_lazy("Undefined: there is nothing to compare any output with"),
    "value": gettext_lazy("Undefined: no value to compare"),
}
_FAILED_OVER: Mapping[str, Callable[[int], tuple[str, str]]] = {
    "task": lambda n: (
        ngettext("{count} sample failed", "{count} samples failed", n),
        ngettext("{count} sample failed.", "{count} samples failed.", n),
    ),
    "instance": lambda n: (
        ngettext("{count} instance without output", "{count} instances without output", n),
        ngettext("{count} instance has no output.", "{count} instances have no output.", n),
    ),
    "value": lambda n: (
        ngettext("{count} value failed", "{count} values failed", n),
        ngettext("{count} value failed.", "{count} values failed.", n),
    ),
}
"""By what the value is over: how many failed, below a value and as a sentence."""
_NO_INTERVAL = {
    ("few_tasks", "task"): gettext_lazy("fewer than {least} tasks"),
    ("few_tasks", "instance"): gettext_lazy("fewer than {least} instances"),
    ("few_groups", "task"): gettext_lazy("fewer than 8 groups of tasks, or very unequal ones"),
    ("few_tasks", "value"): gettext_lazy("fewer than {least} values"),
    ("no_spread", "task"): gettext_lazy("all tasks are equal"),
    ("no_spread", "instance"): gettext_lazy("all instances are equal"),
    ("no_spread", "value"): gettext_lazy("all values are equal"),
    ("not_estimated", ""): gettext_lazy("this value comes without"),
    ("too_large", ""): gettext_lazy("too many rewards, or too large ones"),
}
"""By the reason and by what the value is over, "" for anything."""
_NOT_RANKED = {
    ("reported", ""): gettext_lazy("Reported without evidence, so it does not rank."),
    ("low_coverage", "task"): gettext_lazy("Over too few tasks to rank."),
    ("low_coverage", "instance"): gettext_lazy("Over too few instances to rank."),
    ("low_coverage", "value"): gettext_lazy("Over too few values to rank."),
}
_METHODS = {
    ("t", "task"): gettext_lazy("Student’s t over tasks"),
    ("t", "instance"): gettext_lazy("Student’s t over instances"),
    ("t", "value"): gettext_lazy("Student’s t over values"),
    ("wilson", "task"): gettext_lazy("Wilson’s, for tasks that are wholly solved or not at all"),
    ("wilson", "instance"): gettext_lazy(
        "Wilson’s, for instances that are wholly solved or not at all"
    ),
    ("wilson", "value"): gettext_lazy("Wilson’s, for values that are wholly solved or not at all"),
    ("bootstrap", "task"): gettext_lazy("bootstrap over tasks"),
    ("bootstrap", "instance"): gettext_lazy("bootstrap over instances"),
    ("bootstrap", "value"): gettext_lazy("bootstrap over values"),
}
_PART_OF = {
    "task": gettext_lazy("Over {defined} of {total} tasks."),
    "instance": gettext_lazy("Over {defined} of {total} instances."),
    "value": gettext_lazy("Over {defined} of {total} values."),
}
_FAILED = {
    "zero": gettext_lazy("A failed sample counts 0."),
    "exclude": gettext_lazy("Failed samples are left out."),
}
_UNDEFINED = {
    "exclude": gettext_lazy("Tasks that do not have this reward are left out."),
    "zero": gettext_lazy("A task that does not have this reward counts 0."),
}
REPORTED = {
    "refuse": "",
    "allow": gettext_lazy(
        "A value that is reported without evidence is shown, marked and not ranked."
    ),
    "rank": gettext_lazy("A value that is reported without evidence is marked and ranked."),
}
_SCRIPT = gettext_lazy("What the challenge’s own script makes of the rewards.")


def level(column: Column, state: DescribedValue) -> str:
    """`reported` for a metric's value that the participant reports; "" for a computed one."""
    is_reported = column.level == "computed" and state.get("level") == "reported"
    return _("reported") if is_reported else ""


def not_ranked(column: Column, state: DescribedValue) -> str:
    """Why an existing value does not rank, in a sentence; "" for one that does."""
    return _reason_text(_NOT_RANKED, state.get("not_ranked"), column)


def beside(column: Column, state: DescribedValue) -> str:
    """The value that the participant reports beside a computed one, in a sentence."""
    reported = state.get("reported")
    if reported is None:
        return ""
    value = number_text(column.written(reported))
    return _("The participant reports {value}.").format(value=value)


def reason(column: Column, state: DescribedValue) -> str:
    """Why there is no value; "" if the reason is unknown."""
    if error := state.get("error"):
        return translated(error["message"])
    if few := state.get("few_samples"):
        most, needed = few
        return ngettext(
            "Undefined: at most {count} sample of a task, where {needed} are needed",
            "Undefined: at most {count} samples of a task, where {needed} are needed",
            most,
        ).format(count=count_text(most), needed=count_text(needed))
    if state.get("reason") == "undefined":
        return str(_UNDEFINED_OVER[column.over])
    return str(_REASONS.get(state.get("reason") or "", ""))


def coverage(state: DescribedValue) -> str:
    """`10/12` for a value over some of the tasks; "" for one over all."""
    defined, total = state.get("defined"), state.get("total")
    return f"{defined}/{total}" if total and defined != total else ""


def spread(column: Column, state: DescribedValue, value: float | None) -> str:
    """`± 3.4`, half of the 95% interval, as precise as the value; the ends of a lopsided one."""
    ends = state.get("interval")
    if not ends or value is None:
        return ""
    least = 10**-column.decimals
    low, high = (end * column.scale for end in ends)
    if not is_even(value * column.scale, (low, high), column.decimals):
        return number_text("–".join(number(end, column.decimals) for end in (low, high)))
    half = margin((low, high))
    text = number(half, column.decimals)
    return number_text(f"± {text}" if half >= least / 2 else f"± <{number(least, column.decimals)}")


def interval(column: Column, state: DescribedValue) -> str:
    """`58.9% to 73.1%`."""
    ends = state.get("interval")
    if not ends:
        return ""
    low, high = (number_text(column.written(end)) for end in ends)
    return _("{low} to {high}").format(low=low, high=high)


def no_interval(column: Column, state: DescribedValue) -> str:
    """Why there is no interval: `fewer than 5 tasks`; "" if there is one, or no value."""
    return _reason_text(_NO_INTERVAL, state.get("interval_reason"), column).format(least=MIN_TASKS)


def method(column: Column, state: MetricValue) -> str:
    """The method by which an interval was computed."""
    text = _reason_text(_METHODS, state.get("method"), column)
    if text and state.get("seed") is not None:
        return _("{method}, seed {seed}").format(method=text, seed=state["seed"])
    return text


def meaning(spec: MetricSpec, notes: Mapping[str, Note]) -> str:
    """A metric's description of what it computes. notes: descriptions of plugins, by type."""
    if spec.type == SCRIPT:
        return str(_SCRIPT)
    if spec.compares:
        return translated(MEANING)
    if spec.type in notes:
        return first_paragraph(notes[spec.type]["description"])
    try:
        return first_paragraph(shipped().get(spec.type).__doc__)
    except KeyError:
        return ""


def policies(spec: MetricSpec) -> str:
    """A metric's settings as text: failed samples, missing rewards, reported values and tasks."""
    if spec.compares:
        return _compared(spec)
    sentences = [
        _("Over the tasks of the group {group}.").format(group=spec.group) if spec.group else "",
        _("The mean of its values over each group of tasks.") if spec.over else "",
        _FAILED[spec.failed],
        _UNDEFINED[spec.undefined],
        _least(spec.min_coverage),
        REPORTED[spec.reported],
    ]
    return " ".join(str(sentence) for sentence in sentences if sentence)


def _compared(spec: MetricSpec) -> str:
    """The values and the participants that a mean win rate compares, as text."""
    text = _(
        "Compared are {keys}, between the attempts that count: it changes whenever another "
        "participant’s values do."
    ).format(keys=", ".join(map(translated, map(compared_key, spec.compared))))
    if not spec.min_coverage:
        return text
    least = _("It ranks over at least {share} of these values only.")
    return f"{text} {least.format(share=number_text(f'{spec.min_coverage:.0%}'))}"


def _least(share: float | None) -> str:
    if share is None:
        return ""
    if share == 1:
        return _("It ranks over all of its tasks only.")
    least = _("It ranks over at least {share} of its tasks only.")
    return least.format(share=number_text(f"{share:.0%}"))


def part_of(column: Column) -> str:
    """What a value is over, to be formatted: `Over {defined} of {total} tasks.`"""
    return str(_PART_OF[column.over])


def failed(column: Column, count: int) -> Iterator[str]:
    """`3 samples failed`, and the same as a sentence; nothing for none."""
    yield from (text.format(count=count) for text in _FAILED_OVER[column.over](count) if count)


def _reason_text(
    texts: Mapping[tuple[str, str], str | Promise], reason: str | None, column: Column
) -> str:
    """The text of a reason, by what the values of a column are over; "" for an unknown one."""
    text = texts.get((reason or "", column.over)) or texts.get((reason or "", ""), "")
    return str(text)
