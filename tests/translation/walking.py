"""The visible texts of a page that were not translated into the pseudo-language."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from tests.translation.pseudo import CLOSE, OPEN

DATA = frozenset({"bdi", "code", "data", "option", "pre", "script", "style", "svg", "time"})
"""Elements whose contents are names, numbers and programs. Options have labels of their own."""
VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "wbr"})
READ = frozenset({"aria-label", "data-label", "placeholder", "title"})
"""Attributes that people read."""
WORD = re.compile(r"[^\W\d_]{2,}")


class Walk(HTMLParser):
    """Collects `unmarked`: texts and attributes with a word outside ⟦…⟧.

    A translated sentence may contain elements, so marks are counted across them. `names` are
    patterns of data: names of the rows that a test has made.
    """

    def __init__(self, names: str = "") -> None:
        super().__init__()
        self.names = re.compile(names) if names else None
        self.depth = 0
        self.data: list[str] = []
        self.unmarked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in VOID and (self.data or tag in DATA or is_data(given)):
            self.data.append(tag)
        if self.data and tag not in ("pre", "option"):
            return
        for name, value in given.items():
            if name in READ and value:
                self._look(f"{name}={value}", value)

    def handle_endtag(self, tag: str) -> None:
        if self.data and tag in self.data:
            while self.data.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self.data:
            return
        plain = ""
        for part in re.split(f"([{OPEN}{CLOSE}])", data):
            if part == OPEN:
                self.depth += 1
            elif part == CLOSE:
                self.depth -= 1
            elif self.depth == 0:
                plain += part
        self._look(plain.strip(), plain)

    def _look(self, stripped: str, text: str) -> None:
        count = 1
        while count:
            text, count = re.subn(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", "", text)
        if self.names:
            text = self.names.sub("", text)
        if WORD.search(text):
            self.unmarked.append(stripped)


def is_data(attributes: dict[str, str | None]) -> bool:
    """Return whether an element says that its contents are not translated."""
    return attributes.get("translate") == "no" or attributes.get("lang") in ("", "en")


def unmarked(html: str, names: str = "") -> list[str]:
    """Return the visible texts of a page that no catalogue has."""
    walk = Walk(names)
    walk.feed(html)
    return list(dict.fromkeys(walk.unmarked))
