"""The packages that a program needs, found without running it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement

from leaderboard.programs.reading.contract import ProgramRefused
from leaderboard.programs.reading.gpus import needs_gpu, on_processors
from leaderboard.programs.reading.sources import sources, text_of, tree_of
from leaderboard.rules.texts.messages import listed, message

DISTRIBUTIONS: Final = {
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "cv2": "opencv-python-headless",
    "PIL": "pillow",
    "yaml": "PyYAML",
    "bs4": "beautifulsoup4",
    "Levenshtein": "levenshtein",
    "dateutil": "python-dateutil",
    "pycocotools": "pycocotools",
    "google": "protobuf",
    "attr": "attrs",
    "rouge_score": "rouge-score",
    "sentence_transformers": "sentence-transformers",
}
"""Names of distributions that differ from the name that is imported."""
OWN: Final = ("kaggle_metric_utilities", "evaluation_script")
SUBMITTED: Final = (
    *("submission", "model", "solution", "agent", "algorithm", "baseline", "classifier"),
    *("predictor", "program", "code-submission", "sample-code-submission", "my-model"),
)
"""Modules that ingestion programs import from the submission."""
OLD_NUMPY: Final = ("numpy==1.23.5", "scikit-learn==1.2.2", "pandas<2", "scipy<1.12")
"""The environment for programs that use names which NumPy removed in version 1.24."""

_OLD_NAMES: Final = re.compile(r"\bnp\.(float|int|bool|object)\b(?!_)")
_MAX_LINES = 200


def packages_of(program: Path) -> tuple[str, ...]:
    """The requirements of a program: those that it lists, and what its sources import or install.

    Raises ProgramRefused for a source that is no Python 3, or a requirement that names a place.
    """
    listed = {_key(text): text for text in _listed(program)}
    for path in sources(program):
        for name in _names_in(tree_of(path), program):
            listed.setdefault(_key(name), name)
    return tuple(listed[name] for name in sorted(listed))


def uses_old_numpy(program: Path) -> bool:
    """Whether a source uses `np.float` and its like, which NumPy 1.24 removed."""
    return any(_OLD_NAMES.search(text_of(path)) for path in sources(program))


def proposed(program: Path) -> tuple[str, ...]:
    """`packages_of`, with the versions of an old environment if the program needs one.

    Raises ProgramRefused if this Python has no such versions.
    """
    packages = packages_of(program)
    if not uses_old_numpy(program):
        return packages
    if sys.version_info >= (3, 12):
        raise ProgramRefused(
            message(
                "must not use np.float, np.int, np.bool or np.object, which NumPy 1.24 removed; "
                "an older NumPy needs Python 3.11, and this server has another one"
            )
        )
    old = {_key(text): text for text in OLD_NUMPY}
    return tuple(sorted({**{_key(text): text for text in packages}, **old}.values()))


def completed(packages: Iterable[str], further: Iterable[str]) -> tuple[str, ...]:
    """Requirements, and those of `further` whose packages they do not name."""
    by_name = {_key(text): text for text in further} | {_key(text): text for text in packages}
    return tuple(by_name[name] for name in sorted(by_name))


def without_submitted(packages: Iterable[str]) -> tuple[str, ...]:
    """Requirements without the usual names of what participants submit, which are no packages."""
    return tuple(text for text in packages if _key(text) not in SUBMITTED)


def checked_requirement(text: str) -> str:
    """What is wrong with a requirement; "" for a package of the index."""
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return message("must be a package by name and versions; got {got}", got=text[:80])
    if requirement.url:
        return message("must be a package of the index; got a place, {got}", got=text[:80])
    return ""


def missing(packages: Iterable[str]) -> tuple[str, ...]:
    """The requirements that the packages of this process do not fulfil."""
    return tuple(text for text in packages if not _is_installed(Requirement(text)))


def locked(packages: Iterable[str]) -> tuple[str, ...]:
    """The requirements with the versions that are installed in this process."""
    names = (Requirement(text).name for text in packages)
    return tuple(f"{name}=={version(name)}" for name in names)


def _is_installed(requirement: Requirement) -> bool:
    try:
        return requirement.specifier.contains(version(requirement.name), prereleases=True)
    except PackageNotFoundError:
        return False


def _key(text: str) -> str:
    return re.sub(r"[-_.]+", "-", Requirement(text).name).lower()


def _listed(program: Path) -> Iterator[str]:
    for path in sorted(program.glob("requirements*.txt")):
        for line in text_of(path).splitlines()[:_MAX_LINES]:
            text = line.partition("#")[0].strip()
            if not text or text.startswith("-"):
                continue
            if wrong := checked_requirement(text):
                raise ProgramRefused(listed((path.name, wrong), by=": "))
            try:
                package = on_processors(text)
            except ProgramRefused as refused:
                raise ProgramRefused(listed((path.name, refused.args[0]), by=": ")) from None
            if package:
                yield package


def _names_in(tree: ast.Module, program: Path) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _distribution(alias.name, program)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from _distribution(node.module, program)
        elif isinstance(node, ast.Call):
            yield from _installed_by(node)


def _distribution(module: str, program: Path) -> Iterator[str]:
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top in OWN or _is_local(top, program):
        return
    if needs_gpu(top):
        return
    yield DISTRIBUTIONS.get(top, top)


def _is_local(top: str, program: Path) -> bool:
    return any(
        path.stem == top or top in path.relative_to(program).parts[:-1] for path in sources(program)
    )


def _installed_by(call: ast.Call) -> Iterator[str]:
    """The packages of calls such as `install("x")` and `os.system("pip install x")`."""
    function = ast.unparse(call.func)
    texts = [node.value for node in ast.walk(call) if isinstance(node, ast.Constant)]
    words = [word for text in texts if isinstance(text, str) for word in text.split()]
    if "install" in words and any(word.endswith("pip") or "pip" in word for word in words):
        words = words[words.index("install") + 1 :]
    elif not function.rpartition(".")[2].startswith("install"):
        return
    for word in words:
        try:
            requirement = Requirement(word)
        except InvalidRequirement:
            continue
        if word != "sklearn" and not requirement.url:
            yield str(requirement)
        elif word == "sklearn":
            yield "scikit-learn"
