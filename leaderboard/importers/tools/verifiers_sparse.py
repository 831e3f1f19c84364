"""The flags by which forks of verifiers say that a metric does not apply to a rollout.

The metric has a zero there, which is no result: it is left out of averages.
"""

from __future__ import annotations

from collections.abc import Iterator

from leaderboard.importers.reading.json_place import Part
from leaderboard.rules.texts.messages import message


def sparse_names(flags: Part, at: int | None = None) -> Iterator[str]:
    """The metrics that do not apply to a rollout. Raises ImportFailed for other flags.

    flags: a list of their names; or for each metric true or false, or, for all rollouts of a file
    together, a list of these. at: the place of the rollout in such a list.
    """
    if isinstance(flags.value, list):
        if at is None:
            yield from (each.name() for each in flags.items())
        return
    for name, flag in flags.fields():
        own = flag[at] if at is not None and isinstance(flag.value, list) else flag
        if not isinstance(own.value, bool | None):
            raise own.fail(message("must be true or false"))
        if own.value:
            yield name
