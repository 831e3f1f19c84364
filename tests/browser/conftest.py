"""Where pictures of what the browser saw are kept."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where the browser tests leave pictures of what they saw; kept for whoever looks."""
    folder = Path(os.environ.get("SCREENSHOTS") or tempfile.mkdtemp(prefix="podium-screenshots-"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
