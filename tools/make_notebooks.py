"""Writes the notebooks in `examples` from the scripts there, outputs included.

A script has its cells apart by `# %%`, and text in cells that begin with `# %% [markdown]`; editors
run such scripts cell by cell. The cells are run here, in one process and in their order, and what
they print and show goes into the notebook. So each example is written once, and a test that makes
the notebooks anew has run them all.

Run: python tools/make_notebooks.py [SCRIPT ...]
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "examples"


@dataclass(frozen=True)
class Cell:
    """A piece of a script.

    Parameters
    ----------
    kind
        ``"code"`` or ``"markdown"``.
    text
        What it says.
    """

    kind: str
    text: str


def cells_of(script: str) -> Iterator[Cell]:
    """Return the cells of a script."""
    for part in ("\n" + script).split("\n# %%")[1:]:
        head, _, body = part.partition("\n")
        if head.strip() == "[markdown]":
            lines = (line.removeprefix("#").removeprefix(" ") for line in body.splitlines())
            yield Cell("markdown", "\n".join(lines).strip())
        else:
            yield Cell("code", body.strip())


def run_cell(code: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run the code of a cell, and return what it prints and what its last line shows."""
    *body, last = ast.parse(code).body
    shown = isinstance(last, ast.Expr)
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        statements = ast.Module(body if shown else [*body, last], [])
        exec(compile(statements, "<cell>", "exec"), names)  # noqa: S102 - our own examples
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = lines_of(printed.getvalue())
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        show = getattr(value, "_repr_mimebundle_", lambda: {"text/plain": repr(value)})
        data = {kind: lines_of(text) for kind, text in show().items()}
        result = {"data": data, "execution_count": count, "metadata": {}}
        outputs.append({**result, "output_type": "execute_result"})
    return outputs


def notebook(script: str) -> dict[str, Any]:
    """Return a script as a notebook, run from its first cell to its last."""
    cells: list[dict[str, Any]] = []
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells_of(script), 1):
        entry: dict[str, Any] = {
            "cell_type": cell.kind,
            "id": f"cell-{number}",
            "metadata": {},
            "source": lines_of(cell.text),
        }
        if cell.kind == "code":
            count = 1 + sum(other["cell_type"] == "code" for other in cells)
            entry["execution_count"] = count
            entry["outputs"] = run_cell(cell.text, names, count)
        cells.append(entry)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def lines_of(text: str) -> list[str]:
    """Return text as notebooks keep it: lines with their ends."""
    return text.splitlines(keepends=True)


def main(arguments: list[str]) -> None:
    """Write the notebooks of some scripts, or of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("scripts", nargs="*", type=Path, help="by default all in examples")
    parser.add_argument("--output", type=Path, default=FOLDER, help="where the notebooks go")
    given = parser.parse_args(arguments)
    for script in given.scripts or sorted(FOLDER.glob("*.py")):
        content = notebook(script.read_text(encoding="utf-8"))
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        (given.output / f"{script.stem}.ipynb").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
