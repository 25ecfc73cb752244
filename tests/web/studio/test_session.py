"""Edits, their limits, undo and redo, and what is kept in the file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import CycleError, InputError, SettingError, UnknownNameError
from stepgraph.formats.stepgraph_json import graph_from_json, graph_to_json
from stepgraph.graph import Constraints, Edge, Provenance, TaskGraph
from stepgraph.graph.evidence import EdgeEvidence, StepAttributes
from stepgraph.sequences import END, START, Demonstrations
from stepgraph.web.studio.graph_source import GraphSource
from stepgraph.web.studio.session import StudioSession
from tests.web.studio.running import NOON, TEA, brewed


def sitting(graph: TaskGraph = TEA) -> StudioSession:
    return StudioSession(GraphSource.of_graph(graph), lambda: NOON)


def test_nothing_is_edited_at_first() -> None:
    session = sitting()
    assert session.graph == TEA
    assert session.is_saved
    assert (session.undoable, session.redoable) == (None, None)
    assert not session.to_save().provenance.history


def test_an_edge_is_added_and_start_gives_way() -> None:
    session = sitting()
    assert session.add("warm pot", "boil water") == (
        "'pour' now needs 'boil water' through other steps",
    )
    assert session.graph.preconditions_of("warm pot") == ("boil water",)
    assert ("warm pot", START) not in session.graph.edges
    assert ("pour", "boil water") not in session.graph.edges


def test_an_edge_is_removed_and_loose_ends_are_connected() -> None:
    session = sitting()
    session.remove("serve", "steep")
    assert ("serve", START) in session.graph.edges
    assert (END, "steep") in session.graph.edges


def test_a_cycle_is_refused_and_shown_and_nothing_changes() -> None:
    session = sitting()
    for edit in (session.add, session.pin):
        with pytest.raises(CycleError) as caught:
            edit("boil water", "serve")
        assert caught.value.cycle == ("boil water", "serve", "steep", "pour")
    with pytest.raises(CycleError) as caught:
        session.add("pour", "pour")
    assert caught.value.cycle == ("pour",)
    assert session.graph == TEA
    assert session.undoable is None


def test_what_follows_already_is_not_added_but_can_be_pinned() -> None:
    session = sitting()
    with pytest.raises(InputError, match="already follows: 'serve' needs 'steep' needs 'pour'"):
        session.add("serve", "pour")
    with pytest.raises(InputError, match="already needs 'steep'"):
        session.add("serve", "steep")
    session.pin("serve", "pour")
    assert session.graph == TEA
    session.remove("serve", "steep")
    assert session.graph.preconditions_of("serve") == ("pour",)


def test_forbidding_also_cuts_what_would_imply_it() -> None:
    session = sitting()
    said = session.forbid("serve", "pour")
    assert "pour" not in session.graph.all_preconditions_of("serve")
    assert len(said) == 1
    assert "no longer needs" in said[0]


def test_forbidding_what_pins_imply_is_refused() -> None:
    session = sitting()
    session.pin("serve", "steep")
    session.pin("steep", "pour")
    with pytest.raises(InputError, match="the must edges say so"):
        session.forbid("serve", "pour")


def test_the_last_word_on_an_edge_counts() -> None:
    session = sitting()
    session.forbid("pour", "warm pot")
    assert ("pour", "warm pot") not in session.graph.edges
    session.pin("pour", "warm pot")
    assert session.state.edits.constraints.never == ()
    session.remove("pour", "warm pot")
    assert session.state.edits.constraints.pinned == ()
    session.add("pour", "warm pot")
    assert session.state.edits.added == ()  # it was in the source
    assert session.graph == TEA


def test_pins_and_bans_are_freed() -> None:
    session = sitting()
    session.pin("add leaves", "warm pot")
    session.free("add leaves", "warm pot")
    assert ("add leaves", "warm pot") in session.graph.edges
    session.forbid("serve", "steep")
    session.free("serve", "steep")
    assert ("serve", "steep") in session.graph.edges
    with pytest.raises(InputError, match="neither pinned nor forbidden"):
        session.free("serve", "steep")


def test_a_step_is_marked_optional_and_back() -> None:
    session = sitting()
    session.mark_optional("warm pot", True)
    assert session.graph.optional_steps == ("warm pot",)
    with pytest.raises(InputError, match="already optional"):
        session.mark_optional("warm pot", True)
    session.mark_optional("warm pot", False)
    assert not session.graph.optional_steps


@pytest.mark.parametrize("edit", ["add", "remove", "pin", "forbid", "free"])
def test_unknown_steps_and_ends_are_refused(edit: str) -> None:
    session = sitting()
    with pytest.raises(UnknownNameError, match="did you mean 'steep'"):
        getattr(session, edit)("steap", "pour")
    with pytest.raises(InputError, match="START and END cannot be edited"):
        getattr(session, edit)("pour", START)


def test_removing_what_is_no_edge_says_why_not() -> None:
    with pytest.raises(InputError, match="it follows from 'serve' needs 'steep' needs 'pour'"):
        sitting().remove("serve", "pour")


def test_a_threshold_lets_edges_go_and_come_back() -> None:
    session = StudioSession(brewed(), lambda: NOON)
    before = session.graph
    session.set_threshold(1.0)
    assert all(START in edge or END in edge for edge in session.graph.edges)
    session.set_threshold(0.0)
    assert session.graph == before
    assert len(session.state.history) == 1  # moving it is one edit
    session.undo()
    assert session.undoable is None


def test_a_threshold_keeps_what_somebody_wants() -> None:
    session = StudioSession(brewed(), lambda: NOON)
    session.pin("steep", "pour")
    session.set_threshold(1.0)
    assert session.graph.preconditions_of("steep") == ("pour",)


def test_a_threshold_needs_probabilities() -> None:
    with pytest.raises(SettingError, match="no probabilities to choose by"):
        sitting().set_threshold(0.5)
    with pytest.raises(SettingError, match="from 0 to 1"):
        StudioSession(brewed()).set_threshold(1.5)


def test_weights_of_a_file_can_be_chosen_by() -> None:
    graph = TEA.replace(weights={("serve", "steep"): 0.9, ("pour", "warm pot"): 0.4})
    session = sitting(graph)
    session.set_threshold(0.5)
    assert ("pour", "warm pot") not in session.graph.edges
    assert ("serve", "steep") in session.graph.edges
    assert ("pour", "boil water") in session.graph.edges  # it has no weight
    assert ("pour", "boil water") not in session.graph.weights


def test_evidence_is_counted_for_edges_that_somebody_draws() -> None:
    session = StudioSession(brewed(), lambda: NOON)
    session.add("warm pot", "boil water")
    found = session.graph.evidence["warm pot", "boil water"]
    assert (found.held, found.broken, found.silent) == (3, 3, 0)


def test_evidence_of_a_file_stays_with_its_edges() -> None:
    counted = TEA.replace(evidence={("serve", "steep"): EdgeEvidence(4, 1, 0)})
    session = sitting(counted)
    session.remove("pour", "warm pot")
    assert session.graph.evidence == {("serve", "steep"): EdgeEvidence(4, 1, 0)}


def test_learning_anew_keeps_pins_bans_and_marks_and_says_what_it_gave_up() -> None:
    session = StudioSession(brewed(), lambda: NOON)
    session.pin("add leaves", "warm pot")
    session.add("boil water", "warm pot")
    session.mark_optional("add leaves", True)
    said = session.relearned(brewed())
    assert any("your added edge 'boil water' needs 'warm pot' is gone" in one for one in said)
    assert session.state.edits.constraints.pinned == (("add leaves", "warm pot"),)
    assert session.state.edits.added == ()
    assert session.graph.optional_steps == ("add leaves",)
    session.undo()
    assert ("boil water", "warm pot") in session.graph.edges


def test_other_recordings_begin_afresh_and_can_be_undone() -> None:
    session = sitting()
    session.pin("serve", "pour")
    session.opened(brewed())
    assert session.state.edits.constraints.pinned == ()
    session.undo()
    assert session.graph == TEA


def test_recordings_for_a_graph_keep_its_edits() -> None:
    session = sitting()
    session.remove("pour", "warm pot")
    given = Demonstrations.from_steps({"a": ["steep", "serve"], "b": ["serve", "steep"]})
    session.opened(session.state.source.with_recordings(given, "more.csv"), keep_graph=True)
    assert ("pour", "warm pot") not in session.graph.edges
    assert session.graph.evidence["serve", "steep"].broken == 1


def test_the_history_is_saved_and_goes_on_in_the_next_sitting() -> None:
    session = sitting()
    session.pin("serve", "pour")
    session.forbid("pour", "warm pot")
    session.mark_optional("add leaves", True)
    session.remove("serve", "steep")
    session.undo()
    saved = graph_from_json(graph_to_json(session.to_save()))
    assert saved.provenance.history == (
        {"at": NOON, "edit": "pin", "step": "serve", "needs": "pour"},
        {"at": NOON, "edit": "forbid", "step": "pour", "needs": "warm pot"},
        {"at": NOON, "edit": "optional", "step": "add leaves"},
    )
    again = sitting(saved)
    assert again.graph == session.graph
    assert again.state.edits.constraints.pinned == (("serve", "pour"),)
    assert again.state.edits.constraints.never == (("pour", "warm pot"),)
    again.free("pour", "warm pot")
    assert [entry["edit"] for entry in again.to_save().provenance.history] == [
        "pin",
        "forbid",
        "optional",
        "free",
    ]


def test_constraints_that_contradict_each_other_are_noted_and_left_out() -> None:
    contradiction = Constraints(must=[("pour", "serve"), ("serve", "pour")])
    session = sitting(TEA.replace(constraints=contradiction))
    assert session.graph == TEA
    assert "need each other" in session.notes[0]


def test_constraints_on_steps_that_the_graph_lacks_are_kept_for_later() -> None:
    unseen = Constraints(must=[("pour", "sing")], optional=["sing"])
    session = sitting(TEA.replace(constraints=unseen))
    assert session.graph == TEA
    assert session.to_save().constraints == unseen


def test_marks_hold_in_the_next_sitting_when_it_is_learned_anew() -> None:
    first = sitting(TEA.replace(attributes={"steep": StepAttributes(optional=True)}))
    first.mark_optional("warm pot", True)
    first.mark_optional("steep", False)
    following = sitting(first.to_save())
    following.relearned(brewed())
    assert following.graph.optional_steps == ("warm pot",)


def test_a_mark_that_the_file_contradicts_by_now_is_noted_and_left_out() -> None:
    first = sitting()
    first.mark_optional("warm pot", True)
    following = sitting(first.to_save().replace(attributes={}))
    assert following.graph.optional_steps == ()
    assert following.notes == (
        "'warm pot' was marked otherwise, but is not optional now; it stays not optional",
    )


def test_what_a_file_says_of_its_origin_is_kept() -> None:
    origin = Provenance("hand", other={"author": "Ada"})
    session = sitting(TEA.replace(provenance=origin))
    session.remove("serve", "steep")
    saved = session.to_save().provenance
    assert (saved.method, saved.other) == ("hand", {"author": "Ada"})


def test_what_was_stated_when_a_graph_was_learned_is_pinned_and_kept() -> None:
    stated = Constraints(must=[("add leaves", "warm pot")], never=[("steep", "add leaves")])
    session = sitting(TEA.replace(constraints=stated))
    assert "warm pot" in session.graph.all_preconditions_of("add leaves")
    assert "add leaves" not in session.graph.all_preconditions_of("steep")
    with pytest.raises(InputError, match="already pinned"):
        session.pin("add leaves", "warm pot")
    session.free("steep", "add leaves")
    assert session.to_save().constraints == Constraints(must=stated.must)


def test_undo_and_redo_beyond_the_ends_are_refused() -> None:
    session = sitting()
    with pytest.raises(InputError, match="nothing to undo"):
        session.undo()
    with pytest.raises(InputError, match="nothing to redo"):
        session.redo()


def test_a_new_edit_forgets_what_was_undone() -> None:
    session = sitting()
    session.remove("serve", "steep")
    session.undo()
    session.mark_optional("warm pot", True)
    assert session.redoable is None


def test_what_is_saved_is_known_through_undo() -> None:
    session = sitting()
    session.remove("serve", "steep")
    assert not session.is_saved
    session.saved()
    assert session.is_saved
    session.undo()
    assert not session.is_saved
    session.redo()
    assert session.is_saved


names = st.sampled_from(TEA.steps)
commands = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["add", "remove", "pin", "forbid", "free"]), names, names),
        st.tuples(st.just("mark_optional"), names, st.booleans()),
        st.tuples(st.just("set_threshold"), st.floats(0, 1), st.none()),
    ),
    max_size=12,
)


@given(commands)
def test_any_edits_make_a_task_graph_and_can_all_be_undone_and_redone(
    edits: list[tuple[str, object, object]],
) -> None:
    session = StudioSession(brewed(), lambda: NOON)
    first = session.graph
    seen = [first]
    for edit, *arguments in edits:
        given_ = [argument for argument in arguments if argument is not None]
        count = len(session.state.history)
        try:
            getattr(session, edit)(*given_)
        except InputError:
            assert len(session.state.history) == count
            continue
        for step in session.graph.steps:  # everything lies between START and END
            assert path(session.graph, END, step)
            assert path(session.graph, step, START)
        must, never = wanted(session), session.state.edits.constraints.never
        assert all(path(session.graph, *edge) for edge in must)
        assert not any(path(session.graph, *edge) for edge in never)
        if len(session.state.history) == count:
            seen[-1] = session.graph
        else:
            seen.append(session.graph)
    for graph in reversed(seen[:-1]):
        session.undo()
        assert session.graph == graph
    assert session.undoable is None
    for graph in seen[1:]:
        session.redo()
        assert session.graph == graph


def wanted(session: StudioSession) -> tuple[Edge, ...]:
    edits = session.state.edits
    return (*edits.constraints.required, *edits.added)


def path(graph: TaskGraph, step: str, needed: str) -> bool:
    import networkx as nx

    return bool(nx.has_path(graph.to_networkx(), step, needed))


def test_probabilities_are_saved_with_the_counts_of_the_recordings_at_hand() -> None:
    learned = brewed().graph
    counted = Demonstrations.from_steps([list(learned.in_order())] * 3)
    saved = StudioSession(GraphSource.of_graph(learned, counted)).to_save()
    assert learned.evidence
    for edge, known in learned.evidence.items():
        assert known.probability is not None
        assert (saved.evidence[edge].held, saved.evidence[edge].probability) == (
            3,
            known.probability,
        )
