from tests.notifications import notifications
from tests.people import tenant
from tests.services.conftest import alice, sprint, submit

__all__ = ["alice", "notifications", "sprint", "submit", "tenant"]
