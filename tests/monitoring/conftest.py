"""The users and challenges of `tests/api`."""

from tests.api.conftest import alice, bob, default, notifications, organiser, sprint, submitter

__all__ = ["alice", "bob", "default", "notifications", "organiser", "sprint", "submitter"]
