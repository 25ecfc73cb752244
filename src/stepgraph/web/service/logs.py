"""Structured logs: one JSON object a line on the error stream, never with what clients keep secret.

Logged are routes, statuses, times and ids; headers, bodies and queries are not.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import TextIO

from stepgraph.web.service.rows import moment

log = logging.getLogger("stepgraph.service")


class JsonLines(logging.Formatter):
    """Formats a record as a JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; what was given as ``extra={"about": {...}}`` is part of it."""
        content = {
            "at": moment(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "about", {}),
        }
        if record.exc_info:
            content["traceback"] = self.formatException(record.exc_info)
        return json.dumps(content, ensure_ascii=True, default=str)


def start_logging(level: str, stream: TextIO | None = None) -> None:
    """Let this program log JSON lines from a level on."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("stepgraph.service", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(level.upper() if name == "stepgraph.service" else logging.WARNING)
    # Said of every WebSocket that we refuse, though the refusal is sent and complete.
    logging.getLogger("uvicorn.error").addFilter(
        lambda record: "without completing handshake" not in record.getMessage()
    )
