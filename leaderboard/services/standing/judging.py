"""Judge attempts by the rules of their challenge, and derive their standing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple, cast
from uuid import UUID

from django.db.models import Exists, OuterRef

from leaderboard.conditions import JudgedAttempt, judged, prints_needed
from leaderboard.models import (
    Attempt,
    AttemptVerdict,
    Challenge,
    ConditionSet,
    Decision,
    Evidence,
    EvidenceFile,
    InstanceBlock,
    RunFacts,
    SamplePrint,
)
from leaderboard.models.bulk import in_runs, insert_rows
from leaderboard.rules.admission.prints import Earlier, Owner, Print, PrintKind, prints_of
from leaderboard.rules.admission.rulings import excused, ruled, rulings_of
from leaderboard.rules.admission.standing import AttemptStanding, ReviewMode, standing_of
from leaderboard.rules.admission.verdicts import (
    AdmissionVerdict,
    Finding,
    SampleRef,
    of_json,
    worst,
)
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.rewards.runs import AttemptRun, SampleRun
from leaderboard.rules.rewards.samples import Sample
from leaderboard.services.standing.condition_sets import Rules, rules_of

AT_ONCE: Final = 500
"""Digests that one statement looks up."""
KINDS: Final[Mapping[PrintKind, SamplePrint.Kind]] = {
    "id": SamplePrint.Kind.ID,
    "result": SamplePrint.Kind.RESULT,
    "output": SamplePrint.Kind.OUTPUT,
    "pattern": SamplePrint.Kind.PATTERN,
}
DECIDED: Final = Decision.objects.filter(
    attempt=OuterRef("attempt"), kind__in=(*Decision.RULINGS, "returned"), undone_by=None
)


@dataclass(frozen=True)
class Case:
    """An attempt to judge. account: who submitted it. outputs: of a model, if it has any.
    excused: as of `JudgedAttempt`. submitted: the samples before any decision about them, if there
    are some; copies are recognised by these."""

    attempt: UUID
    participant: int
    account: int | None
    submitted_at: datetime | None
    samples: Sequence[Sample] = ()
    run: AttemptRun = field(default_factory=AttemptRun)
    meta: Mapping[str, str] = field(default_factory=dict)
    outputs: Iterable[Instance] = ()
    excused: Sequence[Sample] = ()
    submitted: Sequence[Sample] = ()

    @property
    def owner(self) -> Owner:
        return Owner(str(self.attempt), self.participant, self.account)


class Judgement(NamedTuple):
    """What the rules say of an attempt. verdict: None if no rule applies to it."""

    attempt: UUID
    verdict: AdmissionVerdict | None
    findings: Sequence[Finding] = ()
    prints: Sequence[Print] = ()

    def standing(self, review: str) -> AttemptStanding:
        """The standing of an attempt about which nothing is decided."""
        return standing_of(self.verdict or "ok", cast(ReviewMode, review), ())


class Judge:
    """Judges attempts of one challenge by one revision of its rules, in the order of arrival."""

    def __init__(
        self, challenge: Challenge, condition_set_id: int | None, tried: Rules | None = None
    ) -> None:
        """tried: rules that are no revision yet."""
        self._challenge = challenge
        self._rules = rules_of(condition_set_id) if tried is None else tried
        self._is_trial = tried is not None
        self._kinds = prints_needed(self._rules)
        self.condition_set_id = condition_set_id
        self._tasks = [task.name for task in challenge.newest.declared_tasks]

    def judge(self, cases: Sequence[Case], since: datetime | None = None) -> list[Judgement]:
        """What the rules say of some attempts. since: of those that arrived before, nothing."""
        if self.condition_set_id is None and not self._is_trial:
            return [Judgement(case.attempt, None) for case in cases]
        prints = [
            prints_of(case.submitted or case.samples, case.outputs, self._kinds) for case in cases
        ]
        earlier = self._earlier(prints)
        judgements = []
        for case, own in zip(cases, prints, strict=True):
            earlier_prints = _before(earlier, own, case.owner)
            attempt = JudgedAttempt(
                case.samples,
                case.excused,
                case.run,
                case.meta,
                self._tasks,
                _without_excused(own, case.excused),
                earlier_prints,
                case.owner,
            )
            if since and case.submitted_at and case.submitted_at < since:
                judgements.append(Judgement(case.attempt, None, (), own))
            else:
                findings = judged(self._rules, attempt)
                verdict = worst(finding.verdict for finding in findings)
                judgements.append(Judgement(case.attempt, verdict, findings, own))
            for one in own:
                earlier[one.kind, one.digest].append(case.owner)
        return judgements

    def _earlier(
        self, prints: Sequence[Sequence[Print]]
    ) -> dict[tuple[PrintKind, bytes], list[Owner]]:
        """The stored attempts that have some of these prints, the oldest first."""
        owners: dict[tuple[PrintKind, bytes], list[Owner]] = defaultdict(list)
        wanted = {(one.kind, one.digest) for own in prints for one in own}
        for kind in self._kinds:
            digests = sorted(digest for of, digest in wanted if of == kind)
            for some in in_runs(digests, lambda _digest: 1, AT_ONCE):
                rows = SamplePrint.objects.filter(
                    challenge=self._challenge, kind=KINDS[kind], digest__in=some
                ).order_by("attempt")
                columns = ("digest", "attempt", "attempt__participant", "attempt__submitted_by")
                prints_of_others = rows.values_list(*columns, Exists(DECIDED))
                for digest, attempt, participant, account, is_decided in prints_of_others:
                    owner = Owner(str(attempt), participant, account, is_decided)
                    owners[kind, bytes(digest)].append(owner)
        return owners


def _without_excused(prints: Sequence[Print], excused: Sequence[Sample]) -> Sequence[Print]:
    places = {SampleRef(sample.task, sample.sample) for sample in excused}
    return [one for one in prints if one.place not in places] if places else prints


def _before(
    earlier: Mapping[tuple[PrintKind, bytes], Sequence[Owner]], own: Sequence[Print], me: Owner
) -> Earlier:
    """Those that arrived before an attempt: ids of attempts grow with time."""
    return {
        (one.kind, one.digest): [
            owner for owner in earlier.get((one.kind, one.digest), ()) if owner.attempt < me.attempt
        ]
        for one in own
    }


def store_judgements(
    challenge: Challenge, condition_set_id: int | None, judgements: Sequence[Judgement]
) -> None:
    """Save the verdicts and the prints of attempts, which have none yet."""
    if condition_set_id is None:
        return
    insert_rows(
        AttemptVerdict,
        ("attempt_id", "condition_set_id", "verdict", "findings"),
        (
            (
                one.attempt,
                condition_set_id,
                one.verdict,
                [finding.as_json() for finding in one.findings],
            )
            for one in judgements
            if one.verdict is not None
        ),
    )
    insert_rows(
        SamplePrint,
        ("challenge_id", "kind", "digest", "attempt_id"),
        (
            (challenge.pk, KINDS[own.kind].value, own.digest, one.attempt)
            for one in judgements
            for own in one.prints
        ),
    )


def stored_judgement(attempt: UUID) -> Judgement:
    """What the rules last said of an attempt."""
    row = AttemptVerdict.objects.filter(pk=attempt).values_list("verdict", "findings").first()
    verdict, findings = row or (None, ())
    return Judgement(attempt, cast(AdmissionVerdict | None, verdict), list(map(of_json, findings)))


def stored_cases(attempts: Sequence[Attempt]) -> Iterator[Case]:
    """Attempts as they are stored, with the evidence that rules read."""
    ids = [attempt.pk for attempt in attempts]
    evidence = Evidence.objects.in_bulk(ids)
    facts = RunFacts.objects.in_bulk(ids)
    kept = EvidenceFile.objects.kinds_of(ids)
    for attempt in attempts:
        own, stored_facts = evidence.get(attempt.pk), facts.get(attempt.pk)
        run, runs = stored_facts.read() if stored_facts else (AttemptRun(), {})
        samples = [
            sample._replace(run=runs.get((sample.task, sample.sample)))
            for sample in (own.read() if own else ())
        ]
        submitted = with_kept(samples, kept.get(attempt.pk, {}))
        rulings = rulings_of(own.rulings if own else ())
        yield Case(
            attempt.pk,
            attempt.participant_id,
            attempt.submitted_by_id,
            attempt.submitted_at,
            ruled(submitted, rulings),
            run,
            attempt.meta,
            _outputs(attempt),
            excused(submitted, rulings),
            submitted,
        )


def with_kept(
    samples: Iterable[Sample], kept: Mapping[tuple[str, int], Sequence[str]]
) -> list[Sample]:
    """Samples whose runs name the kinds of evidence that are kept, whatever the submitter names.

    kept: the kinds by task and number.
    """
    with_runs = []
    for sample in samples:
        kinds = list(kept.get((sample.task, sample.sample), ()))
        if kinds != (sample.run or {}).get("evidence", []):
            sample = sample._replace(run={**(sample.run or {}), "evidence": kinds})
        with_runs.append(sample)
    return with_runs


def with_evidence(
    runs: Mapping[tuple[str, int], SampleRun], added: Mapping[tuple[str, int], Sequence[str]]
) -> Mapping[tuple[str, int], SampleRun]:
    """How samples were run, with the kinds of evidence that were added to them."""
    more = dict(runs)
    for key, kinds in added.items():
        run = more.get(key, SampleRun())
        stated = run.get("evidence", [])
        missing_kinds = [kind for kind in kinds if kind not in stated]
        more[key] = {**run, "evidence": [*stated, *missing_kinds]}
    return more


def _outputs(attempt: Attempt) -> Iterator[Instance]:
    if attempt.instance_count is None:
        return
    blocks = InstanceBlock.objects.filter(evaluation=attempt.pk).order_by("number")
    for block in blocks.iterator(chunk_size=4):
        yield from map(Instance.of, block.rows())


def since_of(condition_set_id: int | None) -> datetime | None:
    """From which moment on attempts are judged by a revision; None: all."""
    if condition_set_id is None:
        return None
    return ConditionSet.objects.values_list("since", flat=True).get(pk=condition_set_id)
