"""What participants submit to a challenge that evaluates outputs of models, as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from leaderboard.links import absolute
from leaderboard.models import Challenge
from leaderboard.pages import labels
from leaderboard.pages.access import is_reviewer
from leaderboard.pages.file_form import takes_outputs
from leaderboard.services.evaluation.instances import may_see_references
from leaderboard.services.imports.examples import instance_ids


@dataclass(frozen=True, slots=True)
class SubmissionHelp:
    """What participants submit.

    instances: the number of instances that the challenge has stored, as text; "" if participants
    submit them. shows_expected: whether the user may also download the references. lines: example
    outputs for the first instances, in the form of a file.
    """

    instances: str
    instances_url: str
    shows_expected: bool
    imports_url: str
    lines: str


_OUTPUTS = ("What the model answered.", ["An answer.", "Another; the best one counts."])


def _lines(challenge: Challenge) -> Iterator[str]:
    for key, output in zip(instance_ids(challenge.newest), _OUTPUTS, strict=False):
        yield json.dumps({"id": key, "actual-output": output}, ensure_ascii=False)


def submission_help(request: HttpRequest, challenge: Challenge) -> SubmissionHelp | None:
    """What participants submit; None for a challenge that does not evaluate outputs."""
    if not takes_outputs(challenge):
        return None
    references = challenge.newest.references
    return SubmissionHelp(
        instances=labels.count(references.instance_count, "instance") if references else "",
        instances_url=reverse("api:instances", args=[challenge.slug]),
        shows_expected=may_see_references(challenge, organiser=is_reviewer(request, challenge)),
        imports_url=absolute(request, reverse("api:imports", args=[challenge.slug])),
        lines="\n".join(_lines(challenge)) if references else "",
    )
