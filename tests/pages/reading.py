"""Helpers that read a page."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.test import Client


def get(client: Client, path: str, status: int = 200, **headers: Any) -> str:
    """Return the body of a page that answers with this status."""
    response = client.get(path, headers=headers)
    assert response.status_code == status, f"{path}: {response.status_code}"
    return str(response.content.decode())


def words(html: str) -> str:
    """Return the visible text of a page: without tags, with single spaces."""
    without_data = re.sub(r"<script\b.*?</script>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", without_data)).split())


def hidden_fields(html: str) -> dict[str, str]:
    """Return what the button below the preview of a file would post."""
    pattern = r'<input type="hidden" name="(kept|participant|format)" value="([^"]*)"'
    return dict(re.findall(pattern, html))
