"""Which small changes are made to a source file.

One mutant changes one place inside a function. Not changed, as no test should have to notice:

- docstrings, annotations, decorators, and whatever stands outside of functions,
- all within `raise`, f-strings and strings with a space in them: texts for people,
- `cast(...)` and the `strict` of `zip`, which only state what holds anyway.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

SWAPPED: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Break: ast.Continue,
    ast.Continue: ast.Break,
}
_PAIRS = (
    ("min", "max"),
    ("any", "all"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("zeros", "ones"),
    ("floor", "ceil"),
)
OPPOSITES = dict(_PAIRS) | {second: first for first, second in _PAIRS}
Functions = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, eq=False)
class Mutant:
    """One change of one place.

    Parameters
    ----------
    function
        The outermost function around it, as Python names it: `Class.method`.
    lines
        The lines of the statement that is changed; a test that runs none of them cannot notice.
    operator
        What kind of change.
    parent, field, index, old, new
        Where in the tree the change is, and the nodes before and after it.
    """

    function: str
    lines: range
    operator: str
    parent: ast.AST
    field: str
    index: int | None
    old: ast.AST
    new: ast.AST

    @property
    def change(self) -> str:
        """The change as text."""
        return f"{_text(self.old)}  ->  {_text(self.new)}"

    def put(self, node: ast.AST) -> None:
        """Put the new node, or the old one again, into the tree."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def mutants_of(tree: ast.Module) -> Iterator[Mutant]:
    """Yield the mutants of a module, in the order of the source."""
    for name, function in _functions(tree, ""):
        body = range(function.body[0].lineno, (function.end_lineno or 0) + 1)
        for field in ("defaults", "kw_defaults"):
            for index, default in enumerate(getattr(function.args, field)):
                if default is not None:
                    for operator, new in _of_constant(default):
                        yield Mutant(
                            name, body, f"default {operator}", function.args, field, index,
                            default, ast.copy_location(new, default),
                        )  # fmt: skip
        for index, statement in enumerate(function.body):
            yield from _of_node(function, "body", index, statement, name, body)


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Functions]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Functions):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")


def _of_node(
    parent: ast.AST, field: str, index: int | None, node: ast.AST, name: str, lines: range
) -> Iterator[Mutant]:
    if isinstance(node, ast.stmt):
        lines = _lines(node)
    for operator, new in _replacements(parent, node):
        ast.copy_location(new, node)
        ast.fix_missing_locations(new)
        yield Mutant(name, lines, operator, parent, field, index, node, new)
    if _is_text(node):
        return
    for child_field, value in ast.iter_fields(node):
        if child_field in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for child_index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                yield from _of_node(node, child_field, child_index, child, name, lines)


def _lines(statement: ast.stmt) -> range:
    """Return the lines of a statement, of a compound one those of its head."""
    body = getattr(statement, "body", None)
    end = (statement.end_lineno or statement.lineno) + 1
    return range(statement.lineno, max(body[0].lineno, statement.lineno + 1) if body else end)


def _is_text(node: ast.AST) -> bool:
    """Return whether nothing below the node is changed."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "cast"
    return isinstance(node, ast.Raise | ast.JoinedStr | ast.arg)


def _replacements(parent: ast.AST, node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Constant() if not isinstance(parent, ast.Expr | ast.keyword):
            yield from _of_constant(node)
        case ast.keyword(arg="strict"):
            pass
        case ast.keyword(value=ast.Constant() as value):
            yield from (
                (operator, ast.keyword(node.arg, ast.copy_location(new, value)))
                for operator, new in _of_constant(value)
            )
        case ast.Compare():
            for index, sign in enumerate(node.ops):
                signs = [*node.ops[:index], SWAPPED[type(sign)](), *node.ops[index + 1 :]]
                yield "comparison", ast.Compare(node.left, signs, node.comparators)
        case ast.BinOp() if type(node.op) in SWAPPED:
            yield "arithmetic", ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right)
        case ast.AugAssign():
            if type(node.op) in SWAPPED:
                new = SWAPPED[type(node.op)]()
                yield "arithmetic", ast.AugAssign(node.target, new, node.value)
            yield "assignment", ast.Assign([node.target], node.value)
        case ast.BoolOp():
            yield "boolean", ast.BoolOp(SWAPPED[type(node.op)](), node.values)
        case ast.UnaryOp(op=ast.Not() | ast.Invert() | ast.USub()):
            yield "sign", node.operand
        case ast.If() | ast.IfExp():
            yield "condition", _with_test(node, True)
            yield "condition", _with_test(node, False)
        case ast.While():
            yield "condition", _with_test(node, False)
        case ast.comprehension():
            for index in range(len(node.ifs)):
                rest = [*node.ifs[:index], *node.ifs[index + 1 :]]
                yield "filter", ast.comprehension(node.target, node.iter, rest, node.is_async)
        case ast.Break() | ast.Continue():
            yield "loop", SWAPPED[type(node)]()
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return", ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
            yield "statement", ast.Pass()
        case ast.Call():
            for index, keyword in enumerate(node.keywords):
                if keyword.arg not in (None, "strict"):
                    rest_of = [*node.keywords[:index], *node.keywords[index + 1 :]]
                    yield "argument", ast.Call(node.func, node.args, rest_of)
            yield from _of_called(node)
        case ast.Lambda():
            yield "return", ast.Lambda(node.args, ast.Constant(None))


def _of_constant(node: ast.AST) -> Iterator[tuple[str, ast.Constant]]:
    match node:
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield "constant", ast.Constant(value + 1)
        case ast.Constant(value=str() as value) if value and " " not in value:
            yield "constant", ast.Constant(f"not {value}")


def _of_called(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    match node.func:
        case ast.Name(id=name) if name in OPPOSITES:
            func: ast.expr = ast.Name(OPPOSITES[name], ast.Load())
            yield "opposite", ast.Call(func, node.args, node.keywords)
        case ast.Attribute(attr=name) if name in OPPOSITES:
            func = ast.Attribute(node.func.value, OPPOSITES[name], ast.Load())
            yield "opposite", ast.Call(func, node.args, node.keywords)


def _with_test(node: ast.If | ast.IfExp | ast.While, value: bool) -> ast.AST:
    new = copy(node)
    new.test = ast.copy_location(ast.Constant(value), node.test)
    return new


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.If | ast.While):
        node = node.test
    text = ast.unparse(node) if not isinstance(node, ast.comprehension) else _filters(node)
    return " ".join(text.split())


def _filters(node: ast.comprehension) -> str:
    return (
        f"for {ast.unparse(node.target)} in ...{''.join(f' if {ast.unparse(i)}' for i in node.ifs)}"
    )
