"""What the studio answers over HTTP: edits, saving, learning, and everything that is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph.errors import FormatError, InputError
from stepgraph.formats import read_graph, save_graph
from stepgraph.graph import Choice, Undoing
from stepgraph.web.studio.files import read_upload
from stepgraph.web.studio.graph_source import GraphSource
from stepgraph.web.studio.limits import StudioLimits
from stepgraph.web.studio.view import page_words
from tests.web.studio.running import NOON, ORDERS, TEA, TOKEN, RunningStudio, as_csv

MORE = {**ORDERS, "gil": ["boil water", "warm pot", "add leaves", "pour", "serve", "steep"]}


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[RunningStudio]:
    with RunningStudio(tmp_path / "tea.graph.json") as running:
        yield running


def test_the_state_has_all_that_the_page_shows(studio: RunningStudio) -> None:
    state = studio.client.get("/api/state").json()
    assert [step["name"] for step in state["steps"]] == list(studio.session.graph.steps)
    assert {(edge["step"], edge["needs"]) for edge in state["edges"]} == set(
        studio.session.graph.edges
    )
    assert state["svg"].startswith("<svg")
    assert "<style" not in state["svg"]
    assert [recording["id"] for recording in state["recordings"]] == list(ORDERS)
    assert all(0 < recording["trust"] <= 1 for recording in state["recordings"])
    assert state["file"] == "tea.graph.json"
    assert not state["saved"]


def test_an_edge_has_its_evidence_and_the_recordings_behind_it(studio: RunningStudio) -> None:
    found = studio.client.get("/api/edge", params={"step": "pour", "needs": "warm pot"}).json()
    assert found["is_edge"]
    assert found["evidence"] == {"held": 5, "broken": 1, "silent": 0}
    assert found["broken_in"] == ["fay"]
    assert 0.5 < found["probability"] < 1


def test_a_pair_that_is_no_edge_says_what_it_follows_from(studio: RunningStudio) -> None:
    found = studio.client.get("/api/edge", params={"step": "serve", "needs": "pour"}).json()
    assert not found["is_edge"]
    assert found["path"] == ["serve", "steep", "pour"]
    assert found["evidence"]["held"] == 6


def test_a_step_has_the_recordings_that_do_it(studio: RunningStudio) -> None:
    found = studio.client.get("/api/step", params={"step": "pour"}).json()
    assert {"id": "fay", "places": [2]} in found["done_in"]
    assert found["left_out_in"] == []


def test_a_replay_has_the_verdicts_of_the_monitor(studio: RunningStudio) -> None:
    found = studio.client.get("/api/replay", params={"recording": "fay"}).json()
    assert [verdict["step"] for verdict in found["verdicts"]] == ORDERS["fay"]
    assert found["verdicts"][1]["kind"] == "too-early"
    assert "warm pot" in found["verdicts"][1]["sentence"]
    assert studio.client.get("/api/replay", params={"recording": "zoe"}).status_code == 404


def test_edits_are_made_undone_and_saved_with_their_history(studio: RunningStudio) -> None:
    assert studio.edit("pin", step="steep", needs="pour").status_code == 200
    assert studio.edit("optional", step="warm pot").json()["undo"] == "marked 'warm pot' optional"
    assert studio.edit("undo").json()["redo"] == "marked 'warm pot' optional"
    assert studio.edit("redo").status_code == 200
    answer = studio.client.post("/api/save", json={})
    assert answer.json()["saved"]
    saved = read_graph(studio.path)
    assert saved.optional_steps == ("warm pot",)
    assert [entry["edit"] for entry in saved.provenance.history] == ["pin", "optional"]
    assert saved.provenance.history[0]["at"] == NOON
    assert saved.provenance.method == "robust"


def test_a_cycle_is_refused_with_the_cycle(studio: RunningStudio) -> None:
    answer = studio.edit("add", step="pour", needs="serve")
    assert answer.status_code == 422
    assert answer.json()["cycle"] == ["pour", "serve", "steep"]
    assert "need each other" in answer.json()["detail"]
    assert studio.session.undoable is None


def test_content_of_somebody_else_is_not_overwritten_unasked(studio: RunningStudio) -> None:
    studio.path.write_text("precious")
    answer = studio.client.post("/api/save", json={})
    assert answer.status_code == 409
    assert "already exists" in answer.json()["detail"]
    assert studio.path.read_text() == "precious"
    assert studio.client.post("/api/save", json={"overwrite": True}).status_code == 200
    studio.path.write_text("precious again")
    studio.edit("optional", step="pour")
    assert "changed since" in studio.client.post("/api/save", json={}).json()["detail"]
    assert studio.path.read_text() == "precious again"


def test_a_graph_is_saved_to_its_own_file(tmp_path: Path) -> None:
    path = tmp_path / "tea.json"
    save_graph(TEA, path)
    with RunningStudio(path, GraphSource.of_graph(TEA), read=True) as studio:
        assert studio.client.get("/api/state").json()["saved"]
        studio.edit("remove", step="serve", needs="steep")
        assert studio.client.post("/api/save", json={}).status_code == 200
    assert ("serve", "steep") not in read_graph(path).edges


def test_a_file_that_cannot_be_written_loses_nothing(tmp_path: Path) -> None:
    with RunningStudio(tmp_path / "no such folder" / "tea.json") as studio:
        studio.edit("optional", step="pour")
        answer = studio.client.post("/api/save", json={})
        assert answer.status_code == 507
        assert "cannot be written" in answer.json()["detail"]
        assert studio.session.graph.optional_steps == ("pour",)
        assert not studio.session.is_saved


def test_a_file_is_learned_from_and_can_be_undone(studio: RunningStudio) -> None:
    answer = studio.upload("../../etc/more.csv", as_csv(MORE))
    assert answer.json()["stage"] == "running"
    assert studio.edit("optional", step="pour").status_code == 409
    assert studio.upload("more.csv", as_csv(MORE)).status_code == 409
    job = studio.job()
    assert (job["stage"], job["done"]) == ("done", 1.0)
    assert job["what"] == "learned from more.csv: 7 recordings, 6 steps"
    state = studio.client.get("/api/state").json()
    assert len(state["recordings"]) == 7
    assert state["undo"] == "learned from more.csv, 7 recordings"
    assert len(studio.edit("undo").json()["recordings"]) == 6


def test_a_file_can_be_evidence_for_the_graph_at_hand(tmp_path: Path) -> None:
    with RunningStudio(tmp_path / "tea.json", GraphSource.of_graph(TEA)) as studio:
        assert studio.client.post("/api/relearn", json={}).status_code == 422
        assert studio.client.get("/api/advice").json() == {"ready": False, "possible": False}
        studio.upload("more.csv", as_csv(MORE), keep="yes")
        assert studio.job()["stage"] == "done"
        assert studio.session.graph == TEA
        found = studio.client.get("/api/edge", params={"step": "serve", "needs": "steep"})
        assert found.json()["broken_in"] == ["gil"]


def test_learning_anew_obeys_pins_and_bans(studio: RunningStudio) -> None:
    studio.edit("pin", step="warm pot", needs="boil water")
    studio.edit("forbid", step="steep", needs="add leaves")
    assert studio.client.post("/api/relearn", json={}).json()["kind"] == "relearn"
    assert studio.job()["stage"] == "done"
    graph = studio.session.graph
    assert "boil water" in graph.all_preconditions_of("warm pot")
    assert "add leaves" not in graph.all_preconditions_of("steep")
    assert graph.constraints.pinned == (("warm pot", "boil water"),)
    assert studio.session.state.edits.constraints.never == (("steep", "add leaves"),)


def test_advice_is_worked_out_and_kept_for_these_recordings(studio: RunningStudio) -> None:
    assert studio.client.get("/api/advice").json() == {"ready": False, "possible": True}
    studio.client.post("/api/advise", json={})
    assert studio.edit("optional", step="pour").status_code == 200  # it changes nothing
    assert studio.job()["stage"] == "done"
    advice = studio.client.get("/api/advice").json()
    assert advice["ready"]
    assert advice["pairs"] == 15
    assert all("decide" in question["sentence"] for question in advice["questions"])


def test_work_is_cancelled_and_nothing_changes(studio: RunningStudio) -> None:
    studio.upload("more.csv", as_csv(MORE))
    assert studio.client.post("/api/cancel", json={}).json()["stage"] == "cancelled"
    assert studio.session.undoable is None
    studio.client.post("/api/relearn", json={})
    assert studio.job()["stage"] == "done"


def test_work_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    limits = StudioLimits(work_seconds=0.05)
    with RunningStudio(tmp_path / "tea.json", limits=limits) as studio:
        studio.client.post("/api/relearn", json={})
        job = studio.job()
        assert job["stage"] == "failed"
        assert "stopped after 0.05 s" in job["what"]
        assert studio.session.undoable is None


def test_a_file_of_several_procedures_asks_which(studio: RunningStudio) -> None:
    table = "recording,step,procedure\na,one,x\na,two,x\nb,three,<b>y</b>\nb,four,<b>y</b>\n"
    studio.upload("two.csv", table)
    job = studio.job()
    assert job["stage"] == "failed"
    assert job["about"] == ["x", "<b>y</b>"]
    studio.upload("two.csv", table, procedure="<b>y</b>")
    assert studio.job()["stage"] == "done"
    assert studio.session.graph.steps == ("three", "four")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("wide.csv", ",".join(map(str, range(100_000))) + "\n", "has 100,000 columns"),
        ("empty.csv", " \n", "the file is empty"),
        ("latin.csv", "recording,step\na,caf\xe9\n".encode("latin-1"), "not UTF-8"),
        ("other.csv", "colour,size\nred,1\n", "other.csv"),
        ("torn.csv", 'recording,step\na,"one\n', "torn.csv"),
        ("graph.json", json.dumps({"format": "stepgraph-graph", "version": 1}), "graph.json"),
        ("deep.json", "[" * 100_000, "not JSON"),
        ("lines.jsonl", "{]\n", "lines.jsonl"),
    ],
)
def test_files_that_cannot_be_used_say_why_and_change_nothing(
    name: str, content: str | bytes, expected: str
) -> None:
    raw = content.encode() if isinstance(content, str) else content
    with pytest.raises(InputError, match=expected):
        read_upload(raw, name, StudioLimits())


def test_a_table_of_100_000_columns_is_refused_and_nothing_is_lost(studio: RunningStudio) -> None:
    studio.edit("optional", step="pour")
    studio.upload("wide.csv", ",".join(map(str, range(100_000))))
    job = studio.job()
    assert job["stage"] == "failed"
    assert "has 100,000 columns; at most 500 are read" in job["what"]
    assert studio.session.graph.optional_steps == ("pour",)


def test_too_many_steps_are_refused() -> None:
    orders = {"a": [f"step {number}" for number in range(30)]}
    limits = StudioLimits(steps=20)
    with pytest.raises(FormatError, match="30 different steps; the studio takes at most 20"):
        read_upload(as_csv(orders).encode(), "long.csv", limits)


def test_bodies_beyond_the_limit_are_refused(tmp_path: Path) -> None:
    limits = StudioLimits(upload_bytes=1000, body_bytes=300)
    with RunningStudio(tmp_path / "tea.json", limits=limits) as studio:
        answer = studio.upload("large.csv", "x" * 1001)
        assert answer.status_code == 413
        assert "larger than 1000 bytes" in answer.json()["detail"]
        assert studio.edit("add", step="x" * 400, needs="y").status_code == 413


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 422),
        (b"{}", 422),
        (b'{"edit": "explode"}', 422),
        (b'{"edit": 3}', 422),
        (b'{"edit": "add", "step": "pour"}', 422),
        (b'{"edit": "add", "step": "pour", "needs": 4}', 422),
        (b'{"edit": "add", "step": "pour", "needs": "nobody"}', 422),
        (b'{"edit": "threshold", "value": "much"}', 422),
        (b'{"edit": "threshold", "value": 7}', 422),
        (b'{"edit": "threshold", "value": 1' + b"0" * 400 + b"}", 422),
        (b'{"edit": "threshold", "value": true}', 422),
        (b'{"edit": "threshold", "value": NaN}', 400),
        (b'{"edit": "undo", "path": "/etc"}', 422),
        (b'{"edit": "\\ud800"}', 422),
        (b"\xff", 400),
    ],
)
def test_edits_that_make_no_sense_are_refused(
    body: bytes, status: int, studio: RunningStudio
) -> None:
    headers = {"Content-Type": "application/json"}
    answer = studio.client.post("/api/edit", content=body, headers=headers)
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert studio.session.undoable is None


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/step", 422),
        ("/api/step?step=nobody", 422),
        ("/api/step?step=START", 422),
        ("/api/edge?step=pour", 422),
        ("/api/edge?step=pour&needs=pour", 422),
        ("/api/edge?step=pour&needs=steep&more=1", 422),
        ("/api/replay?recording=", 404),
        ("/api/edit", 405),
        ("/pages/../../../etc/passwd", 404),
        ("/api/nothing", 404),
    ],
)
def test_questions_that_make_no_sense_are_refused(
    path: str, status: int, studio: RunningStudio
) -> None:
    answer = studio.client.get(path)
    assert answer.status_code == status
    assert answer.json()["detail"]


@pytest.mark.parametrize("name", ["../x.exe", "x", "", "x.pkl"])
def test_files_of_other_kinds_are_refused_by_name(name: str, studio: RunningStudio) -> None:
    answer = studio.upload(name, "a,b\n")
    assert answer.status_code == 422
    assert "expected one of .csv" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/api/state", "/api/advice", "/api/job"])
def test_nobody_asks_without_the_key(path: str, studio: RunningStudio) -> None:
    for key in ("", "Bearer wrong", f"Basic {TOKEN}"):
        answer = studio.client.get(path, headers={"Authorization": key})
        assert answer.status_code == 401
        assert TOKEN not in answer.text


def test_pages_of_other_sites_are_refused(studio: RunningStudio) -> None:
    body = {"edit": "optional", "step": "pour"}
    elsewhere = {"Origin": "http://evil.example"}
    assert studio.client.post("/api/edit", json=body, headers=elsewhere).status_code == 403
    assert studio.client.get("/", headers={"Host": "evil.example"}).status_code == 421
    plain = {"Content-Type": "text/plain"}
    answer = studio.client.post("/api/edit", content=json.dumps(body), headers=plain)
    assert answer.status_code == 415
    assert studio.session.undoable is None


def test_the_page_needs_no_key_and_loads_nothing_from_elsewhere(studio: RunningStudio) -> None:
    answer = studio.client.get("/", headers={"Authorization": ""})
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http://" not in answer.text.replace("http://www.w3.org", "")


def test_markup_in_names_is_escaped_in_the_drawing(tmp_path: Path) -> None:
    source = GraphSource.of_graph(
        TEA.from_preconditions({"<b>a</b>": ["<script>alert(1)</script>"]})
    )
    with RunningStudio(tmp_path / "odd.json", source) as studio:
        svg = studio.client.get("/api/state").json()["svg"]
        assert "<script" not in svg
        assert "&lt;script&gt;" in svg


def test_the_drawing_shows_the_rules_of_a_graph(tmp_path: Path) -> None:
    ruled = TEA.replace(
        choices=[Choice([["warm pot"], ["add leaves"]])], undoings=[Undoing("pour", ["warm pot"])]
    )
    with RunningStudio(tmp_path / "ruled.json", GraphSource.of_graph(ruled)) as studio:
        svg = studio.client.get("/api/state").json()["svg"]
        assert ">one of</text>" in svg
        assert ">undoes</text>" in svg
        assert "var(--stepgraph-undoes," in svg


def test_marked_mistakes_are_left_out_unless_the_box_is_ticked(studio: RunningStudio) -> None:
    rows = [f"{name},{step}," for name in ("a", "b") for step in ("mix", "bake")]
    table = "\n".join(["recording,step,mistake", *rows, "c,bake,too early", "c,mix,", ""])
    studio.upload("cake.csv", table)
    assert studio.job()["stage"] == "done"
    state = studio.client.get("/api/state").json()
    assert any("the box 'Learn also from marked mistakes' keeps it" in n for n in state["notes"])
    assert state["with_mistakes"] is False
    studio.upload("cake.csv", table, mistakes="yes")
    assert studio.job()["stage"] == "done"
    state = studio.client.get("/api/state").json()
    assert state["with_mistakes"] is True
    assert not any("left out" in note for note in state["notes"])


def test_a_message_names_no_option_of_the_command_line(studio: RunningStudio) -> None:
    studio.upload("odd.csv", "a,b\n1,2\n")
    job = studio.job()
    assert job["stage"] == "failed"
    assert "in the file (the first line" in job["what"]
    assert "--" not in job["what"]


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            "2 of 3 repeat steps; the first time counts (repetitions=WHICH changes that)",
            "2 of 3 repeat steps; the first time counts",
        ),
        (
            "least_probable=0.5 rules out all than not; never=[(1, 2)] one of them",
            "the slider hides the least probable edges; 'Forbid' rules out one of them",
        ),
        (
            "the time is 'x'; expected seconds; with time_format='%d/%m/%Y %H:%M' or the like",
            "the time is 'x'; expected seconds",
        ),
        (
            "a task graph, expected recordings; 'stepgraph show' and 'stepgraph draw' look at it",
            "a task graph, expected recordings; start the studio with it to see it",
        ),
    ],
)
def test_the_page_names_no_parameter(message: str, shown: str) -> None:
    assert page_words(message) == shown
