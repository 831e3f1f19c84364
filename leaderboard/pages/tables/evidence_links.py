"""Links from samples to their evidence, of many samples at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from leaderboard.models import EvidenceFile

MOST: Final = 5000
"""The most links that one page reads."""


class EvidenceLink(NamedTuple):
    """A piece of evidence of a sample."""

    attempt: UUID
    task: str
    sample: int | None
    kind: str
    number: int
    url: str

    @property
    def html(self) -> SafeString:
        label = EvidenceFile.Kind(self.kind).label
        if self.url:
            link = '<a href="{}" rel="nofollow noopener noreferrer">{}</a>'
            return format_html(link, self.url, label)
        own = reverse("evidence-file", args=[self.attempt, self.number])
        return format_html('<a href="{}">{}</a>', own, label)


def links_in(files: QuerySet[EvidenceFile]) -> list[EvidenceLink]:
    """The links to some files, by one statement."""
    columns = ("attempt", "task", "sample", "kind", "pk", "url")
    return [EvidenceLink(*row) for row in files.values_list(*columns)[:MOST]]


def links_by_task(links: Iterable[EvidenceLink]) -> Mapping[str, SafeString]:
    """The links of each task of one attempt, as HTML, with the numbers of the samples."""
    by_task: dict[str, list[EvidenceLink]] = defaultdict(list)
    for link in links:
        if link.task:
            by_task[link.task].append(link)
    return {task: _html(of_task) for task, of_task in by_task.items()}


def links_of_task(attempts: Iterable[UUID], task: str) -> Mapping[UUID, SafeString]:
    """The links of one task of several attempts, whose samples the reader sees."""
    files = EvidenceFile.objects.filter(attempt__in=list(attempts), task=task)
    by_attempt: dict[UUID, list[EvidenceLink]] = defaultdict(list)
    for link in links_in(files.order_by("attempt", "sample", "pk")):
        by_attempt[link.attempt].append(link)
    return {attempt: _html(links) for attempt, links in by_attempt.items()}


def _html(links: Iterable[EvidenceLink]) -> SafeString:
    by_sample: dict[int | None, list[SafeString]] = defaultdict(list)
    for link in links:
        by_sample[link.sample].append(link.html)
    return format_html_join(" · ", "{}&nbsp;{}", _numbered(by_sample))


def _numbered(
    by_sample: Mapping[int | None, list[SafeString]],
) -> Iterator[tuple[int | None, SafeString]]:
    for sample, html in sorted(by_sample.items(), key=lambda item: item[0] or 0):
        yield sample, format_html_join(" ", "{}", ((one,) for one in html))
