from importlib import import_module

from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    name = "leaderboard"
    verbose_name = "Leaderboard"

    def ready(self) -> None:
        # Whoever sets up Django can ring the bell: without the application, a message would go
        # to Celery's default broker. Imported here, because models are not ready any earlier.
        import_module("leaderboard.celery")
        import_module("leaderboard.checks")
