from __future__ import annotations

import pytest

from stepgraph.errors import FormatError
from stepgraph.formats import read_demonstrations

from .conftest import Put


def test_blank_lines_part_recordings_and_comments_do_not(put: Put) -> None:
    path = put("tea.txt", "# tea\n\n boil \n# then\npour\n\n\n# second\npour\nboil\n")
    found = read_demonstrations(path).only("tea")
    assert {one.id: found.names(one) for one in found} == {
        "1": ("boil", "pour"),
        "2": ("pour", "boil"),
    }


def test_comments_alone_are_no_recordings(put: Put) -> None:
    with pytest.raises(FormatError, match="no recordings"):
        read_demonstrations(put("x.txt", "# nothing yet\n"))


def test_a_step_may_be_repeated(put: Put) -> None:
    assert read_demonstrations(put("x.txt", "stir\nwait\nstir\n")).only().sequences[0].steps == (
        1,
        2,
        1,
    )


def test_lines_that_look_like_whole_recordings_are_noted(put: Put) -> None:
    reading = read_demonstrations(put("tea.txt", "boil, pour, drink\npour, boil, drink\n"))
    assert reading.only().vocabulary.steps == ("boil, pour, drink", "pour, boil, drink")
    assert any(
        "each of the 2 lines was taken for one step; if it is a recording, write its steps below "
        "each other" in note
        for note in reading.notes
    )
    assert not read_demonstrations(put("a.txt", "boil\npour, then stir\n")).notes
