"""Codabench's bundles: `competition.yaml`, version 2."""

from __future__ import annotations

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

COUNTING: Final = {
    "Force_Best": "best",
    "Force_Last": "latest",
    "Force_Latest_Multiple": "all",
    "Add": "chosen",
    "Add_And_Delete": "chosen",
    "Add_And_Delete_Multiple": "chosen",
}
OPERATIONS: Final[dict[str, Operation]] = {"avg": "avg", "sum": "sum", "min": "min", "max": "max"}
NOT_HERE: Final = {
    "docker_image": message(
        "Programs run in Podium's own sandbox; the packages that they import are prepared."
    ),
    "queue": message("Workers of this server run the programs."),
    "reward": message("There is no field for it; say it in the description."),
    "contact_email": message("Organisers are found by their accounts."),
    "image": message("Challenges have no picture."),
    "enable_detailed_results": message(
        "Pages of results are for organisers until they publish them."
    ),
    "show_detailed_results_in_submission_panel": message("Pages of results are for organisers."),
    "show_detailed_results_in_leaderboard": message("Pages of results are for organisers."),
    "make_programs_available": message("Organisers publish files one by one."),
    "make_input_data_available": message("Organisers publish files one by one."),
    "forum_enabled": message("There is no forum; announcements reach everybody."),
    "auto_run_submissions": message("Every attempt is scored when it arrives."),
    "can_participants_make_submissions_public": message("The phase says who may open attempts."),
    "allow_robot_submissions": message("Tokens allow submissions by programs."),
    "whitelist": message("Invite people on the page of registrations."),
}


def find(source: Source) -> str:
    """`competition.yaml` that says version 2, or has tasks."""
    for path in source.named("competition.yaml", "competition.yml"):
        if path.count("/") <= 1 and not source.single:
            values = configuration(source, path)
            if "tasks" in values.value or str(values.value.get("version")) == "2":
                return path
    return ""


def read(source: Source, path: str) -> Bundle:
    """The competition. Raises ImportFailed."""
    return _Competition(source, path).read()


class _Competition:
    def __init__(self, source: Source, path: str) -> None:
        self.top = configuration(source, path)
        self.files = BundleFiles(source, path)
        self.bundle = Bundle("Codabench", BundledProgram("codabench"))
        self.slugs: list[str] = []

    def read(self) -> Bundle:
        self._about()
        tasks = {str(task.get("index")): task for task in self.top.objects("tasks")}
        phases = [*self.top.objects("phases")]
        if not tasks or not phases:
            raise ImportFailed(message("must have tasks and phases"), file=self.top.file)
        self._columns()
        self.bundle.fields["phases"] = [
            self._phase(number, phase, tasks) for number, phase in enumerate(phases)
        ]
        self._sample()
        self._rest()
        return self.bundle

    def _about(self) -> None:
        top, bundle = self.top, self.bundle
        bundle.fields |= {
            "name": top.text("title", 120) or "Competition",
            "summary": top.text("description", 300),
            "scoring_strategy": "metric",
        }
        texts = []
        for number, page in enumerate(top.objects("pages")):
            text = as_markdown(self.files.text(page.text("file")))
            texts.append(f"## {page.text('title', 80)}\n\n{text}")
            bundle.differently(f"pages.{number}", message("Became a section of the description."))
        bundle.fields["description"] = "\n\n".join(texts)[:50_000]
        if terms := top.text("terms"):
            bundle.rules["terms"] = as_markdown(self.files.text(terms))[:50_000]
            bundle.taken("terms")
        if "registration_auto_approve" in top.value:
            is_open = top.is_true("registration_auto_approve")
            bundle.rules["mode"] = "open" if is_open else "approval"
            bundle.taken("registration_auto_approve")
        for name in ("title", "description"):
            if name in top.value:
                bundle.taken(name)
        if "version" in top.value:
            top.get("version")
            bundle.taken("version")
        self._fact_sheet()

    def _fact_sheet(self) -> None:
        fields = []
        for sheet in self.top.objects("fact_sheet"):
            name = sheet.text("title", 80) or sheet.text("key", 80) or sheet.path.rpartition(".")[2]
            fields.append({"name": name[:80], "type": "text"})
            for other in ("type", "selection", "is_required", "is_on_leaderboard", "key"):
                sheet.get(other)
        if fields:
            self.bundle.fields["meta_fields"] = fields[:20]
            self.bundle.differently(
                "fact_sheet", message("Became declared fields of meta, as texts.")
            )

    def _columns(self) -> None:
        boards = [*self.top.objects("leaderboards"), *self.top.objects("leaderboard")]
        if not boards:
            raise ImportFailed(message("must have a leaderboard"), file=self.top.file)
        board, bundle = boards[0], self.bundle
        for other in boards[1:]:
            bundle.left_out(
                other.path, message("A challenge has one board; columns of others are missing.")
            )
            other.used = {*other.value}
        columns: list[BundledColumn] = []
        by_index: dict[str, str] = {}
        parts = sorted(board.objects("columns"), key=lambda part: part.whole("index") or 0)
        for part in parts:
            key = value_name(part.text("key") or part.text("title") or "score")
            by_index[str(part.get("index"))] = key
            columns.append(
                BundledColumn(
                    key,
                    part.text("title", 60),
                    "asc" if part.text("sorting") == "asc" else "desc",
                    part.whole("precision"),
                    is_hidden=part.is_true("hidden"),
                    operation=OPERATIONS.get(part.text("computation").lower()),
                    of=[str(index) for index in part.get("computation_indexes") or []],
                )
            )
            bundle.taken(part.path)
        for column in columns:
            column.of = [by_index[index] for index in column.of if index in by_index]
        if not columns:
            raise ImportFailed(message("must have columns in its leaderboard"), file=self.top.file)
        rule = board.text("submission_rule")
        bundle.fields["counting"] = COUNTING.get(rule, "latest")
        if rule:
            bundle.differently(
                board.key("submission_rule"),
                message("Counts: {counting}.", counting=bundle.fields["counting"]),
            )
        for name in ("title", "key", "primary_index"):
            if name in board.value:
                bundle.taken(board.key(name))
        primary = by_index.get(str(board.get("primary_index")), "")
        board.get("title"), board.get("key")
        set_columns(bundle, columns, primary)

    def _phase(self, number: int, phase: YamlPart, tasks: dict[str, YamlPart]) -> JsonObject:
        name = phase_name(phase.text("name", 120), number + 1)
        slug = phase_slug(name, number + 1, self.slugs)
        indices = [str(index) for index in phase.get("tasks") or []]
        if len(indices) > 1:
            raise ImportFailed(
                message(
                    "{key}: must name one task; split the phase, or let one program score all",
                    key=phase.key("tasks"),
                ),
                file=phase.file,
            )
        if not indices or indices[0] not in tasks:
            raise phase.wrong("tasks", message("must name a task of this bundle"))
        task = tasks[indices[0]]
        if task.is_true("ingestion_only_during_scoring"):
            raise task.wrong(
                "ingestion_only_during_scoring",
                message("must be false, because code is run before it is scored"),
            )
        take_files(task, self.files, self.bundle, slug)
        for key in ("name", "description", "is_public", "ingestion_only_during_scoring", "key"):
            task.get(key)
        take_downloads(phase, self.files, self.bundle, slug)
        take_seconds(phase, self.bundle)
        for key in ("hide_output", "hide_prediction_output", "hide_score_output"):
            if phase.get(key):
                self.bundle.differently(
                    phase.key(key), message("Organisers decide what of it they publish.")
                )
        tell_of_migration(phase, self.bundle, "auto_migrate_to_this_phase")
        self.bundle.taken(task.path)
        self.bundle.taken(phase.path)
        return phase_fields(
            phase, self.bundle, (slug, name), phase.moment("start"), phase.moment("end")
        )

    def _sample(self) -> None:
        for solution in self.top.objects("solutions"):
            for name in ("index", "tasks", "name", "description", "md5"):
                solution.get(name)
            file = self.files.file(solution.text("path"), "sample_submission")
            if file is None:
                self.bundle.left_out(solution.path, message("The bundle has no such file."))
            elif self.bundle.sample is None:
                self.bundle.sample = file
                self.bundle.taken(solution.path)
            else:
                self.bundle.left_out(
                    solution.path, message("One sample attempt is made, of the first.")
                )

    def _rest(self) -> None:
        for phase in self.top.parts:
            phase.get("index"), phase.get("description")
        self.bundle.leave_out(self.top.unused(), NOT_HERE)


READER = BundleReader(
    "codabench", message("Codabench bundle"), message("competition.yaml (Codabench)"), find, read
)
