"""What the admin shows: the models of Django, of other packages and of the product."""

from importlib import import_module
from pkgutil import iter_modules

from allauth.usersessions.models import UserSession
from django.contrib import admin

from leaderboard.admin import models


def registered_site() -> admin.AdminSite:
    """Return the admin site, filled with all models. To be called once."""
    admin.autodiscover()
    # Users see their own sessions on a page of theirs.
    admin.site.unregister(UserSession)
    for module in iter_modules(models.__path__, f"{models.__name__}."):
        import_module(module.name)
    return admin.site
