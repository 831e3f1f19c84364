"""All other changes are answered as the schema says."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis

from tests.api.tried.common import CHANGED, EXAMPLES, check_answer, headers, served

__all__ = ["headers", "served"]

pytest_plugins = ["schemathesis.pytest.plugin"]


@pytest.mark.once
@pytest.mark.slow
@CHANGED.parametrize()
@EXAMPLES
def test_answers_as_documented(case: schemathesis.Case[Any], headers: dict[str, str]) -> None:
    check_answer(case, headers)
