"""Tokens and cost in a log of inspect-ai, where providers count cached tokens in two ways.

OpenAI counts the tokens that it read from its cache among the input tokens, Anthropic beside them.
The total tells the two apart.
"""

from __future__ import annotations

from typing import Final

from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.samples import total

CACHED: Final = ("input_tokens_cache_read", "input_tokens_cache_write")
BESIDE: Final = ("anthropic", "claude")
"""Parts of names of models whose cached tokens are counted beside the input tokens."""

Usage = dict[str, float | int | None]


def usage_of(models: Part) -> Usage:
    """The tokens and the cost of all models together. models: the field `model_usage`."""
    used = list(models.fields())
    return {
        "tokens_total": total(each["total_tokens"].count() for _, each in used),
        "input_tokens": total(_input(model, each) for model, each in used),
        "output_tokens": total(each["output_tokens"].count() for _, each in used),
        "cost_usd": total(each["total_cost"].amount() for _, each in used),
    }


def _input(model: str, used: Part) -> int | None:
    """The input tokens of a model, each once."""
    plain = used["input_tokens"].count()
    cached = sum(used[kind].count() or 0 for kind in CACHED)
    if plain is None or not cached:
        return plain
    return plain + cached if _is_beside(model, used, plain, cached) else plain


def _is_beside(model: str, used: Part, plain: int, cached: int) -> bool:
    """Whether the cached tokens are not among the input tokens."""
    output = used["output_tokens"].count() or 0
    reasoning = used["reasoning_tokens"].count() or 0
    whole = used["total_tokens"].count()
    if whole in (plain + output, plain + output + reasoning):
        return False
    if whole in (plain + cached + output, plain + cached + output + reasoning):
        return True
    if cached > plain:
        return True
    return any(each in model.casefold() for each in BESIDE)
