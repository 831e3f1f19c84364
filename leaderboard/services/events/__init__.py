"""The log of a challenge: adding events to it, checking its chain, anchors.

Each operation adds its event in its own transaction. Imports no other package of the services.
"""
