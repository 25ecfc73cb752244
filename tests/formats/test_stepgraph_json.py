"""Graphs and demonstrations as versioned JSON."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import CycleError, FormatError, GraphError, StepgraphError
from stepgraph.formats import read_demonstrations, save_graph
from stepgraph.formats.json_text import VERSION, dump_json, parse_json, read_json
from stepgraph.formats.stepgraph_json import (
    demonstrations_from_json,
    demonstrations_to_json,
    graph_from_json,
    graph_to_json,
)
from stepgraph.graph import Constraints, Provenance, TaskGraph
from stepgraph.graph.evidence import EdgeEvidence, StepAttributes
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary
from tests.formats.wrong import GRAPH, TEXTS, changed, outcome, some
from tests.strategies import JSON_VALUES, annotated_demonstrations, task_graphs

from .conftest import Put


@given(task_graphs(weighted=True))
def test_a_graph_survives_its_file(graph: TaskGraph) -> None:
    again = graph_from_json(parse_json(dump_json(graph_to_json(graph)), "here"))
    assert again == graph
    assert (again.steps, again.procedure) == (graph.steps, graph.procedure)
    assert again.provenance == graph.provenance
    assert dict(again.weights) == pytest.approx(dict(graph.weights), abs=5e-7)


@given(task_graphs(weighted=True))
def test_reading_and_writing_again_gives_the_same_bytes(graph: TaskGraph) -> None:
    text = dump_json(graph_to_json(graph))
    again = graph_from_json(parse_json(text, "here"))
    assert dump_json(graph_to_json(again)) == text


@given(task_graphs(), st.data())
def test_the_bytes_do_not_depend_on_the_order_in_which_edges_came(
    graph: TaskGraph, data: st.DataObject
) -> None:
    other = TaskGraph(graph.steps, data.draw(st.permutations(graph.edges)))
    assert dump_json(graph_to_json(other)) == dump_json(graph_to_json(graph))


def test_a_saved_graph_is_a_json_file_that_says_what_it_is(tmp_path: Path) -> None:
    save_graph(GRAPH, tmp_path / "g.json")
    content = json.loads((tmp_path / "g.json").read_bytes())
    assert (content["format"], content["version"]) == ("stepgraph-graph", VERSION)
    assert content["edges"][1] == {"step": "milk", "needs": "START"}
    assert graph_from_json(read_json(tmp_path / "g.json")) == GRAPH


def test_each_edge_has_a_line_of_its_own_for_people_who_compare_files() -> None:
    lines = dump_json(graph_to_json(GRAPH)).splitlines()
    assert '    {"step": "mix", "needs": "egg"},' in lines


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("format", "stepgraph-demonstrations", '"format": "stepgraph-graph", came'),
        ("format", None, "came None"),
        (
            "version",
            VERSION + 1,
            f"version {VERSION + 1}.*up to {VERSION}; install a newer stepgraph",
        ),
        ("version", 0, "the version is 0; expected a whole number from 1 on"),
        ("version", True, "the version is True"),
        ("version", "1", "the version is '1'"),
        ("steps", None, "'steps' is missing"),
        ("steps", "abc", "'steps' is a text; expected a list"),
        ("steps", ["egg", 1], "expected a list of step names"),
        ("steps", ["egg", "egg"], "listed twice"),
        ("edges", None, "'edges' is missing"),
        ("edges", {}, "'edges' is an object; expected a list"),
        ("edges", [["mix", "egg"]], "edge 1 is .*expected 'step' and 'needs'"),
        ("edges", [{"step": "mix"}], "edge 1 is"),
        ("edges", [{"step": 1, "needs": "egg"}], "the step of edge 1 is a number"),
        ("edges", [{"step": "mix", "needs": None}], "what edge 1 needs is missing"),
        ("edges", [{"step": "mix", "needs": "egg", "weight": "x"}], "weight of edge 1 is 'x'"),
        ("edges", [{"step": "mix", "needs": "egg", "weight": True}], "weight of edge 1 is True"),
        ("edges", [{"step": "mix", "needs": "egg", "weight": 10**400}], "expected a finite number"),
        ("edges", [{"step": "mix", "needs": "egg", "weight": float("nan")}], "is nan"),
        ("procedure", None, "'procedure' is missing; expected a text"),
        ("procedure", 3, "'procedure' is a number; expected a text"),
        ("provenance", [], "'provenance' is a list; expected an object"),
        ("provenance", {"method": 3}, "'provenance': 'method' is 3; expected a text"),
        ("provenance", {"settings": []}, "'settings' is .*; expected an object"),
        ("provenance", {"seed": 0.5}, "'seed' is 0.5; expected a whole number"),
        ("provenance", {"seed": True}, "'seed' is True; expected a whole number"),
        ("provenance", {"recordings": "simulated"}, "'recordings' is .*; expected a number"),
        ("provenance", {"relaxed": 1}, "'relaxed' is 1; expected true or false"),
        ("provenance", {"notes": ["a", 3]}, "'notes' is .*; expected a list of texts"),
        ("provenance", {"history": [{"at": "noon"}]}, "'history' is .*; expected a list of"),
    ],
)
def test_a_graph_file_that_is_wrong_somewhere_is_refused_with_the_place(
    key: str, value: Any, reason: str
) -> None:
    with pytest.raises(FormatError, match=f"^g.json: (?!g.json).*{reason}"):
        graph_from_json(changed(graph_to_json(GRAPH), key, value), "g.json")


@pytest.mark.parametrize(
    ("edges", "kind"),
    [
        ([{"step": "mix", "needs": "eg"}], GraphError),
        ([{"step": "mix", "needs": "egg"}, {"step": "egg", "needs": "mix"}], CycleError),
    ],
)
def test_edges_that_make_no_task_graph_are_refused_with_the_file(
    edges: Any, kind: type[GraphError]
) -> None:
    with pytest.raises(kind, match=r"^g\.json: "):
        graph_from_json(changed(graph_to_json(GRAPH), "edges", edges), "g.json")


EDGES = some(
    st.lists(
        some(
            st.fixed_dictionaries(
                {"step": TEXTS, "needs": TEXTS}, optional={"weight": some(st.floats())}
            )
        ),
        max_size=4,
    )
)


PROVENANCE = [entry.name for entry in fields(Provenance) if entry.name != "other"]
CONSTRAINTS = [entry.name for entry in fields(Constraints)]
PAIRS = some(st.lists(some(st.lists(TEXTS, max_size=3)), max_size=3))


@given(
    some(
        st.fixed_dictionaries(
            {"format": st.just("stepgraph-graph"), "version": some(st.just(VERSION))},
            optional={
                "steps": some(st.lists(TEXTS, max_size=3)),
                "edges": EDGES,
                "procedure": TEXTS,
                "provenance": some(st.dictionaries(st.sampled_from(PROVENANCE), JSON_VALUES)),
                "constraints": some(st.dictionaries(st.sampled_from(CONSTRAINTS), PAIRS)),
            },
        )
    )
)
def test_whatever_json_a_graph_file_holds_it_is_a_graph_or_an_error_of_ours(content: Any) -> None:
    graph, message = outcome(graph_from_json, content)
    if graph is None:
        assert message.startswith("here: ")
    else:
        assert graph.is_valid(graph.in_order(), complete=True)


def _rich() -> TaskGraph:
    return TaskGraph(
        ["egg", "salt", "mix"],
        [("mix", "egg"), ("mix", "salt")],
        weights={("mix", "egg"): 0.75},
        evidence={("mix", "egg"): EdgeEvidence(9, 1, 2.5, ("anna", "ben"), ("carl",), 0.625)},
        attributes={
            "salt": StepAttributes(0.5, True, 0.25, True, ("mix",), ("egg",)),
            "egg": StepAttributes(),
        },
        constraints=Constraints(
            [("mix", "egg")], [("egg", "salt")], [("mix", "salt")], ["salt"], ["egg"]
        ),
        provenance=Provenance(
            "robust",
            {"errors": 1.5},
            3,
            0.25,
            relaxed=True,
            with_mistakes=True,
            recordings=12.5,
            model="network",
            version="0.1.0",
            notes=("a step was left out",),
            history=({"edit": "pin", "at": "noon"},),
            other={"author": "Ada"},
        ),
    )


def _probable(probability: object) -> dict[str, object]:
    return {"held": 1, "broken": 0, "silent": 0, "probability": probability}


def test_attributes_and_evidence_survive_a_file(tmp_path: Path) -> None:
    save_graph(_rich(), tmp_path / "graph.json")
    read = graph_from_json(read_json(tmp_path / "graph.json"))
    assert read.attributes == _rich().attributes
    assert read.evidence == _rich().evidence
    assert read.constraints == _rich().constraints
    assert read.provenance == _rich().provenance
    assert graph_to_json(read) == graph_to_json(_rich())


@pytest.mark.parametrize(
    ("key", "wrong", "message"),
    [
        ("attributes", {"egg": {}}, "'attributes' is an object; expected a list"),
        ("attributes", [{"done": 1}], "expected an object with 'step'"),
        ("attributes", [{"step": "egg", "optional": 1}], "expected true or false"),
        ("attributes", [{"step": "egg", "done": 2}], "from 0 to 1"),
        ("attributes", [{"step": "egg", "spicy": True}], "'spicy'"),
        ("attributes", [{"step": "egg"}, {"step": "egg"}], "has attributes already"),
        ("attributes", [{"step": "tea"}], "attributes are given for 'tea'"),
        ("edges", [{"step": "mix", "needs": "egg", "evidence": 3}], "evidence of edge 1"),
        ("edges", [{"step": "mix", "needs": "egg", "evidence": {"held": 1}}], "'broken'"),
        (
            "edges",
            [{"step": "mix", "needs": "egg", "evidence": _probable("certain")}],
            "'probability' is 'certain'",
        ),
        ("edges", [{"step": "mix", "needs": "egg", "evidence": _probable(1.5)}], "from 0 to 1"),
    ],
)
def test_attributes_or_evidence_that_are_none_are_refused(
    key: str, wrong: object, message: str
) -> None:
    with pytest.raises(StepgraphError, match=message) as refused:
        graph_from_json(graph_to_json(_rich()) | {key: wrong}, "file")
    assert "file: file" not in str(refused.value)


DEMONSTRATIONS = Demonstrations(
    Vocabulary(("egg", "milk", "mix")),
    (
        KeyStepSequence("one", (1, 2, 3), (0.0, 1.0, 2.0), (1.0, 2.0, 3.5), (None, "late", None)),
        KeyStepSequence("two", (2, 3), skipped=(1,)),
    ),
    "cake",
)


@given(annotated_demonstrations())
def test_demonstrations_survive_their_file(given_: Demonstrations) -> None:
    text = dump_json(demonstrations_to_json(given_))
    assert demonstrations_from_json(parse_json(text, "here")) == given_


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("format", "stepgraph-graph", '"format": "stepgraph-demonstrations"'),
        ("version", VERSION + 1, "install a newer stepgraph"),
        ("steps", None, "'steps' is missing"),
        ("steps", ["", "b"], "step 1 has the name ''"),
        ("procedure", [], "'procedure' is a list"),
        ("demonstrations", None, "'demonstrations' is missing; expected a list"),
        ("demonstrations", [], "no recordings"),
        ("demonstrations", [3], "demonstration 1 is a number; expected an object"),
        ("demonstrations", [{"id": "x"}], "demonstration 1: 'steps' is missing"),
        ("demonstrations", [{"steps": []}], "recording '1' has no steps"),
        ("demonstrations", [{"steps": ["eg"]}], "unknown step 'eg'; did you mean 'egg'"),
        ("demonstrations", [{"steps": ["START"]}], "refers to node 0"),
        ("demonstrations", [{"steps": ["egg"], "id": None}], "'id' is missing; expected a text"),
        ("demonstrations", [{"steps": ["egg"], "id": True}], "'id' is true or false"),
        ("demonstrations", [{"steps": ["egg"], "starts": 3}], "'starts' is a number"),
        ("demonstrations", [{"steps": ["egg"], "ends": ["x"]}], "'ends' is 'x'"),
        ("demonstrations", [{"steps": ["egg"], "ends": [10**400]}], "expected a finite number"),
        ("demonstrations", [{"steps": ["egg"], "ends": [1, 2]}], "1 steps and 2 ends"),
        ("demonstrations", [{"steps": ["egg"], "mistakes": [1]}], "expected a list of texts"),
        ("demonstrations", [{"steps": ["egg"], "skipped": ["x"]}], "unknown step 'x'"),
        ("demonstrations", [{"steps": ["egg"]}, {"steps": ["egg"], "id": "1"}], "called '1'"),
    ],
)
def test_a_demonstrations_file_that_is_wrong_somewhere_is_refused_with_the_place(
    key: str, value: Any, reason: str
) -> None:
    content = changed(demonstrations_to_json(DEMONSTRATIONS), key, value)
    with pytest.raises(FormatError, match=f"^d.json: (?!d.json).*{reason}"):
        demonstrations_from_json(content, "d.json")


def test_recordings_without_an_id_are_numbered_and_numbers_are_ids() -> None:
    recordings = [{"steps": ["egg"]}, {"steps": ["egg"], "id": 7}]
    content = changed(demonstrations_to_json(DEMONSTRATIONS), "demonstrations", recordings)
    assert [sequence.id for sequence in demonstrations_from_json(content)] == ["1", "7"]


RECORDINGS = some(
    st.lists(
        some(
            st.fixed_dictionaries(
                {"steps": some(st.lists(TEXTS, max_size=3))},
                optional={
                    "id": TEXTS,
                    "starts": some(st.lists(st.floats(), max_size=3)),
                    "ends": JSON_VALUES,
                    "mistakes": some(st.lists(st.none() | st.text(max_size=2), max_size=3)),
                    "skipped": some(st.lists(TEXTS, max_size=2)),
                },
            )
        ),
        max_size=3,
    )
)


@given(
    some(
        st.fixed_dictionaries(
            {"format": st.just("stepgraph-demonstrations"), "version": some(st.just(VERSION))},
            optional={
                "steps": some(st.lists(TEXTS, max_size=3)),
                "demonstrations": RECORDINGS,
                "procedure": TEXTS,
            },
        )
    )
)
def test_whatever_json_a_demonstrations_file_holds_it_is_read_or_an_error_of_ours(
    content: Any,
) -> None:
    found, message = outcome(demonstrations_from_json, content)
    if found is None:
        assert message.startswith("here: ")
    else:
        assert demonstrations_from_json(demonstrations_to_json(found)) == found


def test_the_weight_of_a_recording_survives_a_file() -> None:
    given = Demonstrations.from_steps(["ab"])
    heavy = replace(given, sequences=(replace(given.sequences[0], weight=12.0),))
    read = demonstrations_from_json(demonstrations_to_json(heavy))
    assert read.sequences[0].weight == 12
    assert read.total_weight == 12


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
