from tests.services.competition.moments import phase, submit_at
from tests.services.competition.relays import dan, eve, relay, two_teams

__all__ = ["dan", "eve", "phase", "relay", "submit_at", "two_teams"]
