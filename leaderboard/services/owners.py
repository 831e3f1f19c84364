"""Which tenants may use a plugin: SCORER_TENANTS binds packages, and folders of the path."""

from __future__ import annotations

from django.conf import settings

from leaderboard.sandbox import Failure
from leaderboard.sandbox.views import owners_of
from leaderboard.services.refused import invalid

_NOT_YOURS = "This plugin belongs to another tenant."


def may_use(entrypoint: str, tenant: str) -> bool:
    """Whether challenges of the tenant with this slug may name the plugin."""
    module = entrypoint.partition(":")[0]
    path = tuple(map(str, settings.SCORER_PATH))
    owners = owners_of(module, path, settings.SCORER_TENANTS)
    return owners is None or tenant in owners


def check_owner(field: str, entrypoint: str, tenant: str) -> None:
    """Raises Refused for a plugin that is not the tenant's."""
    if not may_use(entrypoint, tenant):
        raise invalid(field, _NOT_YOURS)


def not_yours() -> Failure:
    """What becomes of an attempt whose challenge names a plugin that another tenant has now."""
    return Failure("load_error", _NOT_YOURS)
