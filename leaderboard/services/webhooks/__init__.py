"""Webhooks: addresses of other servers that are called with the events of a challenge.

`relay` turns events of the log into deliveries, `deliver` sends them, and nothing is lost if a
process is killed between. Where nobody listens, an event costs nothing.
"""
