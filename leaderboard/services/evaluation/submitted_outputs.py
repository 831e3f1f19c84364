"""Check the outputs of a model that an attempt submits, and split them into blocks.

Where the challenge holds the references, each output of an instance is a guess, so an attempt may
have one, unless the organiser sets `max_outputs`. Documents that bring their own references may
have many, as in HarpIA: their participants know the references anyway.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from typing import Any, NamedTuple
from uuid import UUID

from django.utils.translation import gettext, ngettext

from leaderboard.languages.translation import translated
from leaderboard.models import Evaluation, InstanceBlock, ReferenceBlock, ScoringConfig
from leaderboard.models.bulk import in_runs, insert_rows
from leaderboard.rules.json.packing import unpacked
from leaderboard.rules.rewards.documents import (
    ACTUAL,
    EXPECTED,
    ID,
    INSTANCES,
    Document,
    shown_id,
)
from leaderboard.rules.rewards.instances import Instance, blocks
from leaderboard.rules.texts.quoting import with_sent
from leaderboard.schemas.errors import MAX_ERRORS
from leaderboard.schemas.text_metrics import enabled
from leaderboard.services.errors import ServiceError, first_and_more, invalid
from leaderboard.services.evaluation.secret_parameters import refuse_secrets
from leaderboard.services.evaluation.text_fields import checked_text_specs
from leaderboard.services.plugins.tenants import check_owner
from leaderboard.services.plugins.text_metrics import find_text_metric

MAX_BYTES_PER_INSERT = 8 << 20
MAX_EXTRA = 1 << 20
"""The most characters of JSON for a document's metrics, and as many for its other fields."""
MAX_PARAMETERS = 16 << 10
"""The most characters of JSON for a metric's parameters, which every line of its log repeats."""


class ReferenceIds:
    """The ids of a challenge's stored references, read once, on first use."""

    def __init__(self, config: ScoringConfig) -> None:
        self._references_id = config.references_id

    @cached_property
    def blocks(self) -> list[list[str | int]]:
        stored_blocks = ReferenceBlock.objects.filter(references=self._references_id).order_by(
            "number"
        )
        return [unpacked(ids) for ids in stored_blocks.values_list("ids", flat=True)]

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(str(instance_id) for instance_id in chain.from_iterable(self.blocks))


class PackedBlock(NamedTuple):
    """A block of instances as it is stored: its number, the number of instances, and the bytes."""

    number: int
    instances: int
    content: bytes


@dataclass(slots=True)
class EvaluationDraft:
    """An evaluation to be saved after its attempt, and its instances by block.

    count: the number of instances to evaluate. outputs_only, metrics and extra are the fields of
    `Evaluation`.
    """

    count: int
    instances: Iterable[Sequence[Instance]]
    outputs_only: bool = False
    metrics: Sequence[Any] = ()
    extra: Mapping[str, object] = field(default_factory=dict)
    packed: list[PackedBlock] | None = None

    def pack(self) -> int:
        """Make the blocks now, before a transaction; returns their size in bytes."""
        self.packed = list(self.blocks())
        self.instances = ()
        return sum(len(block.content) for block in self.packed)

    def blocks(self) -> Iterator[PackedBlock]:
        """The blocks, made one by one unless `pack` has made them."""
        if self.packed is not None:
            yield from self.packed
        for number, instances in enumerate(self.instances):
            fields = InstanceBlock.of([instance.row() for instance in instances])
            yield PackedBlock(number, fields["count"], fields["content"])


def check_document(document: Document | None, tenant: str) -> None:
    """Refuse a document with unknown metrics, or with parameters that they do not accept.

    tenant: the slug of the challenge's tenant; metrics of others are refused. It may ask a sandbox,
    so call it before any transaction. Raises ServiceError.
    """
    if document is None:
        return
    for at, part in (("evaluation.metrics", document.metrics), ("evaluation", document.extra)):
        length = len(json.dumps(part))
        if length > MAX_EXTRA:
            text = gettext("must have at most {most} characters beside the instances; got {count}")
            raise invalid(at, text.format(most=MAX_EXTRA, count=length))
    specs = checked_text_specs(document.metrics, "evaluation.metrics", number_doubles=True)
    refuse_secrets(specs, "evaluation.metrics")
    for index, spec in enumerate(specs):
        if spec.enable:
            entrypoint = find_text_metric(spec.id).entrypoint
            check_owner(f"evaluation.metrics.{index}.id", entrypoint, tenant)
    for index, spec in enumerate(specs):
        length = len(json.dumps(spec.parameters))
        if length > MAX_PARAMETERS:
            at = f"evaluation.metrics.{index}.parameters"
            text = gettext("must have at most {most} characters of JSON; got {count}")
            raise invalid(at, text.format(most=MAX_PARAMETERS, count=length))


def evaluation_draft_of(
    config: ScoringConfig,
    held: ReferenceIds,
    document: Document | None,
    outputs: Sequence[Instance] | None,
) -> EvaluationDraft | None:
    """The evaluation to save with an attempt under a config; None if it submits no outputs.

    document: one that `check_document` accepted. held: the references that the config's challenge
    holds. Raises ServiceError with the path of each wrong field, such as
    `evaluation.instances.3.id`. Error messages never reveal the text of a reference.
    """
    if document is not None and outputs is not None:
        raise invalid("outputs", gettext("must be absent beside evaluation; got both"))
    if document is None and outputs is None:
        return None
    if config.references_id is None:
        return _of_document(config, document)
    if not enabled(config.text_specs):
        text = gettext("must be absent, because the challenge has no text metrics; got a value")
        raise invalid(_field(document), text)
    if document is not None:
        _check_without_expected(document)
    given = document.instances if document else outputs or ()
    _check_known(held, given, document)
    _check_counts(config.outputs_per_instance, given, document)
    extra = document.extra if document else {}
    return EvaluationDraft(len(held.keys), _in_blocks(held, given), outputs_only=True, extra=extra)


def save_evaluations(evaluation_by_attempt: Iterable[tuple[UUID, EvaluationDraft]]) -> None:
    """Save evaluations of saved attempts; some megabytes of blocks at a time."""
    pairs = list(evaluation_by_attempt)
    if not pairs:
        return
    insert_rows(
        Evaluation,
        ("attempt", "outputs_only", "metrics", "extra"),
        ((pk, one.outputs_only, list(one.metrics), dict(one.extra)) for pk, one in pairs),
    )
    rows = ((pk, *block) for pk, evaluation in pairs for block in evaluation.blocks())
    for some in in_runs(rows, lambda row: len(row[3]), MAX_BYTES_PER_INSERT):
        insert_rows(InstanceBlock, ("evaluation", "number", "count", "content"), some)


def _field(document: Document | None) -> str:
    return "outputs" if document is None else "evaluation"


def _of_document(config: ScoringConfig, document: Document | None) -> EvaluationDraft:
    """An evaluation whose document contains the references as well."""
    if document is None:
        text = gettext(
            "must be absent, because this challenge holds no expected outputs: send these in "
            "an evaluation; got outputs alone"
        )
        raise invalid("outputs", text)
    if not enabled(config.text_specs) and not document.lists_metrics:
        text = gettext("must name a metric, because the challenge has none; got none")
        raise invalid("evaluation.metrics", text)
    return EvaluationDraft(
        len(document.instances),
        blocks(document.instances),
        metrics=document.metrics,
        extra=document.extra,
    )


def _check_without_expected(document: Document) -> None:
    """Refuse metrics and references if the challenge has stored references."""
    if document.metrics:
        text = gettext("must be empty, because this challenge has its own text metrics")
        raise invalid("evaluation.metrics", text, got=document.metrics)
    text = gettext("must be absent, because this challenge holds what is expected; got a value")
    _refuse(
        (f"evaluation.{INSTANCES}.{at}.{EXPECTED}", text)
        for at, instance in enumerate(document.instances)
        if instance.references
    )


def _check_known(
    held: ReferenceIds, instances: Iterable[Instance], document: Document | None
) -> None:
    _refuse(
        (
            _place(position, instance, ID, document),
            with_sent(gettext("must be an instance of this challenge"), instance.key),
        )
        for position, instance in enumerate(instances)
        if instance.key not in held.keys
    )


def _check_counts(most: int, instances: Iterable[Instance], document: Document | None) -> None:
    """Refuse instances with more outputs than the challenge allows."""
    text = ngettext(
        "must be at most {most} output of an instance in this challenge (max_outputs); got {count}",
        "must be at most {most} outputs of an instance in this challenge (max_outputs);"
        " got {count}",
        most,
    )
    _refuse(
        (
            _place(position, instance, ACTUAL, document),
            text.format(most=most, count=len(instance.outputs)),
        )
        for position, instance in enumerate(instances)
        if len(instance.outputs) > most
    )


def _place(position: int, instance: Instance, field: str, document: Document | None) -> str:
    """The path of a field of an instance in what was sent."""
    if document is None:
        return f"outputs.{shown_id(instance.key)}"
    return f"evaluation.{INSTANCES}.{position}.{field}"


def _refuse(wrong: Iterable[tuple[str, str]]) -> None:
    """Raise ServiceError for the first wrong places, if any, with the number of the others."""
    rest = iter(wrong)
    fields = {place: [message] for place, message in islice(rest, MAX_ERRORS)}
    if fields:
        more = sum(1 for _ in rest)
        place, (message,) = next(iter(fields.items()))
        first = first_and_more(f"{place}: {translated(message)}", len(fields) - 1 + more)
        raise ServiceError("invalid", first, fields, more)


def _in_blocks(held: ReferenceIds, given: Iterable[Instance]) -> Iterator[list[Instance]]:
    """The outputs in the blocks and order of the references.

    An instance that the attempt left out has no outputs.
    """
    by_key = {instance.key: instance for instance in given}
    nothing = Instance("")
    for ids in held.blocks:
        yield [
            by_key.get(str(id_), nothing)._replace(id=id_, input="", references=()) for id_ in ids
        ]
