"""A stand-in for the package `services` that scorers of the challenge leaderboard import.

`services.challenge_scorer_protocol` has the types of its protocol, and `services.scorers.x` is
another name of the module `scorers.x`, as in entry points. Both exist only if no package `services`
is installed.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import NotRequired, Protocol, TypedDict

PACKAGE = "services"
PROTOCOL = f"{PACKAGE}.challenge_scorer_protocol"
SCORERS = f"{PACKAGE}.scorers"


class AttemptMetrics(TypedDict, total=False):
    """The facts of one attempt."""

    succeeded: bool
    tokens_total: int | None
    elapsed_ms: int | None
    rating: float | None
    created_at: int | None


class ScoringContext(TypedDict):
    """The origin of the attempt."""

    tenant_id: str
    app_id: str
    workflow_id: str
    challenge_id: str
    end_user_id: str | None
    timeout_ms: int


class ScoringResult(TypedDict):
    """The result of a scorer."""

    score: float
    details: NotRequired[dict[str, object] | None]


class ScorerProtocol(Protocol):
    """A scorer."""

    def score(
        self, metrics: AttemptMetrics, config: dict[str, object], ctx: ScoringContext
    ) -> ScoringResult: ...


OFFERED = (AttemptMetrics, ScoringContext, ScoringResult, ScorerProtocol)


class ServicesFinder(MetaPathFinder, Loader):
    """Finds `services` and its modules. Put it at the end of `sys.meta_path`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in (PACKAGE, PROTOCOL):
            return ModuleSpec(fullname, self, is_package=fullname == PACKAGE)
        if fullname.startswith(f"{SCORERS}.") or fullname == SCORERS:
            spec = importlib.util.find_spec(_own_name(fullname))
            return ModuleSpec(fullname, self, origin=spec.origin) if spec else None
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        if name == PROTOCOL:
            vars(module).update(
                {offered_class.__name__: offered_class for offered_class in OFFERED}
            )
        elif name != PACKAGE:
            sys.modules[name] = importlib.import_module(_own_name(name))


def _own_name(name: str) -> str:
    return name.removeprefix(f"{PACKAGE}.")
