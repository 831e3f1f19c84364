"""Small faults to plant in source code: one operator, constant, comparison or call at a time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "+",
    ast.BitOr: "&",
    ast.BitAnd: "|",
}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Mutant(NamedTuple):
    """A module with one fault: `text` replaces the source from `start` to `end`.

    start, end: offsets in bytes of the UTF-8 source. line: where the fault is, counted from 1.
    """

    path: str
    line: int
    start: int
    end: int
    before: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before!r} becomes {self.text!r}"

    def source(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]


def mutants(path: str, source: bytes) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines.

    Only code within functions is changed: tests that execute a line of it can be told. Docstrings,
    annotations, texts for people and f-strings are left alone.
    """
    return sorted(set(_Module(path, source).mutants()))


class _Module:
    def __init__(self, path: str, source: bytes) -> None:
        self.path, self.source = path, source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def mutants(self) -> Iterator[Mutant]:
        for node in ast.walk(ast.parse(self.source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for statement in node.body:
                    yield from self._within(statement)

    def _within(self, node: ast.AST) -> Iterator[Mutant]:
        yield from self._of(node)
        for child in _executed_parts(node):
            yield from self._within(child)

    def _of(self, node: ast.AST) -> Iterator[Mutant]:
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                yield from self._between(left, right, COMPARISONS.get(type(operator)))
            case ast.BinOp(left=left, op=operator, right=right):
                yield from self._between(left, right, OPERATORS.get(type(operator)))
            case ast.BoolOp(op=operator, values=[first, second, *_]):
                other = "or" if isinstance(operator, ast.And) else "and"
                yield from self._between(first, second, other)
            case ast.If(test=test) | ast.IfExp(test=test):
                yield self._replaced(test, f"not ({self._text(test)})")
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self._replaced(node, f"({self._text(operand)})")
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                yield self._replaced(value, "None")
            case ast.Constant(value=value):
                yield from self._of_constant(node, value)
            case ast.Call() | ast.Expr(value=ast.Call()):
                yield from self._of_call(node)

    def _of_constant(self, node: ast.Constant, value: object) -> Iterator[Mutant]:
        if isinstance(value, bool):
            yield self._replaced(node, str(not value))
        elif isinstance(value, int | float):
            yield self._replaced(node, repr(value + 1))

    def _of_call(self, node: ast.Call | ast.Expr) -> Iterator[Mutant]:
        """Leave out a call whose result is not used; take the other one of `min` and `max`."""
        if isinstance(node, ast.Expr):
            yield self._replaced(node, "None")
        elif isinstance(node.func, ast.Name) and node.func.id in CALLS:
            yield self._replaced(node.func, CALLS[node.func.id])

    def _between(self, left: ast.expr, right: ast.expr, text: str | None) -> Iterator[Mutant]:
        """Replace the operator between two operands, with the brackets and spaces around it."""
        start, end = self._end(left), self._start(right)
        between = self.source[start:end].decode()
        operator = between.strip("() \n\t\\")
        if text and operator and "#" not in between:
            place = start + len(between.partition(operator)[0].encode())
            line = self.source[:place].count(b"\n") + 1
            stop = place + len(operator.encode())
            yield Mutant(self.path, line, place, stop, operator, text)

    def _replaced(self, node: ast.expr | ast.stmt, text: str) -> Mutant:
        start, end = self._start(node), self._end(node)
        return Mutant(self.path, node.lineno, start, end, self._text(node), text)

    def _text(self, node: ast.expr | ast.stmt) -> str:
        return self.source[self._start(node) : self._end(node)].decode()

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.starts[node.end_lineno - 1] + node.end_col_offset


def _executed_parts(node: ast.AST) -> Iterator[ast.AST]:
    """The children of a node, without annotations, f-strings and definitions."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(
                child, ast.JoinedStr | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
            ):
                yield child


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
