from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepgraph.formats import save_graph
from stepgraph.graph import Choice, TaskGraph
from tests.cli.running import Put, Run, in_a_process
from tests.cli.test_startup import HEAVY, LIST_MODULES
from tests.cli.watching import RIGHT, Watch, lines, objects


def test_steps_in_a_valid_order_end_with_code_0(watch: Watch) -> None:
    result = watch(RIGHT)
    assert (result.code, result.err) == (0, "")
    assert result.lines == [
        "1: 'slice bread' is right.",
        "2: 'wash lettuce' is right.",
        "3: 'stack' is right.",
        "4: 'eat' is right.",
        "4 steps observed: no mistake, everything was done",
    ]


def test_a_mistake_is_named_and_ends_with_code_1(watch: Watch) -> None:
    result = watch("slice bread\nstack\nwash lettuce\neat\n")
    assert result.code == 1
    assert result.lines[1:3] == [
        "2: MISTAKE 'stack' is done before 'wash lettuce', which it needs.",
        "3: 'wash lettuce' is done after all; 'stack' was done without it, the mistake of step 2.",
    ]
    assert result.lines[-1] == "4 steps observed: 1 mistake, everything was done"


def test_what_was_never_done_is_named_at_the_end(watch: Watch) -> None:
    result = watch("slice bread\nstack\n")
    assert result.code == 1
    assert result.lines[-3:] == [
        "never done: 'eat'",
        "never done, because of a mistake named above: 'wash lettuce'",
        "2 steps observed: 1 mistake, 2 of 4 steps never done",
    ]


def test_blank_lines_comments_and_the_mark_of_utf_8_are_passed_over(watch: Watch) -> None:
    odd = "\ufeff# breakfast\n\n  \n" + RIGHT.replace("\n", "\r\n\r\n")
    assert watch(odd).out == watch(RIGHT).out


def test_json_lines_and_names_may_be_mixed(watch: Watch) -> None:
    result = watch(
        'slice bread\n{"step": "wash lettuce", "time": 3, "confidence": 0.5}\n', "--json"
    )
    first, second, *_ = objects(result)
    assert (first["step"], first["time"]) == ("slice bread", None)
    assert (second["time"], second["confidence"], second["position"]) == (3, 0.5, 2)


def test_json_has_one_object_a_line_and_a_last_one_for_the_session(watch: Watch) -> None:
    result = watch("slice bread\nstack\n", "--json")
    assert result.code == 1
    right, early, *open_, last = objects(result)
    assert (right["kind"], right["mistake"], right["executable"]) == (
        "correct",
        False,
        ["wash lettuce"],
    )
    assert (early["kind"], early["mistake"], early["missing"]) == (
        "too-early",
        True,
        ["wash lettuce"],
    )
    assert {entry["kind"] for entry in open_} == {"open-at-finish"}
    assert last == {
        "session": None,
        "finished": True,
        "observed": 2,
        "mistakes": 2,
        "open": ["wash lettuce", "eat"],
        "progress": 0.5,
    }


def test_sessions_in_one_input_are_kept_apart(watch: Watch) -> None:
    names = RIGHT.splitlines()
    mixed = [{"step": name, "session": who} for name in names for who in ("anna", 7)]
    result = watch(lines(*mixed))
    assert result.code == 0
    assert result.lines[:2] == [
        "[anna] 1: 'slice bread' is right.",
        "[7] 1: 'slice bread' is right.",
    ]
    assert result.lines[-2:] == [
        "[anna] 4 steps observed: no mistake, everything was done",
        "[7] 4 steps observed: no mistake, everything was done",
    ]


def test_a_step_can_be_taken_back(watch: Watch) -> None:
    names = RIGHT.splitlines()
    steps = [{"step": name} for name in names]
    result = watch(lines({"step": "eat"}, {"undo": True}, *steps))
    assert result.code == 0
    assert result.lines[1:3] == ["step 1 is taken back", "1: 'slice bread' is right."]
    undone = watch(lines({"step": "eat"}, {"undo": True}, *steps), "--json")
    assert objects(undone)[1] == {"session": None, "undone": 1}


BAD_LINES = {
    "{bad": "not JSON",
    '{"step": 3}': "'step' is 3",
    '{"time": 3}': "no 'step'",
    '{"step": "eat", "time": NaN}': "NaN",
    '{"step": "eat", "time": "noon"}': "the time of 'eat' is 'noon'",
    '{"step": "eat", "confidence": 2}': "from 0 to 1",
    '{"step": "eat", "session": []}': "'session' is []",
    '{"step": "eat", "undo": true}': "both 'step' and 'undo'",
    '{"undo": true, "session": "other"}': "no observation to take back",
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_line_that_cannot_be_used_is_reported_and_the_session_goes_on(
    line: str, watch: Watch
) -> None:
    result = watch(f"slice bread\n{line}\nwash lettuce\nstack\neat\n")
    assert result.code == 2
    assert len(result.lines) == 5
    (note,) = result.notes
    assert note.startswith("note: line 2: ")
    assert BAD_LINES[line] in note
    assert note.endswith("; the line is left out")
    as_json = watch(f"slice bread\n{line}\n", "--json")
    assert objects(as_json)[1]["line"] == 2
    assert BAD_LINES[line] in objects(as_json)[1]["error"]


def test_bytes_that_are_no_text_are_reported(watch: Watch) -> None:
    result = watch(b"slice bread\n\xff\xfe\n")
    assert "note: line 2: byte 1 is not UTF-8; the line is left out" in result.notes


def test_spaces_around_a_name_do_not_matter(watch: Watch) -> None:
    result = watch(lines({"step": " slice bread "}))
    assert result.lines[0] == "1: 'slice bread' is right."


def test_an_output_that_cannot_be_written_ends_with_one_message(graph: str) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("w") as nowhere:
        ended = subprocess.run(
            [sys.executable, "-m", "stepgraph.cli.main", "watch", graph],
            input=RIGHT,
            stdout=nowhere,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 2
    assert ended.stderr == "error: the output cannot be written (No space left on device)\n"


class Unplugged(io.BytesIO):
    def __next__(self) -> bytes:
        raise OSError(5, "Input/output error")


def test_an_input_that_cannot_be_read_is_one_message(
    stepgraph: Run, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Unplugged()))
    result = stepgraph("watch", graph)
    assert (result.code, result.out) == (2, "")
    assert result.err == "error: standard input cannot be read (Input/output error)\n"


def test_mistakes_count_for_more_than_lines_left_out(watch: Watch) -> None:
    assert watch("eat\n{bad\n").code == 1


def test_an_unknown_key_is_noted_once(watch: Watch) -> None:
    result = watch(lines({"step": "slice bread", "tmie": 3}, {"step": "wash lettuce", "tmie": 4}))
    (note,) = result.notes
    assert note.startswith("note: line 1: unknown key 'tmie'")


def test_an_unknown_step_has_the_nearest_name(watch: Watch) -> None:
    result = watch("slice bred\n")
    assert result.lines[0] == (
        "1: MISTAKE 'slice bred' is no step of this procedure; did you mean 'slice bread'?"
    )


def test_time_running_backwards_is_said(watch: Watch) -> None:
    result = watch(lines({"step": "slice bread", "time": 4}, {"step": "wash lettuce", "time": 2}))
    assert result.lines[1] == "2: 'wash lettuce' is right (time runs backwards: 2 after 4)."


def test_what_can_be_done_now_is_said_on_request(watch: Watch) -> None:
    result = watch(RIGHT, "--next")
    assert result.lines[0] == "1: 'slice bread' is right. Now: 'wash lettuce'."
    assert result.lines[3] == "4: 'eat' is right. Now: nothing is left to do."


@pytest.mark.parametrize("given", ["", "\n# nothing\n"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_empty_stream_is_said(given: str, options: list[str], watch: Watch) -> None:
    result = watch(given, *options)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: standard input: no steps;")


def test_no_standard_input_at_all_is_an_empty_stream(
    stepgraph: Run, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert stepgraph("watch", graph).code == 2


def test_a_graph_of_a_newer_version_is_refused(stepgraph: Run, put: Put) -> None:
    newer = put(
        "newer.json", '{"format": "stepgraph-graph", "version": 3, "steps": [], "edges": []}'
    )
    result = stepgraph("watch", newer)
    assert (result.code, result.out) == (2, "")
    assert "install a newer stepgraph" in result.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("plain", "colour"), [("", True), ("1", False)])
def test_colour_is_for_terminals_that_want_it(
    plain: str, colour: bool, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", plain)
    assert watch(RIGHT).code == 0
    assert ("\x1b[32m1: 'slice bread' is right.\x1b[0m\n" in screen.getvalue()) is colour
    assert ("\x1b" in screen.getvalue()) is colour


def test_control_characters_of_a_name_never_reach_the_terminal(watch: Watch) -> None:
    result = watch(lines({"step": "\x1b[2Jeat", "session": "\x07"}))
    assert "\x1b" not in result.out
    assert "\x07" not in result.out


def test_each_verdict_is_there_before_the_next_step(graph: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "stepgraph.cli.main", "watch", graph],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number, step in enumerate(RIGHT.splitlines(), start=1):
            process.stdin.write(f"{step}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{number}: '{step}' is right.\n"
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def test_a_reader_who_leaves_ends_an_endless_stream_quietly(graph: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "stepgraph.cli.main", "watch", graph],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"eat\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        # The input stays open: only the closed output can end the program.
        process.stdin.write(b"stack\n")
        process.stdin.flush()
        assert process.wait(timeout=60) == 1  # there was a mistake, whoever reads of it
        assert process.stderr.read() == b""


def test_it_loads_no_large_library(graph: str) -> None:
    ended = in_a_process(
        "watch",
        graph,
        code=f"import io, sys\nsys.stdin = io.TextIOWrapper("
        f"io.BytesIO({RIGHT.encode()!r}))\n{LIST_MODULES}",
    )
    assert ended.returncode == 0
    assert not set(ended.stderr.split()) & HEAVY


def test_somebody_at_a_terminal_is_told_what_to_type(graph: str) -> None:
    pty = pytest.importorskip("pty")
    terminal, line = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "stepgraph.cli.main", "watch", graph],
        stdin=line,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        told = process.stderr.readline().decode()
        os.write(terminal, b"\x04")
        assert process.wait(timeout=60) == 2  # nothing was typed
    os.close(terminal)
    os.close(line)
    assert "type each step" in told
    assert "'slice bread'" in told


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    entries=st.lists(
        st.fixed_dictionaries(
            {
                "session": st.sampled_from(["anna", "ben"]),
                "step": st.sampled_from(["slice bread", "wash lettuce", "stack", "eat", "fly"]),
            }
        )
        | st.fixed_dictionaries(
            {"session": st.sampled_from(["anna", "ben"]), "undo": st.just(True)}
        ),
        min_size=1,
        max_size=12,
    )
)
def test_mixed_sessions_are_judged_as_each_alone(watch: Watch, entries: list[Any]) -> None:
    mixed = objects(watch(lines(*entries), "--json"))
    for name in ("anna", "ben"):
        own = [entry for entry in entries if entry["session"] == name]
        alone = objects(watch(lines(*own), "--json")) if own else []
        assert [entry for entry in mixed if entry.get("session") == name] == [
            entry for entry in alone if entry.get("session") == name
        ]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_refused_before_anything_is_judged(watch: Watch, separator: str) -> None:
    result = watch(f"\ufeffrecording{separator}step\nanna{separator}slice bread\n")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "error: standard input: a table, by its first line ('recording', 'step'); expected a step "
        "on each line. 'stepgraph check GRAPH FILE' reads tables\n"
    )


def test_a_step_with_the_name_of_columns_is_a_step(
    stepgraph: Run, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = {"format": "stepgraph-graph", "version": 1, "steps": ["case, activity"], "edges": []}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"case, activity\n")))
    result = stepgraph("watch", put("odd.json", json.dumps(steps)))
    assert (result.code, result.lines[0]) == (0, "1: 'case, activity' is right.")


@pytest.mark.parametrize("options", [(), ("--error-rate", "0")])
def test_optional_steps_are_not_among_those_expected(
    stepgraph: Run, put: Put, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    graph = {
        "format": "stepgraph-graph",
        "version": 1,
        "steps": ["a", "b", "c"],
        "edges": [],
        "attributes": [{"step": "c", "done": 0.5, "optional": True}],
    }
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n")))
    result = stepgraph("watch", put("abc.json", json.dumps(graph)), *options)
    assert result.code == 1
    assert ", 1 of 2 steps " in result.lines[-1]


def test_steps_that_were_all_taken_back_leave_nothing_to_judge(watch: Watch) -> None:
    result = watch('slice bread\n{"undo": true}\n')
    assert result.code == 2
    assert "every step was taken back" in result.err


def test_a_choice_that_was_not_made_is_named_as_one(
    stepgraph: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = TaskGraph.from_preconditions({"pack": ["test"], "scrap": ["test"]})
    save_graph(graph.replace(choices=[Choice([["pack"], ["scrap"]])]), folder / "bench.json")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"test\n")))
    result = stepgraph("watch", "bench.json")
    assert result.lines[-2] == "never done: one of 'pack' or 'scrap'"
    assert result.lines[-1].endswith("1 step never done")
