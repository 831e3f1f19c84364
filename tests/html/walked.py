"""The pages whose HTML is checked: those of two small worlds, for organisers and for anyone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.contrib import admin
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, User
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.plugins.catalogue import known_plugins
from tests.browser.world import make_world
from tests.helpers.phases import set_phase
from tests.people import signed_in
from tests.queries.world import World

MORE = ("api-docs", "login", "status", "manage-site")
FORMS = (
    *("new", "account-data", "account-delete", "account-name", "account_email", "account_inactive"),
    *("account_reauthenticate", "account_signup", "link", "mfa_activate_totp", "mfa_add_webauthn"),
    *("mfa_generate_recovery_codes", "password", "password-reset", "people-accounts"),
    "account-mail",
    "socialaccount_connections",
)
"""Forms, most of them of accounts."""
ANALYSIS = ("board", "tradeoff", "progress", "tasks", "compare", "rules", "what-if", "embed")
WRONG = ("/c/sprint/?sort=nothing", "/c/sprint/reveal/", "/c/sprint/manage/copy/")
"""Addresses that answer with an error."""


def every_address() -> Iterator[tuple[str, str]]:
    """Yield a name and the HTML of the page of each address."""
    world = World()
    world.grow(2)
    addresses = [address for address in world.addresses() if not address[0].startswith("api:")]
    addresses += [(name, reverse(name)) for name in MORE]
    private = [(name, reverse(name)) for name in FORMS]
    private += [(path, path) for path in (*WRONG, *paths_of_admin())]
    yield from pages([*addresses, *private], signed_in(world.ann), "organiser")
    yield from pages(addresses, Client(), "anyone")
    yield from pages([("nothing", "/nowhere/")], Client(), "anyone")


def paths_of_admin() -> Iterator[str]:
    """Yield the form of a new row and of one stored row for each model in the admin."""
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{name}_add")
        row = model._default_manager.first()
        if row is not None:
            yield reverse(f"{name}_change", args=[row.pk])


def pages(
    addresses: list[tuple[str, str]], client: Client, who: str, language: str = "en"
) -> Iterator[tuple[str, str]]:
    for name, address in addresses:
        answer = client.get(address, headers={"accept-language": language})
        if answer.get("Content-Type", "").startswith("text/html") and answer.content:
            yield f"{name} of {who} in {language}", answer.content.decode()


def drawn_pages() -> Iterator[tuple[str, str]]:
    """Yield the pages of the world of the browser tests, which have charts and intervals, in
    English and in German."""
    world = make_world()
    while look_after_certainty():
        pass
    paths = [*world.paths, *world.organised_paths, *world.own_paths]
    paths += [reverse(name, args=["lock-house"]) for name in ANALYSIS]
    paths += [reverse("what-if", args=["prompt-escape"])]
    for language in ("en", "de"):
        yield from pages([(p, p) for p in paths], signed_in(world.ann), "organiser", language)
        yield from pages([(p, p) for p in paths], Client(), "anyone", language)
    yield from plugin_pages(world.ann)
    yield from revealed_pages(world.escape, signed_in(world.ann))


def plugin_pages(user: User) -> Iterator[tuple[str, str]]:
    """Yield the page of each plugin."""
    registry = known_plugins()
    plugins = [*registry.scorers, *registry.metrics, *registry.text_metrics]
    paths = [reverse("plugin", args=[plugin.entrypoint]) for plugin in plugins if plugin.entrypoint]
    yield from pages([(path, path) for path in paths], signed_in(user), "organiser")


def revealed_pages(challenge: Challenge, client: Client) -> Iterator[tuple[str, str]]:
    """Freeze a board three hours ago, and yield it with the steps of its reveal."""
    now, hour = timezone.now(), timedelta(hours=1)
    Attempt.objects.filter(challenge=challenge).update(submitted_at=now - 4 * hour)
    dates = {"opens_at": now - 5 * hour, "freezes_at": now - 3 * hour, "closes_at": now - hour}
    set_phase(challenge, name="Final", **dates)
    path = reverse("reveal", args=[challenge.slug])
    paths = [reverse("board", args=[challenge.slug]), path, f"{path}?step=3"]
    yield from pages([(address, address) for address in paths], client, "organiser")
