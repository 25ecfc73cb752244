from __future__ import annotations

import numpy as np
import pytest

from stepgraph.graph import Constraints
from stepgraph.learners.prior_knowledge import (
    NumberedConstraints,
    content_words,
    may_belong_together,
)
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


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Add 1/2 tsp of the baking powder", {"add", "baking", "powder"}),
        ("attach-arm_connector", {"attach", "arm", "connector"}),
        ("press the glass", {"press", "glass"}),
        ("Eier verquirlen", {"eier", "verquirlen"}),
        ("1 2 3", set()),
    ],
)
def test_only_words_that_name_things_and_actions_count(name: str, words: set[str]) -> None:
    assert content_words(name) == words


def test_singular_and_plural_are_one_word() -> None:
    assert content_words("eggs") == content_words("egg")


def test_names_that_say_nothing_count_for_every_pair() -> None:
    assert may_belong_together("7", "mix the batter")
    assert not may_belong_together("mix the batter", "lay the table")
