"""The session with a text metric in a sandbox, which `evaluation` asks block by block."""

from leaderboard.sandbox.host.text_client import TextMetricClient

__all__ = ["TextMetricClient"]
