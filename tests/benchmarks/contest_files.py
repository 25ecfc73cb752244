"""Small processes of the contest and event logs, as files."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path


def xes(traces: Sequence[str], labels: Sequence[str | None] | None = None) -> str:
    """Return traces whose steps are letters as XES, with the contest's label where given."""
    written = []
    for number, trace in enumerate(traces):
        label = labels[number] if labels is not None else None
        marks = "" if label is None else f'<boolean key="pdc:isPos" value="{label}"/>'
        events = "".join(
            f'<event><string key="concept:name" value="{step}"/></event>' for step in trace
        )
        written.append(
            f'<trace><string key="concept:name" value="{number}"/>{marks}{events}</trace>'
        )
    return f"<log>{''.join(written)}</log>"


def write_process(
    folder: Path, name: str, training: Sequence[str], judged: Mapping[str, str | None]
) -> None:
    """Write a process of the contest: traces to learn from, and traces to judge with labels."""
    own = folder / "pdc2019"
    own.mkdir(parents=True, exist_ok=True)
    texts = {"train": xes(training), "test": xes(list(judged), list(judged.values()))}
    for kind, text in texts.items():
        (own / f"{name}-{kind}.xes.gz").write_bytes(gzip.compress(text.encode()))


def write_log(folder: Path, file: str, cases: Sequence[str]) -> None:
    """Write an event log as XES, compressed if its name says so."""
    own = folder / "logs"
    own.mkdir(parents=True, exist_ok=True)
    text = xes(cases).encode()
    (own / file).write_bytes(gzip.compress(text) if file.endswith(".gz") else text)
