"""Markdown that organisers write, as HTML that is safe to show."""

from __future__ import annotations

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "a"),
    *("ul", "ol", "li", "h2", "h3", "h4", "h5", "h6"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
_parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def to_html(text: str, *, highest: int = 3) -> SafeString:
    """Markdown as HTML. Raw HTML is shown as text; images are left out, as they track readers.

    highest: of headings. Most pages have an h1 and an h2 of their own above the text.
    """
    tokens = _parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + highest - 1, 6)}"
    html = _parser.renderer.render(tokens, _parser.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener noreferrer",
    )
    return mark_safe(clean)  # noqa: S308 - nh3 leaves nothing but the tags above
