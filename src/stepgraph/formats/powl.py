"""POWL code: reads models written as calls of a generator, and never runs them.

The text is Python, of which the reader understands a small part: assignments of
``gen.activity("name")``, ``gen.xor(...)``, ``gen.loop(do, redo)``, ``gen.partial_order([...])`` and
lists of tuples, ``list.extend`` and ``list.append``, and the import and the making of the
generator. A text stands for an activity, None for nothing. The variable ``final_model`` is the
process. Anything else is refused with its line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import pairwise

from stepgraph.errors import FormatError
from stepgraph.formats.blocks import Block, Loop, Order, Step, graph_from_block, one_of
from stepgraph.graph import TaskGraph

GENERATOR = "ModelGenerator"
"""The class whose calls make a model; a file that names it is POWL code."""

MODEL = "final_model"
_DEPTH = 100
_CHARACTERS = 1_000_000

Value = Block | list["Value"] | tuple["Value", ...] | None


def recognises(text: str) -> bool:
    """Return whether a text is POWL code: whether it makes a generator."""
    return f"{GENERATOR}(" in text


def graph_from_powl(text: str, stem: str) -> TaskGraph:
    r"""Return the task graph that POWL code expresses.

    Parameters
    ----------
    text
        The file's content.
    stem
        The name of the procedure.

    Raises
    ------
    FormatError
        If the text is not POWL code, or no task graph expresses the model exactly.

    Examples
    --------
    >>> code = "gen = ModelGenerator()\nfinal_model = gen.xor('send mail', 'call', None)"
    >>> str(graph_from_powl(code, "contact").choices[0])
    "at most one of 'send mail' or 'call'"
    """
    if len(text) > _CHARACTERS:
        raise FormatError(
            f"{len(text):,} characters of POWL code; expected at most {_CHARACTERS:,}"
        )
    try:
        module = ast.parse(text)
    except SyntaxError as error:
        raise FormatError(
            f"line {error.lineno or 1}: not POWL code ({error.msg}); expected lines such as "
            "mix = gen.activity('mix')"
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise FormatError("not POWL code: nested too deeply, or a zero byte in it") from None
    reader = _Reader()
    for statement in module.body:
        reader.execute(statement)
    if MODEL not in reader.values:
        raise FormatError(f"no line assigns {MODEL}; expected {MODEL} = gen.partial_order(...)")
    model = reader.values[MODEL]
    if isinstance(model, list | tuple):
        raise FormatError(f"{MODEL} is a list; expected a model")
    return graph_from_block(model, stem)


class _Reader:
    """Follows the statements and keeps what the variables stand for."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.generators: set[str] = set()
        self.makers: dict[str, Callable[[ast.Call], Block | None]] = {
            "activity": self._activity,
            "xor": self._xor,
            "loop": self._loop,
            "partial_order": self._partial_order,
        }

    def execute(self, statement: ast.stmt) -> None:
        match statement:
            case ast.ImportFrom(names=[ast.alias(name=name, asname=None)]) if name == GENERATOR:
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if _is_generator(value):
                    self.generators.add(name)
                else:
                    self.values[name] = self._value(value)
                return
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="extend" | "append" as how),
                    args=[given],
                    keywords=[],
                )
            ):
                self._extend(statement, name, how, given)
                return
            case ast.Expr(value=ast.Constant(value=str())):  # a comment
                return
        raise _unknown(statement, "an assignment such as mix = gen.activity('mix')")

    def _extend(self, statement: ast.stmt, name: str, how: str, given: ast.expr) -> None:
        known, more = self.values.get(name), self._value(given)
        if not isinstance(known, list) or (how == "extend" and not isinstance(more, list)):
            raise _unknown(statement, f"a list to {how}")
        self.values[name] = [*known, *(more if isinstance(more, list) else [more])]

    def _value(self, node: ast.expr, depth: int = 0) -> Value:
        if depth > _DEPTH:
            raise FormatError(f"line {node.lineno}: nested more than {_DEPTH} deep")
        match node:
            case ast.Constant(value=None):
                return None
            case ast.Constant(value=str() as name):
                return _step(name, node)
            case ast.Name(id=name) if name in self.values:
                return self.values[name]
            case ast.Name(id=name):
                raise FormatError(
                    f"line {node.lineno}: {name} is not known; expected a model assigned before"
                )
            case ast.List(elts=elements):
                return [self._value(element, depth + 1) for element in elements]
            case ast.Tuple(elts=elements):
                return tuple(self._value(element, depth + 1) for element in elements)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) if (
                owner in self.generators and name in self.makers
            ):
                return self.makers[name](node)
        raise _unknown(node, f"gen.{', gen.'.join(self.makers)}, a list, a tuple, a text or None")

    def _model(self, node: ast.expr) -> Block | None:
        value = self._value(node)
        if isinstance(value, list | tuple):
            raise _unknown(node, "a model")
        return value

    def _activity(self, call: ast.Call) -> Block:
        match _arguments(call, ("label",)):
            case {"label": ast.Constant(value=str() as name)}:
                return _step(name, call)
        raise _unknown(call, "gen.activity('name')")

    def _xor(self, call: ast.Call) -> Block | None:
        if call.keywords or len(call.args) < 2:
            raise _unknown(call, "gen.xor(model, model, ...) with two or more models")
        return one_of(*map(self._model, call.args))

    def _loop(self, call: ast.Call) -> Block | None:
        given = {name: self._model(node) for name, node in _arguments(call, ("do", "redo")).items()}
        do, redo = given.get("do"), given.get("redo")
        if do is None and redo is None:
            raise _unknown(call, "a loop with a model in it")
        return Loop(do, redo)

    def _partial_order(self, call: ast.Call) -> Block | None:
        rows = self._value(_arguments(call, ("dependencies",))["dependencies"])
        parts: list[Block] = []
        before: set[tuple[int, int]] = set()
        for row in rows if isinstance(rows, list) else [rows]:
            if not isinstance(row, tuple):
                raise _unknown(call, "a list of tuples, such as [(first, second), (third,)]")
            places = []
            for part in row:
                if part is None or isinstance(part, list | tuple):
                    raise _unknown(call, "tuples of models")
                places.append(_place(parts, part))
            before |= set(pairwise(places))
        if not parts:
            raise _unknown(call, "one or more models")
        _check_acyclic(call, len(parts), before)
        return parts[0] if len(parts) == 1 else Order(tuple(parts), frozenset(before))


def _place(parts: list[Block], part: Block) -> int:
    """Return the place of a model; texts of the same name are one step."""
    for place, known in enumerate(parts):
        if known is part or (
            isinstance(known, Step) and isinstance(part, Step) and known.name == part.name
        ):
            return place
    parts.append(part)
    return len(parts) - 1


def _check_acyclic(call: ast.Call, count: int, before: set[tuple[int, int]]) -> None:
    left = set(range(count))
    while left:
        free = {
            place for place in left if not any(one in left for one, at in before if at == place)
        }
        if not free:
            raise FormatError(f"line {call.lineno}: models that come before each other in a circle")
        left -= free


def _arguments(call: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr]:
    """Return the arguments of a call by name."""
    found: dict[str, ast.expr] = dict(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg not in names or keyword.arg in found:
            raise _unknown(call, f"the arguments {', '.join(names)}")
        found[keyword.arg] = keyword.value
    if len(call.args) > len(names) or names[0] not in found:
        raise _unknown(call, f"the arguments {', '.join(names)}")
    return found


def _step(name: str, node: ast.expr) -> Step:
    if not name.strip():
        raise FormatError(f"line {node.lineno}: an activity without a name")
    return Step(name.strip(), f"line {node.lineno}")


def _is_generator(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return name == GENERATOR
    return False


def _unknown(node: ast.stmt | ast.expr, expected: str) -> FormatError:
    try:
        shown = " ".join(ast.unparse(node).split())
    except RecursionError:
        shown = "nested too deeply"
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return FormatError(f"line {node.lineno}: {shown}; expected {expected}")
