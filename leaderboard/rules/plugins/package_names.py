"""Names of installed packages, and of the folders with their metadata."""

import re


def standard_name(name: str) -> str:
    """The form of a package's name in which all its spellings are equal: `Some_Name` and
    `some.name` are `some-name`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_metadata(entry: str) -> bool:
    """Whether an entry of a folder with packages holds the metadata of one, by its name."""
    return entry.lower().endswith((".dist-info", ".egg-info"))


def package_of(metadata: str) -> str:
    """The name, in the standard form, of the package that an entry with metadata belongs to."""
    return standard_name(metadata.rpartition(".")[0].partition("-")[0])
