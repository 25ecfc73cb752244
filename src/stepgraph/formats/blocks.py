"""Blocks: the structured processes that PNML, BPMN and POWL share, and the graphs they mean.

A process is a tree. A block is a step, a partial order of blocks, one of several blocks, or a loop
that does one block, and then again and again another one and the first. `graph_from_block` returns
the graph whose valid complete sequences are exactly those of the tree, or refuses the part that
no graph expresses exactly:

- one of several blocks is a choice; a block that may be left out is an optional step, an optional
  choice, or optional steps that go with each other;
- a loop has its second block undo the first, and the beginning of the first undo the second. If
  other steps follow, 'again or on' is a choice that is open anew each time;
- a step that is repeated at will is repeatable if nothing follows it, because a repeatable step
  may be repeated as long as the procedure lasts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stepgraph.errors import FormatError
from stepgraph.graph import Choice, Edge, StepAttributes, TaskGraph, Undoing, connect_ends

DEPTH = 100
"""Maximum depth of blocks inside each other."""


@dataclass(frozen=True)
class Step:
    """A step; `where` is its place in the file, for messages, such as "line 3"."""

    name: str
    where: str = ""


@dataclass(frozen=True)
class Order:
    """Blocks that are all done; `before` has pairs of places, the first before the second."""

    parts: tuple[Block, ...]
    before: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class OneOf:
    """Blocks of which one is done, or at most one if `optional`."""

    parts: tuple[Block, ...]
    optional: bool = False


@dataclass(frozen=True)
class Loop:
    """A block that is done, then any number of times another one and it again; None does nothing.

    At least one of the two is a block.
    """

    do: Block | None
    redo: Block | None = None


Block = Step | Order | OneOf | Loop


def in_sequence(*parts: Block | None) -> Block | None:
    """Return blocks one after the other; None if there are none."""
    known: list[Block] = []
    before: set[tuple[int, int]] = set()
    last: list[int] = []
    for part in parts:
        if part is None:
            continue
        own = part if isinstance(part, Order) else Order((part,))
        shift = len(known)
        known += own.parts
        before |= {(one + shift, other + shift) for one, other in own.before}
        later, earlier = {other for _, other in own.before}, {one for one, _ in own.before}
        places = range(len(own.parts))
        before |= {(one, at + shift) for one in last for at in places if at not in later}
        last = [at + shift for at in places if at not in earlier]
    if len(known) < 2:
        return known[0] if known else None
    return Order(tuple(known), frozenset(before))


def one_of(*parts: Block | None) -> Block | None:
    """Return a choice between blocks, of which None does nothing."""
    known = tuple(part for part in parts if part is not None)
    if not known:
        return None
    return OneOf(known, None in parts) if len(known) > 1 or None in parts else known[0]


def parts_of(block: Block) -> tuple[Block, ...]:
    """Return the blocks directly inside of a block."""
    if isinstance(block, Loop):
        return tuple(part for part in (block.do, block.redo) if part is not None)
    return () if isinstance(block, Step) else block.parts


def steps_of(block: Block) -> tuple[str, ...]:
    """Return the names of all steps of a block, in the order of the file."""
    return tuple(step.name for step in _leaves(block))


def may_be_empty(block: Block | None) -> bool:
    """Return whether a block may be finished without a step."""
    match block:
        case None:
            return True
        case Step():
            return False
        case Order():
            return all(map(may_be_empty, block.parts))
        case OneOf():
            return block.optional or any(map(may_be_empty, block.parts))
        case Loop():
            return may_be_empty(block.do)


def graph_from_block(block: Block | None, procedure: str) -> TaskGraph:
    """Return the graph with exactly the sequences of a block.

    Parameters
    ----------
    block
        The process.
    procedure
        The name of the procedure.

    Raises
    ------
    FormatError
        If two steps have the same name, or no graph expresses a part of the process exactly.
    GraphError
        If a graph refuses the rules, such as a step that undoes all others.

    Examples
    --------
    >>> again = Loop(Step("test"), Step("repair"))
    >>> graph = graph_from_block(in_sequence(again, Step("pack")), "bench")
    >>> [str(rule) for rule in (*graph.choices, *graph.undoings)]
    ["one of 'repair' or 'pack'", "'repair' undoes 'test'", "'test' undoes 'repair'"]
    """
    if block is None:
        raise FormatError("no steps; expected at least one")
    _check_names(block)
    block = _simplified(block)
    rules = _Rules()
    rules.add(block, free=False)
    names = steps_of(block)
    edges = connect_ends(names, rules.edges)
    after = _after(rules.edges)
    for step in rules.repeatable:
        if after.get(step):
            follows = next(other for other in names if other in after[step])
            raise FormatError(
                f"{step!r} may be repeated until {follows!r} is done, not later; a repeatable step "
                "of a task graph may be repeated as long as the procedure lasts"
            )
    for loop in rules.loops:
        rules.choose_again_or_on(loop, names, after)
    attributes = {
        step: StepAttributes(
            optional=step in rules.optional,
            repeatable=step in rules.repeatable,
            goes_with=tuple(other for other in names if other in rules.goes_with.get(step, ())),
        )
        for step in names
        if step in rules.optional or step in rules.repeatable or rules.goes_with.get(step)
    }
    return TaskGraph(
        names,
        edges,
        procedure=procedure,
        attributes=attributes,
        choices=rules.choices,
        undoings=rules.undoings,
    )


def _leaves(block: Block) -> Iterator[Step]:
    if isinstance(block, Step):
        yield block
    for part in parts_of(block):
        yield from _leaves(part)


def _check_names(block: Block) -> None:
    """Check that each step has a name of its own, and blocks are not nested without end."""
    known: dict[str, Step] = {}
    waiting = [(block, 1)]
    while waiting:
        part, depth = waiting.pop()
        if depth > DEPTH:
            raise FormatError(f"blocks nested more than {DEPTH} deep")
        waiting += [(inner, depth + 1) for inner in reversed(parts_of(part))]
        if not isinstance(part, Step):
            continue
        if part.name in known:
            first = known[part.name].where
            where = f" ({first} and {part.where})" if first and first != part.where else ""
            raise FormatError(
                f"two steps are called {part.name!r}{where}; a task graph has each step once, "
                "rename one of them"
            )
        known[part.name] = part


def _simplified(block: Block) -> Block:
    """Return a block that means the same, with fewer choices and loops inside each other."""
    match block:
        case Order():
            return replace(block, parts=tuple(map(_simplified, block.parts)))
        case OneOf():
            return _simplified_choice(tuple(map(_simplified, block.parts)), block.optional)
        case Loop():
            do = None if block.do is None else _simplified(block.do)
            redo = None if block.redo is None else _simplified(block.redo)
            return _simplified_loop(do, redo)
    return block


def _simplified_choice(parts: tuple[Block, ...], optional: bool) -> Block:
    flat: list[Block] = []
    for part in parts:
        flat += part.parts if isinstance(part, OneOf) else (part,)
        optional |= may_be_empty(part)
    if len(flat) == 1:
        return OneOf(tuple(flat), optional) if optional and not may_be_empty(flat[0]) else flat[0]
    return OneOf(tuple(flat), optional)


def _simplified_loop(do: Block | None, redo: Block | None) -> Block:
    if redo is None and isinstance(do, Loop) and do.redo is None:
        return do
    if do is not None and not (redo is None and isinstance(do, OneOf) and do.optional):
        return Loop(do, redo)
    # any number of times the same block, or one of several
    again = do if do is not None else redo
    assert again is not None  # noqa: S101 - a loop has a block
    parts = again.parts if isinstance(again, OneOf) else (again,)
    if len(parts) > 1 and not all(isinstance(part, Step) for part in parts):
        return OneOf((Loop(OneOf(parts)),), optional=True)
    each = tuple(OneOf((_simplified_loop(part, None),), optional=True) for part in parts)
    return each[0] if len(each) == 1 else Order(each)


@dataclass
class _Rules:
    """The edges and rules of a graph, collected block by block."""

    edges: list[Edge] = field(default_factory=list)
    optional: set[str] = field(default_factory=set)
    repeatable: list[str] = field(default_factory=list)
    goes_with: dict[str, set[str]] = field(default_factory=dict)
    choices: list[Choice] = field(default_factory=list)
    undoings: list[Undoing] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)

    def add(self, block: Block, *, free: bool) -> None:
        """Add a block; `free` says that its steps are due only with others of a block around it."""
        match block:
            case Step():
                self.optional |= {block.name} if free else set()
            case Order():
                for part in block.parts:
                    self.add(part, free=free)
                for one, other in sorted(block.before):
                    self.connect(block.parts[one], block.parts[other])
            case OneOf(parts=(part,)):
                self.add_optional(part)
            case OneOf():
                for part in block.parts:
                    self.add(part, free=False)
                alternatives = tuple(map(steps_of, block.parts))
                self.choices.append(Choice(alternatives, may_be_empty(block) or free))
            case Loop(redo=None):
                if not isinstance(block.do, Step):
                    raise FormatError(
                        f"a loop repeats {_words(block)} without a step on the way back; a task "
                        "graph repeats single steps, or has a step that undoes others"
                    )
                self.add(block.do, free=free)
                self.repeatable.append(block.do.name)
            case Loop():
                self.add_loop(block, free=free)

    def connect(self, one: Block, other: Block) -> None:
        self.edges += [(later, earlier) for later in _ends(other, 0) for earlier in _ends(one, 1)]

    def add_optional(self, block: Block) -> None:
        """Add a block that is done as a whole or not at all."""
        self.add(block, free=True)
        needed = _needed(block)
        for step in steps_of(block):
            with_it = needed - {step} - set(_choice_of(block, step))
            if with_it:
                self.goes_with.setdefault(step, set()).update(with_it)

    def add_loop(self, loop: Loop, *, free: bool) -> None:
        do, redo = loop.do, loop.redo
        assert do is not None  # noqa: S101 - simplified
        assert redo is not None  # noqa: S101 - simplified
        for part in (do, redo):
            _check_part_of_loop(part)
        firsts, lasts = _plain_firsts(do), _single_lasts(redo)
        self.add(do, free=free)
        self.add_optional(redo)
        self.connect(do, redo)
        self.undoings += [Undoing(step, steps_of(do)) for step in lasts]
        self.undoings += [Undoing(step, steps_of(redo)) for step in firsts]
        self.loops.append(loop)

    def choose_again_or_on(
        self, loop: Loop, names: Sequence[str], after: Mapping[str, set[str]]
    ) -> None:
        """Let whoever goes on after a loop not go back into it."""
        assert loop.do is not None  # noqa: S101 - simplified
        assert loop.redo is not None  # noqa: S101 - simplified
        later: set[str] = set()
        for step in steps_of(loop.do):
            later |= after.get(step, set())
        later -= set(steps_of(loop))
        if not later:
            return
        on = [step for step in names if step in later]
        self.choices.append(Choice([steps_of(loop.redo), on], optional=later <= self.optional))


def _ends(block: Block, side: int) -> tuple[str, ...]:
    """Return the steps that a block may begin with (side 0) or end with (side 1)."""
    match block:
        case Step():
            return (block.name,)
        case Order():
            inner = {pair[1 - side] for pair in block.before}
            parts: Iterable[Block] = [
                part for place, part in enumerate(block.parts) if place not in inner
            ]
        case OneOf():
            parts = block.parts
        case Loop():
            parts = () if block.do is None else (block.do,)
    return tuple(step for part in parts for step in _ends(part, side))


def _needed(block: Block) -> set[str]:
    """Return the steps that are done if a block is, of a choice those of all alternatives."""
    match block:
        case Step():
            return {block.name}
        case Loop():
            return set() if block.do is None else _needed(block.do)
    if may_be_empty(block):
        return set()
    return set().union(*map(_needed, parts_of(block)))


def _choice_of(block: Block, step: str) -> tuple[str, ...]:
    """Return the steps of the outermost choice in a block that has a step among them."""
    if isinstance(block, OneOf) and len(block.parts) > 1:
        return steps_of(block)
    for part in parts_of(block):
        if step in steps_of(part):
            return _choice_of(part, step)
    return ()


def _check_part_of_loop(block: Block) -> None:
    """Check that a part of a loop leaves nothing out: nobody could tell when it is too late."""
    if may_be_empty(block) or (isinstance(block, OneOf) and block.optional):
        raise FormatError(
            f"{_words(block)} may be left out within a loop; a task graph cannot say so exactly, "
            "because what was undone may be done again at any time"
        )
    for part in parts_of(block):
        if not (isinstance(block, Loop) and part is block.redo):
            _check_part_of_loop(part)


def _plain_firsts(block: Block) -> tuple[str, ...]:
    """Return the steps that begin a loop, all of which are done."""
    match block:
        case Step():
            return (block.name,)
        case Order():
            later = {other for _, other in block.before}
            return tuple(
                step
                for place, part in enumerate(block.parts)
                if place not in later
                for step in _plain_firsts(part)
            )
        case Loop(do=do) if do is not None:
            return _plain_firsts(do)
    raise FormatError(
        f"a loop begins with a choice, {_words(block)}; a task graph needs a step there that is "
        "done each time"
    )


def _single_lasts(block: Block) -> tuple[str, ...]:
    """Return the steps that end the second part of a loop, one of which is done and is the last."""
    match block:
        case Step():
            return (block.name,)
        case OneOf():
            return tuple(step for part in block.parts for step in _single_lasts(part))
        case Order():
            earlier = {one for one, _ in block.before}
            last = [part for place, part in enumerate(block.parts) if place not in earlier]
            if len(last) == 1:
                return _single_lasts(last[0])
    raise FormatError(
        f"the way back in a loop, {_words(block)}, has no single last step; a task graph needs one "
        "that undoes the others"
    )


def _after(edges: Iterable[Edge]) -> dict[str, set[str]]:
    """Return for each step all steps that come after it."""
    following: dict[str, set[str]] = {}
    for step, needed in edges:
        following.setdefault(needed, set()).add(step)
    found: dict[str, set[str]] = {}
    for first in following:
        seen: set[str] = set()
        waiting = [first]
        while waiting:
            new = following.get(waiting.pop(), set()) - seen
            seen |= new
            waiting += new
        found[first] = seen
    return found


def _words(block: Block) -> str:
    names = [repr(name) for name in steps_of(block)]
    return " and ".join(names) if len(names) < 3 else f"{names[0]} to {names[-1]}"
