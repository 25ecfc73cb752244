"""Which recordings bear an edge out, which contradict it, and which say nothing."""

from __future__ import annotations

from collections.abc import Iterable

from tgml.attributes import EXAMPLES, EdgeEvidence
from tgml.graph import Edge
from tgml.repetitions import first_occurrences
from tgml.sequences import END, START, Demonstrations


def edge_evidence(
    demonstrations: Demonstrations, edges: Iterable[Edge]
) -> dict[Edge, EdgeEvidence]:
    """Count for each edge between steps the recordings that show its order.

    A step counts when it is done for the first time. Each recording counts as many as it stands
    for.

    Parameters
    ----------
    demonstrations
        The recordings.
    edges
        Pairs (step, precondition) over their vocabulary; those with START or END are passed
        over, as no recording can contradict them.

    Returns
    -------
    dict
        The evidence of each edge, in the order given.

    Examples
    --------
    >>> recordings = Demonstrations.from_steps({"anna": ["egg", "mix"], "ben": ["mix", "egg"]})
    >>> edge_evidence(recordings, [("mix", "egg")])["mix", "egg"]
    EdgeEvidence(held=1.0, broken=1.0, silent=0.0, held_in=('anna',), broken_in=('ben',))
    """
    node = demonstrations.vocabulary.node
    pairs = {
        (step, needed): (node(step), node(needed))
        for step, needed in edges
        if step != END and needed != START
    }
    held = dict.fromkeys(pairs, 0.0)
    broken = dict.fromkeys(pairs, 0.0)
    held_in: dict[Edge, list[str]] = {edge: [] for edge in pairs}
    broken_in: dict[Edge, list[str]] = {edge: [] for edge in pairs}
    for recording in demonstrations:
        place = {step: at for at, step in enumerate(first_occurrences(recording.steps))}
        for edge, (row, column) in pairs.items():
            if row not in place or column not in place:
                continue
            right = place[column] < place[row]
            counts, names = (held, held_in) if right else (broken, broken_in)
            counts[edge] += recording.weight
            if len(names[edge]) < EXAMPLES:
                names[edge].append(recording.id)
    total = demonstrations.total_weight
    return {
        edge: EdgeEvidence(
            held[edge],
            broken[edge],
            # Sums of fractions may miss the total by their rounding.
            max(total - held[edge] - broken[edge], 0.0),
            tuple(held_in[edge]),
            tuple(broken_in[edge]),
        )
        for edge in pairs
    }
