"""The API does what its schema says: Schemathesis tests it with all of its checks.

It generates requests from the schema, right ones and wrong ones, single ones and sequences.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import schemathesis
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, settings
from rest_framework.settings import api_settings
from schemathesis.checks import CHECKS, load_all_checks

from leaderboard.api.schema import SLUG
from leaderboard.models import Challenge
from leaderboard.services.scoring import single
from leaderboard.wsgi import application
from tests.api.conftest import METRICS, Api
from tests.api.test_schema import written

pytest_plugins = ["schemathesis.pytest.plugin"]

BEYOND_THE_SCHEMA = {
    # Refusals that depend on the state of the server.
    "challenges_list attempts_list leaderboard_read registrations_list attempts_tasks": r"cursor",
    "announcements_list": r"cursor",
    "leaderboard_read": r"sort|columns|phase|meta",
    "leaderboard_csv leaderboard_json leaderboard_jsonl leaderboard_markdown"
    " leaderboard_parquet": r"sort|columns|phase|meta",
    "challenges_create challenges_change": (
        r"(scoring_|text_)?(entrypoint|config|strategy|metrics|timeout_ms)(\..*)?|min_coverage"
        r"|(rank_by|columns|tasks|rewards|values|split|meta_fields)(\..*)?"
        r"|on_code_change|only_succeeded"
        r"|phases(\.\d+\.(slug|name|time_zone|(opens|closes|freezes|reveals)_at|choose_until))?"
    ),
    "quota_read": r"phase",
    "attempts_submit": r"phase|outputs.*|evaluation.*|values.*|submitted_at",
    # Refusals that depend on several parts of the request, or on the content of a file.
    "registration_make": r"answers(\..*)?|accepts_terms|bracket|code|kind|participant",
    "registration_rules_declare": (
        r"(domains|brackets|questions|invited)(\..*)?|terms|largest_team|bracket_choice|code"
    ),
    "registrations_decide": r"bracket|reason",
    "challenges_change": r"is_draft",
    "phases_advance": r"best|participants(\..*)?",
    "disqualification_set": r"reason",
    "row_set": r"row",
    "appeal_make": r"text",
    "announcements_make announcements_change": r"title",
    "team_merge_ask": r"participant",
    "grants_give": r"participant|phase|reason|until",
    "verification_set": r"by|link",
    "annotations_make": r"text",
    "leaderboard_csv": r"locale",
    "attempts_import challenges_import": r"file|map|phase",
    "references_hold": r"references",
    # Refusals of invisible texts, which no pattern can describe.
    "challenges_create challenges_change ": r"name|summary",
    "attempts_submit ": r"participant|name|(task_rewards|samples|meta).*",
    "attempts_import": r"participant",
}
"""Operations, and the fields that they may refuse although the schema allows what was sent."""

NOT_CHECKED = {"negative_data_rejection"}
"""A wrong attempt among many is answered by 200, and its line is among the `rejected`. A body that
is too long is refused unread, by a status that Schemathesis does not know as a refusal."""

AUTH_PROBES = 10
"""Requests of an operation that are repeated without headers and with wrong ones, three times each.
The answer hardly depends on what else was sent, and repeating all requests took half of the
time."""

_probed: Counter[str] = Counter()

NO_NUL = r"^[^\u0000]*$"
LONG = 4_000
"""Texts of this length are long."""

load_all_checks()


def beyond_the_schema(operation: str) -> str:
    """Return a pattern of the fields that an operation may refuse beyond the schema."""
    known = [fields for named, fields in BEYOND_THE_SCHEMA.items() if operation in named.split()]
    return "|".join(known) or r"(?!)"


def test_all_checks_are_made() -> None:
    """No check of Schemathesis is left out."""
    names = {check.__name__ for check in CHECKS.get_all()}
    assert len(names) >= 14
    assert names >= {"positive_data_acceptance", "ignored_auth", "use_after_free"}


def test_exceptions_to_the_schema_are_of_existing_operations() -> None:
    there = {
        operation["operationId"]
        for methods in written()["paths"].values()
        for operation in methods.values()
    }
    assert {name for names in BEYOND_THE_SCHEMA for name in names.split()} <= there
    assert re.fullmatch(beyond_the_schema("leaderboard_csv"), "locale")
    assert not re.fullmatch(beyond_the_schema("leaderboard_jsonl"), "locale")
    assert not re.fullmatch(beyond_the_schema("attempts_read"), "")


@contextmanager
def open_database() -> Iterator[None]:
    """Keep the connection with the test's transaction open, which the start of a request would
    close."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def headers(
    organiser: Api,
    sprint: Challenge,
    secret: Challenge,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, str]:
    """Return the headers of alice, on a server with a few attempts."""
    for at in range(3):
        body = {"participant": f"p{at}", "metrics": {**METRICS, "elapsed_ms": at}}
        organiser.post("challenges/sprint/attempts/", body)
    single.score_waiting()
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"read": None, "submit": None})
    # the client decodes nothing
    return {**organiser.headers, "Accept-Encoding": "identity"}


@schemathesis.serializer("application/x-ndjson")
def as_lines(context: schemathesis.SerializationContext, value: Any) -> bytes:
    return (json.dumps(value) + "\n").encode() * 2


def with_short_patterns(schema: Any) -> Any:
    """A schema without the pattern of long texts, `NO_NUL`: Schemathesis joins it with their
    length to one expression, which takes it seconds and a gigabyte for a million characters."""
    if isinstance(schema, list):
        return [with_short_patterns(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    is_long = schema.get("pattern") == NO_NUL and schema.get("maxLength", 0) >= LONG
    kept = {name: value for name, value in schema.items() if not (is_long and name == "pattern")}
    return {name: with_short_patterns(value) for name, value in kept.items()}


doors = schemathesis.openapi.from_dict(with_short_patterns(written()))
doors.config.generation.update(allow_x00=False)  # instead of the patterns that are left out
doors.app = application


def without_generated_auth(case: schemathesis.Case[Any]) -> None:
    """Authentication is by the headers that a test sends, not by a generated cookie."""
    case.cookies.pop("sessionid", None)


def checked(case: schemathesis.Case[Any], response: Any, headers: dict[str, str]) -> None:
    """Make all checks with the headers that were sent, so that some are tried without them.

    A refusal of what the schema allows names only fields beyond the schema.
    """
    operation = case.operation.definition.raw["operationId"]
    out: set[str] = set()
    if case.operation.path.endswith("/bulk/") or response.status_code == 413:
        out |= NOT_CHECKED
    _probed[operation] += 1
    if _probed[operation] > AUTH_PROBES:
        out.add("ignored_auth")
    if response.status_code == 400 and case.meta and case.meta.generation.mode.is_positive:
        fields = response.json()["error"]["fields"]
        if fields and all(
            re.fullmatch(beyond_the_schema(operation), name, re.DOTALL) for name in fields
        ):
            out.add("positive_data_acceptance")
    checks: Any = [check for check in CHECKS.get_all() if check.__name__ not in out]
    case.validate_response(
        response, checks=checks, headers=headers, transport_kwargs={"headers": headers}
    )


@pytest.mark.once
@pytest.mark.slow
@doors.parametrize()
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_answers_as_documented(case: schemathesis.Case[Any], headers: dict[str, str]) -> None:
    """For any request there is no internal error, and only answers that the schema has."""
    if re.fullmatch(SLUG["pattern"], str(case.path_parameters.get("slug", ""))):
        case.path_parameters["slug"] = "sprint"
    without_generated_auth(case)
    with open_database():
        checked(case, case.call(headers=headers), headers)


@pytest.mark.once
@pytest.mark.slow
def test_sequences_of_requests_are_answered_as_documented(headers: dict[str, str]) -> None:
    """The next request uses ids from earlier answers: objects are created, read, changed,
    deleted."""
    answered: list[tuple[str, int]] = []

    class Machine(doors.as_state_machine()):  # type: ignore[misc]
        def setup(self) -> None:
            """Each sequence starts with the same server, so that it can be repeated."""
            self.before = transaction.savepoint()

        def teardown(self) -> None:
            transaction.savepoint_rollback(self.before)
            cache.clear()

        def get_call_kwargs(self, case: schemathesis.Case[Any]) -> dict[str, Any]:
            without_generated_auth(case)
            return {"headers": headers}

        def validate_response(
            self, response: Any, case: schemathesis.Case[Any], **given: Any
        ) -> None:
            answered.append((case.operation.label, response.status_code))
            checked(case, response, headers)

    with open_database():
        Machine.run(
            settings=settings(
                max_examples=120,
                stateful_step_count=6,
                deadline=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            ),
        )
    done = {label for label, status in answered if status < 300}
    assert "POST /api/v1/challenges/" in done
    assert any(label.startswith("GET /api/v1/challenges/{slug}/") for label in done)
