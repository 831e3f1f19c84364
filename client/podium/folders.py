"""A challenge as a folder of files that people edit and keep in a repository."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from podium.errors import WrongUse
from podium.yaml_files import read_yaml, yaml_text

SETTINGS: Final = "challenge.yaml"
LOCK: Final = ".podium.lock"
TASKS: Final = "tasks.jsonl"
REFERENCES: Final = "references.jsonl"
PAGES: Final = ("description", "goal")
TERMS: Final = "pages/terms.md"
ANNOUNCEMENTS: Final = "announcements"
SCRIPTS: Final = "scorers"
FILES: Final = "files"
TASKS_INSIDE: Final = 50
"""The most tasks that stand in challenge.yaml."""
ZIPPED_AT: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Lock:
    """What the folder was last read from, or written to. etag: of the challenge then."""

    server: str
    slug: str
    etag: str


def read_lock(folder: Path) -> Lock | None:
    """The lock of a folder; None if it was neither pulled nor pushed."""
    try:
        return Lock(**json.loads((folder / LOCK).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_lock(folder: Path, lock: Lock) -> None:
    """Remember what the folder is equal to."""
    (folder / LOCK).write_text(json.dumps(asdict(lock), indent=2) + "\n", "utf-8")


def slug_of(folder: Path) -> str:
    """The slug of the challenge, from challenge.yaml. Raises WrongUse."""
    slug = read_yaml(folder / SETTINGS).get("slug")
    if not isinstance(slug, str) or not slug:
        raise WrongUse(f"{SETTINGS}: slug: must be the last part of the address; got {slug!r}")
    return slug


def read_document(folder: Path) -> dict[str, Any]:
    """The challenge of a folder as the server takes it, without its references. Raises WrongUse."""
    document = read_yaml(folder / SETTINGS)
    document.pop("slug", None)
    for name in PAGES:
        _take(folder, f"pages/{name}.md", document, name)
    if (folder / TERMS).exists():
        rules = document.setdefault("registration", {})
        _take(folder, TERMS, rules, "terms")
    if (folder / TASKS).exists():
        if "tasks" in document:
            raise WrongUse(f"tasks: must be in {SETTINGS} or in {TASKS}; got both")
        document["tasks"] = list(_json_lines(folder / TASKS))
    if (folder / ANNOUNCEMENTS).is_dir():
        files = sorted((folder / ANNOUNCEMENTS).glob("*.md"))
        document["announcements"] = [_announcement(file) for file in files]
    for metric in document.get("metrics") or ():
        if isinstance(metric, dict) and _is_file(metric.get("script")):
            metric["script"] = _text(folder / metric["script"])
    return document


def write_document(
    folder: Path, slug: str, document: Mapping[str, Any], other_files: Mapping[str, bytes]
) -> None:
    """Make the files of a folder say what a document says. Files that say so already stay.

    other_files: its references and files, by their names.
    """
    files = {name: text.encode() for name, text in _files(slug, document)} | dict(other_files)
    folder.mkdir(parents=True, exist_ok=True)
    for name in _own_files(folder):
        if name not in files:
            (folder / name).unlink()
    for name, content in files.items():
        path = folder / name
        if path.exists() and _means(path, name, content):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def packed(folder: Path) -> bytes:
    """The zip file that the server takes. Raises WrongUse."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        document = json.dumps(read_document(folder), ensure_ascii=False)
        archive.writestr(zipfile.ZipInfo("challenge.json", ZIPPED_AT), document)
        if (folder / REFERENCES).exists():
            content = (folder / REFERENCES).read_bytes()
            archive.writestr(zipfile.ZipInfo(REFERENCES, ZIPPED_AT), content, zipfile.ZIP_DEFLATED)
        for path in [*_plugins(folder), *sorted((folder / FILES).glob("*/*"))]:
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), ZIPPED_AT)
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return file.getvalue()


def unpacked(content: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The document in a zip file of the server, and its other files by their names."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        document = json.loads(archive.read("challenge.json"))
        other_names = [name for name in archive.namelist() if _is_other(name)]
        return document, {name: archive.read(name) for name in other_names}


def _is_other(name: str) -> bool:
    """Whether a file of a zip file may be written into a folder."""
    parts = name.split("/")
    is_file = (len(parts) == 3 and parts[0] == FILES) or (len(parts) > 1 and parts[0] == SCRIPTS)
    return name == REFERENCES or (is_file and not {"", ".", ".."} & {*parts} and "\\" not in name)


def _files(slug: str, document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The names and texts of the files of a document."""
    settings: dict[str, Any] = {"slug": slug, **document}
    for name in PAGES:
        if settings.get(name):
            yield f"pages/{name}.md", settings.pop(name)
    if rules := settings.get("registration"):
        settings["registration"] = {key: rules[key] for key in rules if key != "terms"}
        if rules.get("terms"):
            yield TERMS, rules["terms"]
    if len(settings.get("tasks") or ()) > TASKS_INSIDE:
        lines = (json.dumps(task, ensure_ascii=False) for task in settings.pop("tasks"))
        yield TASKS, "".join(f"{line}\n" for line in lines)
    for number, row in enumerate(settings.pop("announcements", ()), start=1):
        yield f"{ANNOUNCEMENTS}/{number:03}.md", f"# {row['title']}\n\n{row.get('text', '')}"
    metrics = []
    for number, metric in enumerate(settings.get("metrics") or (), start=1):
        if isinstance(metric, dict) and isinstance(metric.get("script"), str):
            name = f"{SCRIPTS}/metric-{number}.py"
            yield name, metric["script"]
            metric = {**metric, "script": name}
        metrics.append(metric)
    if metrics:
        settings["metrics"] = metrics
    yield SETTINGS, yaml_text(settings)


def _plugins(folder: Path) -> list[Path]:
    """The plugins of a folder: what is in `scorers` beside the scripts of metrics."""
    metrics = read_yaml(folder / SETTINGS).get("metrics") or ()
    scripts = {metric.get("script") for metric in metrics if isinstance(metric, dict)}
    return [
        path for path in _scorer_files(folder) if path.relative_to(folder).as_posix() not in scripts
    ]


def _scorer_files(folder: Path) -> list[Path]:
    """The files in `scorers`, without those that Python and editors leave there."""
    files = (path for path in sorted((folder / SCRIPTS).rglob("*")) if path.is_file())
    return [
        path
        for path in files
        if not any(
            part.startswith(".") or part == "__pycache__" for part in path.relative_to(folder).parts
        )
    ]


def _own_files(folder: Path) -> list[str]:
    """The files of a folder that a document may have written."""
    patterns: tuple[str, ...] = (
        "pages/*.md",
        f"{ANNOUNCEMENTS}/*.md",
        f"{FILES}/*/*",
    )
    patterns += (TASKS, REFERENCES)
    paths = [path for pattern in patterns for path in folder.glob(pattern)]
    return [path.relative_to(folder).as_posix() for path in [*paths, *_scorer_files(folder)]]


def _means(path: Path, name: str, content: bytes) -> bool:
    """Whether a file says the same; of YAML, comments and order do not count."""
    if name != SETTINGS:
        return path.read_bytes() == content
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_bytes(content)
    try:
        return read_yaml(path) == read_yaml(temporary)
    except WrongUse:
        return False
    finally:
        temporary.unlink()


def _take(folder: Path, file: str, fields: dict[str, Any], name: str) -> None:
    """Take a field from its file, if there is one."""
    if not (folder / file).exists():
        return
    if fields.get(name):
        raise WrongUse(f"{name}: must be in {SETTINGS} or in {file}; got both")
    fields[name] = _text(folder / file)


def _announcement(file: Path) -> dict[str, str]:
    title, _, text = _text(file).partition("\n")
    if not title.startswith("# "):
        raise WrongUse(f"{file.name}: must begin with a line `# Title`; got {title[:80]!r}")
    return {"title": title[2:].strip(), "text": text.removeprefix("\n")}


def _json_lines(path: Path) -> Iterator[Any]:
    for number, line in enumerate(_text(path).splitlines(), start=1):
        try:
            if line.strip():
                yield json.loads(line)
        except ValueError as error:
            raise WrongUse(f"{path.name}: line {number}: must be JSON: {error}") from None


def _is_file(script: Any) -> bool:
    return isinstance(script, str) and re.fullmatch(rf"{SCRIPTS}/[\w.-]+\.py", script) is not None


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise WrongUse(f"{path}: {error}") from None
