"""One new file of each kind is written into a copy of the project and appears in all places."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.one_file.files import FILES, LINES
from tests.tables import PAGES, in_page, rendered

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
COPIED = ("leaderboard", "scorers", "templates", "static", "tests", "docs")


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `checks.py` finds in a copy with one new file of each kind."""
    project = tmp_path_factory.mktemp("project")
    for name in COPIED:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, project / name, ignore=ignored)
    for name in ("manage.py", "pyproject.toml"):
        shutil.copy(ROOT / name, project)
    for name, text in FILES.items():
        (project / name).write_text(text.lstrip())
    for name, (before, text) in LINES.items():
        page = (project / name).read_text()
        assert page.count(before) == 1
        (project / name).write_text(page.replace(before, text.lstrip("\n") + before))
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "DATA_DIR": str(project / "var"),
        "PYTHONPATH": str(project),
        "ALLOWED_HOSTS": "testserver",
        "LOG_LEVEL": "ERROR",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.one_file.checks"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.slow
def test_makemigrations_writes_only_what_the_new_things_need(summary: dict[str, Any]) -> None:
    assert "Add field energy_wh to attempt" in summary["written"]
    assert "Create constraint energy_wh_in_range on model attempt" in summary["written"]
    assert "Add field season to challenge" in summary["written"]
    assert "Add field grace_ms to scoringconfig" in summary["written"]
    assert "Add field laps to phase" in summary["written"]
    assert "Add field took_ms to standing" in summary["written"]
    assert len(re.findall(r"^ +[+~-] ", summary["written"], re.MULTILINE)) == 6
    assert "No changes detected" in summary["migrations"]


class TestStrategy:
    @pytest.fixture
    def strategies(self, summary: dict[str, Any]) -> dict[str, Any]:
        part: dict[str, Any] = summary["strategies"]
        return part

    def test_the_api_accepts_it(self, summary: dict[str, Any], strategies: dict[str, Any]) -> None:
        status, challenge = strategies["created"]
        assert (status, challenge["scoring_strategy"]) == (201, "cheapest"), challenge
        assert "cheapest" in json.dumps(summary["schema"])

    def test_the_admin_offers_it(self, strategies: dict[str, Any]) -> None:
        assert strategies["admin"]["cheapest"].startswith("Cheapest: ")

    def test_a_board_ranks_by_it(self, strategies: dict[str, Any]) -> None:
        assert strategies["board"] == ["quick", "cheap", "dear"]
        assert strategies["columns"][:2] == ["cost_usd", "elapsed_ms"]

    def test_the_rules_page_describes_it(self, strategies: dict[str, Any]) -> None:
        assert "The successful attempt that cost least wins." in strategies["rules"]

    def test_the_documentation_lists_it(self, strategies: dict[str, Any]) -> None:
        row = "| `cheapest` | those that succeeded and have a value for `cost_usd` | the lowest"
        assert row in strategies["docs"]


@pytest.mark.slow
def test_a_rule_of_admission_is_read_applied_and_explained(summary: dict[str, Any]) -> None:
    conditions = summary["conditions"]
    assert "rules.0.most" in conditions["wrong"]["error"]["fields"]
    assert conditions["words"] == ["At most 0 samples fail."]
    assert conditions["verdict"] == "refused"
    assert "At most 0 samples fail." in conditions["rules"]
    assert "Few failures" in conditions["form"]


class TestFact:
    @pytest.fixture
    def facts(self, summary: dict[str, Any]) -> dict[str, Any]:
        part: dict[str, Any] = summary["facts"]
        return part

    def test_the_schema_of_the_api_has_it(self, summary: dict[str, Any]) -> None:
        schemas = summary["schema"]["components"]["schemas"]
        sent = schemas["NewAttemptRequest"]["properties"]["metrics"]["properties"]["energy_wh"]
        assert (sent["minimum"], sent["maximum"], sent["nullable"]) == (0, 5000, True)
        assert sent["description"] == "Energy the attempt used, in watt hours."
        assert "energy_wh" in schemas["ReportedMetrics"]["properties"]

    def test_an_attempt_stores_it(self, facts: dict[str, Any]) -> None:
        assert facts["created"] == [201, 201]
        assert [attempt["metrics"]["energy_wh"] for attempt in facts["sent"]] == [9.0, 1.5]
        assert facts["read"]["metrics"]["energy_wh"] == 9.0

    def test_a_wrong_value_is_refused_with_its_path(self, facts: dict[str, Any]) -> None:
        for answer, ending in zip(facts["refused"], ("got 5000.5", 'got "much"'), strict=True):
            (error,) = answer["error"]["fields"]["metrics.energy_wh"]
            assert "from 0 to 5000" in error
            assert error.endswith(ending)
        (error,) = facts["sample"]["error"]["fields"]["samples.0.usage.energy_wh"]
        assert error.endswith('from 0 to 5000, or null; got -1 (task "a", sample 0)')
        assert "energy_wh_in_range" in facts["check"]

    def test_the_submission_form_asks_for_it(self, facts: dict[str, Any]) -> None:
        field = re.search(r'<input[^>]*name="energy_wh"[^>]*>', facts["form"])
        assert field
        assert {'max="5000"', "required"} <= set(field[0].split())
        assert "In watt hours, at the socket." in facts["form"]
        assert facts["posted"] == 302
        assert facts["example"]["metrics"] == {"energy_wh": 7.5}

    def test_a_file_may_contain_it(self, facts: dict[str, Any]) -> None:
        (row,) = facts["imported"]["rows"]
        assert row["metrics"] == {"energy_wh": 2.5}

    def test_a_board_ranks_by_it_and_shows_it(self, facts: dict[str, Any]) -> None:
        board = facts["board"]
        ranked = [row["participant"]["handle"] for row in board["rows"]]
        assert ranked == ["diode", "sheet", "hand", "lamp"]
        column = board["columns"][0]
        assert (column["key"], column["label"], column["unit"]) == ("energy_wh", "Energy", "Wh")
        header, first, *_ = facts["csv"].splitlines()
        assert dict(zip(header.split(","), first.split(","), strict=True))["energy_wh"] == "1.5"
        assert re.search(r"Energy.*?9\.0 Wh", facts["page"], re.DOTALL)

    def test_scorers_are_given_it(self, facts: dict[str, Any]) -> None:
        assert facts["scored"]["score"] == 91.0, facts["scored"]
        assert facts["scored"]["details"]["energy_wh"] == 9.0
        assert 'name="try-energy_wh"' in facts["admin"]

    def test_no_metric_may_have_its_name(self, facts: dict[str, Any]) -> None:
        assert list(facts["reserved"]["error"]["fields"]) == ["metrics.0.name"]

    def test_the_documentation_lists_it(self, facts: dict[str, Any]) -> None:
        docs = facts["docs"]
        row = "| `metrics.energy_wh` | a number from 0 to 5000 | energy the attempt used"
        assert row in docs["facts"]
        assert "| `energy_wh` | energy the attempt used, in watt hours |" in docs["rank keys"]
        assert "| `energy_wh` | number | energy the attempt used" in docs["scorer facts"]

    def test_a_command_updates_the_types_for_scorers(self, facts: dict[str, Any]) -> None:
        followed, before = facts["protocol"]
        line = '    energy_wh: float | None\n    """Energy the attempt used, in watt hours."""'
        assert line in followed
        assert line not in before


class TestFields:
    """A field of a challenge, and one of a scoring config: a line in a schema."""

    @pytest.fixture
    def fields(self, summary: dict[str, Any]) -> dict[str, Any]:
        part: dict[str, Any] = summary["fields"]
        return part

    def test_the_api_stores_and_shows_them(self, fields: dict[str, Any]) -> None:
        assert (fields["created"]["season"], fields["created"]["grace_ms"]) == (3, 400)
        assert fields["defaults"] == [None, 250]
        assert (fields["changed"]["season"], fields["changed"]["grace_ms"]) == (4, 500)

    def test_only_the_field_of_scoring_makes_a_new_config(self, fields: dict[str, Any]) -> None:
        assert fields["versions"] == [1, 2, 3]
        assert fields["sent_back"] == [200, 3]

    def test_a_rescore_copies_the_field_of_scoring(self, fields: dict[str, Any]) -> None:
        assert fields["rescored"] == [202, 4, 500]

    def test_the_errors_say_what_is_accepted(self, fields: dict[str, Any]) -> None:
        (season,), (grace,) = (fields["refused"][name] for name in ("season", "grace_ms"))
        assert season.endswith("from 1 to 99, or null; got 0")
        assert grace.endswith('from 0 to 5000; got "long"')

    def test_openapi_describes_them(self, summary: dict[str, Any]) -> None:
        schemas = summary["schema"]["components"]["schemas"]
        for name in ("NewChallengeRequest", "PatchedChallengeChangeRequest", "Challenge"):
            season, grace = (schemas[name]["properties"][field] for field in ("season", "grace_ms"))
            assert (season["minimum"], season["maximum"], season["nullable"]) == (1, 99, True)
            assert grace["description"] == "Milliseconds that are forgiven."
        assert schemas["NewChallengeRequest"]["properties"]["grace_ms"]["default"] == 250

    def test_the_admins_form_asks_for_them(self, fields: dict[str, Any]) -> None:
        for name, value in (("season", 4), ("grace_ms", 500)):
            asked = re.search(rf'<input[^>]*name="{name}"[^>]*>', fields["form"])
            assert asked
            assert f'value="{value}"' in asked[0]
        assert "The season it belongs to." in fields["form"]
        assert "Milliseconds that are forgiven." in fields["form"]
        assert fields["typed"] == [302, [9, 750]]

    def test_the_page_of_settings_asks_for_them(self, fields: dict[str, Any]) -> None:
        for name, parts in (
            ("season", {'value="4"', 'min="1"', 'max="99"'}),
            ("grace_ms", {'value="500"', 'min="0"', 'max="5000"'}),
        ):
            asked = re.search(rf'<input[^>]*name="{name}"[^>]*>', fields["settings"])
            assert asked
            assert parts <= set(asked[0].split()), name

    def test_the_documentation_lists_them(self, fields: dict[str, Any]) -> None:
        assert (
            "| `season` | a whole number from 1 to 99, or null | Season. The season"
            in fields["docs"]
        )
        assert (
            "| `grace_ms` | a whole number from 0 to 5000 | Grace. Milliseconds" in fields["docs"]
        )


class TestFieldOfAPhase:
    """A line in a schema."""

    @pytest.fixture
    def laps(self, summary: dict[str, Any]) -> dict[str, Any]:
        part: dict[str, Any] = summary["phase_field"]
        return part

    def test_the_api_stores_and_shows_it(self, laps: dict[str, Any]) -> None:
        assert laps["created"]["laps"] == 7
        [error] = laps["refused"]["phases.0.laps"]
        assert error.endswith("from 1 to 50, or null; got 51")

    def test_openapi_describes_it(self, summary: dict[str, Any]) -> None:
        schemas = summary["schema"]["components"]["schemas"]
        for name in ("NewChallengeRequest", "Challenge"):
            field = schemas[name]["properties"]["phases"]["items"]["properties"]["laps"]
            assert (field["minimum"], field["maximum"], field["nullable"]) == (1, 50, True)
            assert field["description"] == "How many laps it has."

    def test_the_form_asks_for_it(self, laps: dict[str, Any]) -> None:
        asked = re.search(r'<input[^>]*name="laps"[^>]*>', laps["form"])
        assert asked
        assert {'value="7"', 'min="1"', 'max="50"'} <= set(asked[0].split())
        assert "How many laps it has." in laps["form"]
        assert (laps["typed"], laps["stored"]) == (302, 9)

    def test_the_log_of_changes_names_it(self, laps: dict[str, Any]) -> None:
        assert "Laps" in laps["log"]

    def test_the_documentation_lists_it(self, laps: dict[str, Any]) -> None:
        row = "| `laps` | a whole number from 1 to 50, or null | Laps. How many laps it has. |"
        assert row in laps["docs"]


class TestOtherKinds:
    @pytest.fixture
    def plugins(self, summary: dict[str, Any]) -> dict[str, Any]:
        part: dict[str, Any] = summary["plugins"]
        return part

    @pytest.mark.parametrize(
        ("kind", "key", "name"),
        [
            ("scorers", "entrypoint", "scorers.thrift:Thrift"),
            ("metrics", "name", "worst"),
            ("text_metrics", "name", "LOUDNESS"),
            ("prediction_metrics", "name", "distance"),
            ("importers", "name", "shouted"),
        ],
    )
    def test_a_new_plugin_or_importer_is_listed(
        self, plugins: dict[str, Any], kind: str, key: str, name: str
    ) -> None:
        listed = plugins["listed"][kind]
        assert name in [plugin.get(key) for plugin in listed], listed
        assert name in plugins["page"]
        assert name in plugins["admin"] or kind in ("prediction_metrics", "importers")

    def test_the_form_for_files_names_the_format(self, plugins: dict[str, Any]) -> None:
        assert "Shouted" in plugins["form"]

    @pytest.mark.parametrize(("board", "key"), [("worst", "worst"), ("loud", "LOUDNESS")])
    def test_a_board_ranks_by_a_metric(self, plugins: dict[str, Any], board: str, key: str) -> None:
        (row,) = plugins["boards"][board]["rows"]
        value = {"worst": 0.5, "loud": 1.0}[board]
        assert (row["rank"], row["values"][key]) == (1, value), plugins["created"]

    def test_a_file_is_read(self, plugins: dict[str, Any]) -> None:
        assert plugins["imported"]["format"] == "shouted", plugins["imported"]
        (row,) = plugins["boards"]["race"]["rows"]
        assert (row["participant"]["handle"], row["values"]["penalty"]) == ("caller", 7)

    def test_a_board_has_the_column(self, plugins: dict[str, Any]) -> None:
        column = plugins["boards"]["race"]["columns"][0]
        assert (column["label"], column["unit"]) == ("Minutes lost", "min")
        assert "Minutes lost" in plugins["race"]
        assert "7 min" in plugins["race"]


def test_the_documentation_is_up_to_date() -> None:
    for name in PAGES:
        assert in_page(name) == rendered(name), "python -m tests.tables writes it anew"


class TestStoredValueOfAStanding:
    STORED: list[list[Any]] = [["hare", 700.0], ["snail", None]]

    @pytest.fixture
    def standings(self, summary: dict[str, Any]) -> dict[str, Any]:
        part: dict[str, Any] = summary["standings"]
        return part

    def test_scores_write_that_of_the_attempt_that_counts(self, standings: dict[str, Any]) -> None:
        assert standings["counted"] == self.STORED

    def test_a_wrong_one_is_found(self, standings: dict[str, Any]) -> None:
        (difference,) = standings["differences"]
        assert difference.startswith("hare: stored ")
        assert "'took_ms': 1.0" in difference

    def test_rebuilding_writes_it(self, standings: dict[str, Any]) -> None:
        assert (standings["rebuilt"], standings["verified"]) == (self.STORED, [])

    def test_rows_of_boards_have_it(self, standings: dict[str, Any]) -> None:
        assert standings["rows"] == [[who, {"took_ms": took}] for who, took in self.STORED]
