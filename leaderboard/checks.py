"""What must hold between settings before the product starts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Error, register


def check_deployment() -> list[Error]:
    """All of the checks, for a server that Django's commands do not start."""
    return [*one_web_process(), *static_files_collected()]


@register("podium")
def one_web_process(app_configs: Sequence[AppConfig] | None = None, **kwargs: Any) -> list[Error]:
    if settings.REDIS_URL or settings.WEB_CONCURRENCY == 1:
        return []
    return [
        Error(
            f"REDIS_URL is empty and WEB_CONCURRENCY={settings.WEB_CONCURRENCY}:"
            " the broker in memory serves one web process only.",
            hint="Set REDIS_URL, or WEB_CONCURRENCY=1.",
            id="podium.E001",
        )
    ]


@register("podium", deploy=True)
def static_files_collected(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[Error]:
    if not settings.STATIC_ROOT or Path(settings.STATIC_ROOT, "staticfiles.json").is_file():
        return []
    return [
        Error(
            f"STATIC_ROOT={str(settings.STATIC_ROOT)!r} holds no collected static files.",
            hint="Run `manage.py collectstatic`, or leave STATIC_ROOT empty.",
            id="podium.E002",
        )
    ]
