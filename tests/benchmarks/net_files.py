"""Small Petri nets, as text and as files."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.contest_files import xes

CHOICE_AND_LOOP = ("s a p", "p b q", "p c q", "q  p", "q d e")
"""First a, then b or c, again and again, then d."""


def net_text(
    transitions: Sequence[str], *, final: str | None = "e", start: str = "s", silent: str = ""
) -> str:
    """Return a net as PNML.

    Parameters
    ----------
    transitions
        Each as 'from label to', where places are letters; without a label it is silent.
    final
        The places with a token at the end; None for no final marking.
    start
        The places with a token at first.
    silent
        Labels of transitions that have a name and are marked as invisible.
    """
    parsed = [line.split(" ") for line in transitions]
    places = sorted({place for before, _, after in parsed for place in before + after})
    nodes = [
        f'<place id="{place}">'
        + ("<initialMarking><text>1</text></initialMarking>" if place in start else "")
        + "</place>"
        for place in places
    ]
    for number, (before, label, after) in enumerate(parsed):
        name = f"<name><text>{label}</text></name>" if label else ""
        mark = '<toolspecific activity="$invisible$"/>' if label and label in silent else ""
        nodes.append(f'<transition id="t{number}">{name}{mark}</transition>')
        nodes += [f'<arc source="{place}" target="t{number}"/>' for place in before]
        nodes += [f'<arc source="t{number}" target="{place}"/>' for place in after]
    marking = "".join(f'<place idref="{place}"><text>1</text></place>' for place in final or "")
    end = "" if final is None else f"<finalmarkings><marking>{marking}</marking></finalmarkings>"
    return f"<pnml><net><page>{''.join(nodes)}</page>{end}</net></pnml>"


def write_net(
    folder: Path, name: str, transitions: Sequence[str], log: Sequence[str] | None
) -> None:
    """Write a process: its net and, where given, its log of traces whose steps are letters."""
    nets, logs = folder / "powl" / "nets", folder / "powl" / "logs"
    nets.mkdir(parents=True, exist_ok=True)
    logs.mkdir(parents=True, exist_ok=True)
    (nets / f"{name}.pnml").write_text(net_text(transitions), encoding="utf-8")
    if log is not None:
        (logs / f"{name}.xes.gz").write_bytes(gzip.compress(xes(log).encode()))
