"""The OpenAPI schema describes what the API does."""

from __future__ import annotations

import json
import re
from functools import cache
from io import StringIO
from typing import Any, Final

import pytest
from django.core.management import call_command
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer

from leaderboard.api.descriptions import undescribed

WITHOUT_DRY_RUNS: Final = {"device_begin", "device_token", "leaderboard_gate", "uploads_add"}
"""Operations without dry runs; docs/api.md says why."""


def test_the_schema_has_no_warnings() -> None:
    out, err = StringIO(), StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out, stderr=err)
    assert "openapi: 3" in out.getvalue()
    assert not re.search("warning|error", err.getvalue(), re.IGNORECASE)


def test_every_operation_documents_its_errors() -> None:
    shape = {"$ref": "#/components/schemas/ErrorBody"}
    operations = [
        (path, method, operation)
        for path, methods in written()["paths"].items()
        for method, operation in methods.items()
    ]
    assert len(operations) >= 15
    for path, method, operation in operations:
        wanted = {"400", "401", "406", "429"}
        wanted |= {"403", "413", "415"} if "requestBody" in operation else set()
        wanted |= {"404"} if "{" in path else set()
        answers = operation["responses"]
        assert wanted <= set(answers), (method, path)
        for status in wanted:
            assert answers[status]["content"]["application/json"]["schema"] == shape


def test_every_field_and_parameter_has_a_description() -> None:
    assert not [*undescribed(written())]


def test_shares_have_their_bounds_in_all_places() -> None:
    schemas = written()["components"]["schemas"]
    share = {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1}
    for name in ("NewChallengeRequest", "PatchedChallengeChangeRequest"):
        fields = schemas[name]["properties"]
        described = fields["metrics"]["items"]["anyOf"][1]
        for bounds in (fields["min_coverage"], described["properties"]["min_coverage"]):
            assert share.items() <= bounds.items()


def test_all_operations_that_write_have_dry_runs() -> None:
    without = {
        operation["operationId"]
        for methods in written()["paths"].values()
        for method, operation in methods.items()
        if method in ("post", "put", "patch", "delete")
        and all(parameter["name"] != "dry_run" for parameter in operation.get("parameters", ()))
    }
    assert without == WITHOUT_DRY_RUNS


@pytest.mark.django_db
def test_the_schema_is_served() -> None:
    answer = Client().get("/api/schema/", headers={"Accept": "application/json"})
    assert answer.json() == written()


@cache
def written() -> dict[str, Any]:
    """Return the schema as it is served."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    generated = generator.get_schema(public=True)  # type: ignore[no-untyped-call]
    read: dict[str, Any] = json.loads(OpenApiJsonRenderer().render(generated))
    return read
