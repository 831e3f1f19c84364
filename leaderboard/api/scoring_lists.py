"""Lists that describe how a challenge is scored, with their shapes for the schema.

What is right is checked by the verbs that they go to.
"""

from __future__ import annotations

from typing import Final

from drf_spectacular.utils import extend_schema_field

from leaderboard.api.fields import SHARE, PlainList
from leaderboard.rules.metric_specs import MAX_METRICS, MAX_NAME
from leaderboard.rules.sortkey import PRECISION
from leaderboard.rules.task_sources import MAX_SOURCE, SOURCE_FIELDS
from leaderboard.rules.text_specs import MAX_NAME as MAX_TEXT_NAME
from leaderboard.rules.text_specs import MAX_TEXT_METRICS
from leaderboard.services.challenges.metric_fields import MAX_WEIGHT

WEIGHT: Final = {
    "type": "number",
    "minimum": 0,
    "exclusiveMinimum": True,
    "maximum": MAX_WEIGHT,
}


@extend_schema_field({"type": "array", "items": {"type": "string"}})
class NameList(PlainList):
    """A list of names; what is right is checked by the verb it goes to."""


@extend_schema_field(
    {
        "type": "array",
        "maxItems": MAX_METRICS,
        "items": {
            "oneOf": [
                {"type": "string", "minLength": 1, "maxLength": MAX_NAME},
                {
                    "type": "object",
                    "required": ["type"],
                    "properties": {
                        "type": {"type": "string"},
                        "name": {"type": "string", "description": "The column's key."},
                        "reward": {"type": "string", "description": "Which reward it reduces."},
                        "failed": {"type": "string", "enum": ["zero", "exclude"]},
                        "undefined": {"type": "string", "enum": ["exclude", "zero"]},
                        "kwargs": {"type": "object", "additionalProperties": True},
                        "group": {"type": "string", "description": "Of this group of tasks."},
                        "over": {
                            "type": "string",
                            "enum": ["groups"],
                            "description": "The mean of its values over each group of tasks.",
                        },
                        "min_coverage": {
                            **SHARE,
                            "description": "Share of its tasks below which a value does not rank.",
                        },
                        "reported": {
                            "type": "string",
                            "enum": ["refuse", "allow", "rank"],
                            "description": "What becomes of a value that participants state.",
                        },
                        "of": {
                            "type": "array",
                            "description": "What a mean_win_rate compares: keys of values.",
                            "items": {
                                "oneOf": [
                                    {"type": "string"},
                                    {
                                        "type": "object",
                                        "required": ["key"],
                                        "properties": {
                                            "key": {"type": "string"},
                                            "direction": {
                                                "type": "string",
                                                "enum": ["asc", "desc"],
                                                "default": "desc",
                                            },
                                            "decimals": {
                                                "type": "integer",
                                                "minimum": 0,
                                                "maximum": PRECISION,
                                            },
                                        },
                                        "additionalProperties": False,
                                    },
                                ]
                            },
                        },
                    },
                    "additionalProperties": False,
                },
            ]
        },
    }
)
class MetricList(PlainList):
    """The metrics of a challenge; `leaderboard.rules.metric_specs` knows what is right."""


TEXT_METRICS_SHAPE: Final = {
    "type": "array",
    "maxItems": MAX_TEXT_METRICS,
    "items": {
        "oneOf": [
            {"type": "string", "minLength": 1, "maxLength": MAX_TEXT_NAME},
            {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": {"type": "string", "description": "In upper or lower case."},
                    "enable": {"type": "boolean", "nullable": True, "default": True},
                    "parameters": {
                        "type": "object",
                        "nullable": True,
                        "additionalProperties": True,
                    },
                    "name": {
                        "type": "string",
                        "nullable": True,
                        "description": "The column's key; the id, if it is absent.",
                    },
                },
                "additionalProperties": True,
            },
        ]
    },
}


@extend_schema_field(TEXT_METRICS_SHAPE)
class TextMetricList(PlainList):
    """What is made of outputs of models; `leaderboard.rules.text_specs` knows what is right."""


@extend_schema_field(
    {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "rewards": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "What each of its samples owes.",
                },
                "group": {"type": "string", "description": "For metrics of a group of tasks."},
                "weight": {**WEIGHT, "description": "In a weighted mean; 1 if absent."},
                **{key: {"type": "string", "maxLength": MAX_SOURCE} for key in SOURCE_FIELDS},
            },
            "additionalProperties": False,
        },
    }
)
class TaskList(PlainList):
    """The tasks of a challenge."""


@extend_schema_field(
    {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "min": {"type": "number", "nullable": True, "description": "Null: not known."},
                "max": {"type": "number", "nullable": True, "description": "Null: not known."},
            },
            "additionalProperties": False,
        },
    }
)
class RewardList(PlainList):
    """The bounds of rewards; `leaderboard.rules.reward_bounds` knows what is right."""
