"""The applications of the product, and what starts with them."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks
from django.utils.translation import gettext_lazy


class LeaderboardConfig(AppConfig):
    name = "leaderboard"
    verbose_name = gettext_lazy("Leaderboard")

    def ready(self) -> None:
        # Import the Celery application whenever Django is set up: without it, notifications of
        # workers would go to Celery's default broker. Models are not ready any earlier.
        import_module("leaderboard.celery")
        import_module("leaderboard.checks")
        import_module("leaderboard.database.connections")


class PodiumAdminConfig(SimpleAdminConfig):
    """Django's admin with a site of ours, which is filled when its addresses are.

    Workers and most commands serve no addresses: without the admin they start a quarter faster.
    """

    default_site = "leaderboard.admin.site.PodiumAdminSite"

    def ready(self) -> None:
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(_check_models, checks.Tags.admin)


def _check_models(
    app_configs: Sequence[AppConfig] | None, **options: Any
) -> Sequence[checks.CheckMessage]:
    """Django's checks of the admin, once it has its models."""
    import_module("leaderboard.urls")
    return check_admin_app(app_configs, **options)
