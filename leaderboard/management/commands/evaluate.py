from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.management.bars import bar
from leaderboard.rules.output_documents import Ended, output_entry
from leaderboard.sandbox import SandboxError
from leaderboard.services.document_runs import Question, answered, question_of
from leaderboard.services.refused import Refused
from leaderboard.services.sandboxes import close_sandboxes
from leaderboard.services.text_fields import DEFAULT_TIMEOUT_MS

STANDARD = "-"


class Command(BaseCommand):
    help = "Evaluate a document of model outputs, without a database or a server."
    requires_system_checks = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("input", help="A HarpIA input document; - is the standard input.")
        parser.add_argument(
            "--output", default=STANDARD, help="Where the scores go; - is the standard output."
        )
        parser.add_argument("--log", help="Where a line for each instance and metric goes.")
        parser.add_argument(
            "--timeout-ms",
            type=int,
            default=DEFAULT_TIMEOUT_MS,
            help="How long one metric may compute, over all instances.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["timeout_ms"] < 1:
            raise CommandError("--timeout-ms must be 1 or more")
        if options["log"] == options["output"] == STANDARD:
            raise CommandError("--output and --log cannot both be the standard output")
        try:
            question = question_of(_read(options["input"]))
            with self._opened(options["output"]) as output, self._opened(options["log"]) as log:
                self._evaluate(question, options["timeout_ms"], output, log)
        except Refused as refused:
            raise CommandError(refused.message) from None
        except SandboxError as error:
            raise CommandError(f"no text metric can be asked here: {error}") from None
        finally:
            close_sandboxes()

    def _evaluate(self, question: Question, timeout_ms: int, output: Any, log: Any) -> None:
        entries = []
        for ended, lines in answered(question, self._draw, timeout_ms=timeout_ms):
            entries.append(output_entry(ended))
            self._tell_failure(ended)
            if log is not None:
                log.writelines(lines)
        output.write(json.dumps(entries, ensure_ascii=False, indent=1) + "\n")

    def _tell_failure(self, ended: Ended) -> None:
        if ended.error is not None:
            behind_bar = "\n" if sys.stderr.isatty() else ""
            self.stderr.write(f"{behind_bar}{ended.given['id']}: {ended.error['message']}")

    def _draw(self, done: int, total: int) -> None:
        """A bar that stays in its line, where somebody looks at it."""
        if sys.stderr.isatty():
            ends = "\n" if done == total else ""
            self.stderr.write(f"\r{bar(done, total)}", style_func=str, ending=ends)
            self.stderr.flush()

    def _opened(self, name: str | None) -> AbstractContextManager[Any]:
        """Something to write lines to; None for no name."""
        if name is None or name == STANDARD:
            return nullcontext(name and self.stdout)
        try:
            return open(name, "w", encoding="utf-8")
        except OSError as error:
            raise CommandError(f"cannot write {name}: {error.strerror}") from None


def _read(name: str) -> bytes:
    if name == STANDARD:
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror}") from None
