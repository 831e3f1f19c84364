"""The pages on which a challenge is managed, in the order of their menu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class ManagePart(NamedTuple):
    """A page of the menu: its `part` in templates, its route and its title."""

    name: str
    route: str
    label: Promise


PARTS: Final[Sequence[ManagePart]] = (
    ManagePart("overview", "manage", _("Overview")),
    ManagePart("rules", "manage-rules", _("Rules and scoring")),
    ManagePart("metrics", "manage-metrics", _("Metrics")),
    ManagePart("tasks", "manage-tasks", _("Tasks")),
    ManagePart("split", "manage-split", _("Private tasks")),
    ManagePart("references", "manage-references", _("References")),
    ManagePart("settings", "manage-settings", _("Settings")),
    ManagePart("phases", "manage-phases", _("Phases")),
    ManagePart("attempts", "manage-attempts", _("Attempts")),
    ManagePart("admission", "manage-admission", _("Admission")),
    ManagePart("review", "review", _("Review")),
    ManagePart("people", "challenge-people", _("People")),
    ManagePart("registration", "manage-registration", _("Registration")),
    ManagePart("extra", "manage-extra", _("Extra attempts")),
    ManagePart("announcements", "manage-announcements", _("Announcements")),
    ManagePart("organisers", "manage-organisers", _("Organisers")),
    ManagePart("log", "manage-log", _("Log")),
)
