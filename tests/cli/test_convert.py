from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from stepgraph.formats import read_graph, save_graph
from stepgraph.graph import Choice, StepAttributes, TaskGraph
from tests.cli.running import Put, Run


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("out.dot", "digraph"),
        ("out.gv", "digraph"),
        ("out.mmd", "flowchart"),
        ("out.graphml", "<"),
        ("out.json", "{"),
        ("out.pnml", "<?xml"),
        ("out.bpmn", "<?xml"),
        ("OUT.DOT", "digraph"),
    ],
)
def test_the_ending_says_the_format(
    name: str, start: str, stepgraph: Run, graph: str, folder: Path
) -> None:
    result = stepgraph("convert", graph, "-o", name)
    assert (result.code, result.out, result.err) == (0, f"{name}: written\n", "")
    assert (folder / name).read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize("name", ["out.json", "out.graphml", "out.pnml", "out.bpmn"])
def test_what_stepgraph_reads_comes_back_as_the_same_graph(
    name: str, stepgraph: Run, graph: str
) -> None:
    assert stepgraph("convert", graph, "-o", name).code == 0
    before, after = read_graph(graph), read_graph(name)
    assert after.steps == before.steps
    assert set(after.edges) == set(before.edges)


def test_graphml_is_xml(stepgraph: Run, graph: str, folder: Path) -> None:
    assert stepgraph("convert", graph, "-o", "out.graphml").code == 0
    ET.fromstring((folder / "out.graphml").read_bytes())  # noqa: S314 - our own file


def test_an_older_file_is_replaced(stepgraph: Run, graph: str, folder: Path) -> None:
    (folder / "out.dot").write_text("old", encoding="utf-8")
    assert stepgraph("convert", graph, "-o", "out.dot").code == 0
    assert "old" not in (folder / "out.dot").read_text(encoding="utf-8")


def test_a_graph_can_be_converted_in_place(stepgraph: Run, graph: str) -> None:
    steps = read_graph(graph).steps
    assert stepgraph("convert", graph, "-o", graph).code == 0
    assert read_graph(graph).steps == steps


def test_an_adjacency_list_with_a_cycle_is_converted_on_demand_and_says_what_it_lost(
    stepgraph: Run, put: Put, folder: Path
) -> None:
    source = put("round.adjlist", "a;1\nb;{}\nb;1\na;{}\n")
    assert stepgraph("convert", source, "-o", "g.json").code == 2
    result = stepgraph("convert", source, "-o", "g.json", "--break-cycles")
    assert result.code == 0
    assert any("weakest edge of a cycle" in note for note in result.notes)
    assert (folder / "g.json").exists()


def test_a_process_says_which_steps_it_cannot_repeat(stepgraph: Run, graph: str) -> None:
    again = read_graph(graph).replace(attributes={"stack": StepAttributes(repeatable=True)})
    save_graph(again, "again.json")
    result = stepgraph("convert", "again.json", "-o", "again.bpmn")
    assert result.code == 0
    assert result.notes == ["note: again.bpmn: done once, though they may be repeated: 'stack'"]
    for name in ("again.pnml", "again.dot"):
        assert stepgraph("convert", "again.json", "-o", name).err == ""


POWL = """gen = ModelGenerator()
test = gen.loop(gen.activity('test'), gen.activity('repair'))
end = gen.xor('pack', 'scrap')
final_model = gen.partial_order([('build', test), (test, end)])
"""


def test_choices_and_undoing_go_from_powl_through_a_net_and_a_process(
    stepgraph: Run, put: Put
) -> None:
    first = put("bench.powl", POWL)
    for before, after in ((first, "a.pnml"), ("a.pnml", "b.bpmn"), ("b.bpmn", "c.json")):
        result = stepgraph("convert", before, "-o", after)
        assert (result.code, result.out, result.err) == (0, f"{after}: written\n", "")
    graph = read_graph("c.json")
    assert {str(rule) for rule in (*graph.choices, *graph.undoings)} == {
        "one of 'pack' or 'scrap'",
        "one of 'repair', or 'pack' and 'scrap'",
        "'repair' undoes 'test'",
        "'test' undoes 'repair'",
    }


def test_what_a_format_cannot_express_is_refused_by_name(stepgraph: Run, graph: str) -> None:
    steps = read_graph(graph).steps
    about = {steps[0]: StepAttributes(goes_with=(steps[1],))}
    save_graph(read_graph(graph).replace(attributes=about), "with.json")
    result = stepgraph("convert", "with.json", "-o", "with.bpmn")
    assert result.code == 2
    assert f"'{steps[0]}' goes with '{steps[1]}', which makes no block" in result.err


def test_rules_that_a_format_cannot_say_can_be_left_out(stepgraph: Run, folder: Path) -> None:
    graph = TaskGraph("ab", [], choices=[Choice([["a"], ["b"]])])
    save_graph(graph, folder / "choice.json")
    refused = stepgraph("convert", "choice.json", "-o", "choice.graphml")
    assert refused.code == 2
    assert refused.err.endswith("or leave its rules out with --without-rules\n")
    written = stepgraph("convert", "choice.json", "-o", "choice.graphml", "--without-rules")
    assert (written.code, written.notes) == (0, ["note: left out: one of 'a' or 'b'"])
    assert read_graph(folder / "choice.graphml").optional_steps == ("a", "b")
