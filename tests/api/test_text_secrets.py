"""Secret parameters of text metrics: the metric gets them, and they are never shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.models import Challenge, MetricRun, User
from leaderboard.rules.plugins.secrets import MASK
from leaderboard.services.scoring import single
from tests.api.conftest import Api, refused
from tests.plugin_files import folder_with, plugins

KEYED = '''
from pydantic import BaseModel, SecretStr


class Config(BaseModel):
    key: SecretStr
    times: float = 1.0


class KeyLength:
    """Says of each instance how long its key is."""

    id = "KEYLENGTH"
    averaged = True
    supervised = False
    Config = Config

    def evaluate(self, instances, parameters):
        held = parameters["times"] * len(parameters["key"].get_secret_value())
        return {"score": {"length": held}, "results": [held for _ in instances]}


class Other:
    id = "OTHER"
    averaged = True
    supervised = False
    Config = Config

    def evaluate(self, instances, parameters):
        return {"score": {"length": 1.0}, "results": [1.0 for _ in instances]}
'''
SECRET = "hunter2-and-more"
METRIC = {"id": "keylength", "name": "length", "parameters": {"key": SECRET, "times": 2}}
BODY = {
    "name": "Keyed",
    "slug": "keyed",
    "scoring_strategy": "metric",
    "text_metrics": [METRIC, "EXACT_MATCH"],
    "rank_by": [{"key": "length", "direction": "desc"}],
}
INSTANCES = [{"id": "1", "input": "a", "actual-output": "b", "expected-output": ["b"]}]
PAGES = ["/c/keyed/", "/c/keyed/rules/", "/plugins/"]
ADDRESSES = ["challenges/", "challenges/keyed/", "plugins/", "challenges/keyed/leaderboard.csv"]


@pytest.fixture(scope="module")
def keyed_package() -> Iterator[Path]:
    files = {"keyed/__init__.py": "", "keyed/text.py": KEYED}
    with folder_with(files) as folder, plugins(folder, "keyed", "scorers"):
        yield folder


@pytest.fixture
def keyed(keyed_package: Path, organiser: Api) -> Challenge:
    answer = organiser.post("challenges/", BODY)
    assert answer.status_code == 201, answer.content
    return Challenge.objects.get(slug="keyed")


def scored(api: Api) -> dict[str, Any]:
    body = {"participant": "atlas", "evaluation": {"instances": INSTANCES, "metrics": []}}
    sent = api.post("challenges/keyed/attempts/", body)
    assert sent.status_code == 202, sent.content
    single.score_waiting()
    read: dict[str, Any] = api.get(sent.json()["url"]).json()
    return read


def test_the_metric_gets_the_secrets(keyed: Challenge, submitter: Api) -> None:
    read = scored(submitter)
    assert read["metric_values"]["length"]["value"] == 2 * len(SECRET), read


def test_the_secrets_are_never_shown(
    keyed: Challenge, anyone: Api, organiser: Api, alice: User
) -> None:
    read = scored(organiser)
    more = [read["url"], f"{read['url']}output.json", f"{read['url']}log.jsonl"]
    readers = [anyone, organiser, Api(user=alice)]
    contents = [b"".join(api.get(path)) for api in readers for path in [*ADDRESSES, *more]]
    contents += [api.client.get(path).content for api in readers for path in PAGES]
    assert SECRET not in b"".join(contents).decode()
    metric = organiser.get("challenges/keyed/").json()["text_metrics"][0]
    assert metric == METRIC | {"id": "KEYLENGTH", "parameters": {"key": MASK, "times": 2}}
    assert SECRET not in str(MetricRun.objects.values())


def test_what_was_read_can_be_sent_back(keyed: Challenge, organiser: Api) -> None:
    read = organiser.get("challenges/keyed/").json()
    assert organiser.patch("challenges/keyed/", read).json()["scoring_version"] == 1
    read["text_metrics"].reverse()
    read["text_metrics"][1]["parameters"]["times"] = 3
    changed = organiser.patch("challenges/keyed/", read)
    assert changed.json()["scoring_version"] == 2, changed.content
    newest = Challenge.objects.get(slug="keyed").newest
    whole = newest.whole_parameters(newest.text_specs[1].given, "length")
    assert whole == {"key": SECRET, "times": 3}


def test_another_secret_makes_a_new_version(keyed: Challenge, organiser: Api) -> None:
    change = {"text_metrics": [METRIC | {"parameters": {"key": "another"}}]}
    assert organiser.patch("challenges/keyed/", change).json()["scoring_version"] == 2
    change = {"text_metrics": [METRIC | {"parameters": {"key": "another one"}}]}
    assert organiser.patch("challenges/keyed/", change).json()["scoring_version"] == 3
    page = organiser.client.get("/c/keyed/rules/").content.decode()
    assert "secret parameters of text metrics: changed" in page
    assert "another" not in page


def test_another_metric_does_not_get_the_secrets(keyed: Challenge, organiser: Api) -> None:
    change = {"text_metrics": [{"id": "OTHER", "name": "length", "parameters": {"key": MASK}}]}
    answer = organiser.patch("challenges/keyed/", change)
    error = refused(answer, 400, "invalid", "text_metrics.0.parameters.key")
    assert "secret itself" in error["message"]


def test_a_disabled_metric_keeps_its_secrets(keyed: Challenge, organiser: Api) -> None:
    read = organiser.get("challenges/keyed/").json()["text_metrics"]
    for enable in (False, True):
        read[0]["enable"] = enable
        change = {"text_metrics": read, "rank_by": [{"key": "EXACT_MATCH"}]}
        assert organiser.patch("challenges/keyed/", change).status_code == 200
        read = organiser.get("challenges/keyed/").json()["text_metrics"]
        assert read[0]["parameters"]["key"] == MASK
    newest = Challenge.objects.get(slug="keyed").newest
    assert newest.whole_parameters(read[0], "length")["key"] == SECRET


def test_a_document_cannot_set_secrets(keyed: Challenge, submitter: Api) -> None:
    document = {"instances": INSTANCES, "metrics": [METRIC]}
    body = {"participant": "atlas", "evaluation": document}
    answer = submitter.post("challenges/keyed/attempts/", body)
    refused(answer, 400, "invalid", "evaluation.metrics.0.parameters.key")
