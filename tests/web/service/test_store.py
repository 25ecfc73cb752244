"""What both kinds of store promise, asked of a real SQLite file and a real PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepgraph.errors import FileError, FormatError, SettingError
from stepgraph.graph import TaskGraph
from stepgraph.web.http import Problem
from stepgraph.web.service import store as store_module
from stepgraph.web.service.graphs import put_graph, read_files, store_files
from stepgraph.web.service.limits import Limits
from stepgraph.web.service.sessions import Command, Finish, Observe, Open, Outcome
from stepgraph.web.service.store import Connect, Store, connector, masked
from stepgraph.web.service.store_sqlite import SqliteTables
from stepgraph.web.service.tables import StoreBusyError, StoreFullError
from tests.strategies import STEP_NAMES, task_graphs
from tests.web.service.running import BATTER, STEPS, replayed, without_ids


def done(
    connect: Connect, *rounds: list[Command], stores: int = 1
) -> list[list[Outcome | BaseException]]:
    """Apply rounds of commands, each round at once, spread over several stores."""

    async def run() -> list[list[Outcome | BaseException]]:
        running = [Store(connect, Limits()) for _ in range(stores)]
        for store in running:
            store.start()
        try:
            return [
                await asyncio.gather(
                    *(running[n % stores].do(command) for n, command in enumerate(commands)),
                    return_exceptions=True,
                )
                for commands in rounds
            ]
        finally:
            for store in running:
                await store.stop()

    return asyncio.run(run())


def put(connect: Connect, graph: TaskGraph = BATTER) -> None:
    tables = connect()
    put_graph(tables, "g", graph)
    tables.close()


def body(outcome: Outcome | BaseException) -> Any:
    assert isinstance(outcome, Outcome), outcome
    return json.loads(outcome.body)


def steps_kept(connect: Connect, session: str) -> list[tuple[int, str, dict[str, Any]]]:
    tables = connect()
    rows = tables.observations(session, 0, 10_000)
    tables.close()
    return [(row.position, row.step, json.loads(row.verdict)) for row in rows]


def test_commands_of_one_round_are_applied_in_order(connect: Connect) -> None:
    put(connect)
    commands: list[Command] = [Open("s", "g")]
    commands += [Observe("s", str(n), step) for n, step in enumerate(STEPS)]
    (outcomes,) = done(connect, [*commands, Observe("s", "0", STEPS[0]), Finish("s")])
    assert [without_ids(body(outcome)) for outcome in outcomes[1:-2]] == replayed(STEPS)
    repeated = outcomes[-2]
    assert isinstance(repeated, Outcome)
    assert not repeated.created
    assert body(outcomes[-1])["observed"] == len(STEPS)


def test_a_session_goes_on_in_another_process(connect: Connect) -> None:
    put(connect)
    half = len(STEPS) // 2
    done(connect, [Open("s", "g"), *(Observe("s", str(n), STEPS[n]) for n in range(half))])
    rest: list[Command] = [Observe("s", str(n), STEPS[n]) for n in range(half, len(STEPS))]
    (outcomes,) = done(connect, rest)
    assert [without_ids(body(outcome)) for outcome in outcomes] == replayed(STEPS)[half:]


def test_servers_that_share_a_session_take_turns(connect: Connect) -> None:
    put(connect)
    commands: list[Command] = [Observe("s", str(n), STEPS[n % len(STEPS)]) for n in range(60)]
    twice = [command for command in commands for _ in range(2)]  # to both servers
    _, outcomes = done(connect, [Open("s", "g")], twice, stores=2)
    assert not [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    kept = steps_kept(connect, "s")
    assert [position for position, _, _ in kept] == list(range(1, 61))
    assert [without_ids(said) for _, _, said in kept] == replayed([step for _, step, _ in kept])
    for first, second in zip(outcomes[::2], outcomes[1::2], strict=True):
        assert body(first) == body(second)
        assert {first.created, second.created} == {True, False}  # type: ignore[union-attr]


def test_two_servers_open_the_same_session_once(connect: Connect) -> None:
    put(connect)
    (outcomes,) = done(connect, [Open(f"s{n // 2}", "g") for n in range(20)], stores=2)
    created = [outcome.created for outcome in outcomes if isinstance(outcome, Outcome)]
    assert (len(created), sum(created)) == (20, 10)


def test_a_refused_command_does_not_touch_its_neighbours(connect: Connect) -> None:
    put(connect)
    (outcomes,) = done(
        connect,
        [
            Open("s", "g"),
            Observe("s", "a", "mix"),
            Observe("nobody", "b", "mix"),
            Observe("s", "c", "mix", time=float("inf")),
            Observe("s", "d", "mix", confidence=2.0),
            Open("t", "no graph"),
            Observe("s", "e", "crack egg"),
        ],
    )
    statuses = [outcome.status if isinstance(outcome, Problem) else 0 for outcome in outcomes]
    assert statuses == [0, 0, 404, 422, 422, 404, 0]
    assert [step for _, step, _ in steps_kept(connect, "s")] == ["mix", "crack egg"]


def test_a_command_that_breaks_does_not_break_its_neighbours(connect: Connect) -> None:
    put(connect)
    broken = Observe("s", "b", "half a character \ud800")  # the service refuses it before
    (outcomes,) = done(
        connect, [Open("s", "g"), Observe("s", "a", "mix"), broken, Observe("s", "c", "rest")]
    )
    assert isinstance(outcomes[2], Exception)
    assert [without_ids(body(outcomes[n])) for n in (1, 3)] == replayed(["mix", "rest"])


@given(data=st.data())
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_steps_on_any_graph_are_judged_as_offline(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    connect = connector(f"sqlite:///{tmp_path_factory.mktemp('property') / 'sessions.db'}")
    tables = connect()
    tables.create()
    tables.close()
    graph = data.draw(task_graphs())
    steps = data.draw(st.lists(st.sampled_from((*STEP_NAMES, "unknown")), max_size=20))
    put(connect, graph)
    cut = data.draw(st.integers(0, len(steps)))
    commands: list[Command] = [Observe("s", str(n), step) for n, step in enumerate(steps)]
    rounds = done(connect, [Open("s", "g"), *commands[:cut]], commands)
    assert [without_ids(body(outcome)) for outcome in rounds[1]] == replayed(steps, graph)
    assert [step for _, step, _ in steps_kept(connect, "s")] == steps


def test_a_file_that_was_replaced_since_does_not_come_back(
    connect: Connect, tmp_path: Path
) -> None:
    from stepgraph.formats import save_graph

    path = tmp_path / "g.graph.json"
    save_graph(BATTER, path)
    tables = connect()
    assert store_files(tables, read_files([path], Limits()))[0]["current"] == 1
    put_graph(tables, "g", TaskGraph.from_preconditions({"a": ["b"]}))
    (entry,) = store_files(tables, read_files([path], Limits()))
    assert (entry["file"], entry["current"]) == (1, 2)
    assert len(tables.versions("g")) == 2
    tables.close()


def test_a_store_of_a_newer_stepgraph_is_refused(connect: Connect) -> None:
    tables = connect()
    tables.fetch("UPDATE stepgraph_store SET version = 2")
    with pytest.raises(FormatError, match="install a newer stepgraph"):
        tables.create()
    tables.fetch("UPDATE stepgraph_store SET version = 1")
    tables.close()


@pytest.mark.parametrize(
    "url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "mysql://x", "sessions.db", "sqlite:x"]
)
def test_an_address_that_names_no_store_is_refused(url: str) -> None:
    with pytest.raises(SettingError, match="expected sqlite"):
        connector(url)


def test_a_store_in_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no folder"):
        connector(f"sqlite:///{tmp_path / 'nowhere' / 'sessions.db'}")


def test_passwords_are_never_shown() -> None:
    assert masked("postgresql://anna:s3cret@db:5432/x") == "postgresql://anna:***@db:5432/x"
    with pytest.raises(SettingError, match=r"\*\*\*") as caught:
        connector("mysql://anna:s3cret@db/x")
    assert "s3cret" not in str(caught.value)


def test_the_log_is_copied_into_the_file_while_the_store_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "TIDY", 5)
    path = tmp_path / "sessions.db"
    connect = connector(f"sqlite:///{path}")
    open_all_along = connect()  # the last connection to close would copy it
    open_all_along.create()
    put(connect)
    (before,) = open_all_along.fetch("PRAGMA wal_checkpoint(PASSIVE)")
    rounds: list[list[Command]] = [[Observe("s", str(n), "mix")] for n in range(20)]
    done(connect, [Open("s", "g")], *rounds)
    with sqlite3.connect(f"file:{path}?immutable=1", uri=True) as file_alone:
        (kept,) = file_alone.execute("SELECT count(*) FROM observations").fetchone()
    open_all_along.close()
    assert before[0] == 0
    assert 10 <= kept <= 20


class FailsOnce(SqliteTables):
    """A connection that fails, once, when three observations would be kept."""

    problem: ClassVar[Exception]
    left = 1

    def commit(self) -> None:
        (written,) = self.fetch("SELECT count(*) FROM observations")
        if written[0] == 3 and self.left:
            self.left -= 1
            raise self.problem
        super().commit()


@pytest.mark.parametrize("problem", [StoreFullError(), StoreBusyError(), ValueError("a bug")])
@pytest.mark.parametrize("third", [STEPS[2], STEPS[3]])
def test_a_step_that_was_not_kept_is_judged_as_if_it_had_never_come(
    tmp_path: Path, problem: Exception, third: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FailsOnce, "problem", problem, raising=False)
    made: list[SqliteTables] = []

    def connect() -> SqliteTables:
        kind = SqliteTables if made else FailsOnce  # the first store's connection is the first
        made.append(kind(tmp_path / "sessions.db"))
        return made[-1]

    tables = SqliteTables(tmp_path / "sessions.db")
    tables.create()
    put_graph(tables, "g", BATTER)
    tables.close()
    first, second, lost = (Observe("s", str(n), step) for n, step in enumerate(STEPS[:3]))
    instead, last = Observe("s", "3", third), Observe("s", "4", STEPS[-1])
    nothing = Finish("nothing")  # so that what follows it goes to the other store
    rounds: list[list[Command]] = [
        [Open("s", "g")], [first], [second], [lost], [nothing, instead], [last]
    ]  # fmt: skip
    outcomes = [found[-1] for found in done(connect, *rounds, stores=2)]
    assert outcomes.pop(3) is problem
    steps = [STEPS[0], STEPS[1], third, STEPS[-1]]
    assert [without_ids(body(outcome)) for outcome in outcomes[1:]] == replayed(steps)
    assert [step for _, step, _ in steps_kept(connect, "s")] == steps
