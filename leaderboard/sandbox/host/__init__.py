"""What runs in the worker: it starts fork servers, asks children, and believes nothing they say.

Imports neither `server` nor `child`; what crosses the boundary is in `contract.py`. Imported by the
services through `leaderboard.sandbox`, and by `starter.py`.
"""
