from __future__ import annotations

import numpy as np

from stepgraph.graph import Constraints
from stepgraph.learners.knowledge import NumberedConstraints
from stepgraph.sequences import Vocabulary


def test_nothing_gives_way_to_a_path_over_what_is_ruled_out_itself() -> None:
    words = Vocabulary(("wipe", "circlip", "cover"))
    stated = Constraints(never=[("cover", "wipe"), ("circlip", "wipe")])
    constraints = NumberedConstraints.of(words, stated)
    edges = np.zeros((5, 5), dtype=bool)
    edges[2, 1] = edges[3, 1] = edges[3, 2] = True
    strength = np.zeros((5, 5))
    strength[2, 1], strength[3, 2], strength[3, 1] = 0.9, 0.5, 0.9
    obeyed = constraints.apply(edges, strength)
    assert obeyed[3, 2]
    assert obeyed.sum() == 1
