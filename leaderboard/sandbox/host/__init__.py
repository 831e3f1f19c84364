"""What runs in the worker: it starts fork servers, asks children, and validates their answers.

Imports neither `server` nor `child`; `contract.py` holds what crosses the boundary. The services
import it through `leaderboard.sandbox`, and so does `starter.py`.
"""
