from __future__ import annotations

import dataclasses

import pytest

from stepgraph.learners import LEARNERS, get_learner
from tests.cli.running import Run


def test_every_method_is_listed_with_what_it_needs(stepgraph: Run) -> None:
    result = stepgraph("methods", "--json")
    assert (result.code, result.err) == (0, "")
    assert [entry["name"] for entry in result.json] == list(LEARNERS)
    assert all(entry["summary"] and entry["needs"] for entry in result.json)


def test_the_table_names_every_method(stepgraph: Run) -> None:
    lines = stepgraph("methods").lines
    assert lines[0].split() == ["method", "what", "it", "does", "needs"]
    for name in LEARNERS:
        assert any(line.startswith(f"{name} ") for line in lines)


def test_a_missing_extra_is_named_with_how_to_install_it(
    stepgraph: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepgraph.cli.methods.find_spec", lambda _: None)
    needs = {entry["name"]: entry["needs"] for entry in stepgraph("methods", "--json").json}
    assert needs["tgt-video"] == "pip install 'stepgraph[torch]'"
    assert needs["do"] == "nothing more"
    assert needs["intersection"] == "nothing more"


@pytest.mark.parametrize("method", LEARNERS)
def test_every_setting_of_a_method_is_explained(method: str, stepgraph: Run) -> None:
    settings = stepgraph("methods", method, "--json").json
    fields = dataclasses.fields(get_learner(method))
    assert [entry["name"] for entry in settings] == [field.name for field in fields]
    assert all(entry["summary"] for entry in settings)


def test_defaults_are_shown_as_they_are_typed(stepgraph: Run) -> None:
    defaults = {
        entry["name"]: entry["default"] for entry in stepgraph("methods", "do", "--json").json
    }
    assert defaults["beta"] == "0.005"
    assert defaults["repetitions"] == "first"
