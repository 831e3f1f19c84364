"""Reads the texts of errors about fields from source code, without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
MARKS: Final = frozenset(
    {"message", "counted", "_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy"}
)
"""Functions whose first argument is a text for users; of a plural, the second as well."""
POSITIONS: Final[Mapping[str, int]] = {
    "invalid": 1,
    "wrong": 1,
    "WrongPart": 1,
    "WrongPlace": 1,
    "WrongParameter": 1,
    "add_error": 1,
    "ServiceError": 2,
    "ImportFailed": 0,
    "Unsafe": 0,
    "InvalidJSON": 0,
    "HeaderError": 0,
    "ValidationError": 0,
    "ValueError": 0,
    "InvalidEntrypoint": 0,
    "UnfitName": 0,
    "UnknownTextMetric": 0,
    "fail": -1,
}
"""Functions that make the error of a field or of a file, and which argument is its text.

That of a ServiceError is a dict of texts by field.
"""
REPEATING: Final[Mapping[str, int]] = {"invalid": 3, "with_sent": 2}
"""Functions that add what was sent if they have so many arguments, or the argument `got`."""
WRAPPING: Final = frozenset({"translated", "with_sent", "translated_lazy"})
"""Functions that return the text that they are given, perhaps with what was sent."""
YIELDING: Final = ("schemas/", "services/")
"""Where generators yield errors, as pairs of a path and a text."""
DEEP: Final = 6
"""How many variables and functions are followed from an error to its text."""


class ErrorText(NamedTuple):
    """A text as it is in the code, with placeholders. repeats: whether what was sent is added."""

    file: str
    line: int
    text: str
    repeats: bool


class Code:
    """The syntax trees of some files. sources: the text of each by its name."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.modules = [Module(self, file, source) for file, source in sources.items()]
        self._functions: dict[str, list[Module]] = {}
        for module in self.modules:
            for name in module.functions:
                self._functions.setdefault(name, []).append(module)

    def errors(self) -> Iterator[ErrorText]:
        """Yield each text of an error about a field."""
        for module in self.modules:
            yield from module.errors()

    def module_of(self, function: str) -> Module | None:
        """The only module that has a function of this name; None if there are several, or none."""
        found = self._functions.get(function, ())
        return found[0] if len(found) == 1 else None


class Module:
    """The syntax tree of a file."""

    def __init__(self, code: Code, file: str, source: str) -> None:
        self.code, self.file = code, file
        self.tree = ast.parse(source)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.functions: dict[str, ast.FunctionDef] = {}
        self.calls: list[ast.Call] = []
        self.yields: list[ast.Yield] = []
        for node in ast.walk(self.tree):
            self.parents.update((child, node) for child in ast.iter_child_nodes(node))
            match node:
                case ast.FunctionDef():
                    self.functions[node.name] = node
                case ast.Call():
                    self.calls.append(node)
                case ast.Yield():
                    self.yields.append(node)

    def errors(self) -> Iterator[ErrorText]:
        """Yield each text of an error about a field that the file makes."""
        for call in self.calls:
            argument = text_argument(call)
            if argument is not None:
                # `Part.fail` adds what was sent to a text that begins so.
                adds = ("must ",) if called(call) == "fail" and len(call.args) == 1 else ()
                yield from _with_sent(self.texts(argument, DEEP), adds, repeats=repeats(call))
        if self.file.startswith(YIELDING):
            for each in self.yields:
                if isinstance(each.value, ast.Tuple) and each.value.elts:
                    yield from self.texts(each.value.elts[-1], DEEP)

    def texts(self, node: ast.expr, deep: int) -> Iterator[ErrorText]:
        """Yield the marked texts that an expression can be."""
        if deep == 0:
            return
        if isinstance(node, ast.Call):
            yield from self._of_call(node, deep)
            return
        parts = list(self._parts(node))
        for part in parts:
            yield from self.texts(part, deep - isinstance(node, ast.Name))

    def _parts(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield the expressions that another one, which is no call, takes its texts from."""
        match node:
            case ast.Name():
                yield from self._values(node)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                yield from _assigned(self.tree, name)
            case ast.Dict(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
                yield from parts
            case ast.BoolOp(values=parts) | ast.JoinedStr(values=parts):
                yield from parts
            case ast.IfExp(body=part, orelse=other):
                yield from (part, other)
            case ast.DictComp(value=part) | ast.FormattedValue(value=part):
                yield part

    def _of_call(self, call: ast.Call, deep: int) -> Iterator[ErrorText]:
        name = called(call)
        if name in MARKS:
            several = 2 if name.startswith(("counted", "ngettext")) else 1
            for each in call.args[:several]:
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield ErrorText(self.file, each.lineno, each.value, "; got " in each.value)
        elif name in WRAPPING and call.args:
            yield from _with_sent(self.texts(call.args[0], deep), repeats=repeats(call))
        elif name == "format" and isinstance(call.func, ast.Attribute):
            yield from self.texts(call.func.value, deep)
        elif module := self if name in self.functions else self.code.module_of(name):
            for node in ast.walk(module.functions[name]):
                if isinstance(node, ast.Return) and node.value is not None:
                    yield from module.texts(node.value, deep - 1)

    def _values(self, name: ast.Name) -> Iterator[ast.expr]:
        """Yield what a variable can be: its last assignments before its use, or its arguments."""
        node: ast.AST = name
        while (around := self.parents.get(node)) is not None:
            test = around.test if isinstance(around, ast.If | ast.While) else None
            if test not in (None, node) and (found := list(_assigned(test, name.id))):
                yield from found
                return
            for before in _before(around, node):
                found = list(_assigned(before, name.id))
                yield from found
                if found and isinstance(before, ast.Assign):
                    return
            if isinstance(around, ast.FunctionDef) and around.name not in POSITIONS:
                yield from self._passed(around, name.id)
            node = around

    def _passed(self, function: ast.FunctionDef, parameter: str) -> Iterator[ast.expr]:
        """Yield what calls in the same file pass to a function as a parameter."""
        names = [each.arg for each in function.args.args if each.arg != "self"]
        if parameter not in names:
            return
        at = names.index(parameter)
        for call in self.calls:
            if called(call) == function.name:
                yield from call.args[at : at + 1]
                yield from (each.value for each in call.keywords if each.arg == parameter)


def read_code(folder: Path) -> Code:
    """The Python files of a folder, without migrations."""
    paths = [path for path in sorted(folder.rglob("*.py")) if "migrations" not in path.parts]
    return Code({path.relative_to(folder).as_posix(): path.read_text() for path in paths})


def called(call: ast.Call) -> str:
    """The name of a called function or method, "" if it has none."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def text_argument(call: ast.Call) -> ast.expr | None:
    """The text of the error that a call makes; None if it makes none about a field."""
    at = POSITIONS.get(called(call))
    if at is None:
        return None
    if -1 <= at < len(call.args) and call.args:
        return call.args[at]
    return next((each.value for each in call.keywords if each.arg == "fields"), None)


def repeats(call: ast.Call) -> bool:
    """Whether a call adds what was sent to the text that it is given."""
    least = REPEATING.get(called(call))
    if least is None:
        return False
    return len(call.args) >= least or any(each.arg == "got" for each in call.keywords)


def _with_sent(
    found: Iterable[ErrorText], beginnings: tuple[str, ...] = (), *, repeats: bool
) -> Iterator[ErrorText]:
    for each in found:
        adds = repeats or each.text.startswith(beginnings)
        yield each._replace(repeats=each.repeats or adds)


def _before(around: ast.AST, node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements before a statement in its block, the last one first."""
    for block in ("body", "orelse", "finalbody"):
        statements = getattr(around, block, None)
        if isinstance(statements, list) and node in statements:
            yield from reversed(statements[: statements.index(node)])


def _assigned(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """Yield what is assigned to a variable, or to an entry of it, inside a node."""
    for each in ast.walk(node):
        match each:
            case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                yield value
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=found))], value=value) if (
                found == name
            ):
                yield value
            case ast.AnnAssign(target=ast.Name(id=found), value=ast.expr() as value) if (
                found == name
            ):
                yield value
            case ast.NamedExpr(target=ast.Name(id=found), value=value) if found == name:
                yield value
