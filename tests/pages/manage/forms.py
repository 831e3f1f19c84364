"""Reading and sending the forms of the pages of organisers."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.test import Client

from tests.pages.reading import get


def inputs(html: str) -> dict[str, str]:
    """Return what a browser would send of the form, without its buttons."""
    start = html.index("<form", html.index("<main"))
    form = html[start : html.index("</form>", start)]
    sent: dict[str, str] = {}
    for tag in re.findall(r"<input [^>]*>", form):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        is_box = attributes.get("type") in ("checkbox", "radio")
        if attributes.get("type") == "file":
            continue
        if not is_box or re.search(r"\schecked", tag):
            sent[attributes["name"]] = unescape(attributes.get("value", "on" if is_box else ""))
    for name, text in re.findall(r'<textarea name="([^"]*)"[^>]*>\n?(.*?)</textarea>', form, re.S):
        sent[name] = unescape(text)
    for name, options in re.findall(r'<select name="([^"]*)"[^>]*>(.*?)</select>', form, re.S):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        first = re.search(r'<option value="([^"]*)"', options)
        option = chosen or first
        sent[name] = unescape(option[1]) if option else ""
    return sent


def saved(client: Client, path: str, **changes: Any) -> Any:
    """Load the page, change some fields and save it."""
    typed = {name.replace("__", "."): value for name, value in changes.items()}
    return client.post(path, {**inputs(get(client, path)), "action": "save", **typed})
