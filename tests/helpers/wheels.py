"""A wheel of the product, and an empty environment in which it is installed."""

import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

from tests.processes import ROOT


def build_wheel(folder: Path) -> Path:
    """Build the wheel as a package index would have it: from the unpacked source distribution."""
    subprocess.run(_build("sdist", folder), cwd=ROOT, check=True, capture_output=True)
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extraction_filter = getattr(tarfile, "data_filter", None)  # new in Python 3.11.4
        file.extractall(folder / "source")
    [source] = (folder / "source").iterdir()
    subprocess.run(_build("wheel", folder), cwd=source, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """Install the wheel into a new environment with the dependencies of this one; return its
    programs.

    Nothing is downloaded: the environment of the tests has what the wheel depends on.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    programs = folder / "bin"
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet"]
    offline = ["--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*pip, *offline, str(wheel)], check=True)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs


def _build(target: str, folder: Path) -> list[str]:
    return [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        target,
        "--directory",
        str(folder),
    ]
