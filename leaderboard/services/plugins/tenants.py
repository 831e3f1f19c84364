"""Which tenants may use a plugin: SCORER_TENANTS restricts packages and folders of the path."""

from __future__ import annotations

import os
from collections.abc import Iterable

from django.conf import settings

from leaderboard.models import Membership, Tenant, User
from leaderboard.rules.plugins.kinds import KINDS
from leaderboard.rules.plugins.owners import ANOTHERS
from leaderboard.sandbox import Failure, PluginDescription, installed_entrypoints
from leaderboard.sandbox.host import views
from leaderboard.services.errors import invalid

EVERYBODY = ""
"""In place of a tenant's slug: only plugins that belong to no tenant may be used."""


def may_use(entrypoint: str, tenant: str) -> bool:
    """Whether challenges of the tenant with this slug may name the plugin."""
    path = tuple(map(str, settings.SCORER_PATH))
    return views.may_use(entrypoint, tenant, path, settings.SCORER_TENANTS)


def check_owner(field: str, entrypoint: str, tenant: str) -> None:
    """Raise ServiceError for a plugin that the tenant may not use."""
    if not may_use(entrypoint, tenant):
        raise invalid(field, ANOTHERS)


def hidden_packages() -> list[tuple[str, str, str]]:
    """Packages that an earlier folder of other tenants hides: name, earlier folder, own folder."""
    path = tuple(map(str, settings.SCORER_PATH))
    return [*views.hidden_packages(settings.SCORER_PACKAGES, path, settings.SCORER_TENANTS)]


def known_packages() -> list[str]:
    """The packages whose plugins challenges may name: of SCORER_PACKAGES, and installed ones."""
    installed = (name for kind in KINDS for name in installed_entrypoints(kind))
    return sorted({*settings.SCORER_PACKAGES, *(name.partition(".")[0] for name in installed)})


def unknown_packages() -> list[str]:
    """The packages in SCORER_TENANTS that are none of these."""
    named = {name for name in settings.SCORER_TENANTS if not os.path.isabs(name)}
    return sorted(named.difference(known_packages())) if named else []


def unknown_owners() -> tuple[list[str], list[str]]:
    """The tenants in SCORER_TENANTS that do not exist, and those that do; none before the first."""
    slugs = {slug for scorer_tenant in settings.SCORER_TENANTS.values() for slug in scorer_tenant}
    existing = list(Tenant.objects.order_by("slug").values_list("slug", flat=True))
    return (sorted(slugs.difference(existing)) if existing else []), existing


def visible_plugins(
    user: User | None, plugins: Iterable[PluginDescription]
) -> list[PluginDescription]:
    """The plugins that a user may see: those of no tenant, and those of the user's tenants.

    user: None for a visitor who is not signed in. Superusers see all. A package that cannot be
    loaded belongs to the same tenants as its plugins.
    """
    if not settings.SCORER_TENANTS or (user is not None and user.is_superuser):
        return list(plugins)
    mine = Membership.objects.filter(user=user).values_list("tenant__slug", flat=True)
    tenants = [EVERYBODY, *(mine if user is not None else ())]
    return [
        plugin for plugin in plugins if any(may_use(plugin.entrypoint, slug) for slug in tenants)
    ]


def of_everybody(plugins: Iterable[PluginDescription]) -> list[PluginDescription]:
    """The plugins that belong to no tenant: messages to anybody may name them."""
    return [plugin for plugin in plugins if may_use(plugin.entrypoint, EVERYBODY)]


def not_yours() -> Failure:
    """The failure of an attempt whose challenge names a plugin of another tenant."""
    return Failure("load_error", ANOTHERS)


def tenant_with(user: User, entrypoint: str) -> str | None:
    """The slug of a tenant under which a user may try a plugin; "" for one of no tenant.

    None if none of the user's tenants may use it.
    """
    mine = Membership.objects.filter(user=user).values_list("tenant__slug", flat=True)
    return next((slug for slug in (EVERYBODY, *mine) if may_use(entrypoint, slug)), None)
