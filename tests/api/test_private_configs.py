"""Scorer settings that only organisers see, and secrets that are never shown."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, ScoringConfig, User
from leaderboard.rules.plugins.secrets import MASK
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from tests.api.conftest import ME, Api, refused
from tests.helpers.configs import rewrite
from tests.people import signed_in
from tests.plugin_files import folder_with, plugins

KEYED = '''
from pydantic import BaseModel, Secret, SecretStr


class Config(BaseModel):
    key: SecretStr
    answers: Secret[list[str]] = Secret([])
    bonus: float = 1.0


class Keyed:
    """Counts the characters of a key."""

    Config = Config

    def score(self, metrics, config, ctx):
        held = len(config["key"].get_secret_value())
        return {"score": config["bonus"] * held + len(config["answers"].get_secret_value())}


class Plain:
    Config = Config

    def score(self, metrics, config, ctx):
        return {"score": 1.0}
'''
SECRET = "hunter2-and-more"
ANSWERS = ["forty-two", "blue"]
BODY = {
    "name": "Keyed",
    "slug": "keyed",
    "scoring_strategy": "custom",
    "scoring_entrypoint": "keyed:Keyed",
    "scoring_config": {"key": SECRET, "answers": ANSWERS, "bonus": 2},
}
PAGES = ["/c/keyed/", "/c/keyed/rules/", "/plugins/"]
ADDRESSES = ["challenges/", "challenges/keyed/", "plugins/", "challenges/keyed/leaderboard.csv"]


@pytest.fixture(scope="module")
def keyed_plugin() -> Iterator[Path]:
    with folder_with({"keyed.py": KEYED}) as folder, plugins(folder, "keyed"):
        yield folder


@pytest.fixture
def keyed(keyed_plugin: Path, organiser: Api) -> Challenge:
    answer = organiser.post("challenges/", BODY)
    assert answer.status_code == 201, answer.content
    return Challenge.objects.get(slug="keyed")


def texts(*apis: Api) -> str:
    """Return all texts that some readers can read."""
    contents = [b"".join(api.get(path)) for api in apis for path in ADDRESSES]
    contents += [api.client.get(path).content for api in apis for path in PAGES]
    return b"".join(contents).decode()


def test_secrets_are_never_shown(
    keyed: Challenge, anyone: Api, organiser: Api, alice: User
) -> None:
    everybody = texts(anyone, organiser, Api(user=alice))
    assert SECRET not in everybody
    assert ANSWERS[0] not in everybody
    config = organiser.get("challenges/keyed/").json()["scoring_config"]
    assert config == {"key": MASK, "answers": MASK, "bonus": 2}
    assert anyone.get("challenges/keyed/").json()["scoring_config"] == config


def test_the_scorer_gets_the_secrets(keyed: Challenge, submitter: Api) -> None:
    sent = submitter.post("challenges/keyed/attempts/", ME).json()
    single.score_waiting()
    read = submitter.get(sent["url"]).json()
    assert read["score"] == 2 * len(SECRET) + len(ANSWERS), read


def test_what_was_read_can_be_sent_back(keyed: Challenge, organiser: Api) -> None:
    read = organiser.get("challenges/keyed/").json()
    assert organiser.patch("challenges/keyed/", read).json()["scoring_version"] == 1
    read["scoring_config"]["bonus"] = 3
    changed = organiser.patch("challenges/keyed/", read)
    assert changed.json()["scoring_version"] == 2, changed.content
    newest = Challenge.objects.get(slug="keyed").newest
    assert newest.whole_config == {"key": SECRET, "answers": ANSWERS, "bonus": 3}


def test_another_secret_makes_a_new_version(keyed: Challenge, organiser: Api) -> None:
    change = {"scoring_config": {"key": "another", "answers": MASK}}
    assert organiser.patch("challenges/keyed/", change).json()["scoring_version"] == 2
    newest = Challenge.objects.get(slug="keyed").newest
    assert newest.whole_config == {"key": "another", "answers": ANSWERS}
    page = organiser.client.get("/c/keyed/rules/").content.decode()
    assert "secret settings: changed" in page
    assert "another" not in page


def test_another_scorer_does_not_get_the_secrets(keyed: Challenge, organiser: Api) -> None:
    change = {"scoring_entrypoint": "keyed:Plain", "scoring_config": {"key": MASK}}
    answer = organiser.patch("challenges/keyed/", change)
    assert "secret itself" in refused(answer, 400, "invalid", "scoring_config.key")["message"]


def test_a_copied_challenge_needs_new_secrets(keyed: Challenge, organiser: Api) -> None:
    read = organiser.get("challenges/keyed/").json()
    del read["slug"]
    refused(organiser.post("challenges/", read), 400, "invalid", "scoring_config.key")
    read["scoring_config"] = {"key": "mine"}
    assert organiser.post("challenges/", read).status_code == 201


def test_errors_of_a_wrong_config_reveal_no_secret(
    keyed: Challenge, organiser: Api, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    change = {"scoring_config": {"key": "another-secret", "bonus": "much"}}
    answer = organiser.patch("challenges/keyed/", change)
    error = refused(answer, 400, "invalid", "scoring_config.bonus")
    assert error["message"].endswith("; got a text")
    assert b"another-secret" not in answer.content
    assert "another-secret" not in caplog.text


@pytest.mark.usefixtures("contexts")
def test_the_admin_shows_a_mask_and_keeps_the_secret(keyed: Challenge, alice: User) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    admin = signed_in(alice)
    address = f"/admin/leaderboard/challenge/{keyed.pk}/change/"
    page = admin.get(address)
    assert SECRET not in page.content.decode()
    form = page.context["adminform"].form
    post = {field.html_name: field.value() for field in form if field.value() not in (None, False)}
    post = {name: "on" if value is True else value for name, value in post.items()}
    post["scoring_config.bonus"] = "5"
    tried = admin.post(address, {**post, "_try": "1", "try-succeeded": "on"})
    assert tried.context["tried"].value == 5 * len(SECRET) + len(ANSWERS)
    saved = admin.post(address, post)
    assert saved.status_code == 302, saved.context["adminform"].form.errors
    newest = Challenge.objects.get(slug="keyed").newest
    assert newest.whole_config == {"key": SECRET, "answers": ANSWERS, "bonus": 5}
    history = admin.get(f"/admin/leaderboard/challenge/{keyed.pk}/history/")
    assert SECRET not in history.content.decode()


SETTINGS = {
    "name": "Hidden",
    "slug": "hidden",
    "scoring_strategy": "custom",
    "scoring_entrypoint": "scorers.weighted:WeightedScorer",
    "scoring_config": {"rating_weight": 15.25},
    "metrics": ["mean"],
    "text_metrics": [{"id": "CHRF", "parameters": {"char_order": 5}}],
}


class TestHidden:
    @pytest.fixture
    def hidden(self, organiser: Api) -> Challenge:
        answer = organiser.post("challenges/", {**SETTINGS, "config_visibility": "organiser"})
        assert answer.status_code == 201, answer.content
        return Challenge.objects.get(slug="hidden")

    def test_only_organisers_see_private_settings(
        self, hidden: Challenge, anyone: Api, submitter: Api, stranger: Api, alice: User
    ) -> None:
        without_scope = Api(create_token(user=alice, scopes=["submit"])[1])
        for api in (anyone, submitter, stranger, without_scope):
            listed = api.get("challenges/").json()["results"][0]
            for challenge in (listed, api.get("challenges/hidden/").json()):
                assert challenge["scoring_config"] is None
                assert challenge["metrics"] == ["mean"]
                assert challenge["text_metrics"] == [{"id": "CHRF"}]
                assert challenge["config_visibility"] == "organiser"
                assert challenge["scoring_entrypoint"] == "scorers.weighted:WeightedScorer"

    def test_organisers_see_and_change_the_settings(
        self, hidden: Challenge, organiser: Api
    ) -> None:
        read = organiser.get("challenges/hidden/").json()
        assert read["scoring_config"] == {"rating_weight": 15.25}
        assert read["metrics"] == SETTINGS["metrics"]
        assert read["text_metrics"] == SETTINGS["text_metrics"]
        assert organiser.get("challenges/").json()["results"] == [read]
        assert organiser.patch("challenges/hidden/", read).json()["scoring_version"] == 1
        opened = organiser.patch("challenges/hidden/", {"config_visibility": "public"})
        assert opened.json()["scoring_version"] == 1

    def test_pages_show_the_same_settings_as_the_api(
        self, hidden: Challenge, organiser: Api, alice: User, bob: User
    ) -> None:
        change = {"scoring_config": {"rating_weight": 16.25}, "text_metrics": ["CHRF"]}
        assert organiser.patch("challenges/hidden/", change).status_code == 200
        for reader in (Client(), signed_in(bob)):
            page = reader.get("/c/hidden/rules/").content.decode()
            for setting in ("15.25", "16.25", "char_order"):
                assert setting not in page
            assert "CHRF, set otherwise" in page
        page = signed_in(alice).get("/c/hidden/rules/").content.decode()
        assert "rating_weight: 15.25 → 16.25" in page
        assert "char_order" in page

    def test_a_challenge_may_publish_its_settings(self, organiser: Api, anyone: Api) -> None:
        organiser.post("challenges/", SETTINGS)
        challenge = anyone.get("challenges/hidden/").json()
        assert challenge["config_visibility"] == "public"
        assert challenge["scoring_config"] == {"rating_weight": 15.25}
        assert "15.25" in anyone.client.get("/c/hidden/rules/").content.decode()


def test_only_organisers_see_a_script(
    scripts_dir: Path, alice: User, sprint: Challenge, anyone: Api, organiser: Api
) -> None:
    text = "# /// script\n# ///\nprint('the threshold is 0.815')\n"
    rewrite(
        ScoringConfig.objects.filter(pk=sprint.newest.pk),
        metrics=[{"type": "uv-script", "name": "s", "kwargs": {"script": text}}],
    )
    assert "the threshold is" in json.dumps(anyone.get("challenges/sprint/").json())
    Challenge.objects.update(config_visibility="organiser")
    for content in (
        anyone.get("challenges/sprint/").content.decode(),
        Client().get("/c/sprint/rules/").content.decode(),
    ):
        assert "the threshold is" not in content
    assert "the threshold is" in organiser.get("challenges/sprint/").content.decode()
    assert "the threshold is" in signed_in(alice).get("/c/sprint/rules/").content.decode()


def test_output_documents_omit_private_parameters(
    default: Any, alice: User, submitter: Api, organiser: Api
) -> None:
    fields = {
        "name": "Verses",
        "slug": "verses",
        "scoring_strategy": "metric",
        "rank_by": [{"key": "CHRF"}],
        "text_metrics": SETTINGS["text_metrics"],
        "config_visibility": "organiser",
        "references_visibility": "public",
    }
    assert organiser.post("challenges/", fields).status_code == 201
    held = {"instances": [{"id": 1, "input": "a", "expected-output": "b"}]}
    body = json.dumps(held).encode()
    assert organiser.send("put", "challenges/verses/references/", body).status_code == 200
    attempt = {"participant": "atlas", "outputs": {"1": "b"}}
    sent = submitter.post("challenges/verses/attempts/", attempt).json()
    single.score_waiting()
    for name in ("output.json", "log.jsonl"):
        path = f"{sent['url']}{name}"
        assert "char_order" not in b"".join(submitter.get(path)).decode()
        assert "char_order" in b"".join(organiser.get(path)).decode()
    assert "char_order" not in submitter.client.get(sent["html_url"]).content.decode()
    assert "char_order" in signed_in(alice).get(sent["html_url"]).content.decode()
