"""All other changes are answered as the schema says."""

from __future__ import annotations

from tests.api.tried.common import CHANGED, answers_as_documented, headers, served

__all__ = ["headers", "served"]

pytest_plugins = ["schemathesis.pytest.plugin"]

test_answers_as_documented = answers_as_documented(CHANGED)
