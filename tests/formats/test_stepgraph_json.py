from __future__ import annotations

import json

import pytest

from stepgraph.errors import FormatError
from stepgraph.formats import read_demonstrations
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary
from stepgraph.storage import demonstrations_to_json

from .conftest import Put

FULL = Demonstrations(
    Vocabulary(("a", "b", "c")),
    (KeyStepSequence("r", (2, 1), (0.0, 1.5), (1.0, 2.0), (None, "late"), (3,)),),
    "tea",
)


def test_what_stepgraph_wrote_comes_back_whole(put: Put) -> None:
    path = put("x.json", json.dumps(demonstrations_to_json(FULL)))
    assert read_demonstrations(path).only("tea") == FULL


def test_a_procedure_without_a_name_is_called_after_the_file(put: Put) -> None:
    content = demonstrations_to_json(Demonstrations.from_steps(["ab"]))
    found = read_demonstrations(put("tea.json", json.dumps(content))).only("tea")
    assert found.procedure == "tea"


def test_a_newer_version_is_refused(put: Put) -> None:
    content = {**demonstrations_to_json(FULL), "version": 99}
    with pytest.raises(FormatError, match="install a newer stepgraph"):
        read_demonstrations(put("x.json", json.dumps(content)))


@pytest.mark.parametrize("time", ["1e999", "1" + "0" * 400])
def test_a_time_beyond_all_numbers_is_refused(time: str, put: Put) -> None:
    path = put("x.json", json.dumps(demonstrations_to_json(FULL)).replace("1.5", time))
    with pytest.raises(FormatError) as caught:
        read_demonstrations(path)
    assert str(caught.value).startswith(f"{path}: ")
