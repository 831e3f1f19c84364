"""Every page is completely in the language of its reader."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse
from django.utils.text import capfirst

from leaderboard.languages.docstrings import first_line
from leaderboard.pages.site.languages import FOR_PROGRAMS
from leaderboard.rules.failures import FAILURE_CODES
from leaderboard.services.plugins.catalogue import known_plugins
from tests.people import signed_in
from tests.queries.world import World
from tests.translation.pseudo import LANGUAGE
from tests.translation.walking import unmarked

pytestmark = pytest.mark.django_db

NAMES = (
    r"Podium|Sprint|Versions|Tasks|Verses \d+|Default|often|outputs-\d+|with-\d+|r\d{3}|ann"
    r"|Outage|\bmain\b|\[\{.*\}\]"
    r"|task-\d+|\bF1\b|\bmean\b|JSON|CSV|Excel|APA|BibTeX|SVG|PNG|\bms\b|Token |System|\bsize\b"
)
"""What the rows of the world are called, and what is the same in all languages."""
CODES = (
    r"alt=\w+|\bpod_\w+|elapsed_ms|[\w-]{36}|\b(submit|scored|fastest|metric|default)\b|"
    r"Token key|User|Created|Expiry|BERTSCORE.*|"
    + "|".join(code.replace("_", " ") for code in FAILURE_CODES)
)
"""Names of states in the admin, and what Django and the tokens' package leave in English."""


@pytest.fixture
def world(pseudo_offered: None) -> World:
    world = World()
    world.grow(2)
    return world


def untranslated_names() -> str:
    """Return a pattern of the rows' names, and of plugins' descriptions in their authors'
    language."""
    registry = known_plugins()
    docs = [
        first_line(plugin.doc)
        for plugin in (*registry.scorers, *registry.metrics, *registry.text_metrics)
    ]
    return "|".join([*map(re.escape, filter(None, [*docs, *of_packages()])), NAMES])


def of_packages() -> Iterator[str]:
    """What other packages call themselves and their rows in the admin, by catalogues of theirs."""
    for app in apps.get_app_configs():
        if not app.name.startswith(("leaderboard", "django.")):
            yield str(app.verbose_name)
            yield from (
                capfirst(str(model._meta.verbose_name_plural)) for model in app.get_models()
            )


def read(client: Client, address: str) -> str:
    """Return a page, or "" for a file that people do not read."""
    response = client.get(address, headers={"Accept-Language": LANGUAGE})
    if not response.headers["Content-Type"].startswith("text/html"):
        return ""
    return str(response.content.decode())


def test_every_page_is_translated(world: World) -> None:
    for who, client in (("organiser", signed_in(world.ann)), ("anyone", Client())):
        untranslated = {
            name: unmarked(read(client, address), untranslated_names())
            for name, address in world.addresses()
            if not name.startswith(("api:", "admin:")) and name not in FOR_PROGRAMS
        }
        assert {name: texts for name, texts in untranslated.items() if texts} == {}, who


def test_every_page_of_the_admin_is_translated(world: World) -> None:
    client = signed_in(world.ann)
    addresses = [entry for entry in world.addresses() if entry[0].startswith("admin:")]
    new = reverse("admin:leaderboard_challenge_add")
    rescore = reverse("admin:leaderboard_challenge_rescore", args=[world.sprint.pk])
    isolation = reverse("admin:isolation")
    more = [("new", new), ("rescore", rescore), ("isolation", isolation)]
    untranslated = {
        name: unmarked(read(client, address), f"{CODES}|{untranslated_names()}")
        for name, address in (*addresses, *more)
    }
    assert {name: texts for name, texts in untranslated.items() if texts} == {}
