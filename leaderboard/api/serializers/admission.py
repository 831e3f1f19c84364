from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.languages.translation import translated
from leaderboard.models import Attempt, ConditionSet, Decision
from leaderboard.rules.admission.verdicts import VERDICTS
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.ranking.places import NOT_COUNTING
from leaderboard.services.standing.condition_sets import rules_in_words, rules_of


class RulesSerializer(serializers.Serializer[Any]):
    """The rules of admission of a challenge. `number` is null as long as there are none."""

    number = serializers.IntegerField(allow_null=True, help_text="The revision of the rules.")
    rules = serializers.ListField(child=serializers.DictField())
    words = serializers.ListField(child=serializers.CharField(), help_text="Each rule in words.")
    since = serializers.DateTimeField(
        allow_null=True, help_text="Only attempts that arrived from then on are judged."
    )
    judging = serializers.BooleanField(help_text="Whether earlier attempts are still being judged.")


class TrialSerializer(serializers.Serializer[Any]):
    """What other rules would mean for the attempts that stand on the boards."""

    judged = serializers.IntegerField(help_text="The first ones of the board, 500 at most.")
    total = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="By verdict.")
    losing = serializers.ListField(
        child=serializers.UUIDField(), help_text="Ranked now, and would not count."
    )


class RulesOrTrialSerializer(RulesSerializer):
    """The rules; in a dry run also what they would mean."""

    trial = TrialSerializer(allow_null=True, help_text="Only in a dry run.")


class SamplePlaceSerializer(serializers.Serializer[Any]):
    task = serializers.CharField()
    sample = serializers.IntegerField(allow_null=True, help_text="Null: the whole task.")


class FindingSerializer(serializers.Serializer[Any]):
    """What a rule has to say against an attempt."""

    rule = serializers.CharField()
    verdict = serializers.ChoiceField(choices=[*VERDICTS, ""])
    text = serializers.CharField()
    samples = SamplePlaceSerializer(many=True, help_text="The first 20.")
    count = serializers.IntegerField(help_text="Of samples.")
    other = serializers.CharField(
        allow_blank=True, help_text="For organisers: the other attempt that it is about."
    )


class AttemptDecisionSerializer(serializers.Serializer[Any]):
    """A decision about an attempt or its participant."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=Decision.Kind.values)
    at = serializers.DateTimeField()
    by = serializers.CharField(allow_blank=True, help_text="The user name of who decided.")
    reason = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True, help_text="For organisers.")
    task = serializers.CharField(allow_blank=True)
    sample = serializers.IntegerField(allow_null=True)
    undoes = serializers.IntegerField(allow_null=True)
    before = serializers.DictField(allow_null=True, help_text="Numbers before the decision.")
    after = serializers.DictField(allow_null=True, help_text="Numbers after the decision.")


class LineVerdictSerializer(serializers.Serializer[Any]):
    """What the rules say of one attempt of many."""

    line = serializers.IntegerField(min_value=1, help_text="Counted from 1.")
    verdict = serializers.ChoiceField(choices=VERDICTS)
    findings = FindingSerializer(many=True)


class TriesSerializer(serializers.Serializer[Any]):
    """The attempts of the participant in the phase, withdrawn and failed ones included."""

    before = serializers.IntegerField(help_text="Those that arrived before this one.")
    total = serializers.IntegerField()
    withdrawn = serializers.IntegerField()
    first_look = serializers.BooleanField(help_text="Whether this one is the first.")


class AdmissionSerializer(serializers.Serializer[Any]):
    """What rules and people say of an attempt, and how it was run, as its files say."""

    verdict = serializers.ChoiceField(choices=[*VERDICTS, ""])
    rules = serializers.IntegerField(allow_null=True, help_text="The revision of the rules.")
    standing = serializers.ChoiceField(
        choices=NOT_COUNTING, help_text="Why it does not count; empty if it does."
    )
    findings = FindingSerializer(many=True)
    decisions = AttemptDecisionSerializer(many=True)
    tries = TriesSerializer(allow_null=True, help_text="Null: not for you.")
    run = serializers.DictField()
    samples = serializers.ListField(
        child=serializers.DictField(), help_text="How each sample was run, 1 000 at most."
    )


class QueueEntrySerializer(serializers.Serializer[Any]):
    attempt = serializers.UUIDField()
    participant = serializers.CharField()
    submitted_at = serializers.DateTimeField()
    verdict = serializers.ChoiceField(choices=[*VERDICTS, ""])
    rules = serializers.ListField(child=serializers.CharField(), help_text="Those not met.")
    new_evidence = serializers.IntegerField(
        help_text="Files and links that came after it was returned."
    )


class ReviewQueueSerializer(serializers.Serializer[Any]):
    """The attempts that wait for a review, the oldest first, and appeals without an answer."""

    waiting = serializers.IntegerField()
    attempts = QueueEntrySerializer(many=True, help_text="The first 100.")
    appeals = AttemptDecisionSerializer(many=True)


class AcceptedSerializer(serializers.Serializer[Any]):
    accepted = serializers.IntegerField()


def rules_json(condition_set: ConditionSet | None) -> FrameworkDict:
    """What `RulesSerializer` describes."""
    if condition_set is None:
        return {"number": None, "rules": [], "words": [], "since": None, "judging": False}
    return {
        "number": condition_set.number,
        "rules": condition_set.rules,
        "words": [translated(text) for text in rules_in_words(rules_of(condition_set.pk))],
        "since": condition_set.since,
        "judging": not condition_set.is_judged,
    }


def decision_json(decision: Decision, *, organiser: bool, with_numbers: bool) -> JsonObject:
    """What `AttemptDecisionSerializer` describes.

    organiser: whether the note is shown. with_numbers: whether values before and after are.
    """
    return {
        "id": decision.pk,
        "kind": decision.kind,
        "at": decision.at.isoformat(),
        "by": decision.by.get_username() if decision.by else "",
        "reason": decision.reason,
        "note": decision.note if organiser else "",
        "task": decision.task,
        "sample": decision.sample,
        "undoes": decision.undoes_id,
        "before": decision.before if with_numbers else None,
        "after": decision.after if with_numbers else None,
    }


def queue_entry_json(attempt: Attempt, new_evidence: int) -> JsonObject:
    """What `QueueEntrySerializer` describes. The attempt has its verdict selected."""
    verdict = getattr(attempt, "verdict", None)
    return {
        "attempt": str(attempt.pk),
        "participant": attempt.participant.shown_name,
        "submitted_at": attempt.submitted_at.isoformat(),
        "verdict": verdict.verdict if verdict else "",
        "rules": [finding["rule"] for finding in verdict.findings] if verdict else [],
        "new_evidence": new_evidence,
    }
