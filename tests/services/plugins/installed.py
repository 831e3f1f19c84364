"""Packages of plugins that are installed into an environment of their own."""

from __future__ import annotations

import tempfile
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.scorers.test_readme import Checkout


@contextmanager
def installed_package(
    package: str, pyproject: str, modules: Mapping[str, str]
) -> Iterator[Checkout]:
    """Yield a checkout whose environment has a package with these modules, by their names."""
    with tempfile.TemporaryDirectory(prefix="podium-packages-") as name:
        Path(name).chmod(0o755)
        checkout = Checkout(Path(name))
        checkout.write("plugins/pyproject.toml", pyproject)
        for module, text in {"__init__": "", **modules}.items():
            checkout.write(f"plugins/{package}/{module}.py", textwrap.dedent(text))
        checkout.install(checkout.folder / "plugins")
        yield checkout
