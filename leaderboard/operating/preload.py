"""What a process loads before its first reader, who would otherwise wait for it up to a second."""

from django.template.loader import get_template
from django.urls import get_resolver

from leaderboard import version


def load_pages() -> None:
    """Import all views, compile the template of boards and compute the hash of the files."""
    get_resolver().url_patterns  # noqa: B018 - imports the views
    get_template("pages/board.html")
    version.build()
