"""A challenge, as Python programs use it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from podium.errors import Refused, Unreachable, WrongUse
from podium.http import Session
from podium.submissions import Kind, Submission, submission_of
from podium.uploads import LARGE, size_of, upload
from podium.waiting import Waiting

if TYPE_CHECKING:
    from podium.types import Attempt, Comparison, Gate, Import, Quota
    from podium.types import Challenge as ChallengeFields

WAITING: Final = ("queued", "scoring")
IDS_PER_REQUEST: Final = 100
READING: Final = ("waiting", "working")
"""The states of a large file that a worker still reads."""

Progress = Callable[[str, int, int], None]
"""A function `(step, done, total)` that shows how far a submission is."""


def _no_progress(what: str, done: int, total: int) -> None:
    """Show no progress."""


class Challenge:
    """A challenge at a server."""

    def __init__(self, session: Session, slug: str) -> None:
        self.session = session
        self.slug = slug
        self._path = f"challenges/{slug}/"

    def read(self) -> ChallengeFields:
        """Its settings, and how it is scored."""
        return cast("ChallengeFields", self.session.json("GET", self._path))

    def quota(self, phase: str = "") -> Quota:
        """The open phase, its limits, and how much of them is used."""
        return cast("Quota", self._get("quota/", {"phase": phase}))

    def attempts(self, *, most: int | None = None, **filters: str) -> list[Attempt]:
        """Attempts, the newest first: `participant=`, `status=`, `phase=`, `mine="1"`, `ids=`."""
        return list(self.session.pages(f"{self._path}attempts/", filters, most))

    def attempt(self, attempt_id: str) -> Attempt:
        """An attempt by its id."""
        return cast("Attempt", self.session.json("GET", f"attempts/{attempt_id}/"))

    def leaderboard(self, phase: str = "") -> list[dict[str, Any]]:
        """The rows of the board, the best first: rank, participant, and the values by column."""
        board = self._get("leaderboard.json", {"phase": phase})
        return [row_record(row) for row in board["rows"]]

    def leaderboard_frame(self, phase: str = "") -> Any:
        """The same as a data frame of pandas, which has to be installed."""
        from importlib import import_module

        return import_module("pandas").DataFrame(self.leaderboard(phase))

    def board_file(self, ending: str, phase: str = "") -> bytes:
        """The whole board as csv, json, jsonl, md or parquet."""
        path = f"{self._path}leaderboard.{ending}"
        return self.session.request("GET", path, params={"phase": phase}).content

    def events(self, after: int = 0) -> tuple[list[dict[str, Any]], int]:
        """The events after a number, the oldest first, and the number to ask with next."""
        answer = self._get("events/", {"after": str(after)})
        return answer["results"], answer["after"]

    def compare(self, first: str, second: str) -> Comparison:
        """Two attempts by their ids, on the tasks that both have."""
        query = {"first": first, "second": second}
        return cast("Comparison", self._get("compare/", query))

    def submit(
        self,
        source: str | Path | Mapping[str, Any] | None = None,
        *,
        kind: Kind | None = None,
        again: bool = False,
        dry_run: bool = False,
        wait: bool = False,
        timeout: float = 600.0,
        progress: Progress = _no_progress,
        **details: Any,
    ) -> list[Attempt]:
        """Submit a file, a folder or an attempt; the attempts that it makes.

        details: fields of the attempt: `participant`, `metrics`, `note`, `phase` and so on. The
        same submission again gives the same attempts, unless `again`. dry_run: check it, and keep
        nothing. wait: until they are scored or have failed. timeout: how many seconds to wait, also
        for a worker that reads a large file. Raises Refused, StillWaiting.
        """
        submission = submission_of(source, details, kind)
        if kind is None and submission.kind == "file" and self._reads_files():
            submission.kind = "predictions"
        switches = {"dry_run": "1"} if dry_run else {}
        waiting = Waiting(timeout)
        ids = self._sent(submission, switches, again, progress, waiting)
        if not isinstance(ids, list):
            return [cast("Attempt", ids)]
        if dry_run or not ids:
            return []
        return self._scored(ids, waiting, progress) if wait else self._by_ids(ids)

    def check(self, source: str | Path | Mapping[str, Any], **details: Any) -> list[Attempt]:
        """What `submit` would save, checked by the server. Raises Refused."""
        return self.submit(source, dry_run=True, **details)

    def gate(
        self,
        candidate: str | Path | Mapping[str, Any],
        baseline: str,
        *,
        require: str = "not-worse",
        margin: float | None = None,
        metric: str = "",
    ) -> Gate:
        """Whether a candidate is good enough beside a baseline; the server keeps nothing of it.

        candidate: as in `submit`, with samples of tasks. baseline: an attempt or a participant.
        require: `not-worse`, `non-inferior` with a margin, or `better`.
        """
        submission = submission_of(candidate, {}, None)
        query = {"baseline": baseline, "require": require, "metric": metric}
        if margin is not None:
            query["margin"] = str(margin)
        params = {name: value for name, value in query.items() if value}
        path = f"{self._path}gate/"
        if submission.kind == "attempt":
            return cast("Gate", self.session.json("POST", path, submission.body, params=params))
        if submission.file is None:
            raise WrongUse("candidate: must be one attempt or a result file of one agent.")
        files = {"file": (submission.file_name, submission.file)}
        return cast("Gate", self.session.json("POST", path, params=params, files=files))

    def wait_for(
        self, ids: Sequence[str], timeout: float = 600.0, progress: Progress = _no_progress
    ) -> list[Attempt]:
        """The attempts, once none waits to be scored. Raises StillWaiting after `timeout` s."""
        return self._scored(ids, Waiting(timeout), progress)

    def _scored(self, ids: Sequence[str], waiting: Waiting, progress: Progress) -> list[Attempt]:
        """The same. Asks for the first ones that wait: attempts are scored in their order."""
        left, ended = list(ids), dict[str, "Attempt"]()
        while left:
            asked, rest = left[:IDS_PER_REQUEST], left[IDS_PER_REQUEST:]
            answer = self._by_ids(asked)
            ended |= {
                attempt["id"]: attempt for attempt in answer if attempt["status"] not in WAITING
            }
            still = [pk for pk in asked if pk not in ended]
            left = still + rest
            progress("scored", len(ended), len(ids))
            if still:
                waiting.pause(f"{len(left)} of {len(ids)} attempts still wait to be scored.")
        return [ended[pk] for pk in ids]

    def _sent(
        self,
        submission: Submission,
        switches: Mapping[str, str],
        again: bool,
        progress: Progress,
        waiting: Waiting,
    ) -> list[str] | Mapping[str, Any]:
        """Send a submission: the ids of its attempts; in a dry run, the answer."""
        path = f"{self._path}attempts/"
        from uuid import uuid4

        key = submission.key(self.session.url, self.slug)
        headers = {"Idempotency-Key": uuid4().hex if again else key}
        match submission.kind:
            case "file":
                return self._import(submission, switches, progress, waiting)
            case "predictions":
                sent: dict[str, Any] = self._file(submission, progress)
                made = self.session.json("POST", path, params=switches, headers=headers, **sent)
                return made if switches else [made["id"]]
            case "attempts":
                headers["Content-Type"] = "application/x-ndjson"
                answer = self.session.json(
                    "POST",
                    f"{path}bulk/",
                    content=submission.lines,
                    params={**switches, "atomic": "1"},
                    headers=headers,
                )
                _check_lines(answer)
                return answer if switches else list(answer["attempts"])
        made = self.session.json("POST", path, submission.body, params=switches, headers=headers)
        return made if switches else [made["id"]]

    def _file(self, submission: Submission, progress: Progress) -> dict[str, Any]:
        """The body with a file; a large file is sent before, in pieces."""
        file = submission.file
        if file is None or size_of(file) <= LARGE:
            return _form(submission, progress)
        upload_id = upload(self.session, file, submission.file_name, progress)
        return {"body": {**submission.body, "file": upload_id}}

    def _import(
        self,
        submission: Submission,
        switches: Mapping[str, str],
        progress: Progress,
        waiting: Waiting,
    ) -> list[str] | Mapping[str, Any]:
        """Send a result file. A file whose results were sent before makes no attempts again."""
        fields = submission.body
        if unknown := fields.keys() - {"participant", "phase", "format"}:
            names = ", ".join(sorted(unknown))
            raise WrongUse(f"A result file says these itself, so leave them out: {names}")
        result = self.session.json(
            "POST",
            f"{self._path}imports/",
            params=switches,
            **_form(submission, progress),
        )
        if "state" in result:
            result = self._read_by_a_worker(result, waiting)
            return result if switches else list(result["ids"])
        made = cast("Import", result)
        return result if switches else [str(pk) for pk in made["attempts"]]

    def _read_by_a_worker(self, job: Mapping[str, Any], waiting: Waiting) -> Mapping[str, Any]:
        """The result of a file with many rows, once it is read."""
        while job["state"] in READING:
            waiting.pause(f"The file still waits to be read: {self.session.absolute(job['url'])}")
            job = self.session.json("GET", job["url"])
        if error := job["error"]:
            if error["code"] == "unavailable":
                raise Unreachable(error["message"])
            raise Refused(400, error["code"], error["message"], error["fields"])
        result: Mapping[str, Any] = job["result"]
        return result

    def _reads_files(self) -> bool:
        """Whether a file is an attempt here: predictions, or what a program runs on."""
        fields: Mapping[str, Any] = self.read()
        return bool(fields.get("prediction_metrics") or fields.get("program"))

    def _by_ids(self, ids: Sequence[str]) -> list[Attempt]:
        by_id: dict[str, Attempt] = {}
        for first in range(0, len(ids), IDS_PER_REQUEST):
            some = ids[first : first + IDS_PER_REQUEST]
            for attempt in self.attempts(ids=",".join(some)):
                by_id[attempt["id"]] = attempt
        return [by_id[pk] for pk in ids if pk in by_id]

    def _get(self, path: str, query: Mapping[str, str]) -> Any:
        params = {name: value for name, value in query.items() if value}
        return self.session.json("GET", f"{self._path}{path}", params=params)


def _form(submission: Submission, progress: Progress) -> dict[str, Any]:
    """The parts of a form with a file."""
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in submission.body.items()
    }
    return {
        "data": texts,
        "files": {"file": (submission.file_name, _Told(submission.file, progress))},
    }


class _Told:
    """A file that tells how much of it is read."""

    def __init__(self, file: Any, progress: Progress) -> None:
        self._file = file
        self._progress = progress
        self._total = file.seek(0, 2)
        file.seek(0)

    def read(self, size: int = -1) -> bytes:
        piece: bytes = self._file.read(size)
        self._progress("sent", self._file.tell(), self._total)
        return piece

    def seek(self, *where: int) -> int:
        return int(self._file.seek(*where))

    def tell(self) -> int:
        return int(self._file.tell())

    def __iter__(self) -> Iterator[bytes]:
        while piece := self.read(1 << 16):
            yield piece


def row_record(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a board as a flat record."""
    who = row["participant"]
    score = {} if row.get("score") is None else {"score": row["score"]}
    return {
        "rank": row["rank"],
        "participant": who["name"],
        "slug": who["slug"],
        **score,
        **row["values"],
        "attempts": row["attempts"],
        "attempt": row["attempt"],
    }


def _check_lines(answer: Mapping[str, Any]) -> None:
    """Raise Refused for the first wrong line; then none was saved."""
    rejected: Iterable[Mapping[str, Any]] = answer["rejected"]
    for line in rejected:
        error = line["error"]
        message = f"line {line['line']}: {error['message']}"
        raise Refused(400, error["code"], message, error["fields"])
