"""Names of fields that nearly are those that are known, where unknown ones are kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator


def misspelt(given: Collection[str], fields: Collection[str]) -> Iterator[tuple[str, str]]:
    """Names that miss a field only by case or a hyphen, each with the field, which is not there."""
    for name in given:
        meant = name.lower().replace("_", "-")
        if name not in fields and meant in fields and meant not in given:
            yield name, f"is not known; is it {meant}?"
