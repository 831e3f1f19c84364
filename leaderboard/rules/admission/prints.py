"""Digests by which the same sample, result or output is recognised in another attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

from leaderboard.rules.admission.verdicts import SampleRef
from leaderboard.rules.json.canonical import canonical
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.rewards.samples import Sample

PrintKind = Literal["id", "result", "pattern", "output"]
DIGEST_BYTES: Final = 16
LEAST_PATTERN: Final = 20
"""Plain rewards of fewer samples than this say too little to be recognised."""
LEAST_OTHERS: Final = 5
"""Samples with other rewards than most have, without which a pattern may be a coincidence."""
LEAST_OUTPUT: Final = 40
"""Characters of an output below which many models answer the same."""


class Print(NamedTuple):
    """A digest of one kind, and the sample that it is of."""

    kind: PrintKind
    digest: bytes
    place: SampleRef


class Owner(NamedTuple):
    """An attempt that had a print first, its participant, and the account that submitted it.

    is_decided: whether it was returned, or samples of it were decided about.
    """

    attempt: str
    participant: int
    account: int | None
    is_decided: bool = False


Earlier = Mapping[tuple[PrintKind, bytes], Sequence[Owner]]
"""Which earlier attempts have which prints."""


def prints_of(
    samples: Sequence[Sample], outputs: Iterable[Instance], kinds: frozenset[PrintKind]
) -> list[Print]:
    """The prints of an attempt, of the kinds that are asked for."""
    prints: list[Print] = []
    if "id" in kinds:
        prints += (
            Print("id", _digest("id", sample.run["id"]), _place(sample))
            for sample in samples
            if sample.run and sample.run.get("id")
        )
    if "result" in kinds:
        prints += _results(samples)
    if "pattern" in kinds:
        prints += _pattern(samples)
    if "output" in kinds:
        prints += _outputs(samples, outputs)
    return prints


def _results(samples: Sequence[Sample]) -> Iterator[Print]:
    """A print of each sample that reports its usage, or a reward that is no whole number.

    Plain passes and failures alone are common to many systems; `_pattern` compares all of them.
    """
    for sample in samples:
        rewards = _numbers(sample.rewards)
        if sample.usage or any(value is not None and value % 1 for value in rewards.values()):
            digest = _digest(sample.task, rewards, _numbers(sample.usage))
            yield Print("result", digest, _place(sample))


def _pattern(samples: Sequence[Sample]) -> Iterator[Print]:
    """One print of all rewards together, if enough of them differ from the most common ones."""
    rows = sorted(
        (sample.task, sample.sample, repr(_numbers(sample.rewards))) for sample in samples
    )
    counts = Counter(rewards for _, _, rewards in rows)
    if len(rows) >= LEAST_PATTERN and len(rows) - max(counts.values()) >= LEAST_OTHERS:
        yield Print("pattern", _digest("pattern", rows), SampleRef(""))


def _outputs(samples: Sequence[Sample], outputs: Iterable[Instance]) -> Iterable[Print]:
    for sample in samples:
        if sample.run and (stated := sample.run.get("output_digest")):
            yield Print("output", _digest("output", sample.task, stated), _place(sample))
    for instance in outputs:
        if sum(map(len, instance.outputs)) >= LEAST_OUTPUT:
            digest = _digest("outputs", instance.key, list(instance.outputs))
            yield Print("output", digest, SampleRef(instance.key))


def _numbers(values: Mapping[str, float | None] | None) -> dict[str, float | None]:
    """Values as floats: 1 and 1.0 are the same result."""
    pairs = (values or {}).items()
    return {name: None if value is None else float(value) for name, value in pairs}


def _place(sample: Sample) -> SampleRef:
    return SampleRef(sample.task, sample.sample)


def _digest(*parts: object) -> bytes:
    return blake2b(canonical(list(parts)), digest_size=DIGEST_BYTES).digest()
