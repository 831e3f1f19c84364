"""Labels, which may be single words that the walk of `test_texts.py` does not see, are marked."""

from __future__ import annotations

from collections.abc import Iterator

from django.apps import apps
from django.utils.functional import Promise

from leaderboard.columns.registry import known_columns
from leaderboard.facts import known_facts
from leaderboard.importers.recognition import known_importers
from leaderboard.rules.texts.messages import Message
from leaderboard.strategies import known_strategies

UNSHOWN = {
    *("Attempt.priority", "ImportJob.state", "SamplePrint.kind"),
    *("Webhook.format", "Webhook.view"),
}
"""Choices that neither a form nor the admin makes of a model. The page of webhooks has its own."""


def test_every_label_of_a_choice_is_marked() -> None:
    """Django would make an English label of the name of a choice that has none."""
    unmarked = {
        str(field)
        for model in apps.get_app_config("leaderboard").get_models()
        for field in model._meta.get_fields()
        for _, label in getattr(field, "flatchoices", ())
        if not isinstance(label, Promise)
    }
    assert unmarked == {f"leaderboard.{name}" for name in UNSHOWN}


def test_every_text_of_a_file_that_adds_something_is_marked() -> None:
    assert len(list(labels())) > 100
    assert [where for where, text in labels() if text and not isinstance(text, Message)] == []


def labels() -> Iterator[tuple[str, str]]:
    """The texts of facts, columns, strategies and importers, with the places where they are."""
    registries = (
        (known_facts(), ("label", "description", "tooltip", "hint")),
        (known_columns(), ("label", "description")),
        (known_strategies(), ("label", "summary", "sentence", "ranked")),
        (known_importers(), ("label", "accepts")),
    )
    for registry, names in registries:
        for key, entry in registry.items():
            yield from ((f"{key}.{name}", getattr(entry, name)) for name in names)
