"""The files that a configuration names: as they are, or folders as zips."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Iterator
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from leaderboard.bundles.reading.draft import BundledFile
from leaderboard.importers.reading.source import Source

IGNORED = ("__MACOSX/", ".git/", "__pycache__/", ".DS_Store")
PAGES = 200_000


class BundleFiles:
    """The files of an upload by their paths beside the configuration."""

    def __init__(self, source: Source, configuration: str) -> None:
        self._source = source
        self._folder = configuration.rpartition("/")[0]

    def text(self, path: str) -> str:
        """The text of a page; "" if there is no such file."""
        name = self._place(path)
        if name not in self._source:
            return ""
        return self._source.read(name).decode("utf-8", "replace").replace("\0", "")[:PAGES]

    def file(self, path: str, role: str, phase: str = "") -> BundledFile | None:
        """A file, or a folder as a zip; None if the bundle has neither.

        A folder may stand for the zip of its name, and the other way round: authors zip folders
        only when they upload a bundle. Such a zip may hold the folder itself.
        """
        name = self._place(path)
        for place in filter(None, (name, f"{name}.zip", name.removesuffix(".zip"))):
            if place in self._source:
                content = self._source.read(place)
                return BundledFile(role, posixpath.basename(place), content, phase)
            if inside := sorted(self._within(place)):
                root = posixpath.dirname(place) if name.endswith(".zip") else place
                zip_name = f"{posixpath.basename(place)}.zip"
                return BundledFile(role, zip_name, self._zipped(root, inside), phase)
        return None

    def _place(self, path: str) -> str:
        """Where a path of the configuration leads; paths that lead outside lead nowhere."""
        place = posixpath.normpath(posixpath.join(self._folder, path.strip().strip("/")))
        return "" if place.startswith("..") else place.removeprefix("./")

    def _within(self, folder: str) -> Iterator[str]:
        for name in self._source.names:
            if name.startswith(f"{folder}/") and not any(part in name for part in IGNORED):
                yield name

    def _zipped(self, folder: str, names: list[str]) -> bytes:
        """The same files give the same bytes: the digest of a program is its identity."""
        buffer = io.BytesIO()
        with ZipFile(buffer, "w") as archive:
            for name in names:
                entry = ZipInfo(name.removeprefix(f"{folder}/" if folder else ""))
                entry.compress_type = ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, self._source.read(name))
        return buffer.getvalue()
