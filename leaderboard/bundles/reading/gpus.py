"""Where the configuration of a bundle asks for a GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

_IMAGE: Final = re.compile(r"gpu|cuda|nvidia", re.IGNORECASE)
_KEY: Final = re.compile(r"(^|_)(gpus?|cuda|nvidia)(_|$)", re.IGNORECASE)
_NO: Final = ("", "0", "false", "no", "none", "off", "cpu")


def gpu_keys(value: dict[Any, Any] | list[Any], path: str = "") -> Iterator[str]:
    """The keys that name an image for GPUs, or say that there must be one, such as `gpu: true`."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        inner_path = f"{path}.{key}" if path else str(key)
        if isinstance(inner, dict | list):
            yield from gpu_keys(inner, inner_path)
        elif "image" in str(key) and "docker" in str(key):
            if _IMAGE.search(str(inner)):
                yield inner_path
        elif _KEY.search(str(key)) and str(inner or "").strip().lower() not in _NO:
            yield inner_path
