"""Small assemblies in which parts are taken off, as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

WORDS = {"i": "Install", "r": "Remove", "w": "Incorrectly installed"}


def write_meccano(folder: Path, recordings: Sequence[str]) -> None:
    """Write recordings as MECCANO-PSR; 'rx' is 'Remove x', 'ix' is 'Install x'."""
    lines = ["recording,frame,step"]
    for number, recording in enumerate(recordings):
        for place, word in enumerate(recording.split()):
            lines.append(f"{number:04},{place // 2},{WORDS[word[0]]} {word[1:]}")
    own = folder / "meccano-psr"
    own.mkdir(parents=True, exist_ok=True)
    (own / "meccano_psr.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_toys(folder: Path, recordings: Sequence[tuple[str, str, str]]) -> None:
    """Write recordings as Assembly101: who, which toy, and steps; '+x' attaches, '-x' detaches."""
    own = folder / "assembly101" / "annotations"
    own.mkdir(parents=True, exist_ok=True)
    for number, (person, toy, steps) in enumerate(recordings):
        name = f"nusar-2021_action_both_{person}-{toy}a_{person}_user_id_2021-02-01_{number:06}.csv"
        lines = [
            f"{place},{place + 1},{'attach' if word[0] == '+' else 'detach'},{word[1:]},base,"
            f"{'correct' if word[0] == '+' else 'correction'},"
            for place, word in enumerate(steps.split())
        ]
        (own / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
