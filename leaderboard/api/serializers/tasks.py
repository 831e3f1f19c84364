"""Serializers of an attempt's samples."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

from leaderboard.api.fields import AskedSerializer
from leaderboard.api.queries import Limit

MAX_TASKS = 1000

EXAMPLE = {
    "tasks": [
        {
            "task": "task-1",
            "samples": [
                {
                    "sample": 0,
                    "rewards": {"physics_reward": 65.0},
                    "usage": {"tokens_total": 900, "elapsed_ms": 4000, "cost_usd": 0.01},
                    "error": "",
                },
                {"sample": 1, "rewards": None, "usage": {}, "error": "container died"},
            ],
        },
        {"task": "task-2", "samples": []},
    ],
    "total": 2,
    "next": None,
}


class TasksQuery(AskedSerializer):
    """The query of an attempt's tasks."""

    limit = Limit(most=MAX_TASKS, default=200)
    cursor = serializers.RegexField(
        r"^[0-9]{1,9}$",
        default="0",
        help_text="The `next` of an earlier answer.",
        error_messages={"invalid": gettext_lazy("must be the `next` of an earlier answer")},
    )


class SampleSerializer(serializers.Serializer[Any]):
    sample = serializers.IntegerField(min_value=0)
    rewards = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        allow_null=True,
        help_text="By name; null for one that was not scored. Null altogether: it failed.",
    )
    usage = serializers.DictField(child=serializers.FloatField(), help_text="As far as reported.")
    error = serializers.CharField()


class TaskSerializer(serializers.Serializer[Any]):
    task = serializers.CharField()
    samples = SampleSerializer(many=True, help_text="None: the task was not run.")


@extend_schema_serializer(examples=[OpenApiExample("tasks", EXAMPLE, response_only=True)])
class TaskPageSerializer(serializers.Serializer[Any]):
    """A page of the tasks of an attempt, the declared ones first."""

    tasks = TaskSerializer(many=True)
    total = serializers.IntegerField(min_value=0, help_text="Tasks altogether.")
    next = serializers.CharField(allow_null=True, help_text="For `?cursor=`; null at the end.")
