"""CodaLab's bundles: `competition.yaml`, version 1.5."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from leaderboard.bundles.reading.columns import BundledColumn, Operation, set_columns
from leaderboard.bundles.reading.configuration import YamlPart, configuration
from leaderboard.bundles.reading.draft import Bundle, BundledProgram, BundleReader
from leaderboard.bundles.reading.files import BundleFiles
from leaderboard.bundles.reading.pages import as_markdown
from leaderboard.bundles.reading.programs import (
    phase_fields,
    take_downloads,
    take_files,
    take_seconds,
    tell_of_migration,
)
from leaderboard.bundles.reading.words import phase_name, phase_slug
from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.source import Source
from leaderboard.programs.reading.answers import value_name
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import message

OPERATIONS: Final[dict[str, Operation]] = {"avg": "avg", "sum": "sum", "min": "min", "max": "max"}
NOT_HERE: Final = {
    "image": message("Challenges have no picture."),
    "admin_names": message("Name co-organisers on the page of people."),
    "color": message("Phases have no colour."),
    "competition_docker_image": message("Programs run in Podium's own sandbox, without Docker."),
    "enable_per_submission_metadata": message("Declared fields of meta say more; declare them."),
    "enable_detailed_results": message("Pages of results are for organisers."),
    "anonymous_leaderboard": message("Hide names in the settings of the phase."),
    "end_date": message("Phases have the dates."),
    "datasets": message("Upload what participants may download on the page of files."),
}


def find(source: Source) -> str:
    """`competition.yaml` without tasks, with a leaderboard or phases by number."""
    for path in source.named("competition.yaml", "competition.yml"):
        if path.count("/") <= 1 and not source.single:
            values = configuration(source, path).value
            if "tasks" not in values and "phases" in values:
                return path
    return ""


def read(source: Source, path: str) -> Bundle:
    """The competition. Raises ImportFailed."""
    return _Competition(source, path).read()


class _Competition:
    def __init__(self, source: Source, path: str) -> None:
        self.top = configuration(source, path)
        self.files = BundleFiles(source, path)
        self.bundle = Bundle("CodaLab", BundledProgram("codabench"))
        self.slugs: list[str] = []

    def read(self) -> Bundle:
        self._about()
        phases = sorted(
            self.top.objects("phases"), key=lambda phase: phase.whole("phasenumber") or 0
        )
        if not phases:
            raise ImportFailed(message("must have phases"), file=self.top.file)
        self._columns()
        starts = [phase.moment("start_date") for phase in phases]
        ends = [*starts[1:], self.top.moment("end_date")]
        self.bundle.fields["phases"] = [
            self._phase(number, phase, (starts[number], ends[number]))
            for number, phase in enumerate(phases)
        ]
        self.bundle.leave_out(self.top.unused(), NOT_HERE)
        return self.bundle

    def _about(self) -> None:
        top, bundle = self.top, self.bundle
        bundle.fields |= {
            "name": top.text("title", 120) or "Competition",
            "summary": top.text("description", 300),
            "scoring_strategy": "metric",
            "counting": "latest",
        }
        pages = top.part("html")
        texts = []
        for name in pages.value:
            text = as_markdown(self.files.text(pages.text(str(name))))
            if name == "terms":
                bundle.rules["terms"] = text[:50_000]
                bundle.taken("html.terms")
            else:
                texts.append(f"## {str(name).replace('_', ' ').capitalize()}\n\n{text}")
                bundle.differently(f"html.{name}", message("Became a section of the description."))
        bundle.fields["description"] = "\n\n".join(texts)[:50_000]
        if "has_registration" in top.value:
            asks = top.is_true("has_registration")
            bundle.rules["mode"] = "approval" if asks else "open"
            bundle.taken("has_registration")
        if top.is_true("force_submission_to_leaderboard"):
            bundle.taken("force_submission_to_leaderboard")
        for name in ("title", "description"):
            if name in top.value:
                bundle.taken(name)

    def _columns(self) -> None:
        board = self.top.part("leaderboard")
        columns: list[BundledColumn] = []
        for part in sorted(board.objects("columns"), key=lambda part: part.whole("rank") or 0):
            name = part.path.rpartition(".")[2]
            computed = part.part("computed")
            fields = computed.get("fields") or []
            if isinstance(fields, str):
                fields = [field.strip() for field in fields.split(",")]
            columns.append(
                BundledColumn(
                    value_name(name),
                    part.text("label", 60),
                    "asc" if part.text("sort") == "asc" else "desc",
                    part.whole("numeric_format"),
                    operation=OPERATIONS.get(computed.text("operation").lower()),
                    of=[value_name(str(field)) for field in fields],
                )
            )
            part.get("leaderboard"), part.get("column_group"), part.get("selection_default")
            self.bundle.taken(part.path)
        if not columns:
            raise ImportFailed(message("must have columns in its leaderboard"), file=self.top.file)
        boards = board.part("leaderboards").value
        board.parts[-1].used = {*boards}
        if len(boards) > 1:
            self.bundle.differently(
                "leaderboard.leaderboards", message("All columns are on the one board.")
            )
        if "column_groups" in board.value:
            self.bundle.left_out(
                "leaderboard.column_groups", message("Columns have no groups here.")
            )
            board.get("column_groups")
        set_columns(self.bundle, columns, columns[0].key)

    def _phase(
        self,
        number: int,
        phase: YamlPart,
        dates: tuple[datetime | None, datetime | None],
    ) -> JsonObject:
        name = phase_name(phase.text("label", 120), number + 1)
        slug = phase_slug(name, number + 1, self.slugs)
        take_files(phase, self.files, self.bundle, slug)
        take_downloads(phase, self.files, self.bundle, slug)
        take_seconds(phase, self.bundle)
        tell_of_migration(phase, self.bundle, "auto_migration")
        if phase.is_true("force_best_submission_to_leaderboard"):
            self.bundle.fields["counting"] = "best"
        for key in ("phasenumber", "description", "is_scoring_only"):
            phase.get(key)
        hides = phase.text("leaderboard_management_mode") == "hide_results"
        self.bundle.taken(phase.path)
        return {
            **phase_fields(phase, self.bundle, (slug, name), *dates),
            **({"scores": "hidden", "board": "organisers"} if hides else {}),
        }


READER = BundleReader(
    "codalab", message("CodaLab bundle"), message("competition.yaml (CodaLab)"), find, read
)
