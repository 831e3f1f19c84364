"""Serves the product below a path of a host that also serves other sites."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def below_prefix(application: WSGIApplication) -> WSGIApplication:
    """The application, which accepts paths with or without the path of PUBLIC_URL in front.

    Some proxies remove it, and health checks on this machine need not know it.
    """
    prefix: str = settings.PREFIX
    if not prefix:
        return application

    def mounted(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == prefix or path.startswith(f"{prefix}/"):
            environ = {**environ, "PATH_INFO": path.removeprefix(prefix) or "/"}
        return application(environ, start_response)

    return mounted
