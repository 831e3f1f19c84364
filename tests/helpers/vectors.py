"""Conformance vectors: inputs with the results that other systems give for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SEEDS = Path(__file__).parents[1] / "seeds"


def vectors(name: str, system: str = "") -> list[dict[str, Any]]:
    """Return the vectors of a file. system: only those of systems whose name begins with it."""
    every: list[dict[str, Any]] = json.loads((SEEDS / f"{name}.json").read_text())["vectors"]
    return [vector for vector in every if vector["system"].startswith(system)]
