"""The form of a challenge: saving uses the services, and their errors appear at the fields."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import flatten_fieldsets
from django.test import Client

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.imports.samples import send_sample
from tests.admin.conftest import WEIGHTED, Submit
from tests.admin.pages import form_of, messages_of, saved, typed, url
from tests.configs import rewrite


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


def test_the_page_has_a_field_for_each_setting(as_nora: Client, escape: Challenge) -> None:
    page = as_nora.get(url("challenge", "change", escape.pk))
    form = form_of(page)
    assert form["scoring_config.success_bonus"].value() == 100.0
    assert form["scoring_config.token_penalty"].value() == 0.02
    assert b"Points lost for each token" in page.content


def test_every_field_is_on_the_page(as_nora: Client, escape: Challenge) -> None:
    for path in (url("challenge", "add"), url("challenge", "change", escape.pk)):
        page = as_nora.get(path)
        shown = flatten_fieldsets(page.context["adminform"].fieldsets)
        assert {*form_of(page).fields} <= {*shown}, "or a browser never posts it"


def test_saving_an_unchanged_form_changes_nothing(as_nora: Client, escape: Challenge) -> None:
    page = as_nora.get(url("challenge", "change", escape.pk))
    saved(as_nora, url("challenge", "change", escape.pk), typed(page))
    escape.refresh_from_db()
    assert escape.newest.number == 1
    assert escape.newest.config == {"token_penalty": 0.02}


def test_plain_fields_make_no_version(as_nora: Client, escape: Challenge) -> None:
    page = as_nora.get(url("challenge", "change", escape.pk))
    saved(as_nora, url("challenge", "change", escape.pk), typed(page, summary="Get out."))
    escape.refresh_from_db()
    assert (escape.summary, escape.newest.number) == ("Get out.", 1)


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
    assert "This is scoring version 2. The board shows version 1" in version
    assert url("challenge", "rescore", escape.pk) in version


def test_errors_of_the_scorer_appear_at_the_setting(as_nora: Client, limited: Challenge) -> None:
    page = as_nora.get(url("challenge", "change", limited.pk))
    answer = as_nora.post(
        url("challenge", "change", limited.pk), typed(page, scoring_config__success_bonus="-1")
    )
    assert list(form_of(answer).errors) == ["scoring_config.success_bonus"]
    limited.refresh_from_db()
    assert limited.newest.number == 1


def test_on_code_change_can_be_chosen(as_nora: Client, escape: Challenge) -> None:
    page = as_nora.get(url("challenge", "change", escape.pk))
    assert f"code {escape.newest.code}" in page.content.decode()
    as_nora.post(url("challenge", "change", escape.pk), typed(page, on_code_change="hold"))
    escape.refresh_from_db()
    assert (escape.on_code_change, escape.newest.number) == ("hold", 1)


def test_a_plugin_id_may_be_given_instead_of_a_scorer(as_nora: Client, escape: Challenge) -> None:
    page = as_nora.get(url("challenge", "change", escape.pk))
    builtin = {"scoring_plugin_id": "builtin.weighted_scorer"}
    other = "scorers.efficiency:EfficiencyScorer"
    post = typed(page, **builtin, scoring_entrypoint=other)
    post = {key: each for key, each in post.items() if not key.startswith("scoring_config")}
    as_nora.post(url("challenge", "change", escape.pk), post)
    escape.refresh_from_db()
    assert escape.newest.entrypoint == other, "what is typed wins"
    page = as_nora.get(url("challenge", "change", escape.pk))
    post = typed(page, scoring_entrypoint="")
    post = {key: each for key, each in post.items() if not key.startswith("scoring_config")}
    as_nora.post(url("challenge", "change", escape.pk), post)
    escape.refresh_from_db()
    assert escape.newest.entrypoint == WEIGHTED


@pytest.mark.parametrize(
    ("field", "value", "wrong"),
    [
        ("scoring_entrypoint", "os:system", "scoring_entrypoint"),
        ("scoring_entrypoint", "no entry point", "scoring_entrypoint"),
        ("scoring_entrypoint", "scorers.weighted:Nobody", "scoring_entrypoint"),
        ("scoring_entrypoint", "", "scoring_entrypoint"),
        ("timeout_ms", "0", "timeout_ms"),
        ("slug", "Not-A-Slug", "slug"),
        ("columns", '[{"key": "score", "decimals": 99}]', "columns"),
        ("columns", "9" * 5000, "columns"),
        ("values", "[" * 5000, "values"),
        ("meta_fields", '[{"key": "a", "key": "b"}]', "meta_fields"),
        ("name", "", "name"),
    ],
)
def test_errors_appear_at_their_field(
    as_nora: Client, escape: Challenge, field: str, value: str, wrong: str
) -> None:
    page = as_nora.get(url("challenge", "change", escape.pk))
    answer = as_nora.post(url("challenge", "change", escape.pk), typed(page, **{field: value}))
    assert answer.status_code == 200
    assert list(form_of(answer).errors) == [wrong]


def test_a_taken_slug_is_reported_at_the_slug(
    as_nora: Client, escape: Challenge, sprint: Challenge
) -> None:
    page = as_nora.get(url("challenge", "change", escape.pk))
    answer = as_nora.post(url("challenge", "change", escape.pk), typed(page, slug="sprint"))
    assert form_of(answer).errors == {
        "slug": ["must be one that no challenge has; got sprint, which is taken"]
    }


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


def test_loading_settings_validates_nothing(as_nora: Client, north: Tenant) -> None:
    post = {"scoring_entrypoint": WEIGHTED, "_load": "1"}
    answer = as_nora.post(url("challenge", "add"), post)
    assert not form_of(answer).errors
    assert form_of(answer)["scoring_config.token_penalty"].value() == "0.01"
    assert not Challenge.objects.exists()


def test_a_scorer_whose_settings_were_not_loaded_is_saved_with_its_defaults(
    as_nora: Client, north: Tenant
) -> None:
    page = as_nora.get(url("challenge", "add"))
    saved(
        as_nora, url("challenge", "add"), typed(page, name="At once", scoring_entrypoint=WEIGHTED)
    )
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


def test_the_metric_strategy_without_a_key_is_refused_at_the_first_row(
    as_nora: Client, sprint: Challenge
) -> None:
    page = as_nora.get(url("challenge", "change", sprint.pk))
    post = typed(page, scoring_strategy="metric")
    answer = as_nora.post(url("challenge", "change", sprint.pk), post)
    assert list(form_of(answer).errors) == ["rank_by.0.key"]


def test_a_challenge_without_its_scorer_can_get_another_description(
    as_nora: Client, escape: Challenge
) -> None:
    rewrite(escape.configs.all(), entrypoint="scorers.gone:Gone")
    page = as_nora.get(url("challenge", "change", escape.pk))
    assert b"there is no such module" in page.content
    saved(as_nora, url("challenge", "change", escape.pk), typed(page, is_active=None))
    escape.refresh_from_db()
    assert not escape.is_active


def test_only_a_challenge_without_attempts_is_deleted(
    as_nora: Client, escape: Challenge, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "atlas", elapsed_ms=5)
    assert as_nora.post(url("challenge", "delete", sprint.pk), {"post": "yes"}).status_code == 403
    page = as_nora.get(url("challenge", "delete", escape.pk))
    assert b"Prompt escape" in page.content
    as_nora.post(url("challenge", "delete", escape.pk), {"post": "yes"})
    assert list(Challenge.objects.all()) == [sprint]


def test_a_draft_with_a_sample_alone_is_deleted(
    as_nora: Client, escape: Challenge, nora: User
) -> None:
    Challenge.objects.update(is_draft=True)
    escape.refresh_from_db()
    send_sample(escape, user=nora)
    as_nora.post(url("challenge", "delete", escape.pk), {"post": "yes"})
    assert not Challenge.objects.filter(pk=escape.pk).exists()


def test_versions_are_listed_with_their_fields(as_nora: Client, escape: Challenge) -> None:
    escape.configs.update(keeps_state=True)
    content = as_nora.get(url("challenge", "change", escape.pk)).content.decode()
    assert "token_penalty = 0.02" in content
    assert "Keeps state." in content


def test_the_list_and_the_history_can_be_opened(as_nora: Client, escape: Challenge) -> None:
    assert b"Prompt escape" in as_nora.get(url("challenge")).content
    assert as_nora.get(url("challenge"), {"q": "escape", "is_active": "1"}).status_code == 200
    assert as_nora.get(url("challenge", "history", escape.pk)).status_code == 200
