"""What the parts of this folder share: the schema, the server, and the checks of an answer.

Schemathesis generates requests from the schema, right ones and wrong ones, single ones and
sequences, and makes all of its checks. Each part is a file, which a process of its own runs.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, settings
from rest_framework.settings import api_settings
from schemathesis.checks import CHECKS, load_all_checks

from leaderboard.api.schema import SLUG
from leaderboard.models import Tenant
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from leaderboard.wsgi import application
from tests.api.conftest import METRICS, Api
from tests.api.test_schema import written
from tests.people import organiser_of

BEYOND_THE_SCHEMA = {
    # Refusals that depend on the state of the server.
    "challenges_list attempts_list leaderboard_read registrations_list attempts_tasks": r"cursor",
    "announcements_list notices_list": r"cursor",
    "attempts_list": r"phase",
    "leaderboard_read leaderboard_csv leaderboard_json leaderboard_jsonl leaderboard_markdown"
    " leaderboard_parquet exports_list exports_read": r"sort|columns|complete|phase|meta",
    "challenges_create challenges_change": (
        r"(scoring_|text_)?(entrypoint|config|strategy|metrics|timeout_ms)(\..*)?|min_coverage"
        r"|(program|targets)(\..*)?"
        r"|(rank_by|columns|tasks|rewards|values|split|meta_fields)(\..*)?"
        r"|on_code_change|only_succeeded"
        r"|phases(\.\d+\.(slug|name|time_zone|(opens|closes|freezes|reveals)_at|choose_until))?"
    ),
    "quota_read grades_csv grades_workbook": r"phase",
    "attempts_submit leaderboard_gate": (
        r"file|meta|phase|outputs.*|evaluation.*|values.*|submitted_at|Content-Digest"
    ),
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
    "challenge_plugins_put challenge_files_add attempt_evidence_add": r"file|phase|source|also",
    "uploads_add": r"Upload-Offset|Content-Digest|file",
    "leaderboard_gate": r"metrics?",
    "bundles_import": r"file|tenant",
    "challenges_folder_put": r"folder.*",
    "admission_set": r"rules|preset",
    "votes_send": r"votes\.\d+\.(first|second)",
    "webhooks_make webhooks_change": r"url",
    "attempts_submit leaderboard_gate ": r"participant|name|(task_rewards|samples|meta|run).*",
    "attempts_import": r"participant",
}
"""Operations, and the fields that they may refuse although the schema allows what was sent."""

INVISIBLE = re.compile("must .* of .* (visible|printable) characters")
"""A refusal of what no pattern can describe, in any field."""
STATE = {"expired_token", "changed"}
"""Codes of refusals that depend on what happened before, by statuses that Schemathesis does not
know as such: those of RFC 8628, and 412."""

NOT_CHECKED = {"negative_data_rejection"}
"""A wrong attempt among many is answered by 200, and its line is among the `rejected`. A body that
is too long is refused unread, by a status that Schemathesis does not know as a refusal."""

CONFIGURING = ["challenges_create", "challenges_change"]
"""The operations with the largest bodies: they take as long as all other changes."""

SPRINT = {"name": "Sprint", "slug": "sprint", "scoring_strategy": "fastest"}
SECRET = {"name": "Secret", "scoring_strategy": "first", "visibility": "private"}

AUTH_PROBES = 10
"""Requests of an operation that are repeated without headers and with wrong ones, three times each.
The answer hardly depends on what else was sent, and repeating all requests took half of the
time."""

probed: Counter[str] = Counter()

NO_NUL = r"^[^\u0000]*$"
LONG = 4_000
"""Texts of this length are long."""

load_all_checks()


def beyond_the_schema(operation: str) -> str:
    """Return a pattern of the fields that an operation may refuse beyond the schema."""
    patterns = [fields for named, fields in BEYOND_THE_SCHEMA.items() if operation in named.split()]
    return "|".join(patterns) or r"(?!)"


@contextmanager
def open_database() -> Iterator[None]:
    """Keep the connection with the test's transaction open, which the start of a request would
    close."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def served(module_rows: None) -> dict[str, str]:
    """Make a server with a few attempts, once for all operations; return the headers of alice."""
    default = Tenant.objects.create(slug="default", name="Default")
    alice = organiser_of(default, "alice")
    for fields in (SPRINT, SECRET):
        create_challenge(tenant=default, user=alice, fields=fields)
    scopes = ["submit", "organise"]
    organiser = Api(create_token(user=alice, scopes=scopes, tenant=default)[1])
    for at in range(3):
        body = {"participant": f"p{at}", "metrics": {**METRICS, "elapsed_ms": at}}
        assert organiser.post("challenges/sprint/attempts/", body).status_code == 202
    single.score_waiting()
    # the client decodes nothing
    return {**organiser.headers, "Accept-Encoding": "identity"}


@pytest.fixture
def headers(served: dict[str, str], db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the headers of alice, on the server as it was made and without limits of rates."""
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"read": None, "submit": None})
    return served


@schemathesis.serializer("application/x-ndjson")
def as_lines(context: schemathesis.SerializationContext, value: Any) -> bytes:
    return (json.dumps(value) + "\n").encode() * 2


@schemathesis.serializer("application/zip", "application/octet-stream")
def as_bytes(context: schemathesis.SerializationContext, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def with_short_patterns(schema: Any) -> Any:
    """A schema whose texts have the pattern `NO_NUL` beside their length, and long ones do not
    have it.

    Schemathesis joins the two to one expression, which takes it seconds and a gigabyte for a
    million characters, and milliseconds for a hundred, again and again. What stands in an `allOf`
    it leaves alone, and generates the same.
    """
    if isinstance(schema, list):
        return [with_short_patterns(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    is_long = schema.get("pattern") == NO_NUL and schema.get("maxLength", 0) >= LONG
    kept = {name: value for name, value in schema.items() if not (is_long and name == "pattern")}
    if kept.get("pattern") == NO_NUL and kept.keys() & {"minLength", "maxLength"}:
        del kept["pattern"]
        kept["allOf"] = [{"pattern": NO_NUL}]
    return {name: with_short_patterns(value) for name, value in kept.items()}


def ids(*methods: str) -> list[str]:
    """Return the ids of all operations with these methods."""
    return [
        operation["operationId"]
        for operations in written()["paths"].values()
        for method, operation in operations.items()
        if method in methods
    ]


doors = schemathesis.openapi.from_dict(with_short_patterns(written()))
doors.config.generation.update(allow_x00=False)  # instead of the patterns that are left out
doors.app = application

GETS, OTHERS = ids("get"), ids("post", "put", "patch", "delete")
CONFIGURED = doors.include(operation_id=CONFIGURING)
CHANGED = doors.include(operation_id=[other for other in OTHERS if other not in CONFIGURING])
READ = doors.include(operation_id=GETS)
"""Each operation is in one of these parts, which take about equally long.

A filter by methods would also leave out requests with a method that the schema does not have."""


def without_generated_auth(case: schemathesis.Case[Any]) -> None:
    """Authentication is by the headers that a test sends, not by a generated cookie."""
    case.cookies.pop("sessionid", None)


def is_refused_beyond_the_schema(operation: str, response: Any) -> bool:
    """Return whether a refusal names nothing that the schema describes."""
    error, fields = response.json()["error"], beyond_the_schema(operation)
    return error["code"] in STATE or (
        bool(error["fields"])
        and all(
            re.fullmatch(fields, name, re.DOTALL) or all(map(INVISIBLE.search, texts))
            for name, texts in error["fields"].items()
        )
    )


def checked(case: schemathesis.Case[Any], response: Any, headers: dict[str, str]) -> None:
    """Make all checks with the headers that were sent, so that some are tried without them.

    A refusal of what the schema allows names only fields beyond the schema.
    """
    operation = case.operation.definition.raw["operationId"]
    out: set[str] = set()
    if case.operation.path.endswith("/bulk/") or response.status_code == 413:
        out |= NOT_CHECKED
    probed[operation] += 1
    if probed[operation] > AUTH_PROBES:
        out.add("ignored_auth")
    if response.status_code in (400, 412) and is_refused_beyond_the_schema(operation, response):
        out.add("positive_data_acceptance")
    checks: Any = [check for check in CHECKS.get_all() if check.__name__ not in out]
    case.validate_response(
        response, checks=checks, headers=headers, transport_kwargs={"headers": headers}
    )


EXAMPLES = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def answers_as_documented(part: schemathesis.BaseSchema) -> Callable[..., None]:
    """Return a test of the operations of a part, for the module that names it."""

    @pytest.mark.once
    @pytest.mark.slow
    @part.parametrize()
    @EXAMPLES
    def test(case: schemathesis.Case[Any], headers: dict[str, str]) -> None:
        """For any request there is no internal error, and only answers that the schema has."""
        if re.fullmatch(SLUG["pattern"], str(case.path_parameters.get("slug", ""))):
            case.path_parameters["slug"] = "sprint"
        without_generated_auth(case)
        with open_database():
            checked(case, case.call(headers=headers), headers)

    documented: Callable[..., None] = test
    return documented
