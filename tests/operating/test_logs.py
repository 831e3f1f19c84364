"""Log lines of our code and of the libraries have one form."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.helpers.forked import script_output

pytestmark = pytest.mark.once

SAY = """
import logging, django; django.setup()
logging.getLogger("library").warning("read %s", "it", extra={"rows": 3})
logging.getLogger("ours").info("scored", extra={"attempt": "a1"})
logging.getLogger("celery.app.trace").info("came and went")
try:
    1 / 0
except ZeroDivisionError:
    logging.getLogger("django.request").exception("failed")
"""


IN_CELERY = """
import logging, django; django.setup()
from leaderboard.celery import app
app.log.setup(loglevel="WARNING", redirect_stdouts=True)
logging.getLogger("ours").info("heard")
logging.getLogger("celery.beat").info("sending a sweep")
"""

REFUSED = """
import django; django.setup()
from django.test import Client
client = Client(raise_request_exception=False)
client.get("/healthz", headers={"host": "elsewhere.example"})
client.get("/healthz?name=%00", headers={"host": "localhost"})
"""

MISSING_VARIABLE = """
import django; django.setup()
from django.template import Context, engines
page = engines["django"].engine.from_string("{% if optional %}{{ key }}{% endif %}")
page.render(Context({"key": "hunter2"}))
"""

FOR_PEOPLE = """
import logging, logging.config, django; django.setup()
from leaderboard.operating.logs import logging_config
logging.config.dictConfig(logging_config("INFO", readable=True))
fields = dict(method="GET", path="/c/one/", status=200, ms=3.2, user=None, request_id="0a")
logging.getLogger("ours").info("request", extra=fields)
"""

FROM_STRANGERS = """
import logging, logging.config, django; django.setup()
from leaderboard.operating.logs import logging_config
logging.config.dictConfig(logging_config("INFO", readable=True))
fields = dict(method="GET", path="/\\x1b[2J\\nforged\\x9b", status=404, ms=1, user=None)
logging.getLogger("ours").info("request", extra=fields)
logging.getLogger("library").warning("read %s", "a\\rb\\nc", extra={"name_of": "\\x1b[31m"})
password = "hunt" + "er2"
try:
    raise ValueError("\\x1b[5m")
except ValueError:
    logging.getLogger("library").exception("failed")
"""


def logged_lines(tmp_path: Path, script: str = SAY, **variables: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in run(tmp_path, script, **variables)]


def run(tmp_path: Path, script: str, **variables: str) -> list[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
    }
    output, errors = script_output(script, environment | variables)
    assert output == ""
    return errors.splitlines()


def test_without_a_terminal_each_line_is_a_json_object(tmp_path: Path) -> None:
    library, ours, failed = logged_lines(tmp_path)
    assert (library["event"], library["level"], library["rows"]) == ("read it", "warning", 3)
    assert (ours["event"], ours["logger"], ours["attempt"]) == ("scored", "ours", "a1")
    assert "ZeroDivisionError" in str(failed["exception"])
    assert all("timestamp" in line for line in (library, ours, failed))


def test_a_refused_request_is_a_warning_without_traceback(tmp_path: Path) -> None:
    lines = logged_lines(tmp_path, REFUSED)
    assert [line["status"] for line in lines if line["event"] == "request"] == [400, 400]
    [host] = [line for line in lines if "elsewhere.example" in str(line["event"])]
    assert host["level"] == "warning"
    assert logged_lines(tmp_path, REFUSED, LOG_LEVEL="error") == []
    assert not [line for line in lines if "exception" in line]


def test_the_level_applies_to_all_loggers(tmp_path: Path) -> None:
    assert [line["event"] for line in logged_lines(tmp_path, LOG_LEVEL="error")] == ["failed"]
    assert "came and went" in [line["event"] for line in logged_lines(tmp_path, LOG_LEVEL="debug")]


def test_no_level_logs_the_variables_of_a_page(tmp_path: Path) -> None:
    """They include the key of a second factor and the details of scores."""
    assert "hunter2" not in "".join(run(tmp_path, MISSING_VARIABLE, LOG_LEVEL="debug"))


def test_the_level_applies_to_worker_and_beat(tmp_path: Path) -> None:
    assert [line["event"] for line in logged_lines(tmp_path, IN_CELERY)] == ["heard"]
    assert logged_lines(tmp_path, IN_CELERY, LOG_LEVEL="error") == []
    loud = [line["event"] for line in logged_lines(tmp_path, IN_CELERY, LOG_LEVEL="debug")]
    assert {"heard", "sending a sweep"} <= set(loud)


def test_on_a_terminal_a_request_is_a_readable_line(tmp_path: Path) -> None:
    [line] = run(tmp_path, FOR_PEOPLE)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", line)
    assert "GET /c/one/ 200 in 3.2 ms" in plain
    assert "request_id" not in plain


def test_on_a_terminal_texts_of_strangers_cannot_control_it(tmp_path: Path) -> None:
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in run(tmp_path, FROM_STRANGERS)]
    assert "GET /\\x1b[2J\\nforged\\x9b 404 in 1 ms" in lines[0]
    assert "read a\\rb\\nc" in lines[1]
    assert "name_of=\\x1b[31m" in lines[1]
    assert lines[3].startswith("Traceback")
    assert "hunter2" not in "".join(lines), "rich would show all variables"
    assert lines[-1].startswith("ValueError: ")
    assert not any(re.search(r"[\x00-\x1f\x7f-\x9f]", line) for line in lines)


def test_gunicorn_writes_the_same_lines(tmp_path: Path) -> None:
    config = "import runpy; settings = runpy.run_path('gunicorn.conf.py')\n"
    config += "import logging.config; logging.config.dictConfig(settings['logconfig_dict'])\n"
    config += "logging.getLogger('gunicorn.error').info('Booting worker with pid: %s', 7)"
    [line] = logged_lines(tmp_path, config)
    assert (line["event"], line["logger"]) == ("Booting worker with pid: 7", "gunicorn.error")


def test_gunicorns_lines_about_malformed_requests_quote_no_secrets(tmp_path: Path) -> None:
    """As `gunicorn.workers.base` writes them."""
    config = """
import logging, logging.config
from gunicorn.http.errors import InvalidHeader, InvalidHTTPVersion, InvalidRequestLine
from leaderboard.operating.logs import logging_config
logging.config.dictConfig(logging_config("INFO", readable=False))
log = logging.getLogger("gunicorn.error")
for error in (
    InvalidHeader("Authorization Bearer pod_hunter2"),
    InvalidRequestLine("GET /?code=hunter2 it's"),
    InvalidHTTPVersion((9, 9)),
):
    log.warning(f"Invalid request from ip=192.0.2.1: {error}")
log.error("Error handling request %s", "/c/one/?code=hunter2")
log.warning("Worker exiting: 'seven'?")
"""
    *malformed, failed, leaving = [str(line["event"]) for line in logged_lines(tmp_path, config)]
    assert len(malformed) == 3
    assert all("ip=192.0.2.1: Invalid HTTP" in event for event in malformed)
    assert "hunter2" not in "".join(malformed)
    assert failed.endswith(" /c/one/")
    assert leaving == "Worker exiting: 'seven'?"
