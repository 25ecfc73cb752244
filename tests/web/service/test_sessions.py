from __future__ import annotations

import csv
import io
from pathlib import Path

from stepgraph.formats import read_demonstrations
from stepgraph.formats.stepgraph_json import graph_from_json
from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from stepgraph.monitoring import Monitor
from tests.web.service.running import BATTER, STEPS, Running, replayed, without_ids


def test_every_verdict_equals_offline_replay(running: Running) -> None:
    assert running.open("all").status_code == 201
    answers = [
        running.observe("all", f"e{n}", step, time=n, confidence=0.5)
        for n, step in enumerate(STEPS)
    ]
    assert [answer.status_code for answer in answers] == [201] * len(STEPS)
    expected = replayed(STEPS, times=[float(n) for n in range(len(STEPS))])
    came = [without_ids(answer.json()) for answer in answers]
    assert came == [{**verdict, "confidence": 0.5} for verdict in expected]
    assert {verdict["kind"] for verdict in expected} >= {"too-early", "repaired", "unknown-step"}


def test_a_repeated_event_changes_nothing_and_gets_the_same_verdict(running: Running) -> None:
    running.open("again")
    first = running.observe("again", "a", "crack egg", time=1)
    running.observe("again", "b", "add milk", time=2)
    repeated = running.observe("again", "a", "crack egg", time=1.0)
    assert (first.status_code, repeated.status_code) == (201, 200)
    assert first.content == repeated.content
    assert running.client.get("/v1/sessions/again").json()["observed"] == 2


def test_an_event_id_with_other_content_is_a_conflict(running: Running) -> None:
    running.open("conflict")
    running.observe("conflict", "a", "crack egg")
    answer = running.observe("conflict", "a", "add milk")
    assert answer.status_code == 409
    assert "give each observation its own id" in answer.json()["detail"]
    assert running.client.get("/v1/sessions/conflict").json()["observed"] == 1


def test_events_of_other_sessions_may_have_the_same_id(running: Running) -> None:
    for session in ("one", "two"):
        running.open(session)
        assert running.observe(session, "same", "crack egg").status_code == 201


def test_the_state_is_what_a_monitor_resumes_from(running: Running) -> None:
    running.open("state")
    for number, step in enumerate(STEPS[:4]):
        running.observe("state", str(number), step)
    state = running.client.get("/v1/sessions/state").json()
    monitor = Monitor.resume(BATTER, state["state"])
    assert monitor.observed == state["observed"] == 4
    assert list(monitor.performed) == state["performed"]
    expected = replayed(STEPS)[4]
    assert without_ids(running.observe("state", "next", STEPS[4]).json()) == expected


def test_a_fresh_session_says_what_can_be_done_first(running: Running) -> None:
    running.open("fresh", label="station <b>7</b>")
    state = running.client.get("/v1/sessions/fresh").json()
    assert sorted(state["executable"]) == ["add milk", "crack egg", "heat pan"]
    assert (state["label"], state["last_mistake"]) == ("station <b>7</b>", None)


def test_finishing_says_what_was_never_done_and_says_it_again(running: Running) -> None:
    running.open("done")
    for number, step in enumerate(STEPS[:4]):
        running.observe("done", str(number), step)
    monitor = Monitor(BATTER)
    for step in STEPS[:4]:
        monitor.observe(step)
    report = running.finish("done")
    assert report.status_code == 200
    assert report.json()["open"] == list(monitor.finish().open)
    assert report.json()["mistakes"] == monitor.finish().mistakes
    assert running.finish("done").content == report.content
    summary = running.client.get("/v1/sessions/done").json()
    assert (summary["status"], summary["report"]) == ("finished", report.json())


def test_after_the_finish_only_repeated_events_are_answered(running: Running) -> None:
    running.open("late")
    first = running.observe("late", "a", "crack egg")
    running.finish("late")
    assert running.observe("late", "a", "crack egg").content == first.content
    refused = running.observe("late", "b", "add milk")
    assert refused.status_code == 409
    assert "is finished" in refused.json()["detail"]
    assert running.client.get("/v1/sessions/late").json()["observed"] == 1


def test_opening_again_with_the_same_id_finds_the_session(running: Running) -> None:
    first = running.open("mine", label="anna")
    again = running.open("mine", label="anna")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert running.open("mine", label="bert").status_code == 409


def test_a_session_without_an_id_gets_one(running: Running) -> None:
    answer = running.client.post("/v1/sessions", json={"graph": "batter"})
    session = answer.json()["id"]
    assert answer.headers["location"] == f"/v1/sessions/{session}"
    assert running.observe(session, "a", "mix").status_code == 201


def test_the_export_holds_what_a_replay_needs(running: Running) -> None:
    running.open("export")
    for number, step in enumerate(STEPS):
        running.observe("export", str(number), step, time=number)
    running.finish("export")
    content = running.client.get("/v1/sessions/export/export").json()
    graph = graph_from_json(content["graph"])
    monitor = Monitor(graph)
    assert graph == BATTER
    for entry in content["observations"]:
        verdict = monitor.observe(entry["step"], entry["time"], entry["confidence"])
        assert verdict.to_json().items() <= entry["verdict"].items()
    assert [entry["event"] for entry in content["observations"]] == list("01234567")
    assert content["report"]["observed"] == len(STEPS)


def test_the_csv_export_is_a_recording_that_can_be_learned_from(
    running: Running, tmp_path: object
) -> None:
    running.open("csv")
    for number, step in enumerate(["crack egg", 'add "cold", milk', "mix"]):
        running.observe("csv", str(number), step, time=number)
    answer = running.client.get("/v1/sessions/csv/export?format=csv")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["mistake"] for row in rows] == ["", "unknown-step", "too-early"]
    path = Path(str(tmp_path)) / "export.csv"
    path.write_text(answer.text)
    (demonstrations,) = read_demonstrations(path).procedures.values()
    assert demonstrations.names(demonstrations.sequences[0]) == tuple(row["step"] for row in rows)


def test_what_was_never_done_is_marked_in_the_csv_of_a_finished_session(running: Running) -> None:
    running.open("half")
    for number, step in enumerate(["crack egg", "add milk", "mix"]):
        running.observe("half", str(number), step)
    asked = "/v1/sessions/half/export?format=csv"
    assert "skipped" not in running.client.get(asked).text
    running.finish("half")
    rows = list(csv.DictReader(io.StringIO(running.client.get(asked).text)))
    left_out = [row["step"] for row in rows if row["mistake"] == "skipped"]
    assert left_out == ["rest", "heat pan", "fry"]


def test_spaces_around_a_step_are_nobodys_intention(running: Running) -> None:
    running.open("spaces")
    first = running.observe("spaces", "1", " crack egg\t")
    assert (first.json()["step"], first.json()["kind"]) == ("crack egg", "correct")
    assert running.observe("spaces", "1", " crack egg\t").status_code == 200
    assert running.observe("spaces", "1", "crack egg").status_code == 200
    assert running.observe("spaces", "1", "crack").status_code == 409


def test_spaces_that_tell_two_steps_apart_count(tmp_path: Path) -> None:
    graph = TaskGraph(["mix", " mix "], [])
    with Running(tmp_path, graphs={"odd": graph}) as running:
        running.open("odd", graph="odd")
        assert running.observe("odd", "1", "mix").json()["kind"] == "correct"
        assert running.observe("odd", "1", " mix ").status_code == 409
        assert running.observe("odd", "2", " mix ").json()["kind"] == "correct"


def test_of_somebody_who_did_nothing_the_csv_says_nothing(running: Running) -> None:
    running.open("nothing")
    running.finish("nothing")
    text = running.client.get("/v1/sessions/nothing/export?format=csv").text
    assert text.count("\n") == 1


def test_an_event_with_another_time_is_a_conflict_however_large_that_is(running: Running) -> None:
    running.open("times")
    running.observe("times", "1", "crack egg")
    assert running.observe("times", "1", "crack egg", time=10**299).status_code == 409
    assert running.observe("times", "1", "crack egg", time=10**400).status_code == 422


def test_where_nothing_is_expected_all_is_done_from_the_first_moment(tmp_path: Path) -> None:
    lax = BATTER.replace(attributes={step: StepAttributes(optional=True) for step in BATTER.steps})
    with Running(tmp_path, graphs={"lax": lax}) as running:
        running.open("idle", graph="lax")
        assert running.client.get("/v1/sessions/idle").json()["progress"] == 1
        running.finish("idle")
        assert running.client.get("/v1/sessions/idle").json()["progress"] == 1


def test_sessions_are_listed_page_by_page_the_youngest_first(running: Running) -> None:
    made = [f"page-{number}" for number in range(5)]
    for session in made:
        running.open(session)
    running.finish("page-2")
    seen: list[str] = []
    after = ""
    while True:
        page = running.client.get(f"/v1/sessions?status=all&limit=2{after}").json()
        assert len(page["sessions"]) <= 2
        seen += [entry["id"] for entry in page["sessions"]]
        if page["next"] is None:
            break
        after = f"&before={page['next']}"
    assert [session for session in seen if session in made] == made[::-1]
    assert len(seen) == len(set(seen))
    still_open = running.client.get("/v1/sessions?limit=500").json()["sessions"]
    assert "page-2" not in {entry["id"] for entry in still_open}


def test_verdicts_are_listed_after_a_position(running: Running) -> None:
    running.open("list")
    for number, step in enumerate(STEPS):
        running.observe("list", str(number), step)
    page = running.client.get("/v1/sessions/list/observations?after=2&limit=3").json()
    assert [verdict["position"] for verdict in page["verdicts"]] == [3, 4, 5]
    assert page["next"] == 5
    rest = running.client.get("/v1/sessions/list/observations?after=5").json()
    assert [without_ids(verdict) for verdict in rest["verdicts"]] == replayed(STEPS)[5:]
    assert rest["next"] is None


def test_the_last_mistake_is_part_of_the_list(running: Running) -> None:
    running.open("wrong")
    running.observe("wrong", "a", "mix")
    running.observe("wrong", "b", "crack egg")
    entry = next(
        entry
        for entry in running.client.get("/v1/sessions?limit=500").json()["sessions"]
        if entry["id"] == "wrong"
    )
    assert entry["mistakes"] == 1
    assert entry["last_mistake"]["position"] == 1
    assert "is done before" in entry["last_mistake"]["sentence"]


def test_names_may_hold_anything_that_is_text(running: Running) -> None:
    running.open("text")
    for number, step in enumerate(
        ["<script>alert(1)</script>", "\U0001f95a'; DROP TABLE--", "\x1b"]
    ):
        answer = running.observe("text", f"\u2028{number}", step)
        assert (answer.status_code, answer.json()["step"]) == (201, step)
