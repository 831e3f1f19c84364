"""Read Python sources without running them: functions, signatures, imports, and what is refused."""

from __future__ import annotations

import ast
import itertools
import re
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from leaderboard.programs.reading.contract import ProgramRefused, ProgramSetting, ProgramSettingKind
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.python_sources import parsed

MAX_SOURCE: Final = 4 << 20
MAX_ABOUT: Final = 300
LEFT_OUT: Final = ("__MACOSX", ".git", "__pycache__")

_PYTHON_2 = re.compile(
    r"^\s*(print\s+[^(=\s]|exec\s+['\"]|except\s+[\w.]+\s*,\s*\w+\s*:|raise\s+\w+\s*,)",
    re.MULTILINE,
)


def sources(program: Path) -> Iterator[Path]:
    """The Python files of a program, the outermost first."""
    files = [
        path
        for path in program.rglob("*.py")
        if not set(LEFT_OUT) & set(path.relative_to(program).parts) and path.is_file()
    ]
    yield from sorted(files, key=lambda path: (len(path.parts), path.name, path))


def text_of(path: Path) -> str:
    """A source as text. Raises ProgramRefused."""
    if path.stat().st_size > MAX_SOURCE:
        raise ProgramRefused(
            message(
                "{file}: must have at most {most} MiB; got more",
                file=path.name,
                most=MAX_SOURCE >> 20,
            )
        )
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        return path.read_text(encoding="latin-1")


def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a source. Raises ProgramRefused, also for Python 2."""
    text = text_of(path)
    return _parsed(text, path.name)


@cache
def _parsed(text: str, name: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as invalid escapes, which are none of ours
            return parsed(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 0
        if _PYTHON_2.search(text):
            raise ProgramRefused(
                message(
                    "{file}, line {line}: must be Python 3; got a program written for Python 2. "
                    "Convert it, as the tool 2to3 does",
                    file=name,
                    line=line,
                )
            ) from None
        raise ProgramRefused(
            message(
                "{file}, line {line}: must be valid Python; got {error}",
                file=name,
                line=line,
                error=str(error),
            )
        ) from None


def function_in(path: Path, name: str) -> ast.FunctionDef | None:
    """A function at the top of a source, None if it has none. Raises ProgramRefused."""
    for node in tree_of(path).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    return None


def defines(path: Path, name: str) -> bool:
    """Whether a source has a function of this name, as far as it can be read."""
    try:
        return function_in(path, name) is not None
    except ProgramRefused:
        return f"def {name}(" in text_of(path)


def file_with(program: Path, function: str) -> Path | None:
    """The outermost source that has a function of this name."""
    return next((path for path in sources(program) if defines(path, function)), None)


def settings_of(function: ast.FunctionDef, skipped: int) -> tuple[ProgramSetting, ...]:
    """A setting for each parameter of a function after the first `skipped` ones."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    pairs = list(zip(positional, [*defaults, *arguments.defaults], strict=True))[skipped:]
    pairs += list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    text = ast.get_docstring(function) or ""
    return tuple(_setting(argument, default, text) for argument, default in pairs)


def _setting(argument: ast.arg, default: ast.expr | None, text: str) -> ProgramSetting:
    try:
        value = None if default is None else ast.literal_eval(default)
    except ValueError:
        value = None
    annotation = "" if argument.annotation is None else ast.unparse(argument.annotation)
    kind, about = _kind_of(annotation, value), _about(argument.arg, text)
    return ProgramSetting(argument.arg, kind, value, default is None, about)


def _about(name: str, docstring: str) -> str:
    """What a docstring says of a parameter, in the styles of Google, NumPy and Sphinx."""
    lines = docstring.splitlines()
    line = re.compile(rf"\s*(?::param\s+(?:\w+\s+)?)?[-*`]*{name}`*(?:\s*\([^)]*\))?(\s*):(.*)")
    for at, text in enumerate(lines):
        if entry := line.fullmatch(text):
            deeper = re.compile(rf"\s{{{len(text) - len(text.lstrip()) + 1},}}\S.*")
            more = [piece.strip() for piece in itertools.takewhile(deeper.match, lines[at + 1 :])]
            # In the style of NumPy, a space and the type stand before an indented text.
            first = [] if more and entry[1] else [entry[2].strip()]
            return " ".join([*first, *more])[:MAX_ABOUT]
    return ""


def _kind_of(annotation: str, value: object) -> ProgramSettingKind:
    kinds: dict[str, ProgramSettingKind] = {
        "bool": "boolean",
        "int": "integer",
        "float": "number",
        "str": "text",
    }
    name = annotation.removeprefix("Optional[").partition("|")[0].strip(" ]")
    kind = kinds.get(name) or kinds.get(type(value).__name__, "json")
    # Whoever writes `beta=1` without a type may mean 0.5 too.
    return "number" if kind == "integer" and not name else kind


def is_within_app(program: Path) -> bool:
    """Whether a source names a path below `/app`."""
    return any(re.search(r"""['"]/app/""", text_of(path)) for path in sources(program))


def names_path(program: Path, name: str) -> bool:
    """Whether a source has a text with this name as a part of a path."""
    part = re.compile(rf"""['"/]{re.escape(name)}['"/]""")
    return any(part.search(text_of(path)) for path in sources(program))
