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


def test_a_preset_stands_beside_the_defaults_with_the_reason(stepgraph: Run) -> None:
    found = stepgraph("methods", "do", "--preset", "paper", "--json").json
    rows = {row["name"]: row for row in found}
    assert (rows["learning_rate"]["preset"], rows["epochs"]["preset"]) == ("0.1", "1000")
    assert (rows["beta"]["preset"], rows["patience"]["preset"]) == ("0.005", "25")
    assert (rows["stopping"]["preset"], rows["stopping"]["default"]) == ("paper", "rows")
    assert "rests alone" in rows["stopping"]["summary"]
    table = stepgraph("methods", "do", "--preset", "paper-epic-tent-o").out
    assert "EPIC-Tent-O" in table
    assert "0.97" in table


def test_the_settings_of_a_method_name_its_presets(stepgraph: Run) -> None:
    assert "presets: paper, paper-epic-tent-o" in stepgraph("methods", "do").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("methods", "--preset", "paper"), "name the method too"),
        (("methods", "do", "--preset", "papr"), "did you mean 'paper'"),
        (("methods", "robust", "--preset", "paper"), "'robust' has no presets"),
    ],
)
def test_a_preset_that_cannot_be_shown_is_an_error(
    words: tuple[str, ...], message: str, stepgraph: Run
) -> None:
    result = stepgraph(*words)
    assert result.code == 2
    assert message in result.err


OF_THE_DATA = ("epochs", "target", "patience", "break_cycles_from")
"""Settings that belong to the paper's stopping and to its data sets, not to a choice of ours."""


@pytest.mark.parametrize("method", [name for name in LEARNERS if name != "llm"])
def test_each_departure_from_a_preset_has_its_reason(method: str) -> None:
    kind = LEARNERS[method].load()
    defaults = {field.name: field.default for field in dataclasses.fields(kind)}
    for preset in kind.presets.values():
        for name, value in preset.settings.items():
            if value != defaults[name]:
                assert name in kind.departures or name in OF_THE_DATA, name
