"""What tests of `stepgraph watch` share: its input, and its output as objects."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.cli.running import Result

RIGHT = "slice bread\nwash lettuce\nstack\neat\n"
Watch = Callable[..., Result]


def objects(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.lines]


def lines(*entries: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(entry)}\n" for entry in entries)
