"""What metrics and their values mean, said in words.

A `state` is what is known of one value beside its number: a metric value of a score, or a cell of a
standing. Both have `defined`, `total`, `failed`, `interval`, `reason`, `error`, and those that were
scored since there are reasons for it an `interval_reason` where there is no interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leaderboard.columns import Column
from leaderboard.columns.column import number
from leaderboard.columns.metric import Note, compared_key
from leaderboard.rules.cells import margin
from leaderboard.rules.intervals import MIN_TASKS
from leaderboard.rules.metric_specs import SCRIPT, MetricSpec
from leaderboard.rules.win_rates import MEANING
from scorers.metrics.registry import shipped

State = Mapping[str, Any]

NO_BREAK = "\N{NO-BREAK SPACE}"

_REASONS = {
    "not_run": "Not run: no sample of a task that has this value",
    "failed": "Failed: every sample that has this value",
    "not_installed": "The metric needs something that is not installed",
    "not_compared": "Not compared: no value that another participant has too",
    "withheld": "Withheld by the organiser",
}
_UNDEFINED_OVER = {
    "task": "Undefined: no task that was run has this value",
    "instance": "Undefined: there is nothing to compare any output with",
    "value": "Undefined: no value to compare",
}
_FAILED_OVER = {
    "task": ("sample failed", "samples failed"),
    "instance": ("instance without output", "instances without output"),
    "value": ("value failed", "values failed"),
}
_NO_INTERVAL = {
    "few_tasks": f"fewer than {MIN_TASKS} {{over}}s",
    "no_spread": "all {over}s are equal",
    "not_estimated": "this value comes without",
    "too_large": "too many rewards, or too large ones",
}
_NOT_RANKED = {
    "reported": "reported without evidence, so it does not rank",
    "low_coverage": "over too few {over}s to rank",
}
_METHODS = {
    "t": "Student’s t over {over}s",
    "wilson": "Wilson’s, for {over}s that are wholly solved or not at all",
    "bootstrap": "bootstrap over {over}s",
}
_FAILED = {
    "zero": "A failed sample counts 0.",
    "exclude": "Failed samples are left out.",
}
_UNDEFINED = {
    "exclude": "Tasks that do not have this reward are left out.",
    "zero": "A task that does not have this reward counts 0.",
}
REPORTED = {
    "refuse": "",
    "allow": "A value that is reported without evidence is shown, marked and not ranked.",
    "rank": "A value that is reported without evidence is marked, and ranks.",
}
_SCRIPT = "What the challenge’s own script makes of the rewards."


def level(column: Column, state: State) -> str:
    """`reported` for a value of a metric that the participant states; "" for a computed one."""
    is_reported = column.level == "computed" and state.get("level") == "reported"
    return "reported" if is_reported else ""


def not_ranked(column: Column, state: State) -> str:
    """Why a value that is there does not rank; "" for one that does."""
    return _NOT_RANKED.get(state.get("not_ranked") or "", "").format(over=column.over)


def beside(column: Column, state: State) -> str:
    """What the participant states beside a computed value, in words."""
    reported = state.get("reported")
    return "" if reported is None else f"the participant reports {column.written(reported)}"


def reason(column: Column, state: State) -> str:
    """Why there is no value; "" where nothing is known of it."""
    if error := state.get("error"):
        return str(error["message"])
    if state.get("reason") == "undefined":
        return _UNDEFINED_OVER[column.over]
    return _REASONS.get(state.get("reason") or "", "")


def coverage(state: State) -> str:
    """`10/12` for a value over some of the tasks; "" for one over all."""
    defined, total = state.get("defined"), state.get("total")
    return f"{defined}/{total}" if total and defined != total else ""


def spread(column: Column, state: State) -> str:
    """`± 3.4`, half of the 95% interval, as precise as the value."""
    ends = state.get("interval")
    if not ends:
        return ""
    half, least = margin(ends), 10**-column.decimals
    text = number(half, column.decimals)
    return f"± {text}" if half >= least / 2 else f"± <{number(least, column.decimals)}"


def interval(column: Column, state: State) -> str:
    """`58.9% to 73.1%`."""
    ends = state.get("interval")
    return f"{column.written(ends[0])} to {column.written(ends[1])}" if ends else ""


def no_interval(column: Column, state: State) -> str:
    """Why there is no interval: `fewer than 5 tasks`; "" where there is one, or no value."""
    return _NO_INTERVAL.get(state.get("interval_reason") or "", "").format(over=column.over)


def note(column: Column, state: State) -> str:
    """How sure a value is, in few words: `58.9% to 73.1%`, `no interval: fewer than 5 tasks`."""
    why = no_interval(column, state)
    parts = [
        interval(column, state) or (f"no interval: {why}" if why else ""),
        _failed(column, state.get("failed") or 0).replace(" ", NO_BREAK),
    ]
    return ", ".join(part for part in parts if part)


def hint(column: Column, state: State) -> str:
    """All that is known of a value that stands in a cell, for its tooltip."""
    why = no_interval(column, state)
    parts = [
        "reported by the participant" if level(column, state) else "",
        f"95% interval {interval(column, state)}" if state.get("interval") else "",
        f"no interval: {why}" if why else "",
        f"over {state['defined']} of {state['total']} {column.over}s" if state.get("total") else "",
        _failed(column, state.get("failed") or 0),
        beside(column, state),
        not_ranked(column, state),
    ]
    text = ", ".join(part for part in parts if part)
    return text[:1].upper() + text[1:]


def method(column: Column, state: State) -> str:
    """Where an interval is from."""
    said = _METHODS.get(state.get("method") or "", "").format(over=column.over)
    if said and state.get("seed") is not None:
        return f"{said}, seed {state['seed']}"
    return said


def meaning(spec: MetricSpec, notes: Mapping[str, Note]) -> str:
    """What a metric computes, in its own words. `notes`: what those of plugins say, by type."""
    if spec.type == SCRIPT:
        return _SCRIPT
    if spec.compares:
        return MEANING
    if spec.type in notes:
        return first_line(notes[spec.type]["description"])
    try:
        return first_line(shipped().get(spec.type).__doc__)
    except KeyError:
        return ""


def first_line(doc: str | None) -> str:
    """The first paragraph of a docstring."""
    return " ".join((doc or "").strip().partition("\n\n")[0].split())


def policies(spec: MetricSpec) -> str:
    """What it counts for a sample that failed, and for a task without its reward; whose values it
    takes, and which tasks it is over."""
    if spec.compares:
        return _compared(spec)
    said = [
        f"Over the tasks of the group {spec.group}." if spec.group else "",
        "The mean of its values over each group of tasks." if spec.over else "",
        _FAILED[spec.failed],
        _UNDEFINED[spec.undefined],
        _least(spec.min_coverage),
        REPORTED[spec.reported],
    ]
    return " ".join(filter(None, said))


def _compared(spec: MetricSpec) -> str:
    """What a mean win rate compares, and whom."""
    share = spec.min_coverage
    least = f" It ranks over at least {share:.0%} of these values only." if share else ""
    return (
        f"Compared are {', '.join(map(compared_key, spec.of))}, between the attempts that count: "
        f"it changes whenever another participant’s values do.{least}"
    )


def _least(share: float | None) -> str:
    if share is None:
        return ""
    tasks = "all of its tasks" if share == 1 else f"at least {share:.0%} of its tasks"
    return f"It ranks over {tasks} only."


def _failed(column: Column, count: int) -> str:
    one, several = _FAILED_OVER[column.over]
    return f"{count} {one if count == 1 else several}" if count else ""
