"""Replies on disk: one file each, so that what was once paid for is never asked again.

A file is found by what was asked and of which model, not by where the endpoint is. It is written
whole or not at all; one that is damaged all the same counts as missing and is named.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from stepgraph.errors import InputError
from stepgraph.files import make_folder, write_text
from stepgraph.formats.json_text import expect_format, read_json
from stepgraph.learners.llm.client import Reply
from stepgraph.learners.llm.questions import Messages

FORMAT = "stepgraph-llm-answer"
VERSION = 1


class DamagedError(Exception):
    """A file of the cache does not hold what it should."""


@dataclass(frozen=True)
class Cache:
    """The replies of one model, asked with one temperature.

    Parameters
    ----------
    folder
        Where the files are.
    model, temperature
        What the replies depend on beside the question.
    """

    folder: Path
    model: str
    temperature: float

    def open(self) -> None:
        """Make the folder, before anything is paid for that could not be kept.

        Raises
        ------
        FileError
            If it cannot be made.
        """
        make_folder(self.folder)

    def path(self, messages: Messages) -> Path:
        """Return the file of a question."""
        content = json.dumps(self._asked(messages), sort_keys=True)
        return self.folder / f"{hashlib.sha256(content.encode()).hexdigest()}.json"

    def load(self, messages: Messages) -> Reply | None:
        """Return the reply to a question, or None if there is none yet.

        Raises
        ------
        DamagedError
            If its file is there but does not hold it.
        """
        path = self.path(messages)
        try:
            if not path.exists():
                return None
            content = read_json(path)
            expect_format(content, FORMAT, str(path))
        except (OSError, InputError):
            raise DamagedError(path.name) from None
        asked = {name: content.get(name) for name in self._asked(messages)}
        text, refused = content.get("text"), content.get("refused")
        if asked != self._asked(messages) or not isinstance(text, str):
            raise DamagedError(path.name)
        if not isinstance(refused, bool):
            raise DamagedError(path.name)
        return Reply(text, refused=refused)

    def save(self, messages: Messages, reply: Reply) -> None:
        """Keep a reply.

        Raises
        ------
        FileError
            If it cannot be written, such as on a full disk.
        """
        content = {
            "format": FORMAT,
            "version": VERSION,
            **self._asked(messages),
            "text": reply.text,
            "refused": reply.refused,
        }
        # ASCII, because a reply may hold half a character that UTF-8 cannot.
        write_text(self.path(messages), json.dumps(content, indent=2) + "\n")

    def _asked(self, messages: Messages) -> dict[str, object]:
        return {"model": self.model, "temperature": self.temperature, "messages": messages}
