"""A stored scoring config always says how its attempts were scored: no code can change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import Challenge, ScoringConfig
from leaderboard.models.frozen import FROZEN, FrozenConfig
from leaderboard.services.challenges.challenges import change_challenge
from tests.services.conftest import Create

OTHER: Final[dict[str, Any]] = {
    "strategy": "fewest_tokens",
    "plugin_id": "other",
    "entrypoint": "scorers.other:Other",
    "config": {"a": 1},
    "secrets": {"a": "b"},
    "rank_by": [{"key": "rating", "direction": "desc"}],
    "only_succeeded": True,
    "counting": "latest",
    "timeout_ms": 77,
    "metrics": [{"type": "mean"}],
    "tasks": [{"name": "t"}],
    "rewards": [{"name": "r", "min": 0.0, "max": 1.0}],
    "judged_rewards": ["r"],
    "labels_per_attempt": 7,
    "labels_seed": "spring",
    "independent_unit": "task",
    "num_samples": 3,
    "min_coverage": 0.5,
    "unknown_tasks": "keep",
    "split": {"public": ["t"]},
    "split_below": 5,
    "final_parts": {"1": "private"},
    "text_metrics": ["F1"],
    "text_secrets": {"F1": {"a": "b"}},
    "max_outputs": 3,
    "text_timeout_ms": 78,
    "references_id": None,
    "program": {"kind": "compute"},
    "prediction_metrics": [{"id": "rmse"}],
    "prediction_kind": "labels",
    "id_column": "id",
    "targets": ["y"],
    "positive_label": "1",
    "truth_id": None,
}

FIELDS: Final = {"references_id": "references"}


def _save(config: ScoringConfig, name: str, value: Any) -> None:
    setattr(config, name, value)
    config.save()


def _save_the_field(config: ScoringConfig, name: str, value: Any) -> None:
    setattr(config, name, value)
    config.save(update_fields=[FIELDS.get(name, name)])


def _update(config: ScoringConfig, name: str, value: Any) -> None:
    ScoringConfig.objects.filter(pk=config.pk).update(**{name: value})


def _update_of_the_challenge(config: ScoringConfig, name: str, value: Any) -> None:
    config.challenge.configs.update(**{FIELDS.get(name, name): value})


def _bulk_update(config: ScoringConfig, name: str, value: Any) -> None:
    setattr(config, name, value)
    ScoringConfig.objects.bulk_update([config], [FIELDS.get(name, name)])


def _update_or_create(config: ScoringConfig, name: str, value: Any) -> None:
    ScoringConfig.objects.update_or_create({name: value}, pk=config.pk)


def _get_and_save(config: ScoringConfig, name: str, value: Any) -> None:
    _save(ScoringConfig.objects.defer("created_at").get(pk=config.pk), name, value)


WAYS = (
    _save,
    _save_the_field,
    _update,
    _update_of_the_challenge,
    _bulk_update,
    _update_or_create,
    _get_and_save,
)


def stored(config: ScoringConfig) -> Mapping[str, Any]:
    return ScoringConfig.objects.get(pk=config.pk).frozen_fields()


@pytest.mark.parametrize("way", WAYS)
def test_no_field_changes(
    sprint: Challenge, way: Callable[[ScoringConfig, str, Any], None]
) -> None:
    before = ScoringConfig.objects.get().frozen_fields()
    for name in FROZEN:
        config = ScoringConfig.objects.get()
        with pytest.raises(FrozenConfig, match=name), transaction.atomic():
            way(config, name, OTHER[name])
        assert stored(config) == before, name


def test_every_settable_field_is_frozen_or_detected_later() -> None:
    free = {field.attname for field in ScoringConfig._meta.concrete_fields} - set(FROZEN)
    assert free == {
        "id",
        "challenge_id",
        "number",
        "created_at",
        "created_by_id",
        "metric_notes",
        "metric_keys",
        "public_details",
        "code",
        "accepted_codes",
        "keeps_state",
        "rescore_started_at",
        "switched_at",
        "shown_from",
        "shown_until",
        "rescore_finished_at",
        "rescore_total",
        "rescore_request_id",
    }


def test_a_detected_field_is_saved_by_one_query(
    sprint: Challenge, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    config = sprint.newest
    config.keeps_state = True
    with django_assert_num_queries(1):
        config.save(update_fields=["keeps_state"])
    assert ScoringConfig.objects.get().keeps_state


def test_organisers_make_a_new_config(sprint: Challenge) -> None:
    first = stored(sprint.newest)
    config = sprint.newest
    change_challenge(sprint, user=None, fields={"timeout_ms": 77, "counting": "latest"})
    assert stored(config) == first
    assert sprint.newest.number == 2


def test_only_the_sources_of_tasks_may_change(create: Create) -> None:
    config = create("Tasks", tasks=[{"name": "a", "path": "old"}]).newest
    ScoringConfig.objects.change_sources(config, [{"name": "a", "path": "new"}])
    assert ScoringConfig.objects.get().tasks == [{"name": "a", "path": "new"}]
    with pytest.raises(FrozenConfig, match="tasks"):
        ScoringConfig.objects.change_sources(config, [{"name": "b", "path": "new"}])
    assert ScoringConfig.objects.get().tasks == [{"name": "a", "path": "new"}]
