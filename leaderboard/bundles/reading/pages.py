"""Pages of HTML as Markdown, which is what descriptions here are written in."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

_BEFORE: Final = {
    **{f"h{level}": f"\n\n{'#' * level} " for level in range(1, 7)},
    **dict.fromkeys(("p", "div", "table", "ul", "ol", "section"), "\n\n"),
    "br": "\n",
    "tr": "\n",
    "li": "\n- ",
    "td": " ",
    "th": " ",
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("i", "em"), "*"),
    "code": "`",
}
_AFTER: Final = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`"}
_SKIPPED: Final = frozenset(("script", "style", "head", "title"))
_HTML: Final = re.compile(r"<(p|div|h\d|ul|ol|table|br|html|body|section)\b", re.IGNORECASE)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._skipped = 0
        self._links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in _SKIPPED
        if tag == "a":
            self._links.append(dict(attrs).get("href") or "")
            self.pieces.append("[")
        self.pieces.append(_BEFORE.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in _SKIPPED and self._skipped > 0
        if tag == "a" and self._links:
            self.pieces.append(f"]({self._links.pop()})")
        self.pieces.append(_AFTER.get(tag, ""))

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.pieces.append(re.sub(r"\s+", " ", data))


def as_markdown(text: str) -> str:
    """A page without its tags; a text that is no HTML stays as it is."""
    if not _HTML.search(text):
        return text.strip()
    reader = _Reader()
    reader.feed(text)
    lines = (line.rstrip() for line in "".join(reader.pieces).splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
