import pkgutil
from importlib import import_module

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.utils.translation import gettext_lazy


class LeaderboardConfig(AppConfig):
    name = "leaderboard"
    verbose_name = gettext_lazy("Leaderboard")

    def ready(self) -> None:
        # Import the Celery application whenever Django is set up: without it, notifications of
        # workers would go to Celery's default broker. Models are not ready any earlier.
        import_module("leaderboard.celery")
        import_module("leaderboard.checks")
        import_module("leaderboard.connections")


class PodiumAdminConfig(AdminConfig):
    """Django's admin with a site of ours; afterwards imports the modules that register models."""

    default_site = "leaderboard.admin.site.PodiumAdminSite"

    def ready(self) -> None:
        super().ready()
        # Users see their own sessions on a page of theirs.
        sessions = import_module("allauth.usersessions.models")
        import_module("django.contrib.admin").site.unregister(sessions.UserSession)
        rows = import_module("leaderboard.admin.models")
        for module in pkgutil.iter_modules(rows.__path__, f"{rows.__name__}."):
            import_module(module.name)
