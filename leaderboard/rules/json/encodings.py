"""The encodings of JSON that are refused, so that an error can name them."""

from __future__ import annotations

import json
from typing import Final

BOM: Final = "\ufeff"


def other_encoding(body: bytes) -> str:
    """`UTF-16` or `UTF-32` if an object or a list in JSON begins so, "" for anything else."""
    if b"\0" not in body[:4]:  # quick, since each line of a bulk is asked
        return ""
    encoding = json.detect_encoding(body[:4])
    name = encoding[:6].upper()
    start = body[:400].decode(encoding, "ignore").removeprefix(BOM).lstrip()[:1]
    return name if name in ("UTF-16", "UTF-32") and start in ("{", "[") else ""
