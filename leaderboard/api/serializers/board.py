"""Serializers that describe boards; `leaderboard.api.files.boards` writes the answers."""

from __future__ import annotations

from typing import Any, get_args

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

from leaderboard.api.serializers.competition.marks import VerificationSerializer
from leaderboard.api.serializers.metric_value import (
    FEW_SAMPLES_HELP,
    INTERVAL_REASONS,
    LEVEL_HELP,
    LEVELS,
    NOT_RANKED,
    NOT_RANKED_HELP,
    REPORTED_HELP,
    JudgedMeanSerializer,
    MetricErrorSerializer,
)
from leaderboard.models import Participant
from leaderboard.rules.ranking.medals import MEDALS
from leaderboard.rules.statistics.certainties import NothingKnown
from leaderboard.rules.statistics.verdicts import VerdictState
from leaderboard.services.board.reading.unranked_rows import OUT_OF_RANKING

UNRANKED = (
    "not_succeeded",
    "no_value",
    "failed",
    "low_coverage",
    "withdrawn",
    "in_review",
    "returned",
    "not_admitted",
    "disqualified",
    *OUT_OF_RANKING,
)
REASONS = ("undefined", "not_run", "failed", "not_installed", "not_compared", "withheld")

RANK_INTERVAL_REASONS = tuple(
    get_arg for kind in get_args(NothingKnown) for get_arg in get_args(kind)
)

EXAMPLE_ROW = {
    "rank": 2,
    "rank_here": None,
    "tied": True,
    "public_rank": None,
    "rank_interval": [1, 4],
    "rank_interval_reason": None,
    "rank_interval_all": [1, 5],
    "unranked": None,
    "disqualified_reason": None,
    "verified": None,
    "provenance": "computed unreviewed",
    "ruled_samples": 0,
    "medal": None,
    "late_by_agreement": False,
    "participant": {"handle": "atlas", "slug": "atlas", "name": "Atlas", "kind": "system"},
    "bracket": None,
    "family": None,
    "attempt": "019a9f0e-7c1e-7d5b-9d0e-2f6a4b8c1d3e",
    "score": 152.5,
    "values": {"physics": 66.2, "tokens_total": 1500.0, "cost_usd": None},
    "cells": {
        "physics": {
            "defined": 10,
            "total": 12,
            "standard_error": 3.4,
            "interval": [58.5, 73.9],
            "margin": 7.7,
            "level": "computed",
        },
        "tokens_total": {"level": "reported"},
        "cost_usd": {"reason": "undefined"},
    },
    "attempts": 5,
    "reached_at": "2026-11-20T08:00:00Z",
}
EXAMPLE = {
    "challenge": "prompt-escape",
    "phase": "main",
    "frozen_since": None,
    "shown": "all",
    "version": 171,
    "scoring_version": 3,
    "newest_scoring_version": 3,
    "rescoring": None,
    "editions": 1,
    "held": 0,
    "updated_at": "2026-11-20T08:00:01Z",
    "certainty": {
        "verdict": "not_told_apart",
        "text": "Juniper leads with 0.92 (95%: 0.82 to 1, 12 tasks). Atlas cannot be told apart "
        "from it. Differences below about 0.32 cannot be shown with these 12 tasks.",
        "smallest_difference": 0.32,
        "compared": 500,
        "computed_at": "2026-11-20T08:00:04Z",
    },
    "total": 1042,
    "ranked": 1040,
    "columns": [
        {
            "key": "score",
            "label": "Score",
            "description": "What the challenge's scorer gave the attempt; never below 0",
            "direction": "desc",
            "unit": "",
            "decimals": 2,
            "ranked": True,
        }
    ],
    "rows": [EXAMPLE_ROW],
    "next": None,
}


class ColumnSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    description = serializers.CharField()
    direction = serializers.ChoiceField(choices=["asc", "desc"], help_text="The better end.")
    unit = serializers.CharField()
    decimals = serializers.IntegerField()
    ranked = serializers.BooleanField(help_text="Whether the board ranks by it.")


class BoardParticipantSerializer(serializers.Serializer[Any]):
    handle = serializers.CharField()
    slug = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=Participant.Kind.choices)


class CellSerializer(serializers.Serializer[Any]):
    """The facts about a value; for a metric also what the value is computed over."""

    reason = serializers.ChoiceField(
        choices=REASONS, required=False, help_text="Why there is no value."
    )
    defined = serializers.IntegerField(
        min_value=0, required=False, help_text="Tasks that the value is over."
    )
    total = serializers.IntegerField(
        min_value=0, required=False, help_text="All tasks that may have it."
    )
    level = serializers.ChoiceField(choices=LEVELS, required=False, help_text=LEVEL_HELP)
    reported = serializers.FloatField(required=False, help_text=REPORTED_HELP)
    not_ranked = serializers.ChoiceField(
        choices=NOT_RANKED, required=False, help_text=NOT_RANKED_HELP
    )
    few_samples = serializers.ListField(
        child=serializers.IntegerField(min_value=1), required=False, help_text=FEW_SAMPLES_HELP
    )
    judged = JudgedMeanSerializer(
        required=False, help_text="Only of a mean of a reward that is marked as judged."
    )
    failed = serializers.IntegerField(
        min_value=0,
        required=False,
        help_text="Samples that should have the reward and lack it; absent for none.",
    )
    standard_error = serializers.FloatField(required=False)
    interval = serializers.ListField(
        child=serializers.FloatField(), required=False, help_text="95 %: from, to."
    )
    margin = serializers.FloatField(
        required=False, help_text="Half of the interval, which pages show behind ±."
    )
    interval_reason = serializers.ChoiceField(
        choices=INTERVAL_REASONS, required=False, help_text="Why a value has no interval."
    )
    error = MetricErrorSerializer(required=False)


class CertaintySerializer(serializers.Serializer[Any]):
    """How certain the order of a board is."""

    verdict = serializers.ChoiceField(
        choices=get_args(VerdictState), help_text="The verdict as a code."
    )
    text = serializers.CharField(help_text="The verdict in English.")
    smallest_difference = serializers.FloatField(
        allow_null=True, help_text="Smaller leads of the first row cannot be shown to be real."
    )
    compared = serializers.IntegerField(
        min_value=1, help_text="The ranked rows that are compared: the first ones, at most 500."
    )
    computed_at = serializers.DateTimeField()


class RowSerializer(serializers.Serializer[Any]):
    """A participant's line on a board."""

    rank = serializers.IntegerField(min_value=1, allow_null=True)
    rank_here = serializers.IntegerField(
        min_value=1,
        allow_null=True,
        help_text="The rank among the rows that fit a filter, such as a bracket; null: no filter.",
    )
    tied = serializers.BooleanField(help_text="Whether others have the same rank.")
    public_rank = serializers.IntegerField(
        min_value=1,
        allow_null=True,
        help_text="On a final board: the rank on the public tasks, before the end of the phase.",
    )
    rank_interval = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        min_length=2,
        max_length=2,
        allow_null=True,
        help_text="The ranks that cannot be excluded with 95 % confidence: from, to.",
    )
    rank_interval_reason = serializers.ChoiceField(
        choices=RANK_INTERVAL_REASONS,
        allow_null=True,
        help_text="Why a ranked row has no rank interval; null, too, while none is computed.",
    )
    rank_interval_all = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        min_length=2,
        max_length=2,
        allow_null=True,
        help_text="As rank_interval, but with 95 % confidence for all rows at once.",
    )
    unranked = serializers.ChoiceField(choices=UNRANKED, allow_null=True)
    disqualified_reason = serializers.CharField(
        allow_null=True, help_text="Why the participant is disqualified, if it is."
    )
    verified = VerificationSerializer(
        allow_null=True, help_text="Who has checked the attempt that counts; null: not checked."
    )
    provenance = serializers.CharField(
        allow_null=True,
        help_text="Whether the value that the board ranks by is `computed` here or `reported`, and "
        "whether the attempt is `verified`, `reviewed` or `unreviewed`: `computed verified`. null:"
        " no value, or hidden from you.",
    )
    ruled_samples = serializers.IntegerField(
        min_value=0,
        help_text="Samples of the attempt that reviewers have decided about: they count zero or are"
        " left out.",
    )
    medal = serializers.ChoiceField(
        choices=MEDALS,
        allow_null=True,
        help_text="Once the phase has closed, if the challenge gives medals.",
    )
    late_by_agreement = serializers.BooleanField(
        help_text="Whether the attempt that counts was submitted after the end, by agreement."
    )
    participant = BoardParticipantSerializer()
    bracket = serializers.CharField(
        allow_null=True, help_text="In which it is registered; null: none, or hidden from you."
    )
    family = serializers.CharField(
        allow_null=True,
        help_text="The system of which the attempt is one configuration; null: none is named, or "
        "it is hidden from you.",
    )
    attempt = serializers.UUIDField(
        allow_null=True, help_text="The attempt that counts; null: it is hidden from you."
    )
    score = serializers.FloatField(allow_null=True)
    values = serializers.DictField(child=serializers.FloatField(allow_null=True))
    cells = serializers.DictField(
        child=CellSerializer(), help_text="What there is to say of a value, by its column."
    )
    meta = serializers.DictField(
        child=serializers.CharField(),
        required=False,
        help_text="The declared fields of the meta of the attempt; absent if the challenge declares"
        " none, or if they are hidden from you.",
    )
    attempts = serializers.IntegerField(
        min_value=0, allow_null=True, help_text="How many it has made; null: hidden from you."
    )
    reached_at = serializers.DateTimeField()


class RescoringSerializer(serializers.Serializer[Any]):
    """The progress of a rescore."""

    scoring_version = serializers.IntegerField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()


class BoardStateSerializer(serializers.Serializer[Any]):
    challenge = serializers.CharField()
    phase = serializers.CharField(help_text="The slug of the phase whose board this is.")
    frozen_since = serializers.DateTimeField(
        allow_null=True,
        help_text="If the board is frozen for you: attempts from then on do not count on it yet.",
    )
    shown = serializers.ChoiceField(
        choices=["all", "own", "none"], help_text="The rows that you may see."
    )
    version = serializers.IntegerField(
        help_text="Moves with each change of the board; 0 unless you see all rows."
    )
    scoring_version = serializers.IntegerField(help_text="The version that is shown.")
    newest_scoring_version = serializers.IntegerField()
    rescoring = RescoringSerializer(allow_null=True)
    editions = serializers.IntegerField(
        help_text="How many editions of the scorer, or of a metric, made the scores. 0: no plugin."
    )
    held = serializers.IntegerField(
        help_text="Attempts that wait for an organiser, as the scorer's code has changed."
    )
    updated_at = serializers.DateTimeField(allow_null=True)
    certainty = CertaintySerializer(
        allow_null=True,
        help_text="null: not computed yet, no ranked rows, or scores are rounded or hidden.",
    )
    total = serializers.IntegerField(
        allow_null=True, help_text="Participants on the whole board; null unless you see all rows."
    )
    ranked = serializers.IntegerField(
        allow_null=True, help_text="Those of them that have a rank; null unless you see all rows."
    )
    columns = ColumnSerializer(many=True)


@extend_schema_serializer(examples=[OpenApiExample("board", EXAMPLE, response_only=True)])
class BoardSerializer(BoardStateSerializer):
    """A page of a board."""

    rows = RowSerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="For `?cursor=`; null at the end.")


class StandingSerializer(RowSerializer, BoardStateSerializer):
    """One standing, and the rows directly above and below it."""

    above = RowSerializer(many=True)
    below = RowSerializer(many=True)
