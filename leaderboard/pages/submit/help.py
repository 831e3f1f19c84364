"""What participants submit to a challenge that evaluates outputs of models, as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from leaderboard.models import Challenge
from leaderboard.pages.labels import row_labels
from leaderboard.pages.shared.access import is_reviewer
from leaderboard.pages.submit.example import ExampleFile, example_name, upload_example
from leaderboard.pages.submit.file_form import takes_outputs
from leaderboard.services.evaluation.instances import may_see_references
from leaderboard.services.imports.examples import DOCUMENT, instance_ids, written


@dataclass(frozen=True, slots=True)
class SubmissionHelp:
    """What participants submit.

    instances: the number of instances that the challenge has stored, as text; "" if participants
    submit them. shows_expected: whether the user may also download the references. lines: an
    example file, of outputs for the first instances or of instances with outputs. command: submits
    a file.
    """

    instances: str
    instances_url: str
    shows_expected: bool
    lines: str
    command: str


_OUTPUT = "What the model answered."
_OUTPUTS = ["An answer.", "Another; the best one counts."]


def _lines(challenge: Challenge) -> Iterator[str]:
    """The first two outputs; the second one is a list where the challenge allows several."""
    several = _OUTPUTS if challenge.newest.outputs_per_instance > 1 else _OUTPUT
    for key, output in zip(instance_ids(challenge.newest), (_OUTPUT, several), strict=False):
        yield json.dumps({"id": key, "actual-output": output}, ensure_ascii=False)


def _document(participant: str) -> str:
    """A document of one instance; it names the participant, so that no two are the same results."""
    return written({"participant": participant, **DOCUMENT})


def submission_help(
    request: HttpRequest, challenge: Challenge, token: str = ""
) -> SubmissionHelp | None:
    """What participants submit; None for a challenge that does not evaluate outputs.

    token: the text of a token for the command.
    """
    if not takes_outputs(challenge):
        return None
    references = challenge.newest.references
    participant = example_name(request, challenge)
    lines = "\n".join(_lines(challenge)) if references else _document(participant)
    file = ExampleFile("outputs.jsonl" if references else "evaluation.json", lines)
    return SubmissionHelp(
        instances=row_labels.count(references.instance_count, "instance") if references else "",
        instances_url=reverse("api:instances", args=[challenge.slug]),
        shows_expected=may_see_references(challenge, organiser=is_reviewer(request, challenge)),
        lines=lines,
        command=upload_example(request, challenge, file, token),
    )
