"""Descriptions of plugins; those of shipped plugins are in the reader's language."""

from __future__ import annotations

from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from leaderboard.languages.docstrings import first_paragraph
from leaderboard.languages.translation import translated
from leaderboard.pages.shared.markdown import to_html
from leaderboard.rules.plugins.descriptions import known_paragraph, known_text
from leaderboard.rules.texts.messages import Message


def plugin_text(text: str) -> SafeString:
    """A text of a plugin as HTML: translated if it is known, else of an unknown language."""
    message = known_text(text)
    if isinstance(message, Message):
        return conditional_escape(translated(message))
    return format_html('<span lang="">{}</span>', text) if text else SafeString("")


def doc_html(doc: str) -> SafeString:
    """A docstring as HTML, in the reader's language where a built-in plugin says it."""
    _, *further = doc.strip().split("\n\n")
    message = known_text(first_paragraph(doc))
    if not isinstance(message, Message):
        return format_html('<div lang="">{}</div>', to_html(doc)) if doc else SafeString("")
    html = format_html("<p>{}</p>", translated(message))
    return html + format_html_join("", "{}", ((_paragraph(other),) for other in further))


def _paragraph(text: str) -> SafeString:
    """A further paragraph of a built-in plugin: translated if it is known, else English."""
    message = known_paragraph(text)
    if message is None:
        return format_html('<div lang="en">{}</div>', to_html(text))
    return to_html(translated(message))
