"""What a reader of an attempt learns about its admission."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from leaderboard.languages.translation import translated
from leaderboard.models import Attempt, AttemptVerdict, Decision, EvidenceFile, RunFacts, User
from leaderboard.rules.admission.verdicts import Finding, of_json, shown_findings
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.ranking.places import NOT_COUNTING
from leaderboard.rules.rewards.runs import AttemptRun, SampleRun
from leaderboard.services.competition.decisions import decisions_about
from leaderboard.services.competition.participants.ownership import involved_in, is_own
from leaderboard.services.standing.disclosure import Tries, tries_of
from leaderboard.services.standing.judging import with_evidence
from leaderboard.services.standing.review import APPEALABLE, may_decide

Shows = Callable[[str], bool] | None


@dataclass(frozen=True)
class AdmissionReport:
    """What rules and people say of an attempt.

    verdict: "" without one. number: the revision of the rules. standing: why the attempt does not
    count, "" if it does. decides: whether the reader may decide about it. appealable: the decisions
    against which the reader may appeal. tries: how many attempts there were; None if the reader may
    not know.
    """

    verdict: str = ""
    number: int | None = None
    findings: Sequence[Finding] = ()
    decisions: Sequence[Decision] = ()
    standing: str = ""
    decides: bool = False
    is_own: bool = False
    appealable: frozenset[int] = frozenset()
    tries: Tries | None = None


def report_of(
    attempt: Attempt,
    reader: User | None,
    *,
    organiser: bool,
    is_hidden: bool,
    sees_attempts: bool,
    shows: Shows,
) -> AdmissionReport:
    """The report for a reader.

    organiser: whether the reader sees everything. is_hidden: whether the score is hidden from the
    reader; then findings and rulings are too, because they tell of passes. shows: as in
    `shown_findings`. sees_attempts: as of `tries_of`.
    """
    own = reader is not None and is_own(attempt, reader)
    if is_hidden and not organiser:
        standing = NOT_COUNTING[attempt.standing] if own else ""
        return AdmissionReport(standing=standing, is_own=own)
    stored = AttemptVerdict.objects.filter(pk=attempt.pk).select_related("condition_set").first()
    findings = [of_json(one) for one in stored.findings] if stored else []
    if not organiser:
        findings = [one._replace(other="") for one in findings]
    decisions = [
        decision
        for decision in decisions_about(attempt)
        if organiser or not decision.task or shows is None or shows(decision.task)
    ]
    appealed = {(one.after or {}).get("decision") for one in decisions if one.kind == "appealed"}
    undone = {decision.undoes_id for decision in decisions}
    appealable = frozenset(
        decision.pk
        for decision in decisions
        if own and decision.kind in APPEALABLE and decision.pk not in appealed | undone
    )
    return AdmissionReport(
        verdict=stored.verdict if stored else "",
        number=stored.condition_set.number if stored else None,
        findings=shown_findings(findings, None if organiser else shows),
        decisions=decisions,
        standing=NOT_COUNTING[attempt.standing],
        decides=may_decide(reader, attempt.challenge)
        and not (reader and involved_in(attempt.challenge, [attempt], reader)),
        is_own=own,
        appealable=appealable,
        tries=tries_of(attempt, is_own=own, organiser=organiser, sees_attempts=sees_attempts),
    )


def run_facts_of(
    attempt: UUID, shows: Shows
) -> tuple[AttemptRun, dict[tuple[str, int], SampleRun]]:
    """How an attempt and its samples were run; samples only of the tasks that the reader sees."""
    facts = RunFacts.objects.filter(pk=attempt).first()
    run, stated = facts.read() if facts else (AttemptRun(), {})
    samples = with_evidence(stated, EvidenceFile.objects.kinds_of([attempt]).get(attempt, {}))
    return run, {key: value for key, value in samples.items() if shows is None or shows(key[0])}


def finding_json(finding: Finding) -> JsonObject:
    """A finding for readers, in the active language."""
    return {
        "rule": finding.rule,
        "verdict": finding.verdict,
        "text": translated(finding.text),
        "samples": [{"task": task, "sample": number} for task, number in finding.samples],
        "count": finding.total,
        "other": finding.other,
    }
