from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.samples import two_recipes

ACTIONS = ("attach-a", "attach-b", "attach-c", "detach-a")
RECORDINGS = {"one": "abc", "two": "abc", "three": "abca", "four": "abX", "five": "aC"}
"""Recordings of the letters' actions; x is the last action, and a capital is a mistake."""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return a data directory with two recipes and a small Assembly101-O, and no EPIC-Tent-O."""
    home = two_recipes(tmp_path / "data")
    base = home / "assembly101"
    (base / "annotations").mkdir(parents=True)
    (base / "Assembly101-O_action_dict.json").write_text(
        json.dumps({str(number): name for number, name in enumerate(ACTIONS)})
    )
    letters = dict(zip("abcx", ACTIONS, strict=True))
    for name, steps in RECORDINGS.items():
        lines = [
            "0,1,{},{},that,{},".format(
                *letters[step.lower()].split("-"), "mistake" if step.isupper() else "correct"
            )
            for step in steps
        ]
        (base / "annotations" / f"{name}.csv").write_text("\n".join(lines))
    (base / "train_split.txt").write_text("one\ntwo\nthree\n")
    (base / "test_split.txt").write_text("four\nfive\n")
    return home
