"""What only reads is answered as the schema says, and so are sequences of all requests."""

from __future__ import annotations

import re
from typing import Any

import pytest
import schemathesis
from django.core.cache import cache
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import CHECKS
from schemathesis.core.result import Ok

from tests.api.test_schema import written
from tests.api.tried.common import (
    AUTH_PROBES,
    BEYOND_THE_SCHEMA,
    CHANGED,
    CONFIGURED,
    READ,
    answers_as_documented,
    beyond_the_schema,
    checked,
    doors,
    headers,
    open_database,
    probed,
    served,
    without_generated_auth,
)

__all__ = ["headers", "served"]

pytest_plugins = ["schemathesis.pytest.plugin"]


def operations() -> list[str]:
    """Return the ids of all operations of the schema."""
    return sorted(
        operation["operationId"]
        for methods in written()["paths"].values()
        for operation in methods.values()
    )


def test_all_checks_are_made() -> None:
    """No check of Schemathesis is left out."""
    names = {check.__name__ for check in CHECKS.get_all()}
    assert len(names) >= 14
    assert names >= {"positive_data_acceptance", "ignored_auth", "use_after_free"}


def test_each_operation_is_tried_in_one_part() -> None:
    tried = [
        get_all_operation.ok().definition.raw["operationId"]
        for part in (CONFIGURED, CHANGED, READ)
        for get_all_operation in part.get_all_operations()
        if isinstance(get_all_operation, Ok)
    ]
    assert sorted(tried) == operations()


def test_exceptions_to_the_schema_are_of_existing_operations() -> None:
    assert {name for names in BEYOND_THE_SCHEMA for name in names.split()} <= {*operations()}
    assert re.fullmatch(beyond_the_schema("leaderboard_csv"), "locale")
    assert not re.fullmatch(beyond_the_schema("leaderboard_jsonl"), "locale")
    assert not re.fullmatch(beyond_the_schema("attempts_read"), "")


test_answers_as_documented = answers_as_documented(READ)


@pytest.mark.once
@pytest.mark.slow
def test_sequences_of_requests_are_answered_as_documented(headers: dict[str, str]) -> None:
    """The next request uses ids from earlier answers: objects are created, read, changed,
    deleted."""
    answered: list[tuple[str, int]] = []
    # the tests of the single operations have repeated requests of each with other headers
    probed.update(dict.fromkeys(operations(), AUTH_PROBES))

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
