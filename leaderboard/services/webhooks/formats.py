"""The bodies of messages: Standard Webhooks, or a line of text for a chat.

Names and titles come from strangers. Each chat has its own way to escape what would call everybody
or hide an address behind other words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.choices import WebhookFormat

MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~@:/])")
ZERO_WIDTH_SPACE: Final = "\u200b"


class WebhookMessage(NamedTuple):
    """A message about an event. text: a sentence without markup. url: where more is."""

    type: str
    timestamp: str
    data: JsonObject
    text: str
    url: str


def body_of(message: WebhookMessage, form: str) -> str:
    """The body of a message in a format."""
    return json.dumps(_BODIES[WebhookFormat(form)](message), ensure_ascii=False)


def _standard(message: WebhookMessage) -> Mapping[str, object]:
    return {"type": message.type, "timestamp": message.timestamp, "data": message.data}


def _slack(message: WebhookMessage) -> Mapping[str, object]:
    """Also for Mattermost and Rocket.Chat, which know `@channel` and links of Markdown."""
    text = message.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = text.replace("](", f"]{ZERO_WIDTH_SPACE}(")
    text = f"{text.replace('@', f'@{ZERO_WIDTH_SPACE}')} {message.url}"
    section = {"type": "section", "text": {"type": "plain_text", "text": text[:3000]}}
    return {"text": text, "blocks": [section]}


def _discord(message: WebhookMessage) -> Mapping[str, object]:
    text = f"{_escaped(message.text)} <{message.url}>"
    return {"content": text[:2000], "allowed_mentions": {"parse": []}}


def _teams(message: WebhookMessage) -> Mapping[str, object]:
    """An Adaptive Card, as Workflows takes it."""
    block = {"type": "TextBlock", "text": _escaped(message.text), "wrap": True}
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [block],
        "actions": [{"type": "Action.OpenUrl", "title": message.type, "url": message.url}],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return {"type": "message", "attachments": [attachment]}


def _matrix(message: WebhookMessage) -> Mapping[str, object]:
    """A notice, which is no markup and, without `m.mentions`, tells nobody."""
    text = message.text.replace("@", f"@{ZERO_WIDTH_SPACE}")
    return {"msgtype": "m.notice", "body": f"{text} {message.url}", "m.mentions": {}}


def _escaped(text: str) -> str:
    """A text without Markdown or mentions."""
    return MARKDOWN.sub(r"\\\1", text).replace("@", f"@{ZERO_WIDTH_SPACE}")


_BODIES: Final[Mapping[WebhookFormat, Callable[[WebhookMessage], Mapping[str, object]]]] = {
    WebhookFormat.STANDARD: _standard,
    WebhookFormat.SLACK: _slack,
    WebhookFormat.DISCORD: _discord,
    WebhookFormat.TEAMS: _teams,
    WebhookFormat.MATRIX: _matrix,
}
