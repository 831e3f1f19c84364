"""Files that a user drops on a page."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from playwright.sync_api import Page


def upload(page: Page, content: Any, name: str = "run.json") -> None:
    body = json.dumps(content).encode()
    file = {"name": name, "mimeType": "application/json", "buffer": body}
    page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]


def drop(page: Page, *names: str) -> None:
    """Drag files over the drop zone and release them, as a desktop would."""
    box = page.locator(".drop").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    files = [str(settings.BASE_DIR / name) for name in names]
    dragged = {"items": [], "files": files, "dragOperationsMask": 1}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": dragged})
