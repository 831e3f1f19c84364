"""The pages on which a challenge is managed, in the groups and the order of their menu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class ManagePart(NamedTuple):
    """A page of the menu: its `part` in templates, its route and its title.

    public: what people who do not organise the challenge see of it.
    """

    name: str
    route: str
    label: Promise
    public: Promise = _("Only organisers and reviewers see this page.")


class ManageGroup(NamedTuple):
    """Pages of the menu that belong together. The title leads to the first of them."""

    label: Promise
    parts: Sequence[ManagePart]


_ON_RULES: Final = _("The public rules page shows what is set here, once it is saved.")

GROUPS: Final[Sequence[ManageGroup]] = (
    ManageGroup(
        _("Overview"),
        (
            ManagePart("overview", "manage", _("Overview")),
            ManagePart("log", "manage-log", _("Log")),
        ),
    ),
    ManageGroup(
        _("Rules"),
        (
            ManagePart("rules", "manage-rules", _("Rules and scoring"), _ON_RULES),
            ManagePart("metrics", "manage-metrics", _("Metrics"), _ON_RULES),
            ManagePart("tasks", "manage-tasks", _("Tasks"), _ON_RULES),
            ManagePart(
                "split",
                "manage-split",
                _("Private tasks"),
                _("Nobody else sees which tasks are private before the final results."),
            ),
            ManagePart(
                "references",
                "manage-references",
                _("References"),
                _("Participants see the inputs; references only if the challenge shows them."),
            ),
            ManagePart("truth", "manage-truth", _("Truth and metrics"), _ON_RULES),
            ManagePart("program", "manage-program", _("Program")),
            ManagePart("plugins", "manage-plugins", _("Plugins")),
            ManagePart(
                "files",
                "manage-files",
                _("Files"),
                _("Everybody may download public data, the starting kit and the sample."),
            ),
            ManagePart("phases", "manage-phases", _("Phases"), _ON_RULES),
            ManagePart("admission", "manage-admission", _("Admission"), _ON_RULES),
        ),
    ),
    ManageGroup(
        _("People"),
        (
            ManagePart("people", "challenge-people", _("People")),
            ManagePart(
                "registration",
                "manage-registration",
                _("Registration"),
                _("The page for registration shows the questions; nobody else sees answers."),
            ),
            ManagePart("extra", "manage-extra", _("Extra attempts")),
            ManagePart("organisers", "manage-organisers", _("Organisers")),
        ),
    ),
    ManageGroup(
        _("Attempts"),
        (
            ManagePart(
                "attempts",
                "manage-attempts",
                _("Attempts"),
                _("Notes are for organisers. Verifications and disqualifications are public."),
            ),
            ManagePart("review", "review", _("Review")),
            ManagePart("labels", "labels", _("Human labels")),
        ),
    ),
    ManageGroup(
        _("Publish"),
        (
            ManagePart(
                "settings",
                "manage-settings",
                _("Settings"),
                _("The settings say who may see the challenge, and what its board shows."),
            ),
            ManagePart(
                "announcements",
                "manage-announcements",
                _("Announcements"),
                _("Everybody who may see the challenge can read announcements."),
            ),
            ManagePart("webhooks", "manage-webhooks", _("Webhooks")),
        ),
    ),
)
"""A new page is one more line in its group, with the name that its template has as `part`."""


class ManageMenu(NamedTuple):
    """The menu on one of its pages. group: that of the page. part: the page, None for others."""

    groups: Sequence[ManageGroup]
    group: ManageGroup
    part: ManagePart | None


def menu_of(name: str) -> ManageMenu:
    """The menu on the page whose `part` this is."""
    for group in GROUPS:
        for part in group.parts:
            if part.name == name:
                return ManageMenu(GROUPS, group, part)
    return ManageMenu(GROUPS, GROUPS[0], None)
