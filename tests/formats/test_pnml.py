"""PNML: what is read from it, and what is written."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stepgraph.errors import FormatError, GraphError
from stepgraph.formats import read_graph
from stepgraph.formats.pnml import graph_from_pnml, to_pnml
from stepgraph.graph import Choice, StepAttributes, TaskGraph, Undoing, connect_ends
from tests.drawing.strategies import task_graphs as named_graphs
from tests.formats.languages import (
    graphs_of_blocks,
    sequences_of_graph,
    sequences_of_net,
)
from tests.formats.strategies import GRAPHS, XML_TEXT, small_graphs
from tests.formats.token_game import PNML, orders_of_net, valid_complete_orders
from tests.strategies import graphs_with_rules, task_graphs


def net(
    arcs: Iterable[str],
    *,
    silent: str = "",
    tokens: str = "s",
    more: str = "",
    kind: str = "http://www.pnml.org/version-2009/grammar/ptnet",
) -> str:
    """Return a net from arcs such as "s>A": capitals are transitions, other letters places."""
    pairs = [arc.split(">") for arc in arcs]
    nodes = dict.fromkeys(node for pair in pairs for node in pair)
    lines = []
    for node in nodes:
        if node.isupper():
            name = "" if node in silent else f"<name><text> do {node} </text></name>"
            lines.append(f'<transition id="{node}">{name}</transition>')
        else:
            marking = f"<initialMarking><text>{tokens.count(node)}</text></initialMarking>"
            lines.append(f'<place id="{node}">{marking}</place>')
    lines += [
        f'<arc id="a{number}" source="{source}" target="{target}"/>'
        for number, (source, target) in enumerate(pairs)
    ]
    inside = "\n".join([*lines, more])
    return (
        '<?xml version="1.0"?>\n<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">\n'
        f'<net id="n" type="{kind}"><page id="p">\n{inside}\n</page></net></pnml>\n'
    )


CHAIN = ["s>A", "A>p", "p>B", "B>e"]
DIAMOND = ["s>T", "T>p", "T>q", "p>A", "q>B", "A>u", "B>v", "u>J", "v>J", "J>x", "x>C", "C>e"]


@given(GRAPHS, XML_TEXT)
@settings(deadline=None, max_examples=30)
def test_what_is_written_comes_back(graph: TaskGraph, name: str) -> None:
    graph = graph.replace(procedure=name)
    back = graph_from_pnml(to_pnml(graph), "stem")
    connected = TaskGraph(graph.steps, connect_ends(graph.steps, graph.edges))
    assert back == connected
    assert back.steps == graph.steps
    assert back.optional_steps == graph.optional_steps
    assert back.procedure == (name.strip() or "stem")


def test_a_chain_is_a_chain() -> None:
    graph = graph_from_pnml(net(CHAIN), "tea")
    assert graph == TaskGraph.from_preconditions({"do B": ["do A"]})
    assert graph.procedure == "tea"


def test_silent_transitions_join_what_is_before_to_what_is_after() -> None:
    graph = graph_from_pnml(net(DIAMOND, silent="TJ"), "")
    assert graph == TaskGraph.from_preconditions({"do C": ["do A", "do B"]})


def test_an_invisible_transition_with_a_name_is_silent() -> None:
    tau = '<toolspecific tool="ProM" version="6.4" activity="$invisible$"/>'
    text = net(DIAMOND, silent="T").replace("do J </text></name>", f"tau</text></name>{tau}")
    assert graph_from_pnml(text, "").steps == ("do A", "do B", "do C")


def test_a_silent_transition_beside_a_step_makes_it_optional() -> None:
    graph = graph_from_pnml(net([*CHAIN, "s>T", "T>p"], silent="T"), "")
    assert graph.optional_steps == ("do A",)


def test_transitions_between_the_same_places_are_alternatives() -> None:
    graph = graph_from_pnml(net([*CHAIN, "s>C", "C>p", "p>D", "D>q", "q>E", "E>e"]), "")
    assert graph == TaskGraph.from_preconditions(
        {
            "do B": ["do A", "do C"],
            "do C": [],
            "do D": ["do A", "do C"],
            "do E": ["do D"],
        }
    )
    assert [str(choice) for choice in graph.choices] == [
        "one of 'do A' or 'do C'",
        "one of 'do B', or 'do D' and 'do E'",
    ]


def test_a_way_past_several_steps_makes_them_optional_together() -> None:
    graph = graph_from_pnml(net([*CHAIN, "s>T", "T>e"], silent="T"), "")
    assert graph.is_valid([], complete=True)
    assert graph.is_valid(["do A", "do B"], complete=True)
    assert not graph.is_valid(["do A"], complete=True)


def test_a_way_back_is_an_undoing() -> None:
    loop = ["s>T", "T>p", "p>A", "A>q", "q>B", "B>p", "q>C", "C>e"]
    graph = graph_from_pnml(net(loop, silent="T"), "")
    assert [str(rule) for rule in (*graph.choices, *graph.undoings)] == [
        "one of 'do B' or 'do C'",
        "'do B' undoes 'do A'",
        "'do A' undoes 'do B'",
    ]


def test_a_long_net_with_a_choice_is_read() -> None:
    arcs = ["s>A", "s>B", "A>p0", "B>p0"]
    for number in range(1000):
        arcs += [f"p{number}>T{number}", f"T{number}>p{number + 1}"]
    graph = graph_from_pnml(net(arcs), "")
    assert len(graph.steps) == 1002
    assert [str(choice) for choice in graph.choices] == ["one of 'do A' or 'do B'"]


def test_a_net_with_choices_may_not_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepgraph.formats.nets.LARGEST", 2)
    with pytest.raises(
        FormatError, match="3 transitions with choices or loops; expected at most 2"
    ):
        graph_from_pnml(net([*CHAIN, "s>C", "C>p"]), "")


def test_a_transition_that_leads_to_its_own_place_is_repeated() -> None:
    graph = graph_from_pnml(net(["s>A", "A>p", "p>B", "B>p", "p>T", "T>e"], silent="T"), "")
    assert graph.attributes["do B"] == StepAttributes(optional=True, repeatable=True)


@given(small_graphs(), st.sets(st.integers(0, 3), max_size=2))
@settings(max_examples=25)
def test_repeatable_steps_come_back(graph: TaskGraph, places: set[int]) -> None:
    about = dict(graph.attributes)
    for place in places:
        step = graph.steps[place % len(graph.steps)]
        about[step] = StepAttributes(optional=step in graph.optional_steps, repeatable=True)
    graph = graph.replace(attributes=about)
    back = graph_from_pnml(to_pnml(graph), "")
    assert back.attributes == graph.attributes
    assert sequences_of_net(to_pnml(graph), 5) == sequences_of_graph(graph, 5)


def test_a_source_without_a_token_is_where_a_workflow_net_starts() -> None:
    assert graph_from_pnml(net(CHAIN, tokens=""), "").steps == ("do A", "do B")


def test_older_files_without_namespace_pages_or_with_other_numbers_are_read() -> None:
    text = net(CHAIN).replace(' xmlns="http://www.pnml.org/version-2009/grammar/pnml"', "")
    text = text.replace('<page id="p">', "").replace("</page>", "")
    text = text.replace("<text>1</text>", "<value>Default,1</value>")
    text = text.replace("<text>0</text>", "0").replace("<text> do A </text>", "<value>do A</value>")
    assert graph_from_pnml(text, "").steps == ("do A", "do B")


def test_arcs_that_say_they_are_normal_are() -> None:
    prom = "<arctype><text>normal</text></arctype><inscription><text>1</text></inscription>"
    text = net(CHAIN).replace('target="A"/>', f'target="A">{prom}</arc>')
    assert graph_from_pnml(text, "").steps == ("do A", "do B")


FINAL = "<finalmarkings><marking><place idref='%s'><text>1</text></place></marking></finalmarkings>"

REFUSED = {
    "a place with two consumers": (
        net([*CHAIN, "p>C", "C>f"]),
        r"a choice that is no block: 2 ways after the place 'p' \(line \d+\), the transition",
    ),
    "a place with two producers": (
        net(["s>A", "z>C", "A>p", "C>p", "p>B", "B>e"], tokens="sz"),
        "a merge that is no block: 2 ways before the place 'p'",
    ),
    "a loop": (
        net(["s>A", "A>p", "p>B", "B>q", "q>A", "B>e"]),
        r"a loop, from the transition 'do [AB]' \(line \d+\) to .*without loops",
    ),
    "a choice that does not come together": (
        net(["s>A", "A>p", "A>q", "p>B", "p>C", "q>D", "B>u", "C>v", "D>w"]),
        "a choice that is no block: 2 ways after the place 'p'",
    ),
    "a deadlock: two alternatives joined": (
        net(["s>A", "s>B", "A>p", "B>q", "p>C", "q>C", "C>e"]),
        "a choice that is no block: 2 ways after the place 's'",
    ),
    "an unbounded net": (
        net(["s>A", "A>p", "p>B", "B>p", "B>q", "p>C", "q>C", "C>e"]),
        "is no block: 2 ways after the place 'p'",
    ),
    "a fork joined by one of its branches at a time": (
        net(["s>A", "A>p", "A>q", "p>B", "q>C", "B>r", "C>r", "r>D", "D>e"]),
        "a merge that is no block: 2 ways before the place 'r'",
    ),
    "a step repeated before another": (
        net(["s>A", "A>p", "p>T", "T>s", "p>B", "B>e", "x>S", "S>s"], silent="TS", tokens="x"),
        "'do A' may be repeated until 'do B' is done, not later",
    ),
    "no start": (net(["A>p", "p>A"]), "no start; expected a place that no transition leads to"),
    "a place that never gets a token": (
        net([*CHAIN, "z>C", "C>f"]),
        "the place 'z' .* has 0 tokens; expected one to start with",
    ),
    "two tokens": (net(CHAIN, tokens="ss"), "the place 's' .* has 2 tokens; expected one"),
    "a token in the middle": (
        net(CHAIN, tokens="sp"),
        "the place 'p' .* has 1 tokens; expected no",
    ),
    "a transition with nothing before": (
        net([*CHAIN, "C>f"]),
        "the transition 'do C' .* hangs loose: there is no place before it",
    ),
    "a transition with nothing after": (
        net(["s>A", "A>p", "p>B"]),
        "the transition 'do B' .* hangs loose: there is no place after it",
    ),
    "a place without arcs": (net(CHAIN, more='<place id="z"/>'), "the place 'z' .* has no arcs"),
    "an id used twice": (
        net(CHAIN, more='<place id="A"/>'),
        r"line \d+: the id 'A' is that of the transition 'do A' \(line \d+\) already",
    ),
    "a node without an id": (net(CHAIN, more="<place/>"), "a place without an id"),
    "an arc to nowhere": (
        net(CHAIN, more='<arc id="x" source="A" target="Z"/>'),
        r"line \d+: an arc whose target is 'Z', which is not in the net",
    ),
    "an arc from nowhere": (net(CHAIN, more='<arc target="s"/>'), "an arc whose source is none"),
    "an arc between places": (
        net(CHAIN, more='<arc source="s" target="e"/>'),
        "an arc from the place 's' .* to the place 'e'",
    ),
    "an arc of weight two": (
        net(CHAIN).replace(
            '<arc id="a0" source="s" target="A"/>',
            '<arc source="s" target="A"><inscription><text>2</text></inscription></arc>',
        ),
        "of the weight 2; expected 1",
    ),
    "an arc twice": (net([*CHAIN, "s>A"]), "of the weight 2; expected 1"),
    "an inhibitor arc": (
        net(CHAIN, more='<arc source="s" target="B"><type value="inhibitor"/></arc>'),
        "an arc of the type 'inhibitor'",
    ),
    "a reset arc in ProM's way": (
        net(CHAIN, more='<arc source="s" target="B"><arctype><text>reset</text></arctype></arc>'),
        "an arc of the type 'reset'",
    ),
    "an arc of a timed net": (
        net(CHAIN, more='<arc source="s" target="B" type="timed"/>'),
        "an arc of the type 'timed'",
    ),
    "a marking that is no number": (
        net(CHAIN).replace("<text>1</text>", "<text>many</text>"),
        "the initialMarking is 'many'; expected a number",
    ),
    "two transitions of one name": (
        net(CHAIN).replace("do B", "do A"),
        "the transition 'do A' .* and the transition 'do A' .* have the same name",
    ),
    "no named transition": (net(CHAIN, silent="AB"), "no steps"),
    "another final marking": (
        net(CHAIN).replace("</net>", FINAL % "p" + "</net>"),
        "a final marking other than one token in each place at the end",
    ),
    "a high-level net": (net(CHAIN, kind="http://x/symmetricnet"), "a high-level net"),
    "a reference place": (net(CHAIN, more='<referencePlace id="r"/>'), "a reference place"),
    "an unknown element": (net(CHAIN, more="<timer/>"), "<timer>, unknown in a net"),
    "two nets": ("<pnml><net/><net/></pnml>", "2 nets in the file; expected one"),
    "no net": ("<pnml/>", "no nets in the file"),
    "another document": ("<html/>", "the element <html>; expected <pnml>"),
    "another namespace": ('<pnml xmlns="urn:x"/>', "<pnml> has the namespace 'urn:x'"),
    "a step called START": (net(CHAIN).replace("do A", "START"), "a step is called 'START'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_anything_else_is_refused_by_name(case: str, tmp_path: Path) -> None:
    text, message = REFUSED[case]
    path = tmp_path / "net.pnml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as refused:
        read_graph(path)
    assert str(refused.value).startswith(f"{path}: ")


@given(st.text(max_size=60), st.integers(0, 600), st.integers(0, 30))
@settings(deadline=None, max_examples=30)
def test_a_spoilt_file_is_read_or_refused(patch: str, place: int, cut: int) -> None:
    text = net(DIAMOND, silent="TJ")
    with suppress(FormatError):  # any other error fails the test
        graph_from_pnml(text[:place] + patch + text[place + cut :], "")


@given(small_graphs())
@settings(deadline=None, max_examples=30)
def test_the_runs_of_the_net_are_the_valid_orders_of_the_graph(graph: TaskGraph) -> None:
    assert orders_of_net(to_pnml(graph)) == valid_complete_orders(graph)


@given(named_graphs(connected=False, endings=st.just(""), max_steps=4))
@settings(deadline=None, max_examples=30)
def test_so_they_are_where_steps_are_not_connected_to_the_ends(graph: TaskGraph) -> None:
    assert orders_of_net(to_pnml(graph)) == valid_complete_orders(graph)


@given(task_graphs())
@settings(deadline=None, max_examples=30)
def test_it_is_a_workflow_net(graph: TaskGraph) -> None:
    root = ET.fromstring(to_pnml(graph).encode())  # noqa: S314 - our own file
    places = {place.attrib["id"] for place in root.iter(f"{PNML}place") if "id" in place.attrib}
    arcs = [(arc.attrib["source"], arc.attrib["target"]) for arc in root.iter(f"{PNML}arc")]
    assert places - {target for _, target in arcs} == {"source"}
    assert places - {source for source, _ in arcs} == {"sink"}


@given(task_graphs())
@settings(deadline=None, max_examples=30)
def test_no_two_nodes_are_in_the_same_spot(graph: TaskGraph) -> None:
    root = ET.fromstring(to_pnml(graph).encode())  # noqa: S314 - our own file
    spots = [(spot.attrib["x"], spot.attrib["y"]) for spot in root.iter(f"{PNML}position")]
    assert len(set(spots)) == len(spots) > 0


def test_silent_transitions_are_marked_as_prom_does_and_have_no_name() -> None:
    root = ET.fromstring(to_pnml(TaskGraph.from_preconditions({"mix": []})).encode())  # noqa: S314
    silent = [
        transition.attrib["id"]
        for transition in root.iter(f"{PNML}transition")
        if transition.find(f"{PNML}toolspecific[@activity='$invisible$']") is not None
    ]
    assert silent == ["t0", "t2"]


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(GraphError, match="which PNML cannot hold"):
        to_pnml(TaskGraph.from_preconditions({"mix\x00": []}))


def test_a_graph_without_steps_is_refused() -> None:
    with pytest.raises(GraphError, match="the graph has no steps, which PNML cannot say"):
        to_pnml(TaskGraph([], []))


BENCH = TaskGraph.from_preconditions(
    {"test": ["build"], "repair": ["test"], "pack": ["test", "repair"]}
)
AGAIN = StepAttributes(optional=True, repeatable=True)
SORTING = TaskGraph.from_preconditions({"ship": ["pack"], "pack": ["check"], "scrap": ["check"]})
ROADS = TaskGraph.from_preconditions({name: ["start"] for name in ("bus", "train", "walk")})

EXPRESSED = {
    "accept or reject": SORTING.replace(choices=[Choice([["pack", "ship"], ["scrap"]])]),
    "test, repair and test again": BENCH.replace(
        attributes={"repair": AGAIN}, undoings=[Undoing("repair", ["test"])]
    ),
    "repair or go on": TaskGraph.from_preconditions(
        {"test": ["build"], "repair": ["test"], "pack": ["test"]}
    ).replace(
        attributes={"repair": StepAttributes(optional=True)},
        choices=[Choice([["repair"], ["pack"]])],
        undoings=[Undoing("repair", ["test"]), Undoing("test", ["repair"])],
    ),
    "an optional step": SORTING.replace(attributes={"pack": StepAttributes(optional=True)}),
    "a repeatable step": SORTING.replace(attributes={"pack": StepAttributes(repeatable=True)}),
    "an optional repeatable step": SORTING.replace(attributes={"check": AGAIN}),
    "three alternatives": ROADS.replace(choices=[Choice([["bus"], ["train"], ["walk"]])]),
    "an optional choice": ROADS.replace(choices=[Choice([["bus"], ["train", "walk"]], True)]),
    "what goes with what": SORTING.replace(
        attributes={
            "pack": StepAttributes(optional=True, goes_with=("ship",)),
            "ship": StepAttributes(optional=True, goes_with=("pack",)),
        }
    ),
}


@pytest.mark.parametrize("case", EXPRESSED)
def test_rules_are_written_exactly(case: str) -> None:
    graph = EXPRESSED[case]
    found = sequences_of_net(to_pnml(graph), 7)
    assert found == sequences_of_graph(graph, 7)
    assert found


@given(graphs_with_rules(max_steps=4))
@settings(max_examples=30)
def test_the_net_of_any_rules_has_exactly_the_valid_sequences_of_the_graph(
    graph: TaskGraph,
) -> None:
    assert sequences_of_net(to_pnml(graph), 5) == sequences_of_graph(graph, 5)


@given(graphs_of_blocks())
@settings(max_examples=30)
def test_the_net_of_blocks_is_read_back_exactly(graph: TaskGraph) -> None:
    text = to_pnml(graph)
    assume('"running"' not in text)  # a loop within a loop
    expected = sequences_of_graph(graph, 5)
    assert sequences_of_net(text, 5) == expected
    assert sequences_of_graph(graph_from_pnml(text, ""), 5) == expected


def test_rules_that_take_too_many_transitions_are_refused_by_name() -> None:
    names = [f"check {number}" for number in range(12)]
    graph = TaskGraph.from_preconditions({name: [] for name in [*names, "mix", "repair"]})
    graph = graph.replace(undoings=[Undoing("repair", names)])
    with pytest.raises(GraphError, match=r"'repair' would need more than 64 transitions .* undoes"):
        to_pnml(graph)
