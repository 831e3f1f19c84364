"""Metrics by name: those of this folder, and registered ones.

Each class with a `name` and a method `compute` in a file of this folder is a metric. The decorator
registers classes elsewhere, and those in files written for EvSys.
"""

import logging
import pkgutil
import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any, Final, TypeVar

import scorers.metrics

Class = TypeVar("Class", bound=type[Any])

SHIPPED = (
    "losses",
    "max",
    "mean",
    "mean_reward",
    "median",
    "min",
    "pass_at",
    "pass_at_unbiased",
    "pass_hat",
    "pass_hat_unbiased",
    "pass_rate",
    "percentile",
    "std",
    "sum",
    "ties",
    "weighted_mean",
    "wins",
)
"""The files that come with Podium, whose code a host may run in its own process. A file that is
added to the folder need not be named here; it runs in the sandbox."""

_NUMBERED = re.compile(r"(.+[@^])([1-9][0-9]{0,5})(:.+)?")

log = logging.getLogger(__name__)


class Registry:
    """Metric classes by their names.

    A name with a K in the place of a number, such as `pass@K`, stands for all numbers from 1 on:
    `pass@3` is the class with `k = 3`. With a class attribute `k_max`, it stands for numbers up to
    that one.
    """

    def __init__(self) -> None:
        self._classes: dict[str, type[Any]] = {}

    def register(self, cls: Class, name: str | None = None) -> Class:
        """Register a class by `name`, or by its own attribute `name`; returns the class.

        The same class may be registered again. Raises ValueError for a class without a name, or if
        the name belongs to another class.
        """
        key = name or getattr(cls, "name", None)
        if not isinstance(key, str) or not key:
            raise ValueError(f"{_path(cls)} has no name: give it to the decorator, or set `name`")
        existing = self._classes.get(key) or self._of_family(key)
        if existing is not None and existing is not cls:
            raise ValueError(
                f"a metric {key!r} is already registered "
                f"(existing={_path(existing)}, new={_path(cls)})"
            )
        cls.name = key
        self._classes[key] = cls
        return cls

    def get(self, name: str) -> type[Any]:
        """The class with a name, to be called without arguments.

        Raises KeyError with the known names.
        """
        metric = self._of_family(name)
        if metric is None and not _is_family(name):
            metric = self._classes.get(name)
        if metric is None:
            available = ", ".join(self.names())
            raise KeyError(f"No metric registered under {name!r}. Available: {available}")
        return metric

    def names(self) -> list[str]:
        """All names, sorted; those with a K stand for every number."""
        return sorted(self._classes)

    def _of_family(self, name: str) -> type[Any] | None:
        numbered = family_of(name)
        family = numbered and self._classes.get(numbered[0])
        if not numbered or family is None or numbered[1] > getattr(family, "k_max", numbered[1]):
            return None
        k = numbered[1]
        members = {
            "name": name,
            "k": k,
            "over": _numbered(getattr(family, "over", ""), k),
            "__doc__": _numbered(family.__doc__ or "", k),
            "__module__": family.__module__,
        }
        return type(f"{family.__name__}{k}", (family,), members)


_ONE: Final = {
    r"\b(any|all) of the first K samples pass(es)?\b": "the first sample passes",
    r"\b(any|all) of K samples drawn from a task pass(es)?\b": "a sample drawn from a task passes",
    r"\bK samples\b": "1 sample",
}


def _numbered(text: str, k: int) -> str:
    """A family's text with one member's number, such as `any of the first 3 samples passes`."""
    return re.sub(r"\bK\b", str(k), in_singular(text) if k == 1 else text)


def in_singular(text: str) -> str:
    """A family's text as it is for K = 1, such as `the first sample passes`."""
    for several, one in _ONE.items():
        text = re.sub(several, one, text)
    return text


def register_metric(name: str | None = None) -> Callable[[Class], Class]:
    """Class decorator: `@register_metric("worst_task")`, or `@register_metric()` on a class
    with an attribute `name`. Raises ValueError like `Registry.register`.
    """
    return lambda cls: _registered().register(cls, name)


def get_metric(name: str) -> type[Any]:
    """The class with a name: `get_metric("pass@3")().compute(task_rewards)`.

    Raises KeyError with the known names.
    """
    return _all().get(name)


@cache
def shipped() -> Registry:
    """The metrics that come with Podium. Imports only their files."""
    return _with_shipped()


def _with_shipped() -> Registry:
    registry = Registry()
    for module in SHIPPED:
        _register_metrics_of(f"{scorers.metrics.__name__}.{module}", registry)
    return registry


# Ours are registered first, so that no other metric can take their names.
_registered = cache(_with_shipped)


@cache
def _all() -> Registry:
    """All registered metrics and those of every file of the folder that can be imported."""
    for module in _modules():
        try:
            _register_metrics_of(module, _registered())
        except Exception:
            log.warning("The metrics of %s are left out", module, exc_info=True)
    return _registered()


def _modules() -> Iterable[str]:
    package = scorers.metrics
    names = (module.name for module in pkgutil.iter_modules(package.__path__))
    return [f"{package.__name__}.{name}" for name in names if not name.startswith("_")]


def _register_metrics_of(module: str, registry: Registry) -> None:
    for member in list(vars(import_module(module)).values()):
        if (
            isinstance(member, type)
            and member.__module__ == module
            and not member.__name__.startswith("_")
            and "name" in vars(member)
            and callable(getattr(member, "compute", None))
        ):
            registry.register(member)


def family_of(name: str) -> tuple[str, int] | None:
    """The family's name and the number in a name: `pass@K` and 3 for `pass@3`."""
    match = _NUMBERED.fullmatch(name)
    return (f"{match[1]}K{match[3] or ''}", int(match[2])) if match else None


def _is_family(name: str) -> bool:
    return re.search(r"[@^]K(:|$)", name) is not None


def _path(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
