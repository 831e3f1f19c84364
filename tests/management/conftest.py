from tests.bells import bells
from tests.people import tenant
from tests.services.conftest import alice, sprint, submit

__all__ = ["alice", "bells", "sprint", "submit", "tenant"]
