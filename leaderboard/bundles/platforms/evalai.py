"""EvalAI's challenges: `challenge_config.yaml`, in a zip of the challenge or of its repository."""

from __future__ import annotations

from typing import Final

from leaderboard.bundles.reading.columns import BundledColumn, set_columns
from leaderboard.bundles.reading.configuration import YamlPart, configuration
from leaderboard.bundles.reading.draft import Bundle, BundledProgram, BundleReader
from leaderboard.bundles.reading.files import BundleFiles
from leaderboard.bundles.reading.pages import as_markdown
from leaderboard.bundles.reading.programs import SECONDS, phase_fields
from leaderboard.bundles.reading.words import phase_name, phase_slug
from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.source import Source
from leaderboard.programs.reading.answers import value_name
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import message

SCRIPTS: Final = ("evaluation_script", "evaluation_script.zip")
ORGANISERS_ONLY: Final = 2
"""The highest `visibility` of a phase split that participants do not see."""
REFUSED: Final = {
    "remote_evaluation": message("This challenge is evaluated by workers of its own."),
    "is_docker_based": message("Submissions are Docker images, which cannot run here."),
    "is_static_dataset_code_upload": message("Submissions are Docker images."),
}
PAGES: Final = (
    "description",
    "evaluation_details",
    "submission_guidelines",
    "leaderboard_description",
)
NOT_HERE: Final = {
    "image": message("Challenges have no picture."),
    "tags": message("Challenges have no tags."),
    "domain": message("Challenges have no tags."),
    "published": message("It is a draft until you publish it."),
    "allowed_email_ids": message("Invite people on the page of registrations."),
    "blocked_email_domains": message("Approve registrations instead."),
    "is_submission_public": message("The phase says who may open attempts."),
    "allowed_submission_file_types": message("The program says what it accepts."),
    "disable_private_submission": message("Attempts are on the board if their phase shows them."),
    "forum_url": message("There is no forum; announcements reach everybody."),
    "queue": message("Workers of this server run the programs."),
}


def find(source: Source) -> str:
    """A `challenge_config.yaml` with challenge phases."""
    for path in source.named("challenge_config.yaml", "challenge_config.yml"):
        if not source.single and "challenge_phases" in configuration(source, path).value:
            return path
    return ""


def read(source: Source, path: str) -> Bundle:
    """The challenge. Raises ImportFailed."""
    return _Challenge(source, path).read()


class _Challenge:
    def __init__(self, source: Source, path: str) -> None:
        self.top = configuration(source, path)
        self.files = BundleFiles(source, path)
        self.bundle = Bundle("EvalAI", BundledProgram("evalai", seconds=SECONDS))
        self.slugs: list[str] = []

    def read(self) -> Bundle:
        for name, why in REFUSED.items():
            if self.top.is_true(name):
                raise ImportFailed(message("{key}: {why}", key=name, why=why), file=self.top.file)
        self._about()
        self.bundle.program.scoring = self._script()
        phases = [*self.top.objects("challenge_phases")]
        if not phases:
            raise ImportFailed(message("must have challenge phases"), file=self.top.file)
        self.bundle.fields["phases"] = [
            self._phase(number, phase) for number, phase in enumerate(phases)
        ]
        self._columns()
        self.bundle.program.splits = self._splits()
        self.bundle.leave_out(self.top.unused(), NOT_HERE)
        return self.bundle

    def _about(self) -> None:
        top, bundle = self.top, self.bundle
        bundle.fields |= {
            "name": top.text("title", 120) or "Challenge",
            "summary": top.text("short_description", 300),
            "scoring_strategy": "metric",
            "counting": "best",
        }
        texts = []
        for name in PAGES:
            if path := top.text(name, 2_000):
                text = as_markdown(self.files.text(path)) or as_markdown(path)
                texts.append(f"## {name.replace('_', ' ').capitalize()}\n\n{text}")
                bundle.differently(name, message("Became a section of the description."))
        bundle.fields["description"] = "\n\n".join(texts)[:50_000]
        if path := top.text("terms_and_conditions", 2_000):
            bundle.rules["terms"] = (as_markdown(self.files.text(path)) or path)[:50_000]
            bundle.taken("terms_and_conditions")
        domains = top.get("allowed_email_domains") or []
        if domains:
            bundle.rules |= {"mode": "domain", "domains": [str(domain) for domain in domains]}
            bundle.taken("allowed_email_domains")
        for name in ("title", "short_description"):
            if name in top.value:
                bundle.taken(name)
        if "start_date" in top.value or "end_date" in top.value:
            top.get("start_date"), top.get("end_date")
            bundle.differently("start_date", message("Phases have the dates."))

    def _script(self) -> str:
        for path in (self.top.text("evaluation_script"), *SCRIPTS):
            if path and (file := self.files.file(path.removesuffix(".zip"), "scoring_program")):
                self.bundle.taken("evaluation_script")
                return self.bundle.add(file)
        raise ImportFailed(
            message("must hold the evaluation script, a folder evaluation_script or its zip"),
            file=self.top.file,
        )

    def _phase(self, number: int, phase: YamlPart) -> JsonObject:
        name = phase_name(phase.text("name", 120), number + 1)
        codename = phase.text("codename", 80)
        slug = phase_slug(codename or name, number + 1, self.slugs)
        self._take_truth(phase, slug, codename)
        self._take_meta_fields(phase)
        for key in (
            "id",
            "description",
            "is_public",
            "is_active",
            "is_partial_submission_evaluation_enabled",
        ):
            phase.get(key)
        self.bundle.taken(phase.path)
        return {
            **phase_fields(
                phase,
                self.bundle,
                (slug, name),
                phase.moment("start_date"),
                phase.moment("end_date"),
            ),
            "overlaps": True,
            **({} if phase.is_true("leaderboard_public", True) else {"board": "organisers"}),
        }

    def _take_truth(self, phase: YamlPart, slug: str, codename: str) -> None:
        """The truth and the codename of a phase, as far as they are its own."""
        path = phase.text("test_annotation_file")
        file = self.files.file(path, "truth") if path else None
        if file is None:
            raise phase.wrong(
                "test_annotation_file", message("must be a file of the bundle; add it")
            )
        digest = self.bundle.add(file)
        program = self.bundle.program
        own = {"codename": codename} if codename and codename != slug else {}
        if own:
            self.bundle.differently(
                phase.key("codename"), message("Its address here: {slug}", slug=slug)
            )
        if not program.truth:
            program.truth = digest
        elif digest != program.truth:
            own["truth"] = digest
        if own:
            program.phases[slug] = own

    def _take_meta_fields(self, phase: YamlPart) -> None:
        fields = [*phase.objects("submission_meta_attributes")]
        if not fields:
            return
        self.bundle.fields["meta_fields"] = [
            {"name": field.text("name", 80) or f"field-{at}", "type": "text"}
            for at, field in enumerate(fields[:20], 1)
        ]
        for field in fields:
            field.used = {*field.value}
        self.bundle.differently(
            phase.key("submission_meta_attributes"),
            message("Became declared fields of meta, as texts."),
        )

    def _columns(self) -> None:
        boards = [*self.top.objects("leaderboard")]
        if not boards:
            raise ImportFailed(message("must have a leaderboard"), file=self.top.file)
        schema = boards[0].part("schema")
        about = schema.part("metadata")
        columns: list[BundledColumn] = []
        for label in schema.get("labels") or []:
            part = about.part(str(label))
            ascending = part.is_true("sort_ascending")
            part.get("description")
            columns.append(
                BundledColumn(value_name(str(label)), str(label), "asc" if ascending else "desc")
            )
        if not columns:
            raise schema.wrong("labels", message("must be a list of the metrics"))
        wanted = value_name(schema.text("default_order_by"))
        if wanted not in {column.key for column in columns}:
            self.bundle.differently(
                schema.key("default_order_by"), message("Ranks by the first of the labels.")
            )
        for other in boards[1:]:
            other.used = {*other.value}
            self.bundle.left_out(other.path, message("A challenge has one board."))
        boards[0].get("id")
        self.bundle.taken(schema.key("labels"))
        set_columns(self.bundle, columns, wanted)

    def _splits(self) -> dict[str, str]:
        """The splits that only organisers see are private."""
        codenames = {}
        for split in self.top.objects("dataset_splits"):
            codenames[str(split.get("id"))] = split.text("codename", 80) or split.text("name", 80)
            split.get("name")
        parts: dict[str, str] = {}
        for split in self.top.objects("challenge_phase_splits"):
            name = codenames.get(str(split.get("dataset_split_id")), "")
            visibility = split.whole("visibility")
            if visibility is not None and visibility <= ORGANISERS_ONLY and name:
                parts.setdefault(name, "private")
            elif name:
                parts[name] = "public"
            for key in (
                "challenge_phase_id",
                "leaderboard_id",
                "is_leaderboard_order_descending",
                "leaderboard_decimal_precision",
                "show_leaderboard_by_latest_submission",
                "show_execution_time",
            ):
                split.get(key)
            self.bundle.taken(split.path)
        return parts


READER = BundleReader(
    "evalai", message("EvalAI challenge"), message("challenge_config.yaml (EvalAI)"), find, read
)
