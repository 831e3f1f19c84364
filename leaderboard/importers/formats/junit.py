"""JUnit XML: `testsuites`, `testsuite` and `testcase`, as pytest, Maven and many others write it.

Each test case is a task with the reward `passed`: 1, or 0 if it has a failure. A case with an error
is a failed sample; a skipped case lacks the reward. Properties called `model` and `agent` may name
the tested system. Reports are read as a stream; a DOCTYPE is refused, so there are no entities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from hashlib import sha256
from typing import Final, NotRequired, TypedDict
from xml.parsers import expat

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.reading.harness import StatedValues
from leaderboard.importers.reading.json_place import MAX_NAME, JsonValue
from leaderboard.importers.reading.naming import failure
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import milliseconds, numbered, sample, spec
from leaderboard.importers.reading.sheets import head
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.tool import ToolRun, Upload, by_metrics, importer
from leaderboard.importers.tools.junit_times import has_decimal_commas, is_time, seconds_in
from leaderboard.rules.texts.messages import message

NAMES: Final = ("*.xml",)
PASSED: Final = "passed"
MAX_DEPTH: Final = 32
PROPERTIES: Final = ("model", "agent", "dataset", "version")
NOT_RUN: Final = frozenset({"notrun", "suppressed", "skipped", "disabled"})
"""What googletest and others write as the status or result of a case that they skipped."""
ROOTS: Final = ("testsuites", "testsuite")

_PROLOG = re.compile(r"\s*<\?xml[^>]{0,200}\?>")
_ROOT = re.compile(r"<(testsuites|testsuite)[\s>/]")


def recognises(source: Source) -> bool:
    """XML whose first element is one of test suites."""
    return any(_is_report(source, name) for name in source.named(*NAMES)[:20])


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run of all reports together; none without a test case."""
    source, warnings = upload.source, upload.warnings
    reports = [
        _Report(source, name).read()
        for name in source.named(*NAMES)
        if source.single or _is_report(source, name)
    ]
    cases = [case for report in reports for case in report.cases]
    commas, doubtful = has_decimal_commas(case["time"] for case in cases)
    samples = numbered(_sample(case, decimal_commas=commas) for case in cases)
    if doubtful:
        seconds = doubtful.replace(",", ".")
        warnings.append(
            message("time: {time} is read as {seconds} seconds", time=doubtful, seconds=seconds)
        )
    if not samples:
        return
    about: dict[str, str] = {}
    for report in reports:
        about = {**report.properties, **about}
    times = [report.time for report in reports if report.time]
    yield ToolRun(
        source.label,
        (sorted(about.items()), [report.stamp for report in reports], samples),
        {**about, "harness": "JUnit XML"},
        samples=samples,
        stated=_stated(reports, warnings),
        submitted_at=max(times, default=None),
    )


def _is_report(source: Source, name: str) -> bool:
    start = head(source, name)
    prolog = _PROLOG.match(start)
    start = (start[prolog.end() :] if prolog else start).lstrip()
    while start.startswith("<!--"):
        start = start.partition("-->")[2].lstrip()
    return _ROOT.match(start) is not None


class _Case(TypedDict):
    """A test case. time: seconds, as written. error: only of one with the result `error`."""

    task: str
    time: str
    result: NotRequired[str]
    error: NotRequired[str]


class _Report:
    """One file while it is read: its cases, and what its outermost suites count."""

    def __init__(self, source: Source, file: str) -> None:
        self._source, self._file = source, file
        self._parser = expat.ParserCreate()
        self._open: list[str] = []
        self._case: _Case | None = None
        self._suite = ""
        self.cases: list[_Case] = []
        self.properties: dict[str, str] = {}
        self.counts: list[dict[str, int]] = []
        self.time: datetime | None = None
        self.stamp = ""

    def read(self) -> _Report:
        """All of the file. Raises ImportFailed with the line."""
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse
        try:
            for piece in self._source.pieces(self._file):
                self._parser.Parse(piece, False)
            self._parser.Parse(b"", True)
        except ImportFailed:
            raise
        except expat.ExpatError as error:
            reason = expat.errors.messages.get(error.code, message("is malformed"))
            raise self._fail(
                message("must be XML; got a syntax error: {said}", said=reason), error.lineno
            ) from None
        except (ValueError, LookupError):
            raise self._fail(message("must have a known encoding; got another"), 1) from None
        return self

    def _refuse(self, *_: object) -> None:
        raise self._fail(message("must not have a DOCTYPE; got one"))

    def _fail(self, message: str, line: int = 0) -> ImportFailed:
        return ImportFailed(message, file=self._file, line=line or self._parser.CurrentLineNumber)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2].rpartition(":")[2]
        if not self._open and name not in ROOTS:
            raise self._fail(
                message("must begin with testsuites or testsuite; got {name!r}", name=legible(name))
            )
        if len(self._open) >= MAX_DEPTH:
            raise self._fail(
                message("must be nested at most {most} levels deep; got more", most=MAX_DEPTH)
            )
        within = self._open[-1] if self._open else ""
        self._open.append(name)
        begin: Callable[[dict[str, str], str], None] | None = {
            "testsuite": self._begin_suite,
            "testcase": self._begin_case,
            "property": self._take_property,
            "failure": self._take_result,
            "error": self._take_result,
            "skipped": self._take_result,
        }.get(name)
        if begin is not None:
            begin(attributes, within)

    def _end(self, tag: str) -> None:
        if self._open.pop() == "testcase" and self._case is not None:
            self.cases.append(self._case)
            self._case = None

    def _begin_suite(self, attributes: dict[str, str], within: str) -> None:
        self._suite = attributes.get("name", "")
        stamp = attributes.get("timestamp", "")
        self.stamp = max(self.stamp, stamp[:40])
        if stamp:
            moment = JsonValue(
                stamp, self._file, self._parser.CurrentLineNumber, ("timestamp",)
            ).moment()
            self.time = max(filter(None, (self.time, moment)), default=None)
        if within != "testsuite":
            self.counts.append(
                {
                    name: self._count(attributes[name], name)
                    for name in ("tests", "failures", "errors", "skipped")
                    if attributes.get(name)
                }
            )

    def _count(self, text: str, name: str) -> int:
        if not text.isdecimal() or len(text) > 12:
            raise self._fail(
                message(
                    "{name} must be a whole number; got {text!r}", name=name, text=legible(text)
                )
            )
        return int(text)

    def _begin_case(self, attributes: dict[str, str], within: str) -> None:
        if self._case:
            raise self._fail(message("must not have a test case within a test case; got one"))
        name = attributes.get("name", "")
        if not name:
            raise self._fail(message("must have a name for each test case; got one without"))
        group = attributes.get("classname") or self._suite
        self._case = {
            "task": _task(f"{group}.{name}" if group else name),
            "time": self._time(attributes.get("time", "").strip()),
        }
        if NOT_RUN & {attributes.get("status", ""), attributes.get("result", "")}:
            self._case["result"] = "skipped"

    def _time(self, text: str) -> str:
        """The text of a time, which all times of the upload then decide how to read."""
        if text and not is_time(text):
            raise self._fail(message("time must be seconds; got {text!r}", text=legible(text)))
        return text

    def _take_result(self, attributes: dict[str, str], within: str) -> None:
        """What happened to a case: an error counts more than a failure, and both than a skip."""
        if within != "testcase" or self._case is None:
            return
        kind = self._open[-1]
        order = ("skipped", "failure", "error")
        if kind == "error":
            self._case["error"] = failure(attributes.get("type", ""), attributes.get("message", ""))
        if order.index(kind) >= order.index(self._case.get("result", "skipped")):
            self._case["result"] = kind

    def _take_property(self, attributes: dict[str, str], within: str) -> None:
        name = attributes.get("name", "")
        text = JsonValue(attributes.get("value", ""), self._file).words()
        if text and name in PROPERTIES and "testcase" not in self._open:
            self.properties.setdefault(name, text)


def _task(name: str) -> str:
    """The name of a case as the name of a task; an unusable one is cut and gets a digest."""
    printable = "".join(character if character.isprintable() else " " for character in name).strip()
    if printable == name and len(name) <= MAX_NAME:
        return name
    digest = sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{printable[: MAX_NAME - 9]} {digest}".strip()


def _sample(case: _Case, *, decimal_commas: bool) -> SampleRow:
    seconds = seconds_in(case["time"], decimal_commas=decimal_commas)
    usage: dict[str, float | int | None] = {"elapsed_ms": milliseconds(seconds)}
    result = case.get("result", PASSED)
    if result == "error":
        return sample(case["task"], None, usage, case.get("error", ""))
    if result == "skipped":
        return sample(case["task"], {}, {})
    return sample(case["task"], {PASSED: float(result == PASSED)}, usage)


def _stated(reports: list[_Report], warnings: list[str]) -> StatedValues:
    """The share of passed cases by the counts of the suites, where they are complete."""
    counts = [count for report in reports for count in report.counts]
    tests, failures, errors, skipped = (
        sum(count.get(name, 0) for count in counts)
        for name in ("tests", "failures", "errors", "skipped")
    )
    here = sum(len(report.cases) for report in reports)
    stated = StatedValues()
    if not counts or not all("tests" in count for count in counts):
        return stated
    if tests != here:
        warnings.append(
            message(
                "the suites announce {tests} test cases; {here} are here", tests=tests, here=here
            )
        )
        return stated
    run, passed = tests - skipped, tests - skipped - failures - errors
    if run > 0 and passed >= 0:
        stated.add(spec("mean", PASSED), passed / run)
    return stated


IMPORTER = importer(
    "junit",
    message("JUnit XML"),
    message("reports of test cases as XML"),
    recognises,
    runs,
    missing=message("must contain a test case; got a file without any"),
    suggests=by_metrics(lambda attempts: [spec("mean", PASSED)], (PASSED,)),
)
