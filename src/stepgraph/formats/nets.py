"""Nets: transitions between places, and the blocks that a net consists of.

`block_from_net` reduces a net from the inside out, step by step and without a change to what it
does: transitions between the same places are one of several blocks, a transition that leads back a
loop, and what lies between a fork and its join a partial order. What is left in the end is one
block, or the net is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from stepgraph.errors import FormatError
from stepgraph.formats.blocks import Block, Loop, Order, in_sequence, one_of

LARGEST = 3000
"""Maximum number of transitions of a net with choices or loops."""


@dataclass(frozen=True)
class Transition:
    """A transition of a net that is written.

    Parameters
    ----------
    id
        Its id.
    step
        The name of its step, None if it is silent.
    takes, gives
        The places that it takes tokens from and gives tokens to.
    """

    id: str
    step: str | None
    takes: tuple[str, ...]
    gives: tuple[str, ...]


@dataclass(eq=False)
class NetBlock:
    """A transition of a net that is read: a block, None if it is silent.

    Parameters
    ----------
    what
        The transition and its place in the file, for messages.
    block
        What it does.
    takes, gives
        The places that it takes tokens from and gives tokens to.
    """

    what: str
    block: Block | None
    takes: frozenset[str]
    gives: frozenset[str]


@dataclass
class _Net:
    """A net on its way to one block."""

    transitions: dict[NetBlock, None] = field(default_factory=dict)
    into: dict[str, dict[NetBlock, None]] = field(default_factory=dict)
    out_of: dict[str, dict[NetBlock, None]] = field(default_factory=dict)

    def add(self, one: NetBlock) -> None:
        self.transitions[one] = None
        for place in sorted(one.takes):
            self.out_of.setdefault(place, {})[one] = None
        for place in sorted(one.gives):
            self.into.setdefault(place, {})[one] = None

    def remove(self, *several: NetBlock) -> None:
        for one in several:
            del self.transitions[one]
            for place in one.takes:
                del self.out_of[place][one]
            for place in one.gives:
                del self.into[place][one]

    def before(self, place: str) -> list[NetBlock]:
        return list(self.into.get(place, ()))

    def after(self, place: str) -> list[NetBlock]:
        return list(self.out_of.get(place, ()))


def block_from_net(
    transitions: Iterable[NetBlock],
    first: Iterable[str],
    last: Iterable[str],
    places: dict[str, str],
) -> Block | None:
    """Return the block that a net consists of.

    Parameters
    ----------
    transitions
        The transitions.
    first, last
        The places with a token at the beginning, and at the end.
    places
        The places in words, for messages.

    Raises
    ------
    FormatError
        If the net does not consist of blocks; the message names a place where it does not.

    Examples
    --------
    >>> from stepgraph.formats.blocks import Step
    >>> test = NetBlock("test", Step("test"), frozenset({"p"}), frozenset({"q"}))
    >>> back = NetBlock("repair", Step("repair"), frozenset({"q"}), frozenset({"p"}))
    >>> block_from_net([test, back], ["p"], ["q"], {})
    Loop(do=Step(name='test', where=''), redo=Step(name='repair', where=''))
    """
    net = _Net()
    for one in transitions:
        net.add(one)
    if len(net.transitions) > LARGEST:
        raise FormatError(
            f"{len(net.transitions):,} transitions with choices or loops; expected at most "
            f"{LARGEST:,}"
        )
    net.add(NetBlock("the start", None, frozenset(), frozenset(first)))
    net.add(NetBlock("the end", None, frozenset(last), frozenset()))
    while _join_alternatives(net) or _join_sequence(net) or _join_loop(net) or _join_order(net):
        pass
    if len(net.transitions) > 1:
        raise _not_blocks(net, places)
    return next(iter(net.transitions)).block


def _join_alternatives(net: _Net) -> bool:
    """Make transitions between the same places one of several blocks."""
    found: dict[tuple[frozenset[str], frozenset[str]], list[NetBlock]] = {}
    for one in net.transitions:
        found.setdefault((one.takes, one.gives), []).append(one)
    joined = False
    for (takes, gives), several in found.items():
        if len(several) > 1:
            net.remove(*several)
            block = one_of(*(one.block for one in several))
            net.add(NetBlock(several[0].what, block, takes, gives))
            joined = True
    return joined


def _join_sequence(net: _Net) -> bool:
    """Join two transitions with one place between them and nothing else."""
    joined = False
    for place in list(net.into):
        before, after = net.before(place), net.after(place)
        if len(before) != 1 or len(after) != 1 or before == after:
            continue
        (one,), (other,) = before, after
        if len(one.gives) == 1 and len(other.takes) == 1:
            net.remove(one, other)
            what = one.what if one.block is not None else other.what
            block = in_sequence(one.block, other.block)
            net.add(NetBlock(what, block, one.takes, other.gives))
            joined = True
    return joined


def _join_loop(net: _Net) -> bool:
    """Join a transition with another one that leads back."""
    for back in list(net.transitions):
        if len(back.takes) != 1 or len(back.gives) != 1:
            continue
        (end,), (start,) = back.takes, back.gives
        if start == end:
            _unroll(net, back, start)
            return True
        way = net.after(start)
        if len(way) == 1 and net.before(end) == way and way[0].takes | way[0].gives == {start, end}:
            do = way[0]
            net.remove(do, back)
            has_steps = do.block is not None or back.block is not None
            block = Loop(do.block, back.block) if has_steps else None
            net.add(NetBlock(do.what, block, do.takes, do.gives))
            return True
    return False


def _unroll(net: _Net, back: NetBlock, place: str) -> None:
    """Put a transition that leads back to its own place between two places."""
    net.remove(back)
    later = f"{place} later"
    while later in net.into or later in net.out_of:
        later += "'"
    for one in net.after(place):
        net.remove(one)
        net.add(NetBlock(one.what, one.block, one.takes - {place} | {later}, one.gives))
    block = None if back.block is None else Loop(None, back.block)
    net.add(NetBlock(back.what, block, frozenset({place}), frozenset({later})))


def _join_order(net: _Net) -> bool:
    """Make what lies between a fork and its join a partial order."""
    for fork in list(net.transitions):
        if len(fork.gives) > 1:
            found = _between(net, fork)
            if found:
                net.remove(*found)
                block = _order(found)
                net.add(NetBlock(fork.what, block, fork.takes, found[-1].gives))
                return True
    return False


def _between(net: _Net, fork: NetBlock) -> list[NetBlock]:
    """Return a fork, its join and what lies between, each after what it waits for; none if not."""
    found = {fork: None}
    marked = set(fork.gives)
    while True:
        enabled = None
        for place in sorted(marked):
            after = net.after(place)
            if len(net.before(place)) != 1 or len(after) != 1:
                return []
            if after[0].takes <= marked:
                enabled = after[0]
                break
        if enabled is None or enabled in found:
            return []
        found[enabled] = None
        if enabled.takes == marked:
            return list(found)
        marked = marked - enabled.takes | enabled.gives


def _order(found: list[NetBlock]) -> Block | None:
    """Return the partial order of transitions; silent ones join what is before to what is after."""
    parts: list[Block] = []
    before: set[tuple[int, int]] = set()
    at: dict[str, set[int]] = {}  # the last blocks before each place
    for one in found:
        leading = set().union(*(at.get(place, set()) for place in one.takes))
        if one.block is not None:
            before |= {(earlier, len(parts)) for earlier in leading}
            leading = {len(parts)}
            parts.append(one.block)
        at |= dict.fromkeys(one.gives, leading)
    if len(parts) < 2:
        return parts[0] if parts else None
    return Order(tuple(parts), frozenset(before))


def _not_blocks(net: _Net, places: dict[str, str]) -> FormatError:
    """Return the error for a net of which more than one block is left."""
    for word, side, ids in (("choice", "after", net.out_of), ("merge", "before", net.into)):
        for place in sorted(ids):
            several = list(ids[place])
            if len(several) > 1:
                listed = " and ".join(sorted(one.what for one in several)[:2])
                return FormatError(
                    f"a {word} that is no block: {len(several)} ways {side} "
                    f"{places.get(place, place)}, {listed}; expected ways that begin at one place "
                    "and end at one place"
                )
    left = " and ".join(sorted(one.what for one in net.transitions)[:2])
    return FormatError(f"{left} do not lead from the start to the end; expected blocks")
