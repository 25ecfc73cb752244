"""The procedures that ship are what they say they are."""

from __future__ import annotations

import csv
import dataclasses
import runpy
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from stepgraph.errors import FileError, UnknownNameError
from stepgraph.formats.json_text import read_json
from stepgraph.formats.stepgraph_json import demonstrations_from_json, graph_from_json
from stepgraph.graph import TaskGraph, connect_ends
from stepgraph.procedures import (
    CSV_COLUMNS,
    ORDER,
    PRECONDITION_SKIPPED,
    SKIPPED,
    Procedure,
    export_procedure,
    load_procedure,
    procedure_names,
)
from stepgraph.sequences import END, START, KeyStepSequence

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "make_procedures.py"


@pytest.fixture(params=procedure_names())
def procedure(request: pytest.FixtureRequest) -> Procedure:
    return load_procedure(request.param)


def every_procedure() -> list[Procedure]:
    return [load_procedure(name) for name in procedure_names()]


def ordered_share(graph: TaskGraph) -> float:
    """Return the share of all pairs of steps of which one must come before the other."""
    count = len(graph.steps)
    ordered = sum(len(graph.all_preconditions_of(step)) for step in graph.steps)
    return ordered / (count * (count - 1) / 2)


def marks_by_the_rule(procedure: Procedure, sequence: KeyStepSequence) -> tuple[str | None, ...]:
    """Return the marks that follow from the graph."""
    names = procedure.demonstrations.names(sequence)
    found: list[str | None] = []
    for position, step in enumerate(names):
        missing = procedure.graph.missing_before(step, names[:position])
        later = any(needed in names[position + 1 :] for needed in missing)
        found.append((ORDER if later else PRECONDITION_SKIPPED) if missing else None)
    return tuple(found)


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPT.parent))  # as where a script is run
        return runpy.run_path(str(SCRIPT))


# The files


def test_shipped_files_equal_what_the_script_generates(script: dict[str, Any]) -> None:
    shipped = {
        entry.name: entry.read_bytes().decode("utf-8")
        for entry in resources.files("stepgraph.procedures").iterdir()
        if entry.name.endswith(".json")
    }
    assert shipped == script["generate"]()


def test_the_script_generates_the_same_text_twice(script: dict[str, Any]) -> None:
    assert script["generate"]() == script["generate"]()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"steps": {"b": (1, "a"), "a": (1,)}}, "declared later"),
        ({"steps": {"a": (1,), "b": (1, "a"), "c": (1, "a", "b")}}, "'c' need not list 'a'"),
        ({"optional": ("a",)}, "'a' is not optional"),
        ({"repeatable": {"b": ("a", "c")}}, "'a' does not come after 'b'"),
        ({"repeatable": {"b": ("c", "b")}}, "'b' does not come after 'c'"),
    ],
)
def test_the_script_refuses_a_declaration_that_makes_no_sense(
    script: dict[str, Any], wrong: dict[str, Any], message: str
) -> None:
    right = {
        "name": "trial",
        "domain": "test",
        "about": "Try.",
        "seed": 0,
        "steps": {"a": (1,), "b": (1, "a"), "c": (1, "b")},
        "forgettable": (),
    }
    assert script["Recipe"](**right).graph().steps == ("a", "b", "c")
    with pytest.raises(ValueError, match=message):
        script["Recipe"](**(right | wrong)).graph()


def test_there_are_at_least_seven_procedures_in_several_domains() -> None:
    found = every_procedure()
    assert len(found) >= 7
    assert len({procedure.domain for procedure in found}) >= 5


def test_names_are_sorted_lower_case_and_hyphenated() -> None:
    names = procedure_names()
    assert list(names) == sorted(names)
    assert all(name.replace("-", "").isalpha() and name == name.lower() for name in names)


def test_provenance_says_that_recordings_are_simulated(procedure: Procedure) -> None:
    said = procedure.graph.provenance.other["simulated"]
    assert said.startswith("from the graph by tools/make_procedures.py, seed ")


# The graphs


def test_graph_names_and_provenance_agree(procedure: Procedure) -> None:
    assert procedure.graph.procedure == procedure.demonstrations.procedure == procedure.name
    assert procedure.graph.vocabulary == procedure.demonstrations.vocabulary
    assert {*procedure.optional, *procedure.repeatable} <= set(procedure.graph.steps)
    assert procedure.about.endswith(".")


def test_graph_has_8_to_20_steps(procedure: Procedure) -> None:
    assert 8 <= len(procedure.graph.steps) <= 20


def test_graph_is_transitively_reduced_and_connected_to_both_ends(procedure: Procedure) -> None:
    graph = procedure.graph
    reduced = nx.transitive_reduction(graph.to_networkx())
    assert set(reduced.edges) == set(graph.edges)
    inner = [edge for edge in graph.edges if START not in edge and END not in edge]
    assert set(connect_ends(graph.steps, inner)) == set(graph.edges)


def test_nothing_but_end_needs_an_optional_step(procedure: Procedure) -> None:
    for step in procedure.optional:
        assert procedure.graph.dependents_of(step) == ()
        assert step in procedure.graph.preconditions_of(END)


def test_one_procedure_is_nearly_linear_and_one_nearly_free() -> None:
    shares = [ordered_share(procedure.graph) for procedure in every_procedure()]
    assert max(shares) >= 0.8
    assert min(shares) <= 0.25


# The demonstrations


def test_there_are_enough_demonstrations_of_each_kind(procedure: Procedure) -> None:
    assert 14 <= len(procedure.demonstrations) <= 20
    assert len(procedure.clean) >= 12
    assert len(procedure.clean) + len(procedure.faulty) == len(procedure.demonstrations)
    assert sum(ORDER in (sequence.mistakes or ()) for sequence in procedure.faulty) >= 2
    assert sum(bool(sequence.skipped) for sequence in procedure.faulty) >= 2


def test_clean_demonstrations_are_valid_and_complete_but_for_optional_steps(
    procedure: Procedure,
) -> None:
    mandatory = set(procedure.graph.steps) - set(procedure.optional)
    for sequence in procedure.clean:
        names = procedure.clean.names(sequence)
        assert procedure.graph.is_valid(names)
        assert mandatory <= set(names)


def test_every_recording_says_of_each_step_whether_it_was_a_mistake(procedure: Procedure) -> None:
    for sequence in procedure.demonstrations:
        assert sequence.mistakes == marks_by_the_rule(procedure, sequence)


def test_skipped_steps_are_mandatory_and_never_done(procedure: Procedure) -> None:
    for sequence in procedure.demonstrations:
        names = procedure.demonstrations.names(sequence)
        skipped = {procedure.graph.vocabulary.name(node) for node in sequence.skipped}
        left_out = set(procedure.graph.steps) - set(names)
        assert left_out - set(procedure.optional) == skipped


def test_only_repeatable_steps_are_repeated(procedure: Procedure) -> None:
    for sequence in procedure.demonstrations:
        names = list(procedure.demonstrations.names(sequence))
        assert {name for name in names if names.count(name) > 1} <= set(procedure.repeatable)


def test_optional_and_repeatable_steps_show_it_in_clean_demonstrations(
    procedure: Procedure,
) -> None:
    recordings = [procedure.clean.names(sequence) for sequence in procedure.clean]
    for step in procedure.optional:
        assert any(step in names for names in recordings)
        assert any(step not in names for names in recordings)
    for step in procedure.repeatable:
        assert any(names.count(step) >= 2 for names in recordings)


def test_one_procedure_has_optional_and_repeatable_steps() -> None:
    assert any(procedure.optional and procedure.repeatable for procedure in every_procedure())


def test_times_increase(procedure: Procedure) -> None:
    for sequence in procedure.demonstrations:
        assert sequence.starts is not None
        assert sequence.ends is not None
        assert sequence.starts[0] >= 0
        assert all(a < b for a, b in zip(sequence.starts, sequence.ends, strict=True))
        assert all(
            end <= start for end, start in zip(sequence.ends, sequence.starts[1:], strict=False)
        )
        assert all(a < b for a, b in pairwise(sequence.starts))


# The loader


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown procedure 'pancake'; .*'pancakes'"):
        load_procedure("pancake")


@pytest.mark.parametrize("name", ["", "../pancakes", "pancakes.graph", "PANCAKES "])
def test_only_listed_names_are_loaded(name: str) -> None:
    with pytest.raises(UnknownNameError):
        load_procedure(name)


def test_a_procedure_is_immutable() -> None:
    pancakes = load_procedure("pancakes")
    with pytest.raises(dataclasses.FrozenInstanceError):
        pancakes.name = "waffles"  # type: ignore[misc]


# The export


def test_exported_json_files_read_back_as_the_procedure(
    procedure: Procedure, tmp_path: Path
) -> None:
    _, demonstrations, graph = export_procedure(procedure.name, tmp_path / "new" / "folder")
    assert demonstrations_from_json(read_json(demonstrations)) == procedure.demonstrations
    read = graph_from_json(read_json(graph))
    assert read == procedure.graph
    assert read.provenance == procedure.graph.provenance


def test_exported_table_holds_every_step_in_order(procedure: Procedure, tmp_path: Path) -> None:
    table, *_ = export_procedure(procedure.name, tmp_path)
    assert table == tmp_path / f"{procedure.name}.csv"
    with table.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert tuple(header) == CSV_COLUMNS
    by_recording: dict[str, list[list[str]]] = {}
    for recording, *cells in rows:
        by_recording.setdefault(recording, []).append(cells)
    vocabulary = procedure.graph.vocabulary
    read = []
    for id_, cells_of in by_recording.items():
        done = [cells for cells in cells_of if cells[3] != SKIPPED]
        skipped = cells_of[len(done) :]
        assert all(cells[1:] == ["", "", SKIPPED] for cells in skipped)
        read.append(
            KeyStepSequence(
                id_,
                tuple(vocabulary.node(cells[0]) for cells in done),
                starts=tuple(float(cells[1]) for cells in done),
                ends=tuple(float(cells[2]) for cells in done),
                mistakes=tuple(cells[3] or None for cells in done),
                skipped=tuple(vocabulary.node(cells[0]) for cells in skipped),
            )
        )
    assert tuple(read) == procedure.demonstrations.sequences


def test_an_export_can_be_repeated_and_replaces_nothing_else(tmp_path: Path) -> None:
    paths = export_procedure("pancakes", tmp_path)
    assert export_procedure("pancakes", tmp_path) == paths
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    for path in paths:
        mine = path.read_text(encoding="utf-8")
        path.write_text("mine", encoding="utf-8")
        with pytest.raises(FileError, match=f"{path.name}: there is a file of this name, which"):
            export_procedure("pancakes", tmp_path)
        assert path.read_text(encoding="utf-8") == "mine"
        path.write_text(mine, encoding="utf-8")


def test_export_of_an_unknown_procedure_makes_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        export_procedure("waffles", tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


def test_export_into_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(FileError, match="taken"):
        export_procedure("pancakes", tmp_path / "taken")


def test_export_over_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pancakes.csv").mkdir()
    with pytest.raises(FileError, match=r"pancakes\.csv"):
        export_procedure("pancakes", tmp_path)
