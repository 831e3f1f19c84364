from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.management.bars import bar
from leaderboard.management.failures import INTERRUPTED
from leaderboard.management.written import STANDARD, Written
from leaderboard.rules.rewards.output_documents import output_entry
from leaderboard.sandbox import SandboxError
from leaderboard.schemas.scoring import DEFAULT_TEXT_TIMEOUT_MS
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation.documents import (
    Answered,
    DocumentQuestion,
    answered,
    question_of,
)
from leaderboard.services.plugins.sandboxes import close_sandboxes
from leaderboard.services.plugins.text_metrics import is_usable, known_text_metrics


class Command(BaseCommand):
    help = "Evaluate a document of model outputs, without a database or a server."
    requires_system_checks = []
    requires_migrations_checks = False
    _drawn = (-1, 0)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("input", help="A HarpIA input document; - means the standard input.")
        parser.add_argument(
            "--output",
            default=STANDARD,
            help="The file for the scores; - means the standard output.",
        )
        parser.add_argument("--log", help="The file for the log, a line per instance and metric.")
        parser.add_argument(
            "--timeout-ms",
            type=int,
            default=DEFAULT_TEXT_TIMEOUT_MS,
            help="How long one metric may compute, over all instances.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["timeout_ms"] < 1:
            raise CommandError("--timeout-ms must be 1 or more")
        _check_names(options["input"], options["output"], options["log"])
        try:
            question = question_of(_read(options["input"]))
            with self._opened(options["output"]) as output, self._opened(options["log"]) as log:
                self._evaluate(question, options["timeout_ms"], output, log)
        except ServiceError as refused:
            raise CommandError("\n".join(_lines_of_error(refused))) from None
        except SandboxError as error:
            raise CommandError(f"text metrics are not available here: {error}") from None
        except KeyboardInterrupt:
            raise CommandError(f"{self._behind_bar()}interrupted", returncode=INTERRUPTED) from None
        finally:
            close_sandboxes()

    def _evaluate(self, question: DocumentQuestion, timeout_ms: int, output: Any, log: Any) -> None:
        entries = []
        for answered_document in answered(question, self._draw, timeout_ms=timeout_ms):
            entries.append(output_entry(answered_document.ended))
            self._tell_failure(answered_document)
            for piece in answered_document.lines if log is not None else ():
                log.write(piece)
        output.write(json.dumps(entries, ensure_ascii=False, indent=1) + "\n")

    def _tell_failure(self, answered_document: Answered) -> None:
        """Write the failure of a metric with the traceback, which is for the metric's author."""
        if (error := answered_document.ended.error) is not None:
            self.stderr.write(
                f"{self._behind_bar()}{answered_document.ended.given['id']}: {error['message']}"
            )
            if answered_document.detail:
                self.stderr.write(answered_document.detail, style_func=str)

    def _draw(self, done: int, total: int) -> None:
        """Draw a progress bar that stays in its line, only on a terminal."""
        if sys.stderr.isatty() and self._drawn != (done, total):
            self._drawn = done, total
            ends = "\n" if done == total else ""
            self.stderr.write(f"\r{bar(done, total)}", style_func=str, ending=ends)
            self.stderr.flush()

    def _behind_bar(self) -> str:
        """The text before a line, so that it does not continue the line of the bar."""
        return "\n" if sys.stderr.isatty() else ""

    def _opened(self, name: str | None) -> Any:
        """A context manager that gives the file to write to; None for no name."""
        return nullcontext() if name is None else Written(name, self.stdout)


def _check_names(document: str, output: str, log: str | None) -> None:
    """Raises CommandError if two of the files are the same, as one's contents would be lost."""
    if log == output == STANDARD:
        raise CommandError("--output and --log cannot both be the standard output")
    files: dict[object, str] = {}
    for what, name in (("the document", document), ("--output", output), ("--log", log)):
        path = Path(name or STANDARD).resolve()
        if name in (None, STANDARD) or (path.exists() and not path.is_file()):
            continue
        file = _identity(path)
        if file in files:
            raise CommandError(f"{files[file]} and {what} cannot both be {name}")
        files[file] = what


def _identity(path: Path) -> object:
    """The identity of a file, as one file may have several names."""
    if not path.exists():
        return path
    status = path.stat()
    return status.st_dev, status.st_ino


def _read(name: str) -> bytes:
    if name == STANDARD:
        if sys.stdin is None:
            raise CommandError("cannot read the standard input: it is closed")
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror}") from None


def _lines_of_error(refused: ServiceError) -> Iterator[str]:
    """A line for each wrong place; if a text metric is unknown, also the errors of broken ones."""
    for place, texts in refused.fields.items():
        yield f"{place}: {' '.join(texts)}"
    if any(place.startswith("metrics.") and place.endswith(".id") for place in refused.fields):
        for metric in known_text_metrics():
            if not is_usable(metric) and metric.error is not None:
                yield f"{metric.entrypoint}: {metric.error.message}"
                yield metric.error.detail
