from __future__ import annotations

import pytest

from stepgraph.learners.step_names import content_words, may_belong_together


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
