"""POWL code: what is read, and that nothing of it is run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError, StepgraphError
from stepgraph.formats import read_graph
from stepgraph.formats.powl import graph_from_powl
from tests.formats.conftest import Put

HEAD = "from utils.model_generation import ModelGenerator\ngen = ModelGenerator()\n"
BENCH = (
    HEAD
    + """
build = gen.activity('build')
test = gen.activity("test")
again = gen.loop(do=test, redo='repair')
order = [(build, again), (build, 'label')]
order.extend([(again, gen.xor('pack', gen.partial_order([('dismantle', 'scrap')])))])
order.append(('label', gen.xor('photograph', None)))
final_model = gen.partial_order(dependencies=order)
"""
)


def test_a_model_is_read() -> None:
    graph = graph_from_powl(BENCH, "bench")
    assert graph.procedure == "bench"
    assert graph.optional_steps == ("repair", "photograph")
    assert {str(rule) for rule in (*graph.choices, *graph.undoings)} == {
        "one of 'pack', or 'dismantle' and 'scrap'",
        "one of 'repair', or 'pack', 'dismantle' and 'scrap'",
        "'repair' undoes 'test'",
        "'test' undoes 'repair'",
    }
    assert graph.is_valid(
        ["build", "test", "label", "repair", "test", "dismantle", "scrap"], complete=True
    )
    assert not graph.is_valid(["build", "test", "pack", "repair"])


@pytest.mark.parametrize("name", ["bench.powl", "bench.txt", "bench.py"])
def test_the_ending_or_the_generator_tells_that_it_is_powl(name: str, put: Put) -> None:
    assert read_graph(put(name, BENCH)).procedure == "bench"


def test_a_text_without_a_generator_holds_recordings(put: Put) -> None:
    with pytest.raises(FormatError, match="recordings, expected a task graph"):
        read_graph(put("steps.txt", "build\ntest\n"))


def test_a_step_repeated_at_the_end_is_repeatable() -> None:
    graph = graph_from_powl(HEAD + "final_model = gen.loop('knock', None)", "")
    assert graph.attributes["knock"].repeatable


def test_nothing_is_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    call = f"final_model = gen.activity(open({str(trace)!r}, 'w').name)"
    with pytest.raises(FormatError, match=r"line 3: gen.activity\(open"):
        graph_from_powl(HEAD + call, "")
    assert not trace.exists()


REFUSED = {
    "no Python": ("final_model = gen.xor(", "line 3: not POWL code"),
    "another statement": ("while True: pass", "line 3: while True: pass; expected an assignment"),
    "another import": ("import os", "line 3: import os; expected an assignment"),
    "a call of something else": ("x = print('x')", r"line 3: print\('x'\); expected gen.activity"),
    "another method": ("x = gen.silent()", r"line 3: gen.silent\(\); expected gen.activity"),
    "another generator": ("x = net.activity('x')", r"line 3: net.activity\('x'\); expected gen"),
    "a number": ("final_model = 7", "line 3: 7; expected gen.activity"),
    "an unknown name": ("final_model = mix", "line 3: mix is not known"),
    "no model": ("x = gen.activity('x')", "no line assigns final_model"),
    "a list as the model": ("final_model = ['x']", "final_model is a list; expected a model"),
    "nothing as the model": ("final_model = None", "no steps; expected at least one"),
    "an activity without a name": ("final_model = gen.activity(' ')", "line 3: an activity with"),
    "two names": ("final_model = gen.activity('x', 'y')", "expected the arguments label"),
    "a choice of one": ("final_model = gen.xor('x')", "with two or more models"),
    "a choice of a list": (
        "final_model = gen.xor('x', ['y'])",
        r"line 3: \['y'\]; expected a model",
    ),
    "an empty loop": ("final_model = gen.loop(None, None)", "expected a loop with a model in it"),
    "a loop with three parts": ("final_model = gen.loop('x', 'y', 'z')", "arguments do, redo"),
    "an unknown argument": ("final_model = gen.loop(do='x', undo='y')", "arguments do, redo"),
    "an order of texts": ("final_model = gen.partial_order(['x'])", "expected a list of tuples"),
    "an order of nothing": ("final_model = gen.partial_order([])", "expected one or more models"),
    "nothing in an order": ("final_model = gen.partial_order([('x', None)])", "tuples of models"),
    "a circle": (
        "final_model = gen.partial_order([('x', 'y'), ('y', 'x')])",
        "line 3: models that come before each other in a circle",
    ),
    "something to extend that is no list": ("x = 'x'\nx.extend([])", "expected a list to extend"),
    "two steps of one name": (
        "x = gen.xor('mix', None)\nfinal_model = gen.partial_order([(x, gen.activity('mix'))])",
        r"two steps are called 'mix' \(line 3 and line 4\)",
    ),
    "a model used twice": (
        "x = gen.activity('mix')\nfinal_model = gen.partial_order([(gen.xor(x, None), x)])",
        "two steps are called 'mix'; a task graph has each step once",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_anything_else_is_refused_with_its_line(case: str, put: Put) -> None:
    code, message = REFUSED[case]
    path = put("model.powl", HEAD + code)
    with pytest.raises(FormatError, match=message) as refused:
        read_graph(path)
    assert str(refused.value).startswith(f"{path}: ")


def test_models_that_hold_each_other_again_and_again_take_no_time() -> None:
    lines = ["x0 = gen.activity('x')"]
    lines += [f"x{number} = gen.xor(x{number - 1}, x{number - 1})" for number in range(1, 90)]
    with pytest.raises(FormatError, match="two steps are called 'x'"):
        graph_from_powl(HEAD + "\n".join([*lines, "final_model = x89"]), "")


@given(st.text(max_size=60), st.integers(0, 500), st.integers(0, 30))
def test_a_spoilt_file_is_read_or_refused(patch: str, place: int, cut: int) -> None:
    with suppress(StepgraphError):  # any other error fails the test
        graph_from_powl(BENCH[:place] + patch + BENCH[place + cut :], "")
