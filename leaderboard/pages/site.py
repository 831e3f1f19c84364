"""What every page knows of the site."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, str]:
    """Context processor: the name that the operator gave the site.

    It is not called `site_name`, because Django's sign-in view puts the host under that name.
    """
    return {"site_title": settings.SITE_NAME}
