"""Descriptions of fields and parameters that say nothing of themselves, for the OpenAPI document.

A field describes itself by its `help_text`; here are those that mean the same in many places, and
those whose type cannot carry a text. The more specific of `Schema.field` and `field` is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from leaderboard.facts import known_facts
from leaderboard.rules.json.untyped_dicts import FrameworkDict

FIELDS: Final[Mapping[str, str]] = {
    "id": "Its id, which never changes.",
    "slug": "Its name in addresses.",
    "handle": "The name that the participant gave itself, or its alias.",
    "name": "Its name, as pages show it.",
    "label": "Its name on pages.",
    "title": "Its title, a line of text.",
    "text": "Its text.",
    "key": "The key of a column: a fact, a metric or a reported value.",
    "unit": "The unit of its values; empty for none.",
    "url": "Its address in the API.",
    "html_url": "The address of its page.",
    "results": "The items of this page.",
    "next": "The address or the cursor of the next page; null on the last one.",
    "code": "What went wrong, for programs.",
    "message": "What went wrong, in English.",
    "error": "Why there is no result; null if there is one.",
    "warnings": "Sentences about what was read differently from how it was written.",
    "rank": "The rank on the board of the phase, from 1 on; null without one.",
    "score": "The score; null without one.",
    "unranked": "Why the row has no rank; null for a ranked one.",
    "values": "The values of the columns, by key; null where there is none.",
    "reached_at": "When the attempt that counts arrived.",
    "participant": "The participant, by its handle.",
    "participant_slug": "The participant's name in addresses.",
    "challenge": "The slug of the challenge.",
    "delivery": "The id of a delivery.",
    "phase": "The slug of the phase.",
    "attempt": "The id of the attempt.",
    "kind": "A person, a team or a system.",
    "at": "When that was.",
    "created_at": "When it was made.",
    "updated_at": "When the board last changed.",
    "submitted_at": "When the attempt arrived.",
    "finished_at": "When a worker ended it; null while it waits.",
    "status": "How far it is.",
    "scoring_version": "The version of the rules of scoring.",
    "newest_scoring_version": "The newest version of the rules, which a rescore may be applying.",
    "rescoring": "The progress of a rescore; null without one.",
    "columns": "The columns of the board, those that it ranks by first.",
    "rows": "The rows, in their order.",
    "meta": "Short texts about the attempt, by name: its model, its code, anything.",
    "note": "A note of the participant about the attempt.",
    "metrics": "The numbers and metrics that the attempt reports, or that are computed.",
    "metric_values": "The values of metrics, by key.",
    "details": "What the scorer says of its score; null where the reader may not see it.",
    "raw_score": "What the scorer returned, before it was limited to 0 or more.",
    "duration_ms": "How long the scorer ran, in milliseconds.",
    "progress": "How many results of instances are computed; null unless it is being evaluated.",
    "held": "Why the attempt waits for an organiser; null unless it does.",
    "max_outputs": "How many outputs of an instance counted, of which the best one did; null if the"
    " attempt brings its own references or has no outputs.",
    "accepted": "How many are accepted.",
    "verdict": "What the rules of admission say of the attempt.",
    "findings": "What the rules have to say against the attempt.",
    "decisions": "What people decided, the oldest first.",
    "run": "How it was run, as its files or its submitter say.",
    "rule": "The kind of the rule.",
    "rules": "The rules of admission.",
    "waiting": "How many wait.",
    "appeals": "Appeals that nobody has answered.",
    "undoes": "The decision that it takes back; null for others.",
    "agent": "The name of the agent.",
    "agent_version": "The version of the agent.",
    "model": "The name of the model.",
    "provider": "Who serves the model.",
    "dataset": "What it was run on.",
    "tool_version": "The version of the tool that ran it.",
    "task_checksum": "An older kind of digest of the task.",
    "started_at": "When the run began.",
    "input": "Tokens that were sent to the model.",
    "output": "Tokens that the model answered.",
    "cache": "Tokens among the input that were cached.",
    "withdrawn": "When and why it was withdrawn; null unless it was.",
    "queue": "Its place in the queue; null unless it waits.",
    "annotations": "The notes of organisers that the reader may see.",
    "tasks": "The tasks.",
    "task": "The name of a task.",
    "sample": "The number of a sample of its task, from 0 on.",
    "samples": "The samples of tasks.",
    "rewards": "The names of rewards.",
    "stated": "The values that the file states, beside those that are computed here.",
    "instances": "The instances: what was asked, and what the model answered.",
    "done": "How many are done.",
    "total": "How many there are.",
    "installed": "Whether everything that it needs is installed.",
    "entrypoint": "Its class, as `module:Class`.",
    "config_schema": "A JSON Schema of its settings.",
    "defaults": "The default values of its settings.",
    "public_details": "Whether everybody may see the details of its scores.",
    "script": "The Python script of the metric, with its dependencies in a header (PEP 723).",
    "type": "The kind of metric.",
    "failed": "What a failed sample counts: `zero`, or `exclude` to leave it out.",
    "undefined": "What a reward counts that a task does not have: `exclude` or `zero`.",
    "direction": "The better end: `asc` if the smallest value is the best, `desc` for the largest.",
    "enable": "False leaves the metric out.",
    "parameters": "The metric's parameters, by name.",
    "reported": "Whether attempts may report the value, and whether such a value ranks.",
    "git_url": "The repository of the task.",
    "git_commit_id": "The commit of the repository.",
    "path": "Where the task is in its repository.",
    "standard_error": "The standard error of the value, over tasks or instances.",
    "value": "The value; null if there is none.",
    "username": "The name of a user account.",
    "role": "What the person may do.",
    "reason": "The reason, in a sentence.",
    "file": "The file.",
    "attempts": "The attempts.",
    "tenant": "The slug of the tenant that owns the challenge.",
    "description": "What it means, in a sentence.",
    "decimals": "How many decimals pages show.",
    "computed_at": "When a worker computed it.",
    "added_at": "When the person got the role.",
    "added_by": "Who gave the role.",
    "ids": "The first ones.",
    "more": "How many further ones there are.",
    "annotation": "The id of the note.",
    "number": "The `id` of the evidence.",
    "cursor": "Where the page begins: the `next` of the page before.",
    "limit": "The most items of a page.",
    "NewAttemptRequest.task_rewards": "The short form of samples with one reward: numbers by task.",
    "Annotation.public": "Whether everybody who sees the attempt may read the note.",
    "Advance.moved": "The participants whose attempts were moved.",
    "AttemptError.code": "Why there is no score, for programs.",
    "AttemptError.message": "Why there is no score, in English.",
    "Bulk.accepted": "How many attempts were saved.",
    "Bulk.rejected": "The lines that were refused, each with its errors.",
    "Bundle.report": "What became of each key of the bundle.",
    "ChallengeFile.sha256": "Its SHA-256, in hexadecimal.",
    "BoardParticipant.slug": "The participant's name in addresses.",
    "Checklist.points": "What a draft needs before it can be published.",
    "Checklist.sample": "The sample attempt and its score; null without one.",
    "CodeState.editions": "The versions of the plugins' code behind the scores.",
    "Edition.code": "The hash of the plugins' code.",
    "Edition.first_at": "When a score first came from this code.",
    "Grant.extra": "How many further attempts the participant has.",
    "Grant.given_at": "When an organiser gave them.",
    "Grant.until": "Until when they can be used; null until the end of the phase.",
    "Held.code": "Why the attempt waits, for programs.",
    "Held.message": "Why the attempt waits, in English.",
    "Holding.instances": "How many instances have references.",
    "Import.format": "The format that was recognised.",
    "Import.rows": "The attempts of the file, and what became of each.",
    "ImportJob.state": "How far the worker is.",
    "ImportJob.dry_run": "Whether nothing is saved.",
    "ImportRow.tasks": "How many tasks the attempt has.",
    "ImportRow.samples": "How many samples the attempt has.",
    "ImportRow.values": "The values that the attempt reports, by name.",
    "Limits.per_day": "The most attempts of a participant in a day.",
    "Limits.per_month": "The most attempts of a participant in a calendar month.",
    "Limits.per_week": "The most attempts of a participant in a week.",
    "Limits.total": "The most attempts of a participant in the phase.",
    "Limits.at_once": "The most attempts of a participant that wait or are scored at a time.",
    "Organiser.name": "The person's name, if it is known.",
    "ParticipantQuotas.quotas": "The participant's quota of each limit.",
    "Plugins.scorers": "The installed scorers.",
    "Plugins.metrics": "The installed metrics of rewards.",
    "Plugins.text_metrics": "The installed text metrics.",
    "Plugins.prediction_metrics": "The installed metrics of predictions.",
    "Plugins.importers": "The formats of result files.",
    "Point.state": "Whether the point is met.",
    "Quota.opens_at": "When the phase opens; null for no such date.",
    "Quota.closes_at": "When the phase closes; null for no such date.",
    "Quota.time_zone": "The time zone of its days and weeks.",
    "Quota.participants": "The quotas of each participant of the reader.",
    "QuotaState.quota": "The limit that this is about.",
    "Registration.answers": "The answers to the questions of the registration, by question.",
    "Registration.bracket": "The bracket; empty without one.",
    "Registration.decided_at": "When an organiser decided; null before that.",
    "Registration.disqualified_at": "When the participant was disqualified; null unless it is.",
    "Registration.appeal_answered_at": "When an organiser answered the appeal; null before that.",
    "Registration.appealed_at": "When the participant appealed; null unless it has.",
    "RegistrationRules.mode": "Who may register, and whether an organiser decides.",
    "RegistrationRules.domains": "Domains of addresses that may register; none for all.",
    "RegistrationRules.questions": "The questions that are asked.",
    "RegistrationRules.terms": "The terms, in Markdown; empty for none.",
    "RegistrationRules.terms_version": "Which version of the terms has to be accepted.",
    "RegistrationRules.brackets": "The brackets to choose from.",
    "RegistrationRules.bracket_choice": "Who chooses the bracket.",
    "RegistrationRules.smallest_team": "The fewest members of a team.",
    "RegistrationRules.largest_team": "The most members of a team.",
    "RegistrationRules.teams_fixed_at": "From when on teams cannot change; null for never.",
    "Registry.created": "The challenges that were made.",
    "Registry.updated": "The challenges that were changed.",
    "Row.participant": "The participant.",
    "Spelling.sent": "The spelling that was sent.",
    "Standing.above": "The rows above it, the nearest last.",
    "Standing.below": "The rows below it.",
    "Standing.participant": "The participant.",
    "Stated.name": "The name of the value in the file.",
    "Stated.stated": "The value in the file.",
    "TaskPage.tasks": "The tasks of this page.",
    "Team.members": "The people in the team.",
    "TeamLink.code": "The code to join with.",
    "TeamLink.expires_at": "Until when the code works.",
    "TeamMember.joined_at": "When the person joined.",
    "WaitingMember.answers": "Answers to the questions of the registration, by their keys.",
    "WaitingMember.joined_at": "When the person joined.",
    "UploadState.size": "The bytes of the whole file.",
    "Verification.by": "Who has checked the attempt.",
    "ErrorBody.error": "What is wrong with the request.",
}


def described(result: FrameworkDict, **_more: object) -> FrameworkDict:
    """The document with a description of each field and each parameter."""
    for name, schema in result["components"]["schemas"].items():
        _describe(name, schema)
    for operations in result["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                text = FIELDS.get(parameter["name"])
                if text and not parameter.get("description"):
                    parameter["description"] = text
    return result


def undescribed(result: FrameworkDict) -> Iterator[str]:
    """The fields and parameters without a description."""
    for name, schema in result["components"]["schemas"].items():
        for owner, field in _fields(schema):
            if owner[field] and not owner[field].get("description"):
                yield f"{name}.{field}"
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", ()):
                if not parameter.get("description"):
                    yield f"{method} {path} {parameter['name']}"


def _describe(name: str, schema: FrameworkDict) -> None:
    facts = {key: f"{fact.description}." for key, fact in known_facts().items()}
    for owner, field in _fields(schema):
        shape = owner[field]
        if not shape or shape.get("description"):
            continue
        text = FIELDS.get(f"{name}.{field}") or FIELDS.get(field) or facts.get(field)
        if name == "ReportedMetrics":
            text = facts.get(field, text)
        if text and "$ref" in shape:
            owner[field] = {"allOf": [shape], "description": text}
        elif text:
            shape["description"] = text


def _fields(schema: Any) -> Iterator[tuple[FrameworkDict, str]]:
    """The fields of a schema and of the objects in it: who has them, and their names."""
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties") or {}
    for field in list(properties):
        yield properties, field
        yield from _fields(properties[field])
    for key in ("items", "additionalProperties", "not"):
        yield from _fields(schema.get(key))
    for key in ("allOf", "oneOf", "anyOf"):
        for part in schema.get(key) or ():
            yield from _fields(part)
