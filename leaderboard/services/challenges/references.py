"""The references of a challenge: stored once, and named by its scoring configs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.importers import ImportFailed, Source
from leaderboard.importers.reading.instance_files import read_references
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ReferenceBlock, References, ScoringConfig, User
from leaderboard.rules.json.canonical import canonical
from leaderboard.rules.json.packing import packed
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.documents import (
    ACTUAL,
    EXPECTED,
    FIELDS,
    ID,
    INPUT,
    MAX_NAMED,
    Document,
    further_names,
    shown_id,
    without_outputs,
)
from leaderboard.rules.rewards.instances import Instance, blocks
from leaderboard.rules.rewards.some_ids import SomeIds
from leaderboard.services.challenges.scoring_configs import next_config
from leaderboard.services.errors import ServiceError, first_and_more, invalid

BLOCKS_PER_INSERT = 20


class StoredReferences(NamedTuple):
    """The references of a challenge, the scoring config that names them, and what was left out."""

    references: References
    config: ScoringConfig
    warnings: list[str]


def references_in(source: Source) -> Document:
    """The uploaded document, lines or table of instances. Raises ServiceError."""
    try:
        return read_references(source)
    except ImportFailed as error:
        texts = [problem.text for problem in (error, *error.further)]
        raise ServiceError(
            "invalid", first_and_more(texts[0], len(texts) - 1), {"references": texts}
        ) from None


def uploaded_references(file: IO[bytes], name: str | None) -> Document:
    """The document, lines or table of instances in an uploaded file. Raises ServiceError."""
    try:
        source = Source.open(file, name or "references")
    except ImportFailed as error:
        raise invalid("references", error.args[0]) from None
    with source:
        return references_in(source)


def store_references(
    challenge: Challenge, *, user: User | None, document: Document
) -> StoredReferences:
    """Store the instances of a document, without their outputs, as a challenge's references.

    A new scoring config refers to them, unless the newest does already; instances that the
    challenge has stored before are not stored again.
    """
    with transaction.atomic():
        challenge = Challenge.objects.lock_challenge(challenge.pk)
        references = stored_references(challenge, document, user)
        config = challenge.newest
        if config.references_id != references.pk:
            wanted = config.copied()
            wanted.references_id = references.pk
            config = next_config(challenge, wanted, user=user)
        Challenge.objects.bump(challenge.pk)
    return StoredReferences(references, config, list(left_out(document)))


def release_references(challenge: Challenge, *, user: User | None) -> ScoringConfig:
    """A new scoring config without references.

    Raises ServiceError: `not_found`, if there are none.

    Older configs keep theirs: attempts were scored by them.
    """
    with transaction.atomic():
        challenge = Challenge.objects.lock_challenge(challenge.pk)
        check_has_references(challenge)
        wanted = challenge.newest.copied()
        wanted.references_id = None
        config = next_config(challenge, wanted, user=user)
        Challenge.objects.bump(challenge.pk)
    return config


def check_has_references(challenge: Challenge) -> None:
    """Raises ServiceError, `not_found`, if there are no references to release."""
    if challenge.newest.references_id is None:
        raise ServiceError(
            "not_found", _("{name} holds no expected outputs.").format(name=challenge.name)
        )


def stored_count(config: ScoringConfig) -> int | None:
    """The number of a config's stored instances; None without references."""
    references = References.objects.filter(configs=config)
    return references.values_list("instance_count", flat=True).first()


def stored_instances(config: ScoringConfig, *, with_expected: bool) -> Iterator[JsonObject]:
    """A config's stored instances, with the names of HarpIA's document, block by block.

    Without references they have only an id and an input, because other fields may reveal the
    references.
    """
    reference_blocks = ReferenceBlock.objects.filter(references=config.references_id).order_by(
        "number"
    )
    for block in reference_blocks.iterator(chunk_size=4):
        for row in block.rows():
            instance = Instance.of(row)
            fields: JsonObject = {ID: instance.id, INPUT: instance.input}
            if with_expected:
                fields |= {EXPECTED: list(instance.references), **instance.extra}
            yield fields


def stored_references(challenge: Challenge, document: Document, user: User | None) -> References:
    """The instances of a document without their outputs, stored unless they are already.

    For a scoring config that is made in the same transaction, with the challenge locked.
    """
    instances = list(without_outputs(document.instances))
    digest = _digest(instances)
    existing = References.objects.filter(challenge=challenge, digest=digest).first()
    if existing is not None:
        return existing
    references = References.objects.create(
        challenge=challenge, instance_count=len(instances), digest=digest, created_by=user
    )
    rows = (
        ReferenceBlock(
            references=references,
            number=number,
            ids=packed([instance.id for instance in block]),
            **ReferenceBlock.of([instance.row() for instance in block]),
        )
        for number, block in enumerate(blocks(instances))
    )
    while some := list(islice(rows, BLOCKS_PER_INSERT)):
        ReferenceBlock.objects.bulk_create(some)
    return references


def _digest(instances: Sequence[Instance]) -> str:
    digest = hashlib.sha256()
    for instance in instances:
        digest.update(canonical(instance.row()) + b"\n")
    return digest.hexdigest()


def left_out(document: Document) -> Iterator[str]:
    """Sentences about the parts of a document that are not stored or are missing."""
    if document.metrics:
        yield _("The metrics of the document were left out: name them in text_metrics.")
    if document.extra:
        names = ", ".join(map(shown_id, list(document.extra)[:MAX_NAMED]))
        yield _("Fields beside the instances were left out: {names}.").format(names=names)
    if further := further_names(document.instances):
        yield _(
            "Further fields of instances are kept and have no meaning here: {names}; known are"
            " {known}."
        ).format(names=translated(further), known=", ".join(FIELDS))
    if answered := sum(bool(instance.outputs) for instance in document.instances):
        yield ngettext(
            "{field} was left out of {count} instance.",
            "{field} was left out of {count} instances.",
            answered,
        ).format(field=ACTUAL, count=answered)
    unexpected = SomeIds.of(
        instance.id for instance in document.instances if not instance.references
    )
    if unexpected.ids:
        yield ngettext(
            "{count} instance without {field} ({ids}): metrics that compare leave it out.",
            "{count} instances without {field} ({ids}): metrics that compare leave them out.",
            unexpected.total,
        ).format(count=unexpected.total, field=EXPECTED, ids=unexpected)
