"""What plugins say of themselves, in the reader's language where it comes with Podium."""

from __future__ import annotations

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from leaderboard.pages.markdown import to_html
from leaderboard.pages.metric_labels import first_paragraph
from leaderboard.rules.messages import Message
from leaderboard.rules.plugin_texts import known_text
from leaderboard.translation import translated


def plugin_text(text: str) -> SafeString:
    """A text of a plugin as HTML: translated if it is known, else of an unknown language."""
    known = known_text(text)
    if isinstance(known, Message):
        return conditional_escape(translated(known))
    return format_html('<span lang="">{}</span>', text) if text else SafeString("")


def doc_html(doc: str) -> SafeString:
    """A docstring as HTML. The first paragraph of a built-in plugin is translated; what follows
    is English."""
    known = known_text(first_paragraph(doc))
    if not isinstance(known, Message):
        return format_html('<div lang="">{}</div>', to_html(doc)) if doc else SafeString("")
    rest = to_html(doc.strip().partition("\n\n")[2])
    first = format_html("<p>{}</p>", translated(known))
    return first + format_html('<div lang="en">{}</div>', rest) if rest else first
