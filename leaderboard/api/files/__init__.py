"""Boards, attempts and people of a challenge as files: JSON, CSV, Parquet, Markdown and zip."""
