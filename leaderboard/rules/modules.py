"""What the modules of a package offer under one name, so that a new file needs no list to edit."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any


def offered(package: ModuleType, name: str) -> Mapping[str, Any]:
    """The object called `name` of every module that has one, by the object's `key`.

    Raises RuntimeError when two have the same key.
    """
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        each = getattr(import_module(module.name), name, None)
        if each is None:
            continue
        if each.key in found:
            raise RuntimeError(f"{module.name}: its {name} {each.key!r} is there already")
        found[each.key] = each
    return MappingProxyType(found)
