"""What a run has finished, kept on disk batch by batch, so that an interrupted run goes on."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stepgraph._version import __version__
from stepgraph.errors import FileError, InputError
from stepgraph.files import make_folder, write_text
from stepgraph.formats.stepgraph_json import demonstrations_to_json
from stepgraph.runs.outcome import Outcome
from stepgraph.sequences import Demonstrations


class Checkpoint:
    """A folder with one file a finished batch.

    A file begins with a fingerprint of all that its batch's result depends on: the recordings, the
    method, its settings and the version of stepgraph. Only a batch with the same one is taken from
    it.

    Parameters
    ----------
    folder
        Where the files are; it is made where it is missing.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = make_folder(folder)

    def find(self, fingerprint: str) -> list[Outcome] | None:
        """Return what a batch gave earlier; None where it has to be learned."""
        try:
            text = self._path(fingerprint).read_text(encoding="utf-8")
            # By line feeds alone: names may hold other characters that end a line.
            head, *rest = [json.loads(line) for line in text.removesuffix("\n").split("\n")]
            if head != {"fingerprint": fingerprint, "outcomes": len(rest)}:
                return None
            return [Outcome.from_json(content) for content in rest]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None  # missing, or broken: it is learned anew

    def keep(self, fingerprint: str, outcomes: Sequence[Outcome]) -> None:
        """Keep what a batch gave.

        Raises
        ------
        FileError
            If it cannot be written, such as on a full disk; what was kept before stays.
        """
        head = {"fingerprint": fingerprint, "outcomes": len(outcomes)}
        lines = [head, *(outcome.to_json() for outcome in outcomes)]
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        try:
            write_text(self._path(fingerprint), text + "\n")
        except FileError as error:
            raise FileError(
                f"{error}; the batches finished so far are kept in {self.folder}, the same command "
                "goes on from there"
            ) from None

    def remove(self) -> None:
        """Remove the folder, once everything is written elsewhere."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, fingerprint: str) -> Path:
        return self.folder / f"{fingerprint}.jsonl"


def fingerprint_of(
    procedures: Sequence[Demonstrations], method: str, options: Mapping[str, Any]
) -> str:
    """Return a fingerprint of all that a batch's result depends on.

    Raises
    ------
    InputError
        If an option has no plain form.
    """
    digest = hashlib.sha256(f"{__version__} {method}".encode())
    try:
        settings = {name: _plain(value) for name, value in options.items() if name != "progress"}
        digest.update(json.dumps(settings, sort_keys=True).encode())
    except TypeError as error:
        raise InputError(f"a run cannot be kept with these settings ({error})") from None
    for given in procedures:
        digest.update(json.dumps(demonstrations_to_json(given), ensure_ascii=False).encode())
    return digest.hexdigest()[:32]


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return repr(value)
