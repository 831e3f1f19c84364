"""The form of a challenge: saving uses the services, and their errors appear at the fields."""

from __future__ import annotations

from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import flatten_fieldsets
from django.test import Client

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.imports.samples import send_sample
from tests.admin.conftest import WEIGHTED, Submit
from tests.admin.pages import form_of, messages_of, saved, typed, url
from tests.helpers.configs import rewrite


def test_an_organiser_creates_a_challenge(as_nora: Client, north: Tenant) -> None:
    page = as_nora.get(url("challenge", "add"), {"entrypoint": WEIGHTED})
    answer = saved(
        as_nora,
        url("challenge", "add"),
        typed(page, name="Night run", scoring_config__token_penalty="0.5"),
    )
    assert answer.status_code == 302
    challenge = Challenge.objects.get()
    assert (challenge.slug, challenge.tenant) == ("night-run", north)
    assert challenge.newest.entrypoint == WEIGHTED
    assert challenge.newest.config == {
        "success_bonus": 100,
        "rating_weight": 10,
        "time_penalty": 1,
        "token_penalty": 0.5,
    }
    assert LogEntry.objects.get().object_id == str(challenge.pk)


def test_the_page_has_every_field_and_one_for_each_setting(
    as_nora: Client, escape: Challenge
) -> None:
    escape.configs.update(keeps_state=True)
    for path in (url("challenge", "add"), url("challenge", "change", escape.pk)):
        page = as_nora.get(path)
        fields = flatten_fieldsets(page.context["adminform"].fieldsets)
        assert {*form_of(page).fields} <= {*fields}, "or a browser never posts it"
    form = form_of(page)
    assert form["scoring_config.success_bonus"].value() == 100.0
    assert form["scoring_config.token_penalty"].value() == 0.02
    content = page.content.decode()
    assert "token_penalty = 0.02" in content, "versions are listed with their fields"
    assert f"code {escape.newest.code}" in content
    assert "Keeps state" in content
    assert as_nora.get(url("challenge"), {"q": "escape"}).context["cl"].result_count == 1


def test_plain_fields_make_no_version(as_nora: Client, escape: Challenge) -> None:
    path = url("challenge", "change", escape.pk)
    for changes in ({}, {"summary": "Get out.", "on_code_change": "hold"}):
        saved(as_nora, path, typed(as_nora.get(path), **changes))
        escape.refresh_from_db()
        assert (escape.newest.number, escape.newest.config) == (1, {"token_penalty": 0.02})
    assert (escape.summary, escape.on_code_change) == ("Get out.", "hold")


def test_a_changed_setting_makes_a_version_and_offers_the_rescore(
    as_nora: Client, escape: Challenge, submit: Submit
) -> None:
    submit(escape, "atlas", rating=8)
    page = as_nora.get(url("challenge", "change", escape.pk))
    answer = saved(
        as_nora,
        url("challenge", "change", escape.pk),
        typed(page, scoring_config__rating_weight="15"),
    )
    escape.refresh_from_db()
    assert (escape.newest.number, escape.shown.number) == (2, 1)
    assert escape.newest.config == {"token_penalty": 0.02, "rating_weight": 15}
    assert escape.newest.created_by.username == "nora"  # type: ignore[union-attr]
    (version, _) = messages_of(answer)
    assert version.index("version 2") < version.index("version 1")
    assert url("challenge", "rescore", escape.pk) in version


def test_a_plugin_id_may_be_given_instead_of_a_scorer(as_nora: Client, escape: Challenge) -> None:
    page = as_nora.get(url("challenge", "change", escape.pk))
    builtin = {"scoring_plugin_id": "builtin.weighted_scorer"}
    other = "scorers.efficiency:EfficiencyScorer"
    post = typed(page, **builtin, scoring_entrypoint=other)
    post = {key: value for key, value in post.items() if not key.startswith("scoring_config")}
    as_nora.post(url("challenge", "change", escape.pk), post)
    escape.refresh_from_db()
    assert escape.newest.entrypoint == other, "what is typed wins"
    page = as_nora.get(url("challenge", "change", escape.pk))
    post = typed(page, scoring_entrypoint="")
    post = {key: value for key, value in post.items() if not key.startswith("scoring_config")}
    as_nora.post(url("challenge", "change", escape.pk), post)
    escape.refresh_from_db()
    assert escape.newest.entrypoint == WEIGHTED


def test_errors_appear_at_their_field(
    as_nora: Client, limited: Challenge, sprint: Challenge
) -> None:
    path = url("challenge", "change", limited.pk)
    page = as_nora.get(path)
    for field, value in (
        ("scoring_config.success_bonus", "-1"),
        ("scoring_entrypoint", "os:system"),
        ("scoring_entrypoint", "no entry point"),
        ("scoring_entrypoint", "scorers.weighted:Nobody"),
        ("scoring_entrypoint", ""),
        ("timeout_ms", "0"),
        ("slug", "Not-A-Slug"),
        ("slug", "sprint"),
        ("columns", '[{"key": "score", "decimals": 99}]'),
        ("columns", "9" * 5000),
        ("values", "[" * 5000),
        ("meta_fields", '[{"key": "a", "key": "b"}]'),
        ("name", ""),
    ):
        answer = as_nora.post(path, typed(page, **{field: value}))
        assert answer.status_code == 200, field
        assert list(form_of(answer).errors) == [field], value[:50]
    limited.refresh_from_db()
    assert limited.newest.number == 1
    path = url("challenge", "change", sprint.pk)
    answer = as_nora.post(path, typed(as_nora.get(path), scoring_strategy="metric"))
    assert list(form_of(answer).errors) == ["rank_by.0.key"]


def test_choosing_another_scorer_loads_its_defaults(as_nora: Client, escape: Challenge) -> None:
    page = as_nora.get(url("challenge", "change", escape.pk))
    other = "scorers.efficiency:EfficiencyScorer"
    post = typed(page, scoring_entrypoint=other, summary="typed already", _load="1")
    answer = as_nora.post(url("challenge", "change", escape.pk), post)
    form = form_of(answer)
    assert form["scoring_config.half_cost_usd"].value() == "0.1"
    assert form["summary"].value() == "typed already"
    assert "scoring_config.success_bonus" not in form.fields
    escape.refresh_from_db()
    assert (escape.summary, escape.newest.number) == ("", 1)

    saved(as_nora, url("challenge", "change", escape.pk), typed(answer))
    escape.refresh_from_db()
    assert escape.newest.entrypoint == other
    assert escape.newest.config == {"half_cost_usd": 0.1}


def test_a_new_challenge_has_the_defaults_of_its_scorer(as_nora: Client, north: Tenant) -> None:
    add = url("challenge", "add")
    answer = as_nora.post(add, {"scoring_entrypoint": WEIGHTED, "_load": "1"})
    assert not form_of(answer).errors
    assert form_of(answer)["scoring_config.token_penalty"].value() == "0.01"
    assert not Challenge.objects.exists()
    saved(as_nora, add, typed(as_nora.get(add), name="At once", scoring_entrypoint=WEIGHTED))
    assert Challenge.objects.get().newest.config["success_bonus"] == 100


def test_the_metric_strategy_ranks_by_the_filled_rows(as_nora: Client, sprint: Challenge) -> None:
    page = as_nora.get(url("challenge", "change", sprint.pk))
    post = typed(page, scoring_strategy="metric", rank_by__0__key="rating")
    post |= {"rank_by.1.key": "cost_usd", "rank_by.1.direction": "asc"}
    saved(as_nora, url("challenge", "change", sprint.pk), post)
    sprint.refresh_from_db()
    assert sprint.newest.rank_by == [
        {"key": "rating", "direction": "desc"},
        {"key": "cost_usd", "direction": "asc"},
    ]


def test_a_challenge_without_its_scorer_can_get_another_description(
    as_nora: Client, escape: Challenge
) -> None:
    rewrite(escape.configs.all(), entrypoint="scorers.gone:Gone")
    page = as_nora.get(url("challenge", "change", escape.pk))
    assert b"no such module" in page.content
    saved(as_nora, url("challenge", "change", escape.pk), typed(page, is_active=None))
    escape.refresh_from_db()
    assert not escape.is_active


def test_only_a_challenge_without_attempts_is_deleted(
    as_nora: Client, nora: User, escape: Challenge, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "atlas", elapsed_ms=5)
    assert as_nora.post(url("challenge", "delete", sprint.pk), {"post": "yes"}).status_code == 403
    Challenge.objects.filter(pk=escape.pk).update(is_draft=True)
    escape.refresh_from_db()
    send_sample(escape, user=nora)
    page = as_nora.get(url("challenge", "delete", escape.pk))
    assert b"Prompt escape" in page.content
    as_nora.post(url("challenge", "delete", escape.pk), {"post": "yes"})
    assert list(Challenge.objects.all()) == [sprint]
