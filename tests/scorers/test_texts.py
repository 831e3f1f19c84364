"""Every text that a built-in plugin shows of itself can be translated, and is in German."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.utils import translation

from leaderboard.languages.docstrings import first_paragraph
from leaderboard.languages.translation import translated
from leaderboard.pages.plugins.docs import doc_html
from leaderboard.rules.plugins.descriptions import SHIPPED, known_paragraph, known_text
from leaderboard.rules.texts.messages import Message
from leaderboard.sandbox import PluginDescription
from leaderboard.services.plugins.catalogue import known_plugins
from scorers.metrics.registry import shipped as shipped_metrics

pytestmark = [pytest.mark.once, pytest.mark.django_db]


def shipped() -> list[PluginDescription]:
    registry = known_plugins()
    plugins = [*registry.scorers, *registry.metrics, *registry.text_metrics]
    return [plugin for plugin in plugins if plugin.entrypoint.partition(":")[0] in SHIPPED]


def texts_of(plugin: PluginDescription) -> Iterator[str]:
    yield first_paragraph(plugin.doc)
    yield plugin.over
    for schema in (plugin.config_schema or {}).get("properties", {}).values():
        yield schema.get("description", "")
    for notes in plugin.notes.values():
        yield from notes.values()


def test_every_text_of_a_built_in_plugin_is_translated() -> None:
    plugins = shipped()
    own = {module for module in SHIPPED if not module.startswith("scorers.predictions.")}
    assert {plugin.entrypoint.partition(":")[0] for plugin in plugins} == own
    texts = {text for plugin in plugins for text in texts_of(plugin) if text}
    assert {text for text in texts if not isinstance(known_text(text), Message)} == set()
    with translation.override("de"):
        for text in texts:
            assert translated(known_text(text)) != text


def test_every_further_paragraph_of_a_built_in_plugin_is_translated() -> None:
    docs = [plugin.doc.strip() for plugin in shipped()]
    further = {" ".join(paragraph.split()) for doc in docs for paragraph in doc.split("\n\n")[1:]}
    paragraphs = {paragraph: known_paragraph(paragraph) for paragraph in further}
    with translation.override("de"):
        for paragraph, text in paragraphs.items():
            assert text is not None
            assert translated(text) != paragraph
        pages = [doc_html(doc) for doc in docs]
    assert not any('lang="en"' in page for page in pages)


def test_the_number_in_the_name_of_a_metric_is_that_of_its_text() -> None:
    text = "Chance that all of 3 samples drawn from a task pass: mean of C(c, 3) / C(n, 3)."
    assert known_text(text) == text
    with translation.override("de"):
        assert re.search(r"alle 3 gezogenen .* C\(c, 3\)", translated(known_text(text)))
    other = text.replace("C(n, 3)", "C(n, 4)")
    assert not isinstance(known_text(other), Message)


def test_every_number_of_a_metric_is_translated() -> None:
    for number in (1, 2, 99):
        for family in [name for name in shipped_metrics().names() if "K" in name]:
            kind = shipped_metrics().get(family.replace("K", str(number)))
            assert isinstance(known_text(first_paragraph(kind.__doc__)), Message), number
            assert isinstance(known_text(kind.over), Message), number


def test_texts_of_other_plugins_stay_as_they_are() -> None:
    assert known_text("Whatever {k} a plugin says.") == "Whatever {k} a plugin says."
    assert known_text("") == ""
