from __future__ import annotations

import copy
import errno
import json
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import JSON_VALUES, annotated_demonstrations, task_graphs
from tgml.attributes import EdgeEvidence, StepAttributes
from tgml.errors import CycleError, FileError, FormatError, GraphError, TgmlError
from tgml.files import make_folder, read_text, write_text
from tgml.graph import TaskGraph
from tgml.sequences import Demonstrations, KeyStepSequence, Vocabulary
from tgml.storage import (
    VERSION,
    demonstrations_from_json,
    demonstrations_to_json,
    dump_json,
    graph_from_json,
    graph_to_json,
    parse_json,
    read_json,
    save_graph,
)

T = TypeVar("T")

GRAPH = TaskGraph.from_preconditions(
    {"mix": ["egg", "milk"]}, procedure="cake", provenance={"method": "do"}
)
DEMONSTRATIONS = Demonstrations(
    Vocabulary(("egg", "milk", "mix")),
    (
        KeyStepSequence("one", (1, 2, 3), (0.0, 1.0, 2.0), (1.0, 2.0, 3.5), (None, "late", None)),
        KeyStepSequence("two", (2, 3), skipped=(1,)),
    ),
    "cake",
)


def changed(content: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    return {**copy.deepcopy(content), key: value}


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# Round trips


@given(task_graphs(weighted=True))
def test_a_graph_survives_its_file(graph: TaskGraph) -> None:
    again = graph_from_json(parse_json(dump_json(graph_to_json(graph)), "here"))
    assert again == graph
    assert (again.steps, again.procedure) == (graph.steps, graph.procedure)
    assert again.provenance == graph.provenance
    assert dict(again.weights) == pytest.approx(dict(graph.weights), abs=5e-7)


@given(annotated_demonstrations())
def test_demonstrations_survive_their_file(given_: Demonstrations) -> None:
    text = dump_json(demonstrations_to_json(given_))
    assert demonstrations_from_json(parse_json(text, "here")) == given_


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
    assert (content["format"], content["version"]) == ("tgml-graph", VERSION)
    assert content["edges"][1] == {"step": "milk", "needs": "START"}
    assert graph_from_json(read_json(tmp_path / "g.json")) == GRAPH


def test_each_edge_has_a_line_of_its_own_for_people_who_compare_files() -> None:
    lines = dump_json(graph_to_json(GRAPH)).splitlines()
    assert '    {"step": "mix", "needs": "egg"},' in lines


@given(st.dictionaries(st.text(max_size=5), JSON_VALUES))
def test_any_json_object_is_laid_out_as_json_or_refused(content: dict[str, Any]) -> None:
    try:
        text = dump_json(content)
    except FormatError:
        # Only NaN and infinities have no place in JSON.
        with pytest.raises(ValueError, match="not JSON compliant"):
            json.dumps(content, allow_nan=False)
    else:
        assert json.loads(text) == content


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), float("inf"), object(), [[b"x"]]])
def test_what_json_cannot_hold_is_refused_before_anything_is_written(
    value: Any, tmp_path: Path
) -> None:
    graph = TaskGraph("a", [], provenance={"odd": value})
    with pytest.raises(FormatError, match="cannot be written as JSON"):
        save_graph(graph, tmp_path / "g.json")
    assert names_in(tmp_path) == []


# Reading


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", r"line 1, column 2: not JSON"),
        ('{\n "a": 1,\n}', r"line 3, column 1: not JSON"),
        ("[NaN]", "NaN is no number"),
        ("[-Infinity]", "-Infinity is no number"),
        ("[1e999]", "1e999 is too large a number"),
        ("[" * 100_000, "not JSON that can be used"),
        ("1" * 5000, "not JSON that can be used"),
    ],
)
def test_text_that_is_no_usable_json_is_refused_with_the_place(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=f"^here: .*{reason}"):
        parse_json(text, "here")


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes("\N{BYTE ORDER MARK}[1]".encode())
    assert read_json(tmp_path / "x") == [1]


@pytest.mark.parametrize("content", [b"", b" \n\t", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FormatError, match="the file is empty"):
        read_text(tmp_path / "x")


def test_another_encoding_is_refused_with_the_byte(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes("Küche".encode("latin-1"))
    with pytest.raises(FileError, match=r"byte 1 \(0xfc\) is not UTF-8; save the file"):
        read_text(tmp_path / "x")


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_text(tmp_path / "x")
    with pytest.raises(FileError, match="a folder, expected a file"):
        read_text(tmp_path)


@pytest.mark.parametrize("name", ["a\0b", "n" * 5000])
def test_a_path_that_cannot_be_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileError):
        read_text(tmp_path / name)
    with pytest.raises(FileError):
        write_text(tmp_path / name, "text")
    assert names_in(tmp_path) == []


# Content


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("format", "tgml-demonstrations", '"format": "tgml-graph", came'),
        ("format", None, "came None"),
        ("version", VERSION + 1, f"version {VERSION + 1}.*up to {VERSION}; install a newer tgml"),
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


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("format", "tgml-graph", '"format": "tgml-demonstrations"'),
        ("version", VERSION + 1, "install a newer tgml"),
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


def outcome(read: Callable[[Any, str], T], content: Any) -> tuple[T | None, str]:
    """Return what was read, or nothing and the message; other errors pass."""
    try:
        return read(content, "here"), ""
    except TgmlError as error:
        return None, str(error)


def some(value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return value | JSON_VALUES


TEXTS = some(st.sampled_from(["a", "b", "START", "END", ""]))
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
            {"format": st.just("tgml-graph"), "version": some(st.just(VERSION))},
            optional={
                "steps": some(st.lists(TEXTS, max_size=3)),
                "edges": EDGES,
                "procedure": TEXTS,
                "provenance": JSON_VALUES,
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


@given(
    some(
        st.fixed_dictionaries(
            {"format": st.just("tgml-demonstrations"), "version": some(st.just(VERSION))},
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


# Writing


def test_an_older_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    path.write_text("old")
    write_text(path, "new\n")
    assert path.read_bytes() == b"new\n"
    assert names_in(tmp_path) == ["g.json"]


@pytest.mark.parametrize("interruption", [OSError(errno.ENOSPC, "No space"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    interruption: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.json"
    path.write_text("old")

    def fail(_self: Path, _target: Path) -> Path:
        # By now the new content is in a file beside the old one.
        assert len(names_in(tmp_path)) == 2
        raise interruption

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises((FileError, KeyboardInterrupt)):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["g.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_named_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def open_full(self: Path, *args: Any, **kwargs: Any) -> Any:
        opened(self, *args, **kwargs).close()
        return opened(Path("/dev/full"), "wb")

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(FileError, match="No space left on device"):
        write_text(tmp_path / "g.json", "new")
    assert names_in(tmp_path) == []


def test_half_of_a_character_is_refused_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    path.write_text("old")
    with pytest.raises(FormatError, match="UTF-8"):
        save_graph(TaskGraph(["a\ud800"], []), path)
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["g.json"]


def test_a_folder_that_does_not_exist_is_not_written_to(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        write_text(tmp_path / "no" / "g.json", "text")


def test_a_file_in_place_of_a_folder_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(FileError, match="cannot be written"):
        write_text(tmp_path / "file" / "g.json", "text")
    assert (tmp_path / "file").read_text() == "old"


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a folder, expected a file name"):
        write_text(tmp_path, "text")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_device_or_pipe_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(FileError, match="not a plain file"):
        write_text(path, "text")
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert names_in(tmp_path) == ["pipe"]


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "elsewhere")
    (folder / "target").write_text("old")
    (tmp_path / "link").symlink_to(folder / "target")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (folder / "target").read_text() == "new"
    assert names_in(folder) == ["target"]


def test_the_longest_name_that_the_file_system_takes_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_text(path, "text")
    assert path.read_text() == "text"


def test_line_ends_are_the_same_on_every_system(tmp_path: Path) -> None:
    write_text(tmp_path / "x", "a\nb\r\n")
    assert (tmp_path / "x").read_bytes() == b"a\nb\r\n"


def test_a_folder_is_made_with_those_above_it_and_kept_if_it_is_there(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "a" / "b")
    assert folder.is_dir()
    assert make_folder(folder) == folder


def test_a_folder_where_a_file_is_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(FileError, match="the folder cannot be made"):
            make_folder(path)


def _rich() -> TaskGraph:
    return TaskGraph(
        ["egg", "salt", "mix"],
        [("mix", "egg"), ("mix", "salt")],
        weights={("mix", "egg"): 0.75},
        evidence={("mix", "egg"): EdgeEvidence(9, 1, 2.5, ("anna", "ben"), ("carl",))},
        attributes={
            "salt": StepAttributes(0.5, True, ("egg",), (), 0.25, True, ("mix",)),
            "egg": StepAttributes(),
        },
    )


def test_attributes_and_evidence_survive_a_file(tmp_path: Path) -> None:
    save_graph(_rich(), tmp_path / "graph.json")
    read = graph_from_json(read_json(tmp_path / "graph.json"))
    assert read.attributes == _rich().attributes
    assert read.evidence == _rich().evidence
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
    ],
)
def test_attributes_or_evidence_that_are_none_are_refused(
    key: str, wrong: object, message: str
) -> None:
    with pytest.raises(TgmlError, match=message):
        graph_from_json(graph_to_json(_rich()) | {key: wrong}, "file")


def test_the_weight_of_a_recording_survives_a_file() -> None:
    given = Demonstrations.from_steps(["ab"])
    heavy = replace(given, sequences=(replace(given.sequences[0], weight=12.0),))
    read = demonstrations_from_json(demonstrations_to_json(heavy))
    assert read.sequences[0].weight == 12
    assert read.total_weight == 12
