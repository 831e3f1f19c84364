"""Lists on which other fields of a form depend."""

from __future__ import annotations

from django import forms

from leaderboard.pages.manage.forms.rules_choices import Choices


def choosing(choices: Choices, part: str) -> forms.Select:
    """A list that reloads a part of the page, because other fields depend on the choice."""
    swapped = {
        "data-hx-post": "",
        "data-hx-trigger": "change delay:400ms consume",
        "data-hx-target": f"#{part}",
        "data-hx-select": f"#{part}",
        "data-hx-select-oob": "#preview",
        "data-hx-sync": "closest form:queue last",
    }
    return forms.Select(choices=choices, attrs=swapped)
