"""Twenty business processes, each as POWL code and as a net: what is read of them is exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

import pytest

from stepgraph.errors import FormatError
from stepgraph.formats import read_graph
from stepgraph.graph import TaskGraph
from stepgraph.graph.semantics import State
from tests.formats.token_game import Firings, Marking, firings_of_net

pytestmark = pytest.mark.real_data

RUNS = 200
READ = ("01", "04", "08", "09", "10", "13", "14", "15", "16", "17", "19", "20")
REFUSED = {
    "02": "a loop repeats 'Conduct .*' and 'Conduct .*' without a step on the way back",
    "03": "'Check current inventory level' may be repeated until 'Send .*' is done, not later",
    "05": "a loop repeats 'Evaluate proposal' to .* without a step on the way back",
    "06": "'Monitor shipment' may be repeated until 'Successful delivery' is done, not later",
    "07": "'Send .*' may be repeated until 'Customer completes journey' is done, not later",
    "11": "a loop repeats 'Send .*' to .* without a step on the way back",
    "12": "'.*' may be repeated until 'Consider .*' is done, not later",
    "18": "a loop repeats .* without a step on the way back",
}


def random_run(
    first: Marking, firings: Firings, is_final: Callable[[Marking], bool], random: Random
) -> tuple[str, ...]:
    """Return what a net does on a random way from its first to its last marking."""
    marking, done = first, []
    while not is_final(marking):
        label, marking = random.choice(list(firings(marking)))
        done += [label] if label is not None else []
    return tuple(done)


def accepts(
    sequence: Iterable[str],
    first: Marking,
    firings: Firings,
    is_final: Callable[[Marking], bool],
) -> bool:
    """Return whether a net has a complete run that does a sequence."""

    def silently(markings: Iterable[Marking]) -> list[Marking]:
        seen = {frozenset(marking.items()): marking for marking in markings}
        waiting = list(seen.values())
        while waiting:
            for label, after in firings(waiting.pop()):
                if label is None and frozenset(after.items()) not in seen:
                    seen[frozenset(after.items())] = after
                    waiting.append(after)
        return list(seen.values())

    now = silently([first])
    for step in sequence:
        now = silently(after for one in now for label, after in firings(one) if label == step)
    return any(map(is_final, now))


def random_sequence(graph: TaskGraph, random: Random) -> tuple[str, ...]:
    """Return a random complete sequence of a graph; it ends when it may, half of the times."""
    own, state, done = graph.semantics, State(), []
    while own.open(state) or random.random() < 0.5:
        able = [name for name, node in own.nodes.items() if own.may_do(node, state)]
        if not able:
            break
        done.append(random.choice(able))
        state = own.do(own.nodes[done[-1]], state)
    assert not own.open(state)
    return tuple(done)


@pytest.mark.parametrize("kind", ["code", "nets"])
@pytest.mark.parametrize("number", READ)
def test_a_process_is_read_exactly(number: str, kind: str, data: Path) -> None:
    name = f"{number}.{'txt' if kind == 'code' else 'pnml'}"
    graph = read_graph(data / "powl" / kind / name)
    game = firings_of_net((data / "powl" / "nets" / f"{number}.pnml").read_text("utf-8"))
    random = Random(int(number))
    for _ in range(RUNS):
        run = random_run(*game, random)
        assert graph.is_valid(run, complete=True), run
        sequence = random_sequence(graph, random)
        assert accepts(sequence, *game), sequence


@pytest.mark.parametrize("number", READ)
def test_code_and_net_are_the_same_graph(number: str, data: Path) -> None:
    code = read_graph(data / "powl" / "code" / f"{number}.txt")
    net = read_graph(data / "powl" / "nets" / f"{number}.pnml")
    assert set(code.steps) == set(net.steps)
    for step in code.steps:
        assert set(code.all_preconditions_of(step)) == set(net.all_preconditions_of(step))


@pytest.mark.parametrize("kind", ["code", "nets"])
@pytest.mark.parametrize("number", REFUSED)
def test_what_no_graph_expresses_is_refused_by_name(number: str, kind: str, data: Path) -> None:
    name = f"{number}.{'txt' if kind == 'code' else 'pnml'}"
    with pytest.raises(FormatError, match=REFUSED[number]):
        read_graph(data / "powl" / kind / name)
