"""Verdicts, standings and run facts in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from json import dumps
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.rules.rewards.runs import AttemptRun, SampleRun

VERDICTS: Final[Mapping[str, Promise]] = {
    "ok": gettext_lazy("Meets the rules of admission"),
    "flagged": gettext_lazy("Flagged by the rules of admission"),
    "refused": gettext_lazy("Does not meet the rules of admission"),
}
STANDINGS: Final[Mapping[str, Promise]] = {
    "in_review": gettext_lazy("It waits for a review, and does not count yet."),
    "returned": gettext_lazy("Reviewers have returned it, so it does not count."),
    "not_admitted": gettext_lazy("It does not count, because it does not meet the rules."),
}
DECIDED: Final[Mapping[str, Promise]] = {
    "accepted": gettext_lazy("The attempt is accepted."),
    "returned": gettext_lazy("The attempt is returned."),
    "received": gettext_lazy("The attempt waits for a review again."),
    "appealed": gettext_lazy("The appeal is sent."),
    "answered": gettext_lazy("The appeal is answered."),
    "undone": gettext_lazy("The decision is taken back."),
}
REVIEWS: Final[Mapping[str, Promise]] = {
    "flagged": gettext_lazy("Reviewers look at attempts that a rule flags, before they count."),
    "all": gettext_lazy("Reviewers look at every attempt, before it counts."),
}
RUN: Final[Mapping[str, Promise]] = {
    "agent": gettext_lazy("Agent"),
    "agent_version": gettext_lazy("Version of the agent"),
    "model": gettext_lazy("Model"),
    "provider": gettext_lazy("Provider"),
    "dataset": gettext_lazy("Dataset"),
    "tool": gettext_lazy("Tool"),
    "tool_version": gettext_lazy("Version of the tool"),
    "started_at": gettext_lazy("Started"),
    "finished_at": gettext_lazy("Finished"),
}
MOST_CONDITIONS: Final = 60


def run_lines(
    run: AttemptRun, samples: Mapping[tuple[str, int], SampleRun]
) -> Iterator[tuple[str, str]]:
    """Labels and texts about how an attempt was run; conditions that differ have all values."""
    fields: Mapping[str, object] = dict(run)
    for name, label in RUN.items():
        if name in fields:
            yield str(label), str(fields[name])
    evidence = sum("trajectory" in sample.get("evidence", ()) for sample in samples.values())
    if samples:
        text = ngettext(
            "{with_one} of {count} sample", "{with_one} of {count} samples", len(samples)
        )
        yield _("With a trajectory"), text.format(with_one=evidence, count=len(samples))
    values: dict[str, dict[str, None]] = {}
    shared = [run.get("conditions", {}), *(one.get("conditions", {}) for one in samples.values())]
    contradicting = (one.get("contradicting", {}) for one in samples.values())
    for conditions in (*shared, *contradicting):
        for path, value in conditions.items():
            if value not in (None, [], ""):
                values.setdefault(path, {})[dumps(value)[:80]] = None
    for path, texts in list(values.items())[:MOST_CONDITIONS]:
        yield path, " · ".join(list(texts)[:5])
