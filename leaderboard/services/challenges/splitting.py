"""The split of a challenge into public and private tasks or instances, when it is declared."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext as _

from leaderboard.models import ReferenceBlock, ScoringConfig
from leaderboard.rules.json.packing import unpacked
from leaderboard.rules.json.stored import StoredSplit
from leaderboard.rules.rewards.some_ids import SomeIds
from leaderboard.rules.rewards.splits import below_for
from leaderboard.services.errors import invalid


def check_split(config: ScoringConfig) -> None:
    """Check the split of a config that is not stored yet, against its tasks and its instances.

    Raises ServiceError if nothing is scored by task or instance, if a listed task does not exist,
    or if one of the two parts would be empty.
    """
    if config.split is None or config.program is not None:
        return
    if config.prediction_metrics:
        _check_rows(config.split)
        return
    if "column" in config.split:
        wrong = _("must be absent without metrics of predictions")
        raise invalid("split.column", wrong, got=config.split["column"])
    if not (config.metrics or config.text_metrics):
        wrong = _("must be null, because only metrics are computed over tasks or instances")
        raise invalid("split", wrong, got=config.split)
    names = split_names(config)
    listed = config.split.get("public")
    if not names:
        return
    if len(names) < 2:
        wrong = _("must be null, because the challenge has only one task or instance")
        raise invalid("split", wrong, got=config.split)
    if listed is None:
        return
    if unknown := [name for name in listed if name not in names]:
        wrong = _("must name tasks or instances of this challenge; got {names}")
        raise invalid("split.public", wrong.format(names=SomeIds.of(unknown).text))
    if len(names) == len(listed):
        wrong = _("must leave at least one task or instance private; got all {count}")
        raise invalid("split.public", wrong.format(count=len(listed)))


def _check_rows(split: StoredSplit) -> None:
    """Rows of a truth have too many ids for a list of the public ones. Raises ServiceError."""
    if "public" in split:
        wrong = _("must be absent for predictions: name a column or a share")
        raise invalid("split.public", wrong, got=split["public"])


def below_of(config: ScoringConfig, before: ScoringConfig | None) -> int | None:
    """The hash below which a task is public, for a split by a share; None for other splits.

    It stays as long as the split does, so that a new task moves no other task. before: the version
    before the config, if there is one.
    """
    if config.split is None or "share" not in config.split:
        return None
    names = split_names(config)
    if before is not None and before.split == config.split and _still_splits(before, names):
        return before.split_below
    return below_for(config.split["share"], config.split["seed"], names)


def _still_splits(before: ScoringConfig, names: Collection[str]) -> bool:
    """Whether both parts of the names are not empty under the split of an older version."""
    if before.parts is None or (names and not split_names(before)):
        return False
    public = sum(map(before.parts.is_public, names))
    return not names or 0 < public < len(names)


def split_names(config: ScoringConfig) -> Collection[str]:
    """The names of what is split, each once: the declared tasks and the ids of the references.

    Empty if only attempts name tasks.
    """
    names = {task.name for task in config.declared_tasks}
    if config.references_id is None:
        return names
    packed = ReferenceBlock.objects.filter(references=config.references_id).values_list("ids")
    return names | {
        str(instance_id)
        for (ids,) in packed.iterator(chunk_size=10)
        for instance_id in unpacked(ids)
    }
