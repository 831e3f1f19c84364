"""Finds the objects that modules of a package define under one name, without a list to edit."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol


class _Keyed(Protocol):
    key: str


def offered(package: str, name: str) -> Mapping[str, Any]:
    """The object called `name` of every module that has one, by the object's `key`.

    package: its dotted name, so that a module of the package can ask without importing it. Raises
    RuntimeError when two objects have the same key.
    """
    by_key: dict[str, _Keyed] = {}
    for module in pkgutil.iter_modules(import_module(package).__path__, f"{package}."):
        offer = getattr(import_module(module.name), name, None)
        if offer is None:
            continue
        if offer.key in by_key:
            raise RuntimeError(f"{module.name}: its {name} {offer.key!r} is there already")
        by_key[offer.key] = offer
    return MappingProxyType(by_key)
