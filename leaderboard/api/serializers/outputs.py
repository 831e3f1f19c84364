"""The output documents of text evaluation, for the OpenAPI schema."""

from __future__ import annotations

from typing import Final

from drf_spectacular.utils import OpenApiExample

from leaderboard.rules.json.untyped_dicts import OpenApiShape

NUMBER_OR_TEXT = {"nullable": True, "oneOf": [{"type": "number"}, {"type": "string"}]}
OUTPUT_SHAPE: Final[OpenApiShape] = {
    "type": "array",
    "items": {
        "title": "TextMetricOutput",
        "type": "object",
        "required": ["id", "parameters", "score", "elapsed time"],
        "properties": {
            "id": {"type": "string", "description": "As it was given."},
            "parameters": {"type": "object", "additionalProperties": True},
            "score": {
                "type": "object",
                "nullable": True,
                "additionalProperties": NUMBER_OR_TEXT,
                "description": "Null for a metric that failed.",
            },
            "elapsed time": {
                "type": "number",
                "description": "Seconds spent computing, over all instances.",
            },
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
                "description": "Why there is no score.",
            },
        },
    },
}
OUTPUT_EXAMPLE = [
    {
        "id": "BLEU_NLTK",
        "parameters": {"smoothing_function": "method1"},
        "score": {"mean_of_sentence_bleu": 0.2507, "corpus_bleu": 0.2116},
        "elapsed time": 0.0021,
    },
    {
        "id": "BERTSCORE",
        "parameters": {},
        "score": None,
        "elapsed time": 0.0,
        "error": {"code": "not_installed", "message": "BERTSCORE is not installed here: …"},
    },
]
OUTPUT_EXAMPLES: Final = [OpenApiExample("output", OUTPUT_EXAMPLE, response_only=True)]
