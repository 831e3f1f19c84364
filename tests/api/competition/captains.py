"""Two users, `eve` and `bob`, who read and submit by the API: clients `other` and `submitter`."""

from __future__ import annotations

import pytest

from leaderboard.models import User
from leaderboard.services.tokens import create_token
from tests.api.conftest import Api


@pytest.fixture
def eve(db: None) -> User:
    return User.objects.create_user("eve")


@pytest.fixture
def other(eve: User) -> Api:
    return Api(create_token(user=eve, scopes=["submit", "read"])[1])


@pytest.fixture
def submitter(bob: User) -> Api:
    return Api(create_token(user=bob, scopes=["submit", "read"])[1])
