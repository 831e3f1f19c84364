"""The people of `tests/api`."""

from tests.api.conftest import alice, bells, bob, default, organiser, sprint, submitter

__all__ = ["alice", "bells", "bob", "default", "organiser", "sprint", "submitter"]
