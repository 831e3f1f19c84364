"""Organisers make a challenge in a browser: a form for each kind, a preview, and a draft."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, Membership, RegistrationRules, Tenant, User
from leaderboard.services.challenges.drafts import moved_ahead
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
NONE: dict[str, Any] = {"template": "", "visibility": "public", "name": "Plan", "action": "create"}
KINDS: dict[str, dict[str, Any]] = {
    "facts": {"scoring_strategy": "fastest"},
    "scorer": {"scoring_entrypoint": "scorers.weighted:WeightedScorer"},
    "tasks": {"metrics": ["pass@K", "pass_rate"], "k": "2", "direction": "desc", "tasks": "a\nb"},
    "texts": {"text_metrics": ["CHRF", "EXACT_MATCH"], "direction": "desc"},
    "files": {"values": "solved\npenalty", "direction": "asc"},
}
COLUMNS = {
    "facts": "Time",
    "scorer": "Score",
    "tasks": "pass@2",
    "texts": "CHRF",
    "files": "solved",
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_a_preview_and_makes_a_draft(as_ann: Client, kind: str) -> None:
    page = f"/new/?kind={kind}"
    assert f"?kind={kind}" in get(as_ann, "/new/")
    get(as_ann, page)
    answer = as_ann.post(page, {**NONE, **KINDS[kind], "name": "", "action": "preview"})
    assert answer.status_code == 200
    text = answer.content.decode()
    assert COLUMNS[kind] in words(text[text.index("<thead>") : text.index("</thead>")])
    assert 'class="wrong"' not in text
    assert not Challenge.objects.exists()
    answer = as_ann.post(page, {**NONE, **KINDS[kind]})
    assert answer.status_code == 302, words(answer.content.decode())
    made = Challenge.objects.get()
    assert (made.is_draft, made.visibility, made.name) == (True, "public", "Plan")
    assert answer["Location"] == "/c/plan/manage/"
    get(as_ann, "/c/plan/")


def test_the_fields_of_the_kind_are_stored(as_ann: Client) -> None:
    as_ann.post("/new/?kind=tasks", {**NONE, **KINDS["tasks"]})
    config = Challenge.objects.get().newest
    assert [key["key"] for key in config.rank_by] == ["pass@2"]
    assert [task["name"] for task in config.tasks] == ["a", "b"]
    assert config.metrics == ["pass@2", "pass_rate"]


def test_the_order_is_that_of_the_metric_unless_another_is_chosen(as_ann: Client) -> None:
    sent = {**NONE, "text_metrics": ["EDIT_DISTANCE"], "direction": ""}
    page = "/new/?kind=texts"
    assert 'value="" selected' in get(as_ann, page)
    wrong = as_ann.post(page, {**sent, "direction": "desc", "action": "preview"})
    assert "EDIT_DISTANCE" in words(wrong.content.decode()).partition("although")[0][-120:]
    as_ann.post(page, sent)
    config = Challenge.objects.get().newest
    assert config.rank_by == [{"key": "EDIT_DISTANCE", "direction": "asc"}]


def test_htmx_asks_for_the_preview_only(as_ann: Client) -> None:
    sent, htmx = {**NONE, **KINDS["facts"]}, {"HX-Request": "true"}
    assert as_ann.post("/new/?kind=facts", sent, headers=htmx).status_code == 200
    assert not Challenge.objects.exists()


def test_errors_are_at_their_fields(as_ann: Client) -> None:
    for kind, field, value in (
        ("facts", "name", ""),
        ("facts", "scoring_strategy", ""),
        ("facts", "scoring_strategy", "custom"),
        ("facts", "template", "none"),
        ("tasks", "metrics", []),
        ("tasks", "k", "0"),
        ("texts", "rank_by", "x" * 300),
        ("files", "values", "solved\nsolved"),
    ):
        answer = as_ann.post(f"/new/?kind={kind}", {**NONE, **KINDS[kind], field: value})
        assert answer.status_code == 422, field
        assert f'class="wrong" id="id_{field}_error"' in answer.content.decode(), field
    assert not Challenge.objects.exists()


@pytest.mark.parametrize(
    ("template", "phases", "mode"),
    [
        ("class", ["main"], "code"),
        ("shared_task", ["development", "test"], "approval"),
        ("agent_benchmark", ["main"], None),
    ],
)
def test_templates_fill_phases_and_registration(
    as_ann: Client, template: str, phases: list[str], mode: str | None
) -> None:
    assert f"template={template}" in get(as_ann, "/new/")
    sent = {**NONE, **KINDS["facts"], "template": template}
    assert as_ann.post("/new/?kind=facts", sent).status_code == 302
    made = Challenge.objects.get()
    assert [phase.slug for phase in made.phases.order_by("position")] == phases
    rules = RegistrationRules.objects.filter(challenge=made).first()
    assert (rules.mode if rules else None) == mode
    opens = [phase.opens_at for phase in made.phases.all() if phase.opens_at]
    assert all(opening > datetime.now(UTC) for opening in opens)


def test_the_header_leads_organisers_to_a_new_challenge(
    client: Client, as_ann: Client, as_ben: Client
) -> None:
    for reader, led in ((as_ann, True), (as_ben, False), (client, False)):
        header = get(reader, "/").partition("</header>")[0]
        assert ('href="/new/"' in header) == led


def test_a_class_is_offered_with_labels_first_and_says_where_nothing_is_checked(
    as_ann: Client, make: Make
) -> None:
    start = get(as_ann, "/new/")
    offered = re.findall(r"\?kind=(\w+)&amp;template=class", start)
    assert offered == ["texts", "facts", "files"]
    for kind, warns in {"facts": True, "files": True, "texts": False, "tasks": False}.items():
        page = words(get(as_ann, f"/new/?kind={kind}&template=class"))
        assert ("nothing here checks" in page) == warns, kind
    ranked: dict[str, Any] = {"values": ["solved"], "rank_by": [{"key": "solved"}]}
    metrics: dict[str, Any] = {"metrics": ["mean"], "rank_by": [{"key": "mean"}]}
    make("Facts", is_draft=True)
    make("Values", "metric", is_draft=True, **ranked)
    make("Rewards", "metric", is_draft=True, **metrics)
    for slug, warns in {"facts": True, "values": True, "rewards": False}.items():
        page = words(get(as_ann, f"/c/{slug}/manage/"))
        assert ("nothing here checks" in page) == warns, slug


def test_only_organisers_make_a_challenge_and_only_in_their_tenants(
    client: Client, as_ann: Client, as_ben: Client, ann: User
) -> None:
    sent = {**NONE, **KINDS["facts"]}
    for page in ("/new/", "/new/?kind=facts"):
        assert client.get(page).status_code == 302
        assert as_ben.get(page).status_code == 404
        assert as_ben.post(page, sent).status_code == 404
    other = Tenant.objects.create(slug="other", name="Other")
    mine = Tenant.objects.create(slug="mine", name="Mine")
    Membership.objects.create(tenant=mine, user=ann, role=Membership.Role.ORGANISER)
    Membership.objects.create(tenant=other, user=ann)
    refused = as_ann.post("/new/?kind=facts", {**sent, "tenant": "other"})
    assert refused.status_code == 422
    assert as_ann.post("/new/?kind=facts", {**sent, "tenant": "mine"}).status_code == 302
    assert Challenge.objects.get().tenant == mine


def test_a_copy_has_the_settings_and_no_people(make: Make, as_ann: Client, ben: User) -> None:
    phase = {"slug": "final", "opens_at": "2020-01-06T09:00Z", "closes_at": "2020-01-07T09:00Z"}
    columns = [{"key": "elapsed_ms", "label": "Time"}]
    first = make("Sprint", phases=[phase], columns=columns, summary="Run")
    register(first, ben, {"participant": "Atlas"})
    declare_rules(first, {"mode": "invited", "invited": ["ben"], "brackets": ["students"]})
    answer = as_ann.post("/c/sprint/manage/copy/")
    assert answer["Location"] == "/c/copy-of-sprint/manage/"
    made = Challenge.objects.get(slug="copy-of-sprint")
    assert (made.is_draft, made.summary, made.columns) == (True, "Run", columns)
    assert made.newest.strategy == "fastest"
    rules = RegistrationRules.objects.get(challenge=made)
    assert (rules.mode, rules.invited, rules.brackets) == ("invited", [], ["students"])
    assert made.registrations.count() == made.attempts.count() == 0
    opens = made.phases.get().opens_at
    assert opens is not None
    assert opens > datetime.now(UTC)
    assert (opens.weekday(), opens.hour) == (0, 9)


def test_a_copy_of_a_scorer_keeps_its_settings(make: Make, as_ann: Client) -> None:
    settings = {"rating_weight": 15.0, "time_penalty": 0.5, "token_penalty": 0.02}
    scorer = "scorers.weighted:WeightedScorer"
    make("Escape", "custom", scoring_entrypoint=scorer, scoring_config=settings)
    as_ann.post("/c/escape/manage/copy/")
    first, copied = Challenge.objects.order_by("created_at")
    assert copied.newest.frozen_fields() == first.newest.frozen_fields()


def test_only_organisers_copy_a_challenge(make: Make, client: Client, as_ben: Client) -> None:
    make("Sprint")
    assert as_ben.post("/c/sprint/manage/copy/").status_code == 404
    assert client.post("/c/sprint/manage/copy/").status_code == 302
    assert Challenge.objects.count() == 1


NO_DATES = dict.fromkeys(("opens_at", "closes_at", "freezes_at", "reveals_at"))


def moved(now: str, zone: str = "UTC", **dates: str) -> dict[str, object]:
    """Return the dates of a phase after they have moved."""
    phase = {**NO_DATES, "time_zone": zone, **dates}
    (moved_phase,) = moved_ahead([phase], datetime.fromisoformat(now))
    return {name: moved_phase[name] for name in dates}


def test_dates_move_by_whole_weeks() -> None:
    opens = "2026-01-05T09:00:00Z"
    assert moved("2026-01-05T08:59Z", opens_at=opens) == {"opens_at": opens}
    assert moved("2026-01-05T09:00Z", opens_at=opens) == {"opens_at": "2026-01-12T09:00:00+00:00"}
    later = {"opens_at": "2026-01-19T09:00:00+00:00", "closes_at": "2026-01-20T09:00:00+00:00"}
    dates = {"opens_at": opens, "closes_at": "2026-01-06T09:00:00Z"}
    assert moved("2026-01-12T09:00Z", **dates) == later


def test_dates_keep_their_time_of_day_where_clocks_change() -> None:
    dates = moved("2026-03-28T12:00Z", "Europe/Berlin", opens_at="2026-03-23T08:00:00Z")
    assert dates == {"opens_at": "2026-03-30T09:00:00+02:00"}


def test_a_challenge_without_dates_stays_as_it_is() -> None:
    assert moved("2026-03-28T12:00Z") == {}


SCORER = "/new/?kind=scorer"
CHOSEN = {**NONE, **KINDS["scorer"]}


def test_the_settings_of_the_chosen_scorer_are_fields(as_ann: Client) -> None:
    assert "scoring_config.rating_weight" not in get(as_ann, SCORER)
    preview = as_ann.post(SCORER, {**CHOSEN, "action": "preview"}).content.decode()
    assert 'name="scoring_config.rating_weight"' in preview
    assert 'data-hx-select-oob="#settings"' in preview
    settings = {"settings_of": CHOSEN["scoring_entrypoint"], "scoring_config.rating_weight": "7"}
    answer = as_ann.post(SCORER, {**CHOSEN, **settings})
    assert answer.status_code == 302, words(answer.content.decode())
    config = Challenge.objects.get().newest.config
    assert config["rating_weight"] == 7


def test_a_wrong_setting_is_at_its_field(as_ann: Client) -> None:
    settings = {"settings_of": CHOSEN["scoring_entrypoint"], "scoring_config.rating_weight": "x"}
    answer = as_ann.post(SCORER, {**CHOSEN, **settings})
    assert answer.status_code == 422
    assert 'id="id_scoring_config.rating_weight_error"' in answer.content.decode()


def test_another_scorer_brings_its_defaults(as_ann: Client) -> None:
    settings = {"settings_of": "scorers.other:Other", "scoring_config.rating_weight": "-7"}
    assert as_ann.post(SCORER, {**CHOSEN, **settings}).status_code == 302
    assert Challenge.objects.get().newest.config["rating_weight"] >= 0


def test_tasks_name_their_rewards(as_ann: Client) -> None:
    tasks = "task-1: accuracy, style\ntask-2\n"
    sent = {**NONE, **KINDS["tasks"], "tasks": tasks, "rank_by": "pass@2:accuracy"}
    answer = as_ann.post("/new/?kind=tasks", sent)
    assert answer.status_code == 302, words(answer.content.decode())
    assert Challenge.objects.get().newest.tasks == [
        {"name": "task-1", "rewards": ["accuracy", "style"]},
        {"name": "task-2"},
    ]
