import pkgutil
from importlib import import_module

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class LeaderboardConfig(AppConfig):
    name = "leaderboard"
    verbose_name = "Leaderboard"

    def ready(self) -> None:
        # Whoever sets up Django can notify workers: without the application, a message would go
        # to Celery's default broker. Imported here, because models are not ready any earlier.
        import_module("leaderboard.celery")
        import_module("leaderboard.checks")
        import_module("leaderboard.connections")


class PodiumAdminConfig(AdminConfig):
    """Django's admin with a site of ours. Its rows come after it, as they are registered there."""

    default_site = "leaderboard.admin.site.PodiumAdminSite"

    def ready(self) -> None:
        super().ready()
        rows = import_module("leaderboard.admin.models")
        for module in pkgutil.iter_modules(rows.__path__, f"{rows.__name__}."):
            import_module(module.name)
