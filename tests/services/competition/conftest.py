from tests.services.competition.moments import phase, submit_at
from tests.services.competition.relays import dan, eve, relay

__all__ = ["dan", "eve", "phase", "relay", "submit_at"]
