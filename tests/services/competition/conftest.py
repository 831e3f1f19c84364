from tests.services.competition.moments import phase, submit_at

__all__ = ["phase", "submit_at"]
