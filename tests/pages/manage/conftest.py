"""The pages on which ann runs the challenge Sprint."""

from __future__ import annotations

import pytest

from leaderboard.models import Challenge
from tests.pages.conftest import Make


@pytest.fixture
def sprint(make: Make) -> Challenge:
    return make("Sprint")
