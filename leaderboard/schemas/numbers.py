"""Types of numbers that several schemas use."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Share = Annotated[float, Field(gt=0, le=1)]
"""A part of a whole, above 0 and at most 1."""
