"""The verdict of a board in words, as sentences that can be translated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from leaderboard.rules.sortkey import PRECISION
from leaderboard.rules.statistics.pairwise import MIN_SHARED
from leaderboard.rules.statistics.verdicts import NoParts, Rival, Verdict
from leaderboard.rules.texts.messages import Message, counted, message

_UNKNOWN: Final[Mapping[NoParts, Message]] = {
    "no_samples": message(
        "Scores come without samples; attempts that are submitted with the samples of their tasks"
        " would show how certain this order is."
    ),
    "no_parts": message(
        "A value that is a mean over tasks or instances would show how certain this order is."
    ),
    "mean_of_attempts": message(
        "Each value is a mean over several attempts; if one attempt of each counted, the board"
        " could say how certain its order is."
    ),
    "too_large": message(
        "How certain that is cannot be said: there are too many tasks to compare entries on each."
    ),
    "too_large_rewards": message(
        "Rewards are too large to be compared; smaller ones, such as shares, would show how certain"
        " the order is."
    ),
}

FormatValue = Callable[[float], object]
"""Formats a number with the decimals of its column, in the reader's language."""


def shortly(number: float) -> str:
    """A number with four digits: 0.9167, 224.5."""
    return f"{number:.4g}"


def few_groups(clusters: int, tasks: int) -> Message:
    """That clusters of tasks are too few, or too unequal, for an interval or a p value."""
    return message(
        "{clusters} groups of {tasks} tasks are too few, or too unequal, to tell entries apart.",
        clusters=clusters,
        tasks=tasks,
    )


def sentences(
    verdict: Verdict,
    names: Sequence[object],
    format_value: FormatValue = shortly,
    why: NoParts | None = None,
) -> tuple[Message, ...]:
    """All sentences of a verdict, in their order. names: of the entries, by row."""
    lead = headline(verdict, names, format_value, why)
    return (*lead, *remarks(verdict, names, format_value))


def headline(
    verdict: Verdict,
    names: Sequence[object],
    format_value: FormatValue = shortly,
    why: NoParts | None = None,
    apart: FormatValue | None = None,
) -> tuple[Message, ...]:
    """Who leads, and whether that is certain. why: why the entries cannot be compared, if so.
    apart: formats differences of values."""
    writer = _Writer(verdict, names, format_value, apart)
    match verdict.state:
        case "alone":
            return (message("{leader} is the only ranked entry.", leader=writer.leader),)
        case "no_samples":
            return (writer.by_values(), _UNKNOWN[why or "no_samples"])
        case "too_few_tasks":
            return (writer.leads(), writer.too_few())
        case "few_groups":
            return (writer.leads(), few_groups(verdict.clusters or 0, verdict.tasks))
        case "not_the_same_tasks":
            return (writer.leads(), writer.other_tasks())
        case "not_told_apart":
            return (writer.leads(), *writer.not_told_apart(), *writer.gap())
        case "clear_lead":
            return (writer.leads(), writer.clear())


def remarks(
    verdict: Verdict, names: Sequence[object], format_value: FormatValue = shortly
) -> tuple[Message, ...]:
    """What the verdict is based on: shared tasks, and the smallest difference."""
    writer = _Writer(verdict, names, format_value)
    if verdict.state == "too_few_tasks":
        return (writer.more_tasks(),)
    if verdict.state not in ("not_told_apart", "clear_lead"):
        return ()
    return (*writer.best(), *writer.shared(), *writer.smallest())


class _Writer:
    def __init__(
        self,
        verdict: Verdict,
        names: Sequence[object],
        format_value: FormatValue,
        apart: FormatValue | None = None,
    ) -> None:
        self.verdict, self.names, self.format_value = verdict, names, format_value
        self.apart = apart or format_value
        self.leader = names[verdict.leaders[0]]
        self.value = format_value(verdict.value)

    def leads(self) -> Message:
        """The leader and its value."""
        verdict = self.verdict
        if len(verdict.leaders) > 1:
            return self._together()
        if verdict.interval is None:
            return message("{leader} leads with {value}.", leader=self.leader, value=self.value)
        low, high = map(self.format_value, verdict.interval)
        if verdict.clusters is not None:
            return message(
                "{leader} leads with {value} (95%: {low} to {high}, on {clusters} groups of {tasks}"
                " tasks).",
                leader=self.leader,
                value=self.value,
                low=low,
                high=high,
                clusters=verdict.clusters,
                tasks=verdict.tasks,
            )
        return counted(
            "{leader} leads with {value} (95%: {low} to {high}, {count} task).",
            "{leader} leads with {value} (95%: {low} to {high}, {count} tasks).",
            count=verdict.tasks,
            leader=self.leader,
            value=self.value,
            low=low,
            high=high,
        )

    def _together(self) -> Message:
        first, second, *rest = (self.names[row] for row in self.verdict.leaders)
        if not rest:
            return message(
                "{first} and {second} lead together with {value}.",
                first=first,
                second=second,
                value=self.value,
            )
        return counted(
            "{first}, {second} and {count} other lead together with {value}.",
            "{first}, {second} and {count} others lead together with {value}.",
            count=len(rest),
            first=first,
            second=second,
            value=self.value,
        )

    def by_values(self) -> Message:
        """The leader and its lead, for values without samples."""
        if len(self.verdict.leaders) > 1 or not self.verdict.rivals:
            return self.leads()
        lead = self.verdict.rivals[0].lead or 0.0
        if not round(lead, PRECISION):
            return self.leads()
        return message(
            "{leader} leads with {value}, {lead} before {second}.",
            leader=self.leader,
            value=self.value,
            lead=self.apart(lead),
            second=self.names[self.verdict.rivals[0].entry],
        )

    def too_few(self) -> Message:
        return counted(
            "{count} task is too few to tell entries apart.",
            "{count} tasks are too few to tell entries apart.",
            count=max((rival.shared for rival in self.verdict.rivals), default=self.verdict.tasks),
        )

    def more_tasks(self) -> Message:
        """What would make a verdict possible."""
        return message("With more tasks that all have run, entries could be compared.")

    def other_tasks(self) -> Message:
        """Why the order of the values is not reliable."""
        better = [rival for rival in self.verdict.rivals if rival.is_better]
        if not better:
            return message(
                "It shares fewer than {least} tasks with each other entry, so it cannot be"
                " compared.",
                least=MIN_SHARED,
            )
        return self._better(better[0])

    def _better(self, rival: Rival) -> Message:
        return counted(
            "But on the {count} task that both have, {other} is better by {difference}.",
            "But on the {count} tasks that both have, {other} is better by {difference}.",
            count=rival.shared,
            other=self.names[rival.entry],
            difference=self.apart(-(rival.lead or 0.0)),
        )

    def not_told_apart(self) -> list[Message]:
        """The entries that may be as good as the leaders."""
        close_names = [self.names[row] for row in self.verdict.not_told_apart]
        if not close_names:
            return []
        together = len(self.verdict.leaders) > 1
        return [self._from_them(close_names) if together else self._from_it(close_names)]

    def _from_it(self, close_names: Sequence[object]) -> Message:
        match close_names:
            case [other]:
                return message("{other} cannot be told apart from it.", other=other)
            case [first, second]:
                return message(
                    "{first} and {second} cannot be told apart from it.",
                    first=first,
                    second=second,
                )
        return counted(
            "{first}, {second} and {count} other cannot be told apart from it.",
            "{first}, {second} and {count} others cannot be told apart from it.",
            count=len(close_names) - 2,
            first=close_names[0],
            second=close_names[1],
        )

    def _from_them(self, close_names: Sequence[object]) -> Message:
        match close_names:
            case [other]:
                return message("{other} cannot be told apart from them.", other=other)
            case [first, second]:
                return message(
                    "{first} and {second} cannot be told apart from them.",
                    first=first,
                    second=second,
                )
        return counted(
            "{first}, {second} and {count} other cannot be told apart from them.",
            "{first}, {second} and {count} others cannot be told apart from them.",
            count=len(close_names) - 2,
            first=close_names[0],
            second=close_names[1],
        )

    def gap(self) -> list[Message]:
        """By how much the only leader is better than the next one."""
        rival = next(iter(self.verdict.rivals), None)
        if rival is None or rival.interval is None or len(self.verdict.leaders) > 1:
            return []
        low, high = map(self.apart, rival.interval)
        return [
            message(
                "The lead over {second} is {lead} (95%: {low} to {high}).",
                second=self.names[rival.entry],
                lead=self.apart(rival.lead or 0.0),
                low=low,
                high=high,
            )
        ]

    def clear(self) -> Message:
        """By how much the leader is better than the next one."""
        rival = self.verdict.rivals[0]
        lead, second = self.apart(rival.lead or 0.0), self.names[rival.entry]
        if rival.interval is None:
            return message("The lead is clear: {lead} before {second}.", lead=lead, second=second)
        low, high = map(self.apart, rival.interval)
        return message(
            "The lead is clear: {lead} before {second} (95%: {low} to {high}).",
            lead=lead,
            second=second,
            low=low,
            high=high,
        )

    def best(self) -> list[Message]:
        """The entries of which one is the best."""
        if self.verdict.state != "not_told_apart":
            return []
        match [self.names[row] for row in self.verdict.best]:
            case [first, second]:
                return [message("The best is {first} or {second}.", first=first, second=second)]
            case [first, second, third]:
                return [
                    message(
                        "The best is one of {first}, {second} and {third}.",
                        first=first,
                        second=second,
                        third=third,
                    )
                ]
            case [first, second, *rest] if rest:
                return [
                    message(
                        "The best is one of {first}, {second} and {count} others.",
                        first=first,
                        second=second,
                        count=len(rest),
                    )
                ]
        return []

    def shared(self) -> list[Message]:
        """The number of tasks on which pairs are compared, if entries ran different tasks."""
        shared = [rival.shared for rival in self.verdict.rivals if not rival.same_tasks]
        if not shared:
            return []
        return [
            counted(
                "Entries are compared on the tasks that both have, at least {count} task.",
                "Entries are compared on the tasks that both have, at least {count} tasks.",
                count=min(shared),
            )
        ]

    def smallest(self) -> list[Message]:
        """The smallest difference that the board can show."""
        smallest = self.verdict.smallest
        if smallest is None:
            return []
        return [
            counted(
                "Differences below about {difference} cannot be shown with this {count} task.",
                "Differences below about {difference} cannot be shown with these {count} tasks.",
                count=smallest.tasks,
                difference=self.apart(smallest.difference),
            )
        ]
