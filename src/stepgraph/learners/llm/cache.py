"""Replies on disk, one file each, so that nobody pays for a question twice.

The question, the model and the temperature identify a file; the address of the endpoint does not
matter. A file is written whole or not at all. A damaged file counts as missing, and a note names
it.
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
    """A file of the cache is damaged."""


@dataclass(frozen=True)
class Cache:
    """The replies of one model at one temperature.

    Parameters
    ----------
    folder
        The folder of the files.
    model, temperature
        The model and the temperature of the replies.
    """

    folder: Path
    model: str
    temperature: float

    def open(self) -> None:
        """Make the folder, before the first paid request.

        Raises
        ------
        FileError
            If it cannot be made.
        """
        make_folder(self.folder)

    def path(self, messages: Messages) -> Path:
        """Return the file of a question."""
        content = json.dumps(self._question(messages), sort_keys=True)
        return self.folder / f"{hashlib.sha256(content.encode()).hexdigest()}.json"

    def load(self, messages: Messages) -> Reply | None:
        """Return the reply to a question, or None if there is none yet.

        Raises
        ------
        DamagedError
            If its file exists but is damaged.
        """
        path = self.path(messages)
        try:
            if not path.exists():
                return None
            content = read_json(path)
            expect_format(content, FORMAT, str(path))
        except (OSError, InputError):
            raise DamagedError(path.name) from None
        stored = {name: content.get(name) for name in self._question(messages)}
        text, refused = content.get("text"), content.get("refused")
        if stored != self._question(messages) or not isinstance(text, str):
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
            **self._question(messages),
            "text": reply.text,
            "refused": reply.refused,
        }
        # ASCII, because a reply may hold a lone surrogate, which UTF-8 cannot encode.
        write_text(self.path(messages), json.dumps(content, indent=2) + "\n")

    def _question(self, messages: Messages) -> dict[str, object]:
        return {"model": self.model, "temperature": self.temperature, "messages": messages}
