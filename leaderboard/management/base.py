"""The base class of the product's commands."""

from django.core.management.base import BaseCommand


class ProductCommand(BaseCommand):
    """A command that checks the settings but loads no pages, so that it starts in half the time.

    `manage.py check` runs all checks, and so does each start of the web server.
    """

    requires_system_checks = ["podium"]
