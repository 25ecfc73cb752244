"""The description, and the service fuzzed from it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

from stepgraph.web.service.limits import Limits
from stepgraph.web.service.openapi import describe
from stepgraph.web.service.routes import ROUTES
from tests.web.service.running import JSON, STEPS, Running

EXAMPLES = 200 if os.environ.get("STEPGRAPH_FULL_TESTS") else 8
STREAMS = [route.path for route in ROUTES if route.stream]


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    limits = Limits(rate=10**6, open_sessions=10**6)
    with Running(tmp_path_factory.mktemp("fuzzed"), limits=limits) as running:
        running.open("s")
        for number, step in enumerate(STEPS):
            running.observe("s", str(number), step)
        yield running


def described_for_fuzzing() -> dict[str, Any]:
    # Streams end only with their session; they are asked below.
    routes = [route for route in ROUTES if not route.stream]
    content = describe(routes, Limits(), needs_token=False)
    for entry in content["paths"].values():
        for operation in entry.values():
            for parameter in operation.get("parameters", ()):
                known = {"session": "s", "graph": "batter"}.get(parameter["name"])
                if known:  # names that exist are met now and then, so that handlers are reached
                    parameter["schema"] = {"anyOf": [{"const": known}, parameter["schema"]]}
    return content


schema = schemathesis.openapi.from_dict(described_for_fuzzing())


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=not os.environ.get("STEPGRAPH_FULL_TESTS"),
)
def test_whatever_is_sent_is_answered_as_described(case: Any, fuzzed: Running) -> None:
    case.call_and_validate(
        base_url=fuzzed.address,
        checks=[
            CHECKS.get_one(name)
            for name in (
                "not_a_server_error",
                "status_code_conformance",
                "content_type_conformance",
                "response_schema_conformance",
                "response_headers_conformance",
                "negative_data_rejection",
            )
        ],
    )


def test_the_description_is_valid_and_names_every_route(fuzzed: Running) -> None:
    content = fuzzed.client.get("/openapi.json").json()
    schemathesis.openapi.from_dict(content).validate()
    described = {
        (method.upper(), path) for path, entry in content["paths"].items() for method in entry
    }
    assert described == {(route.method, route.path) for route in ROUTES}
    names = [op["operationId"] for entry in content["paths"].values() for op in entry.values()]
    assert len(names) == len(set(names))


def test_the_description_says_the_limits_and_the_token() -> None:
    content = describe(ROUTES, Limits(name_length=17), needs_token=True)
    step = content["components"]["schemas"]["Observation"]["properties"]["step"]
    assert step["maxLength"] == 17
    assert content["paths"]["/v1/sessions"]["post"]["security"] == [{"token": []}]
    assert "security" not in content["paths"]["/healthz"]["get"]


def test_streams_answer_odd_queries_as_described(fuzzed: Running) -> None:
    fuzzed.open("finished")
    fuzzed.finish("finished")
    for path in STREAMS:
        path = path.replace("{session}", "finished")
        for query in ("after=-1", "after=x", "after=", "x=1", f"after={10**20}"):
            answer = fuzzed.client.get(f"{path}?{query}", headers=JSON)
            assert answer.status_code == 422, (path, query)
    assert fuzzed.client.get("/v1/sessions/finished/events?after=9").status_code == 200


def test_every_path_of_the_documents_is_described() -> None:
    from pathlib import Path

    page = Path(__file__).parents[3] / "docs" / "service.md"
    paths = {route.path for route in ROUTES} | {"/openapi.json", "/v1/sessions/{session}/live"}
    for path in re.findall(r"`(?:GET|POST|PUT) (/[^`?]*)", page.read_text()):
        assert path in paths, path
