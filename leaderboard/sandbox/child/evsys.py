"""A stand-in for the module that metrics written for EvSys import, if EvSys is not installed."""

import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

PACKAGE = "evsys_sdk"

_Class = TypeVar("_Class", bound=type[Any])


def stand_in() -> None:
    """Make `from evsys_sdk.registry import register_metric` work, unless the real one is there."""
    if PACKAGE in sys.modules or importlib.util.find_spec(PACKAGE) is not None:
        return
    package, registry = ModuleType(PACKAGE), ModuleType(f"{PACKAGE}.registry")
    vars(package).update(__path__=[], registry=registry)
    vars(registry).update(register_metric=_decorators({}))
    sys.modules |= {PACKAGE: package, f"{PACKAGE}.registry": registry}


def _decorators(classes: dict[str, type[Any]]) -> Callable[..., Callable[[_Class], _Class]]:
    """`register_metric` as in EvSys: it gives a class a name that no other class has."""

    def register_metric(name: str | None = None) -> Callable[[_Class], _Class]:
        def register(cls: _Class) -> _Class:
            key = name or getattr(cls, "name", None)
            if not key:
                raise ValueError(f"{_path(cls)} has no name: give it to the decorator")
            existing = classes.setdefault(key, cls)
            if existing is not cls:
                raise ValueError(
                    f"a metric {key!r} is already registered "
                    f"(existing={_path(existing)}, new={_path(cls)})"
                )
            cls.name = key
            return cls

        return register

    return register_metric


def _path(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
