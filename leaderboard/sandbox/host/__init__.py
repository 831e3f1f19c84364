"""What runs in the worker: it starts fork servers, asks children, and validates their answers.

Imports neither `server` nor `child`; `contract.py` has the values and `jobs.py` the JSON messages
that cross the boundary. `services.plugins` and `starter.py` import it; the rest of the services
sees only what `leaderboard.sandbox` and `services.plugins` pass on.
"""
