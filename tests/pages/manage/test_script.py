"""Organisers try a metric script of their challenge, and the metrics of plugins, on their pages."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client, override_settings

from leaderboard.models import Challenge
from leaderboard.services.plugins import sandboxes
from tests.metric_scripts import scripts_turned_on
from tests.pages.conftest import Make
from tests.pages.reading import get, words
from tests.plugin_files import folder_with

pytestmark = pytest.mark.django_db

PAGE = "/c/runs/manage/script/?metric=careful"
SCRIPT = """
import json, sys
rewards = [json.loads(line)["reward"] for line in open(sys.argv[2])]
print("rewards:", len(rewards))
json.dump({"mean": sum(rewards) / len(rewards)}, open(sys.argv[4], "w"))
"""
METRIC = '''
class Lowest:
    """The lowest mean."""

    name = "lowest"

    def compute(self, task_rewards):
        print("tasks:", len(task_rewards))
        return min(1 / rewards[0] for rewards in task_rewards)
'''


@pytest.fixture
def data_folder(settings: Any) -> Iterator[Path]:
    with scripts_turned_on(settings) as folder:
        yield folder


@pytest.fixture
def runs(data_folder: Path, make: Make) -> Challenge:
    script = {"type": "uv-script", "name": "careful", "kwargs": {"script": SCRIPT}}
    return make("Runs", "metric", metrics=[script, "mean"], rank_by=[{"key": "mean"}])


@pytest.fixture
def metric(settings: Any) -> Iterator[str]:
    files = {"tried/__init__.py": "", "tried/metrics/low.py": METRIC}
    with folder_with(files) as folder:
        cache.clear()
        sandboxes.close_sandboxes()
        with override_settings(SCORER_PATH=[folder], SCORER_PACKAGES=["scorers", "tried"]):
            yield "/plugins/tried.metrics.low:Lowest/"
        sandboxes.close_sandboxes()
        cache.clear()


def tried(client: Client, path: str, rewards: str) -> str:
    return words(unescape(client.post(path, {"rewards": rewards}).content.decode()))


def test_a_script_is_tried_with_its_output_and_the_failing_task(
    runs: Challenge, as_ann: Client, as_ben: Client, client: Client
) -> None:
    assert PAGE.replace("&", "&amp;") in get(as_ann, "/c/runs/manage/metrics/")
    text = tried(as_ann, PAGE, '{"a": [1, 0.5]}')
    assert "mean 0.75" in text
    assert "rewards: 2" in text
    text = tried(as_ann, PAGE, '{"a": [1], "b": [null]}')
    assert "make it fail: b" in text
    assert "TypeError" in text
    for wrong in ("", "{", "[1]", "{}", '{"a": [true]}'):
        assert as_ann.post(PAGE, {"rewards": wrong}).status_code == 422, wrong
    assert as_ann.get(PAGE.replace("careful", "mean")).status_code == 404
    assert as_ben.get(PAGE).status_code == as_ben.post(PAGE).status_code == 404
    assert client.get(PAGE).status_code == 302


def test_a_metric_shows_organisers_its_traceback_output_and_the_failing_task(
    metric: str, as_ann: Client, as_ben: Client
) -> None:
    text = tried(as_ann, metric, "1 1\n2")
    assert "Result 0.5" in text
    assert "tasks: 2" in text
    text = tried(as_ann, metric, "1 1\n0")
    assert "make it fail: 2" in text
    assert "ZeroDivisionError" in text
    assert "in compute" in text
    assert as_ben.post(metric, {"rewards": "1"}).status_code == 404, "its source is not public"
