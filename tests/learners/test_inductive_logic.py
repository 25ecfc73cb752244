from __future__ import annotations

import itertools
import math
import random

import networkx as nx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stepgraph.learners import get_learner
from stepgraph.sequences import Demonstrations


def _read_aloud(kind: str, sequences: list[str], steps: str) -> set[tuple[str, str]]:
    """Return the edges by the description of the published baselines, step by step."""
    for tick in itertools.count():
        penalty = tick / 1000
        entered: dict[str, dict[str, float]] = {}
        for step in steps:
            before = [set(s[: s.index(step)]) for s in sequences if step in s]
            members: list[str] = []
            entered[step] = {}
            while len(members) < len(steps):
                candidates = []
                for candidate in steps:
                    if candidate not in members:
                        group = [*members, candidate]
                        found = sum(len(seen & set(group)) for seen in before)
                        score = float(found)
                        if kind == "msg2":
                            score = found / (len(group) * len(before)) if found else 0.0
                        candidates.append((score - penalty * len(group), candidate))
                best = max(candidates, key=lambda pair: pair[0])
                if best[0] <= -1:
                    break
                entered[step][best[1]] = best[0]
                members.append(best[1])
        edges: dict[tuple[str, str], float] = {}
        for step, scores in entered.items():
            top = max(scores.values(), default=-math.inf)
            for candidate, score in scores.items():
                if candidate != step and top >= 1 / len(steps) and math.isclose(score, top):
                    edges[step, candidate] = score
        for step, other in itertools.combinations(steps, 2):
            if (step, other) in edges and (other, step) in edges:
                keep_first = edges[step, other] > edges[other, step] + 1e-12
                del edges[(other, step) if keep_first else (step, other)]
        if len(edges) <= len(steps) * (len(steps) - 1) / 2 and nx.is_directed_acyclic_graph(
            nx.DiGraph(list(edges))
        ):
            return set(edges)
    raise AssertionError("unreachable")


@pytest.mark.parametrize("kind", ["msgi", "msg2"])
@example(recordings=["ba", "cb", "adb"])  # edges change right after a penalty of whole steps
@given(recordings=st.lists(st.text("abcd", min_size=1, max_size=6), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_it_equals_the_published_description_read_aloud(kind: str, recordings: list[str]) -> None:
    demonstrations = Demonstrations.from_steps(recordings)
    words = demonstrations.vocabulary
    adjacency = get_learner(kind).learn(demonstrations).adjacency
    found = {
        (step, needed)
        for step in words.steps
        for needed in words.steps
        if adjacency.weight(step, needed)
    }
    distinct = list(dict.fromkeys("".join(dict.fromkeys(text)) for text in recordings))
    assert found == _read_aloud(kind, distinct, "".join(words.steps))


def test_many_recordings_end_soon_although_the_penalty_must_grow_far() -> None:
    rng = random.Random(1)
    orders = [rng.sample("abcdefghijklmnopqrst", 20) for _ in range(200)]
    learned = get_learner("msgi").learn(Demonstrations.from_steps(orders))
    assert learned.facts["penalty"] > 50


def test_msg2_keeps_every_step_that_always_came_before_while_nothing_forms_a_cycle() -> None:
    demonstrations = Demonstrations.from_steps(["abcd", "bacd"])
    weights = get_learner("msg2").learn(demonstrations).adjacency
    assert [weights.weight("c", step) for step in "ab"] == [1.0, 1.0]
