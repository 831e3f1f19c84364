"""Trajectories of other tools as steps to read, one format per file of this folder.

A file with a `READER` is found without a list to edit.
"""

from leaderboard.importers.transcripts.reading import Transcript, read_transcript
from leaderboard.importers.transcripts.steps import ToolCall, ToolResult, TranscriptStep

__all__ = ["ToolCall", "ToolResult", "Transcript", "TranscriptStep", "read_transcript"]
