from tests.services.conftest import alice, bells, sprint, submit, tenant

__all__ = ["alice", "bells", "sprint", "submit", "tenant"]
